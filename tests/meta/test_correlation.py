"""Pearson and Spearman equal SciPy's, in batches and with missing values."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from chrfect.meta import Measure, Panel, Statistic, correlate
from chrfect.meta.correlation import moments, pearson, quantiles, rank_moments, ranks


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_pearson_and_spearman_equal_scipy(seed, missing):
    generator = np.random.default_rng(seed)
    human = generator.integers(0, 9, (4, 30)).astype(float)
    metric = human + generator.integers(0, 20, (4, 30))
    human[generator.random((4, 30)) < missing] = np.nan
    r, rho = pearson(moments(human, metric)), pearson(rank_moments(human, metric))
    for row in range(4):
        known = ~np.isnan(human[row])
        x, y = human[row, known], metric[row, known]
        assert r[row] == pytest.approx(scipy.stats.pearsonr(x, y).statistic, abs=1e-13)
        assert rho[row] == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-13)


@pytest.mark.parametrize("seed", range(10))
def test_ranks_equal_scipy(seed):
    values = np.random.default_rng(seed).integers(0, 5, (3, 40)).astype(float)
    assert np.array_equal(ranks(values), scipy.stats.rankdata(values, axis=-1))


def test_summed_moments_give_the_correlation_within_groups():
    human = np.array([[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]])
    metric = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    assert pearson(moments(human, metric).sum(axis=0)) == 0.0


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e9 + 0.1])
@pytest.mark.parametrize("hole", [True, False])
def test_correlation_with_a_constant_is_undefined(constant, hole):
    human, metric = np.arange(7.0), np.full(7, constant)
    if hole:
        human[0] = np.nan
    assert np.isnan(pearson(moments(human, metric)))
    assert np.isnan(pearson(moments(metric, human)))


def test_equal_values_share_a_quantile_in_any_order():
    ratings = np.array([0.0, -5, 0, -1, -10, 0, np.nan, 0, -5, 0])
    found = quantiles(ratings, 4)
    assert found.tolist() == [2, 0, 2, 1, 0, 2, -1, 2, 0, 2]
    order = np.random.default_rng(1).permutation(len(ratings))
    assert np.array_equal(quantiles(ratings[order], 4), found[order])
    assert quantiles(np.full(5, 3.0), 4).tolist() == [0] * 5


@pytest.mark.parametrize("size", [4, 60, 500, 560])
def test_quantiles_of_distinct_values_are_of_equal_size(size):
    values = np.random.default_rng(size).permutation(size).astype(float)
    assert np.bincount(quantiles(values, 4)).tolist() == [size // 4] * 4
    assert all(values[quantiles(values, 4) == at].max() < size * (at + 1) / 4 for at in range(4))


@pytest.mark.parametrize("factor", [1e75, 1e150, 1e-180, 1e-300])
def test_scores_of_extreme_size_correlate_as_scores_of_usual_size(factor):
    human, metric = np.array([1.0, 2, 3, 5]), np.array([2.0, 1, 4, 6])
    expected = scipy.stats.pearsonr(human, metric).statistic
    for one, two in ((human * factor, metric * factor), (human, metric * factor), (human * factor, metric)):
        assert float(pearson(moments(one, two))) == pytest.approx(expected, abs=1e-15)
    equal = np.array([1e75, 2e75, 4e75])
    assert float(pearson(moments(equal, equal))) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("size", [1e-150, 1e-100, 1e140])
def test_groups_of_enormous_and_tiny_scores_keep_their_correlations(size):
    human = np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0]])
    scores = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 4.0], [5.0, 4.0, 1.0]])
    expected = np.mean([np.corrcoef(h, s)[0, 1] for h, s in zip(human, scores, strict=True)])
    scores[0] *= size
    human[2] *= size
    panel = Panel("p", list("ABC"), list("123"), human.T, {"m": scores.T})
    agreement = correlate(panel, "m", Measure(Statistic("pearson"), grouping="item"))
    assert agreement.undefined_groups == 0
    assert agreement.value == pytest.approx(expected, rel=1e-14)


def exact_micro(human, metric):
    """Pearson's r within groups (columns) in exact fractions."""
    covariance = first = second = Fraction(0)
    for one, two in zip(human.T.tolist(), metric.T.tolist(), strict=True):
        x, y = ([Fraction(value) for value in values] for values in (one, two))
        x, y = ([value - sum(values) / len(values) for value in values] for values in (x, y))
        covariance += sum(a * b for a, b in zip(x, y, strict=True))
        first += sum(a * a for a in x)
        second += sum(b * b for b in y)
    return math.copysign(math.sqrt(covariance**2 / (first * second)), covariance)


@pytest.mark.parametrize("step", [1.0, 1e20, 1e-20])
@pytest.mark.parametrize("size", [1e40, 1e-140])
def test_the_micro_average_of_groups_of_any_size_is_exact(step, size):
    generator = np.random.default_rng(8)
    human = generator.normal(size=(5, 6))
    metric = (human + generator.normal(size=(5, 6))) * step ** np.arange(6) * size
    panel = Panel("p", list("ABCDE"), list("123456"), human, {"m": metric})
    measure = Measure(Statistic("pearson"), grouping="item", average="micro")
    assert float(measure.values(panel.human, panel.metric("m"))) == pytest.approx(exact_micro(human, metric), abs=1e-14)
