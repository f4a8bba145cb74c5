"""The tail probability of Student's t equals SciPy's to full relative precision."""

import math

import pytest
import scipy.stats

from chrfect.inference.student import critical, two_sided


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 23, 557, 19_997])
@pytest.mark.parametrize("t", [0.0, 0.01, 0.3, -1.5, 2.0, 6.0, 20.0, 400.0])
def test_the_tail_equals_scipy(t, degrees):
    assert two_sided(t, degrees) == pytest.approx(2 * scipy.stats.t.sf(abs(t), degrees), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("t", [1e-8, 0.5, 3.0])
def test_one_degree_of_freedom_is_an_arc_tangent(t):
    assert two_sided(t, 1) == pytest.approx(1 - 2 / math.pi * math.atan(t), rel=1e-14)


def test_an_infinite_statistic_has_no_tail():
    assert two_sided(math.inf, 5) == 0.0


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("degrees", [1, 2, 6, 30, 4214])
def test_quantiles_equal_scipy(confidence, degrees):
    expected = scipy.stats.t.ppf((1 + confidence) / 2, degrees)
    assert critical(confidence, degrees) == pytest.approx(expected, rel=1e-9)
