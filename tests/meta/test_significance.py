"""Williams's test gives published values; permutation tests equal the enumeration of all swaps."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from chrfect.errors import UsageError
from chrfect.meta import (
    Measure,
    Panel,
    Statistic,
    compare_bootstrapped,
    compare_permuted,
    compare_williams,
    williams,
)

PEARSON = Measure(Statistic("pearson"))


def panel(seed, systems=5, items=8, noise=(0.2, 0.4)):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, items))
    metrics = {name: human + s * generator.normal(size=human.shape) for name, s in zip("ab", noise, strict=True)}
    return Panel("p", [f"s{i}" for i in range(systems)], [f"i{i}" for i in range(items)], human, metrics)


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "members", "t", "p"),
    [
        (0.80, 0.72, 0.89, 26, 1.361, 0.187),  # Howell, Statistical Methods for Psychology
        (0.50, 0.40, 0.10, 103, 0.89, 0.37),  # Steiger (1980): masculinity, femininity and verbal ability
    ],
)
def test_williams_gives_the_published_examples(r12, r13, r23, members, t, p):
    ours = williams(r12, r13, r23, members)
    assert ours[0] == pytest.approx(t, abs=5e-3 if t == 0.89 else 5e-4)
    assert ours[1] == pytest.approx(p, abs=5e-3 if p == 0.37 else 5e-4)
    assert williams(r13, r12, r23, members) == pytest.approx((-ours[0], ours[1]))


def test_williams_finds_no_difference_of_equal_and_identical_metrics():
    assert williams(0.5, 0.5, 0.9, 30) == (0.0, 1.0)
    assert williams(0.5, 0.5, 1.0, 30) == (0.0, 1.0)


def test_williams_rejects_unsuitable_data():
    with pytest.raises(UsageError, match="given 3 scores; at least 4"):
        williams(0.1, 0.2, 0.3, 3)
    with pytest.raises(UsageError, match="use the permutation test"):
        compare_williams(panel(0), "a", "b", Measure(Statistic("pearson"), grouping="item"))
    with pytest.raises(UsageError, match="kendall-b; use the permutation test"):
        compare_williams(panel(0), "a", "b", Measure(Statistic("kendall-b")))


def exact_p(panel, measure, swapped):
    """All possible swaps, one by one."""
    human = panel.human
    one, two = panel.metrics.values()
    observed = abs(measure.values(human, one) - measure.values(human, two))
    if measure.level == "system" and swapped == "systems":
        human, one, two = (cells.mean(axis=1, keepdims=True) for cells in (human, one, two))
    one, two = ((m - m.mean()) / m.std() for m in (one, two))
    shape = {"cells": human.shape, "systems": (human.shape[0], 1), "items": (1, human.shape[1])}[swapped]
    beyond = total = 0
    for coins in product((False, True), repeat=int(np.prod(shape))):
        swap = np.array(coins).reshape(shape)
        difference = measure.values(human, np.where(swap, two, one)) - measure.values(human, np.where(swap, one, two))
        beyond += abs(difference) >= observed - 1e-12
        total += 1
    return beyond / total


@pytest.mark.parametrize("swapped", ["cells", "systems", "items"])
@pytest.mark.parametrize(
    "measure",
    [
        PEARSON,
        Measure(Statistic("kendall-b"), grouping="item"),
        Measure(Statistic("pearson"), grouping="item", average="micro"),
        Measure(Statistic("pearson"), level="system"),
    ],
    ids=str,
)
def test_random_swaps_approach_all_swaps(measure, swapped):
    small = panel(7, systems=4, items=3, noise=(0.3, 0.8))
    found = compare_permuted(small, "a", "b", measure, swapped=swapped, permutations=4000, seed=1)
    assert found.p_value == pytest.approx(exact_p(small, measure, swapped), abs=0.04)
    assert f"permutation of {swapped}" in found.test
    assert ("all 16 swaps" if swapped == "systems" else "seed 1") in found.test
    if swapped == "systems":
        assert found.p_value == exact_p(small, measure, swapped)


@pytest.mark.parametrize("swapped", ["cells", "systems", "items"])
def test_metrics_that_differ_only_in_scale_are_not_different(swapped):
    base = panel(3)
    same = Panel("p", base.systems, base.items, base.human, {"a": base.metrics["a"], "b": 7 * base.metrics["a"] + 3})
    assert compare_permuted(same, "a", "b", PEARSON, swapped=swapped, permutations=99).p_value == 1.0


def test_clear_difference_is_found_and_reproducible_with_a_seed():
    clear = panel(5, systems=6, items=60, noise=(0.1, 3.0))
    measure = Measure(Statistic("pearson"), grouping="item")
    first = compare_permuted(clear, "a", "b", measure, swapped="cells", permutations=200, seed=4)
    assert first.p_value == 1 / 201
    assert first.difference > 0
    assert compare_permuted(clear, "a", "b", measure, swapped="cells", permutations=200, seed=4) == first


def test_a_constant_metric_has_no_comparison():
    base = panel(3)
    flat = Panel("p", base.systems, base.items, base.human, {"a": base.metrics["a"], "b": np.full((5, 8), 0.1)})
    assert compare_permuted(flat, "a", "b", PEARSON, swapped="cells", permutations=9).p_value is None
    assert compare_williams(flat, "a", "b", PEARSON).p_value is None


def test_rejects_wrong_parameters():
    with pytest.raises(UsageError, match="swapped is 'rows'"):
        compare_permuted(panel(1), "a", "b", PEARSON, swapped="rows")
    with pytest.raises(UsageError, match="permutations is 0"):
        compare_permuted(panel(1), "a", "b", PEARSON, swapped="cells", permutations=0)
    with pytest.raises(UsageError, match="no metric 'c'; the metrics are a, b"):
        compare_permuted(panel(1), "a", "c", PEARSON, swapped="cells")


def pairs_by_hand(panel, epsilon=0.0):
    """Observed difference, and pairs right for one metric alone, one pair at a time."""
    ahead = []
    for item in range(panel.human.shape[1]):
        for i in range(len(panel.human)):
            for j in range(i):
                h = panel.human[i, item] - panel.human[j, item]
                right = [
                    (abs(d) <= epsilon) if h == 0 else (abs(d) > epsilon and (d > 0) == (h > 0))
                    for d in (panel.metrics[m][i, item] - panel.metrics[m][j, item] for m in "ab")
                ]
                ahead.append(int(right[0]) - int(right[1]))
    return ahead


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_swapping_outcomes_of_pairs_is_the_binomial_test_of_the_pairs_on_which_metrics_disagree(epsilon):
    data = panel(2, systems=4, items=5, noise=(0.3, 1.5))
    data = Panel("p", data.systems, data.items, np.round(data.human), data.metrics)
    ahead = pairs_by_hand(data, epsilon)
    for average in ("micro", "macro"):  # every item has as many pairs, so both averages are one
        measure = Measure(Statistic("accuracy", epsilon=epsilon), grouping="item", average=average)
        found = compare_permuted(data, "a", "b", measure, swapped="pairs", permutations=40_000)
        assert found.difference == pytest.approx(sum(ahead) / len(ahead))
        wins, losses = ahead.count(1), ahead.count(-1)
        assert found.p_value == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, abs=0.02)


def test_rejects_swapping_pairs_for_other_statistics():
    with pytest.raises(UsageError, match="only accuracy and accuracy-calibrated have pairs to swap, not pearson"):
        compare_permuted(panel(1), "a", "b", PEARSON, swapped="pairs")


@pytest.mark.parametrize("resampled", ["systems", "items", "both"])
def test_the_paired_bootstrap_finds_a_clear_difference_and_none_between_equal_metrics(resampled):
    clear = panel(5, systems=6, items=60, noise=(0.1, 3.0))
    found = compare_bootstrapped(clear, "a", "b", PEARSON, resampled=resampled, resamples=199)
    assert found.p_value == 2 / 200
    assert found.one_sided == 1 / 200
    turned = compare_bootstrapped(clear, "b", "a", PEARSON, resampled=resampled, resamples=199)
    assert (turned.p_value, turned.one_sided) == (2 / 200, 1.0)
    same = Panel("p", clear.systems, clear.items, clear.human, dict.fromkeys("ab", clear.metrics["a"]))
    assert compare_bootstrapped(same, "a", "b", PEARSON, resampled=resampled, resamples=50).p_value == 1.0


def test_corpus_scores_are_swapped_and_resampled_by_system_alone():
    base = panel(3)
    measure = Measure(Statistic("pearson"), level="system")
    corpus = {name: scores.mean(axis=1) + 1 for name, scores in base.metrics.items()}
    data = Panel("p", base.systems, base.items, base.human, base.metrics, corpus)
    assert compare_permuted(data, "a", "b", measure, swapped="systems").p_value == pytest.approx(
        compare_permuted(base, "a", "b", measure, swapped="systems").p_value
    )
    with pytest.raises(UsageError, match="corpus scores have no cells to swap; swap systems, or use mean scores"):
        compare_permuted(data, "a", "b", measure, swapped="cells")
    with pytest.raises(UsageError, match="corpus scores cannot be resampled by item"):
        compare_bootstrapped(data, "a", "b", measure, resampled="items")


def test_scores_of_extreme_size_are_standardised_too():
    base = panel(3)
    for factor in (1e-180, 1e140):
        scaled = Panel("p", base.systems, base.items, base.human, {m: s * factor for m, s in base.metrics.items()})
        for swapped in ("systems", "cells"):
            same, found = (
                compare_permuted(data, "a", "b", PEARSON, swapped=swapped, permutations=50) for data in (base, scaled)
            )
            assert found.p_value == same.p_value
