"""Metrics ranked over several tasks by the weighted mean of their agreements."""

import itertools

import numpy as np
import pytest

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta import Measure, Panel, Statistic
from chrfect.meta.aggregate import aggregate
from chrfect.meta.judgement import Settings, judge

SYSTEM = Measure(Statistic("pearson"), level="system")


def panel(name, seed, systems=5, metrics=("near", "far")):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, 1))
    noise = {"near": 0.4, "far": 1.5, "mid": 0.8}
    scores = {label: human + noise[label] * generator.normal(size=human.shape) for label in metrics}
    return Panel(name, [f"S{i}" for i in range(systems)], [""], human, scores)


def swapped_differences(one):
    """Return Pearson's difference of near and far, observed and under every swap of standardised scores."""
    human, near, far = (values.ravel() for values in (one.human, one.metric("near"), one.metric("far")))
    near, far = ((values - values.mean()) / values.std() for values in (near, far))
    result = []
    for flips in itertools.product((False, True), repeat=len(human)):
        first, second = np.where(flips, far, near), np.where(flips, near, far)
        result.append(np.corrcoef(human, first)[0, 1] - np.corrcoef(human, second)[0, 1])
    return result


def test_the_value_is_the_weighted_mean_and_p_that_of_the_weighted_sum_of_all_swaps():
    panels = [panel("a", 3), panel("b", 5), panel("c", 8)]
    judgement = judge(panels, [SYSTEM], Settings(interval="none", permutations=20000))
    overall = aggregate(judgement, {"b": 3, "c:pearson": 0.5})
    weights = [1 / 4.5, 3 / 4.5, 0.5 / 4.5]
    assert overall.weights == pytest.approx(weights)
    by_task = [{a.metric: a.value for a in one.agreements} for one in judgement.judged]
    for metric in ("near", "far"):
        expected = sum(w * values[metric] for w, values in zip(weights, by_task, strict=True))
        assert overall.values[metric] == pytest.approx(expected)
    every = [swapped_differences(one) for one in panels]
    observed = sum(w * one[0] for w, one in zip(weights, every, strict=True))
    sums = sum(
        w * np.array(one).reshape([-1 if i == at else 1 for i in range(3)])
        for at, (w, one) in enumerate(zip(weights, every, strict=True))
    )
    exact = np.mean(np.abs(sums) >= abs(observed) - 1e-12)
    [p] = overall.comparisons.values()
    assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20000))
    assert 0.02 < exact < 0.98


def test_metrics_come_best_first_and_share_a_rank_unless_the_difference_is_significant():
    panels = [
        panel(name, seed, systems=14, metrics=("far", "near")) for name, seed in zip("abcdef", range(6), strict=True)
    ]
    judgement = judge(panels, [SYSTEM], Settings(interval="none", permutations=400))
    overall = aggregate(judgement)
    assert list(overall.values) == ["near", "far"]
    assert overall.ranks == {"near": 1, "far": 2}
    assert aggregate(judge(panels, [SYSTEM], Settings(interval="none", test="none"))).ranks == {}


def test_one_task_has_its_own_p_value():
    judgement = judge([panel("a", 3)], [SYSTEM], Settings(interval="none"))
    [comparison] = judgement.judged[0].comparisons
    overall = aggregate(judgement)
    assert overall.comparisons == {(comparison.first, comparison.second): comparison.p_value}


def test_metric_missing_in_a_task_has_no_mean_and_no_rank():
    flat = panel("b", 5)
    scores = {"near": flat.metric("near"), "far": np.ones((5, 1))}
    constant = Panel("b", flat.systems, [""], flat.human, scores)
    with pytest.warns(ChrfectWarning, match="all scores of the metric are equal"):
        judgement = judge([panel("a", 3), constant], [SYSTEM], Settings(interval="none"))
    overall = aggregate(judgement)
    assert overall.values["far"] is None
    assert overall.ranks == {"near": 1, "far": None}


def test_rejects_unknown_and_nonpositive_weights():
    judgement = judge([panel("a", 3), panel("b", 5)], [SYSTEM], Settings(interval="none", test="none"))
    with pytest.raises(
        UsageError, match=r"the weight x=2 matches no panel, statistic or task\. The tasks are a:pearson"
    ):
        aggregate(judgement, {"x": 2})
    with pytest.raises(UsageError, match="the weight of a is 0; a positive number was expected"):
        aggregate(judgement, {"a": 0})
