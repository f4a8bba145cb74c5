"""The tail probability of Student's t distribution, to full relative precision, and its quantiles."""

from __future__ import annotations

import math

_TINY = 1e-300
_PRECISION = 1e-15


def two_sided(t: float, degrees: float) -> float:
    """Return P(|T| >= |t|) for Student's t with `degrees` of freedom.

    Parameters
    ----------
    t : float
        The statistic; infinite gives 0.
    degrees : float
        Degrees of freedom, above 0.

    Returns
    -------
    float
        Between 0 and 1: the regularised incomplete beta function I_x(degrees/2, 1/2), x = degrees / (degrees + t²).

    Examples
    --------
    >>> round(two_sided(2.0, 10), 6)
    0.073388
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t), t * t / (degrees + t * t))


def critical(confidence: float, degrees: float) -> float:
    """Return the value t with P(|T| <= t) = `confidence` for `degrees` of freedom.

    Examples
    --------
    >>> round(critical(0.95, 10), 3)
    2.228
    """
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > 1 - confidence:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if two_sided(middle, degrees) > 1 - confidence else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float, complement: float) -> float:
    """Return I_x(a, b); 1 - x is given separately so that neither tail loses precision."""
    if x <= 0 or complement <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(complement))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, complement) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method."""
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away(1.0 + numerator * d)
            c = _away(1.0 + numerator / c)
            value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return value


def _away(value: float) -> float:
    """Return a denominator that is not 0."""
    return value if abs(value) > _TINY else _TINY
