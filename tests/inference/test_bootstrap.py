"""Resampled scores equal a naive loop; percentile and BCa intervals equal SciPy's."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_inference as naive
from chrfect.errors import UsageError
from chrfect.inference.bootstrap import bootstrap, interval, leave_one_out
from chrfect.inference.interval import Interval

counts = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=12)


def table(rows):
    return np.array([(h, r, min(m, h, r)) for h, r, m in rows], np.int64)


@settings(max_examples=40, deadline=None)
@given(counts, st.integers(0, 2**32))
def test_scores_of_resamples_equal_naive_ones(rows, seed):
    systems = [table(rows), table([(h + 1, r, m) for h, r, m in rows])]
    scores = bootstrap(systems, naive.ratios, trials=20, seed=seed)
    for system, found in zip(systems, scores, strict=True):
        assert found.tolist() == [float(score) for score in naive.bootstrap(system, 20, seed)]


def test_threads_do_not_change_the_result():
    generator = np.random.default_rng(3)
    systems = [generator.integers(0, 50, (4_000, 3)) for _ in range(2)]
    one = bootstrap(systems, naive.ratios, trials=200)
    assert np.array_equal(one, bootstrap(systems, naive.ratios, trials=200, threads=3))


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_intervals_equal_scipy(method, level, seed):
    generator = np.random.default_rng(seed)
    system = table(generator.integers(0, 30, (60, 3)).tolist())

    def statistic(indices, axis):
        return np.apply_along_axis(lambda chosen: naive.ratios([system[chosen].sum(0)])[0], axis, indices)

    expected = scipy.stats.bootstrap(
        (np.arange(60),),
        statistic,
        n_resamples=400,
        batch=400,
        confidence_level=level,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(seed),
    ).confidence_interval
    scores = bootstrap([system], naive.ratios, trials=400, seed=seed)[0]
    observed = naive.ratios([system.sum(0)])[0]
    found = interval(scores, observed, leave_one_out(system, naive.ratios), method=method, level=level, seed=seed)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)
    assert found.mean == pytest.approx(float(np.mean([float(s) for s in naive.bootstrap(system, 400, seed)])))
    assert (found.level, found.method, found.trials, found.seed) == (level, method, 400, seed)


def test_equal_scores_have_an_interval_without_width():
    found = interval(np.full(50, 7.0), 7.0, np.full(10, 7.0), method="bca")
    assert (found.lower, found.upper, found.mean) == (7.0, 7.0, 7.0)


def test_an_interval_describes_its_method():
    made = Interval(1.0, 2.0, 1.5, 0.95, "percentile", 1000, 12345)
    assert str(made) == "95% percentile bootstrap, 1,000 trials, seed 12345"
    assert Interval(**made.to_dict()) == made


@pytest.mark.parametrize(
    ("options", "message"), [({"method": "basic"}, "method is 'basic'"), ({"level": 1.0}, "confidence is 1.0")]
)
def test_rejects_an_unknown_method_or_level(options, message):
    with pytest.raises(UsageError, match=message):
        interval(np.arange(5.0), 2.0, **options)
