"""Soft pairwise accuracy compares the p-values of metric and humans."""

from itertools import product

import numpy as np
import pytest

from chrfect.errors import UsageError
from chrfect.meta import Measure, Panel, Statistic, better_p_values, compare_permuted, soft_accuracy
from chrfect.meta.intervals import resampled_values


def exact_p(first, second):
    """All sign vectors; ties count half."""
    differences = np.array(first) - np.array(second)
    null = np.array([np.dot(signs, differences) for signs in product((-1, 1), repeat=len(differences))])
    observed = differences.sum()
    return (np.mean(null > observed + 1e-9) + np.mean(null >= observed - 1e-9)) / 2


def test_p_values_approach_all_sign_vectors_and_add_up():
    scores = np.random.default_rng(1).integers(0, 6, (4, 9)).astype(float)
    p = better_p_values(scores, permutations=20_000)
    for i in range(4):
        for j in range(4):
            assert p[i, j] == pytest.approx(exact_p(scores[i], scores[j]) if i != j else 0.5, abs=0.02)
    assert np.allclose(p + p.T, 1.0)


def test_an_item_missing_for_one_system_leaves_only_its_pairs():
    scores = np.random.default_rng(1).normal(size=(3, 12))
    holed = scores.copy()
    holed[0, :4] = np.nan
    whole, part = better_p_values(scores), better_p_values(holed)
    assert part[1, 2] == whole[1, 2]
    assert part[0, 1] == pytest.approx(exact_p(scores[0, 4:], scores[1, 4:]), abs=0.05)


def test_equal_p_values_score_one_and_reversed_ones_little():
    human = np.random.default_rng(2).normal(size=(4, 50)) + np.arange(4)[:, None]
    assert soft_accuracy(human, 5 * human + 1) == 1.0
    assert soft_accuracy(human, -human) < 0.01


def test_copies_of_a_system_are_not_compared():
    human = np.random.default_rng(2).normal(size=(2, 50)) + np.array([[0], [1]])
    once, copied = soft_accuracy(human, -human), soft_accuracy(human[[0, 1, 1]], -human[[0, 1, 1]], np.array([0, 1, 1]))
    assert copied == pytest.approx(once)
    assert np.isnan(soft_accuracy(human[[0, 0]], human[[0, 0]], np.array([0, 0])))


def test_rejects_single_scores():
    with pytest.raises(UsageError, match="needs segment scores"):
        better_p_values([[1.0], [2.0]])


def test_p_values_of_decimal_scores_are_those_of_the_same_whole_numbers():
    """Sums of tenths differ in their last bits where sums of whole numbers are equal; both are ties."""
    whole = np.random.default_rng(0).integers(-3, 4, (5, 12))
    assert better_p_values(whole / 10).tolist() == better_p_values(whole).tolist()
    assert better_p_values(whole * 1e-7).tolist() == better_p_values(whole).tolist()


SYSTEM = Measure(Statistic("soft-accuracy"), level="system")


@pytest.fixture(params=[False, True], ids=["whole", "missing"])
def panel(request):
    generator = np.random.default_rng(5)
    human = generator.normal(size=(6, 30)) + generator.normal(size=(6, 1))
    metrics = {"a": human + generator.normal(size=human.shape), "b": np.round(2 * generator.normal(size=human.shape))}
    if request.param:
        human[generator.random(human.shape) < 0.2] = np.nan
    return Panel("made", list("ABCDEF"), list(map(str, range(30))), human, metrics)


def test_swaps_of_systems_are_those_of_tables_with_swapped_rows(panel):
    a, b = ((cells - np.nanmean(cells)) / np.nanstd(cells) for cells in panel.metrics.values())
    differences = []
    for flips in product((False, True), repeat=6):
        taken = np.array(flips)[:, None]
        first, second = np.where(taken, b, a), np.where(taken, a, b)
        differences.append(float(soft_accuracy(panel.human, first) - soft_accuracy(panel.human, second)))
    found = compare_permuted(panel, "a", "b", SYSTEM, swapped="systems")
    assert sorted(found.draws) == pytest.approx(sorted(differences), abs=1e-12)
    assert found.p_value == np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)


def test_resampled_systems_are_tables_of_resampled_rows(panel):
    [found] = resampled_values(panel, ["a"], SYSTEM, resampled="systems", resamples=40, seed=7)
    rows = np.random.default_rng(7).integers(0, 6, (40, 6))
    expected = [float(soft_accuracy(panel.human[one], panel.metric("a")[one], one)) for one in rows]
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
