"""The tie threshold found by sorting equals the result of trying all thresholds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chrfect.errors import UsageError
from chrfect.meta import calibrate, calibration
from naive_meta import accuracy, calibrated

cell = st.tuples(st.sampled_from([0.0, 1.0, 2.0, math.nan]), st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.5, 2.0]))
groups = st.integers(2, 5).flatmap(
    lambda members: st.lists(st.lists(cell, min_size=members, max_size=members), min_size=1, max_size=4)
)


@given(groups, st.sampled_from(["micro", "macro"]))
def test_the_best_threshold_equals_trying_every_one(rows, average):
    human = [[h for h, _ in row] for row in rows]
    metric = [[m for _, m in row] for row in rows]
    pairs = list(zip(human, metric, strict=True))
    if all(sum(not math.isnan(h) for h in row) < 2 for row in human):
        with pytest.raises(UsageError, match="at least one group with two scores"):
            calibrate(human, metric, average=average)
        return
    found = calibrate(human, metric, average=average)
    threshold, value = calibrated(pairs, average)
    assert found.epsilon == threshold
    assert found.accuracy == pytest.approx(value, abs=1e-12)
    for epsilon, height in zip(found.epsilons, found.accuracies, strict=True):
        assert height == pytest.approx(accuracy(pairs, epsilon, average), abs=1e-12)


@given(groups, st.sampled_from(["micro", "macro"]))
def test_the_smallest_best_threshold_is_found_across_bands_too(rows, average):
    human = [[h for h, _ in row] for row in rows]
    metric = [[m for _, m in row] for row in rows]
    assume(any(sum(not math.isnan(h) for h in row) > 1 for row in human))
    at_once = calibrate(human, metric, average=average)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "DIRECT", 0)
        patch.setattr(calibration, "_BLOCK", 2)
        in_bands = calibrate(human, metric, average=average)
    assert in_bands.epsilon == at_once.epsilon
    assert in_bands.accuracy == pytest.approx(at_once.accuracy, abs=1e-12)


@pytest.mark.parametrize("continuous", [True, False])
def test_bands_equal_one_sort(monkeypatch, continuous):
    generator = np.random.default_rng(3)
    human = generator.integers(0, 4, (3, 60)).astype(float)
    metric = generator.normal(size=(3, 60)) if continuous else generator.integers(0, 9, (3, 60)) / 7
    identities = generator.integers(0, 50, (3, 60))
    at_once = calibrate(human, metric, identities=identities)
    monkeypatch.setattr(calibration, "DIRECT", 10)
    monkeypatch.setattr(calibration, "_BLOCK", 100)
    in_bands = calibrate(human, metric, identities=identities)
    assert (in_bands.epsilon, in_bands.accuracy) == (at_once.epsilon, at_once.accuracy)


def test_calibration_helps_a_metric_that_never_ties():
    best = calibrate([[0, 0, 0, 10, 10, 10]], [[1.0, 1.2, 1.4, 9.0, 9.1, 9.3]])
    assert (best.epsilon, best.accuracy) == (pytest.approx(0.4), 1.0)
    assert best.accuracies[0] == 9 / 15  # untied: only the nine pairs that humans order are right


def test_copies_of_one_system_are_not_compared():
    once = calibrate([[1, 2, 3]], [[1.0, 3.0, 2.0]])
    twice = calibrate([[1, 2, 3, 3]], [[1.0, 3.0, 2.0, 2.0]], identities=np.array([[0, 1, 2, 2]]))
    assert once.accuracy == 2 / 3
    assert twice.accuracy == 3 / 5


def test_rejects_other_averages():
    with pytest.raises(UsageError, match="average is 'mean'"):
        calibrate([1, 2], [1, 2], average="mean")
