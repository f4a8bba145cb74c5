"""Intervals cover the expected values, describe their method, and never compare a cell with its copy."""

import numpy as np
import pytest
import scipy.stats

from chrfect.errors import UsageError
from chrfect.meta import Measure, Panel, Statistic, bootstrap, fisher
from chrfect.meta.intervals import DRAWN
from chrfect.meta.statistics import STATISTICS

PEARSON = Measure(Statistic("pearson"))


def panel(systems=6, items=40, seed=0):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, items)) + np.arange(systems)[:, None] / 3
    scores = human + generator.normal(size=human.shape)
    return Panel("p", [f"s{i}" for i in range(systems)], [f"i{i}" for i in range(items)], human, {"m": scores})


@pytest.mark.parametrize("members", [5, 30, 500])
def test_fishers_interval_equals_scipy(members):
    generator = np.random.default_rng(members)
    x = generator.normal(size=members)
    y = x + generator.normal(size=members)
    theirs = scipy.stats.pearsonr(x, y)
    ours = fisher("pearson", theirs.statistic, members)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))


def test_fishers_interval_of_ranks_is_wider_for_spearman_and_narrower_for_kendall():
    widths = {name: fisher(name, 0.5, 50) for name in ("pearson", "spearman", "kendall-b")}
    width = {name: interval.high - interval.low for name, interval in widths.items()}
    assert width["kendall-b"] < width["pearson"] < width["spearman"]


def test_fisher_rejects_unsuitable_statistics():
    with pytest.raises(UsageError, match="no interval for accuracy; use the bootstrap"):
        fisher("accuracy", 0.5, 50)
    with pytest.raises(UsageError, match="more than 3 scores"):
        fisher("pearson", 0.5, 3)
    with pytest.raises(UsageError, match="confidence is 95"):
        fisher("pearson", 0.5, 30, 95)


@pytest.mark.parametrize("resampled", ["items", "systems", "both"])
@pytest.mark.parametrize("name", [name for name in STATISTICS if name != "soft-accuracy"])
def test_every_statistic_has_a_bootstrap_interval_around_its_value(name, resampled):
    data = panel()
    for measure in (Measure(Statistic(name)), Measure(Statistic(name), grouping="item")):
        if name == "darr":
            measure = Measure(Statistic(name, margin=0.5), grouping=measure.grouping)
        interval = bootstrap(data, "m", measure, resampled=resampled, resamples=60)
        value = float(measure.values(data.human, data.metrics["m"]))
        assert interval.low - 0.05 <= value <= interval.high + 0.05
        assert str(interval) == f"95% bootstrap over {DRAWN[resampled]}, 60 resamples, seed 12345"


def test_bootstrap_and_fisher_agree_on_plain_data():
    data = panel(systems=1, items=400)
    drawn = bootstrap(data, "m", PEARSON, resampled="items", resamples=2000)
    value = float(PEARSON.values(data.human, data.metrics["m"]))
    exact = fisher("pearson", value, 400)
    assert (drawn.low, drawn.high) == pytest.approx((exact.low, exact.high), abs=0.02)


def test_a_resampled_system_is_not_compared_with_its_copy():
    measure = Measure(Statistic("accuracy"), level="system")
    human, scores = np.array([[1.0], [2.0], [3.0]]), np.array([[3.0], [2.0], [1.0]])
    wrong = Panel("p", "abc", ["all"], human, {"m": scores})
    interval = bootstrap(wrong, "m", measure, resampled="systems", resamples=200)
    assert (interval.low, interval.high) == (0.0, 0.0)
    assert interval.undefined > 0  # three times the same system leaves nothing to compare


def test_soft_accuracy_has_an_interval_too():
    measure = Measure(Statistic("soft-accuracy"), level="system")
    interval = bootstrap(panel(), "m", measure, resampled="systems", resamples=5)
    assert 0 <= interval.low <= interval.high <= 1


def test_the_seed_determines_the_result_and_progress_is_reported():
    seen = []
    data = panel(systems=300, items=400)
    first = bootstrap(data, "m", PEARSON, resampled="both", resamples=20, progress=lambda *now: seen.append(now))
    assert seen[-1] == (20, 20)
    assert len(seen) > 1
    assert first == bootstrap(data, "m", PEARSON, resampled="both", resamples=20)
    assert first != bootstrap(data, "m", PEARSON, resampled="both", resamples=20, seed=2)


def test_rejects_data_without_any_defined_value():
    flat = Panel("p", "a", "12345", [[1, 2, 3, 4, 5]], {"m": [[7, 7, 7, 7, 7]]})
    with pytest.raises(UsageError, match="undefined on every resample"):
        bootstrap(flat, "m", PEARSON, resampled="items", resamples=10)
