"""Confidence bounds: Fisher's z, bootstrap percentiles, and bias-corrected percentiles (BCa)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Bounds = tuple[float, float]


def fisher_bounds(statistic: str, value: float, members: int, confidence: float = 0.95) -> Bounds:
    """Return the bounds of one correlation by Fisher's z transformation.

    Parameters
    ----------
    statistic : {"pearson", "spearman", "kendall-b"}
        The variance of z is 1/(n - 3); (1 + r²/2)/(n - 3), Bonett and Wright (2000); 0.437/(n - 4), Fieller,
        Hartley and Pearson (1957).
    value : float
        The correlation, between -1 and 1.
    members : int
        The number of independent scores, at least 4 (5 for Kendall).
    confidence : float
        Between 0 and 1.

    Raises
    ------
    UsageError
        If there is no interval for the statistic, or there are too few members.

    Examples
    --------
    >>> low, high = fisher_bounds("pearson", 0.5, 28)
    >>> round(low, 4), round(high, 4)
    (0.156, 0.7358)
    """
    check_confidence(confidence)
    if statistic not in ("pearson", "spearman", "kendall-b"):
        raise UsageError(f"Fisher's z gives no interval for {statistic}; use the bootstrap.")
    freedom = members - (4 if statistic == "kendall-b" else 3)
    if freedom < 1:
        raise UsageError(f"Fisher's z for {statistic} needs more than {members} scores.")
    if abs(value) >= 1:
        return value, value
    numerator = {"pearson": 1.0, "spearman": 1 + value * value / 2, "kendall-b": 0.437}[statistic]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(numerator / freedom)
    z = math.atanh(value)
    return math.tanh(z - half), math.tanh(z + half)


def percentile_bounds(values: Floats, confidence: float = 0.95) -> Bounds:
    """Return the percentile bounds of resampled values.

    Examples
    --------
    >>> lower, upper = percentile_bounds(np.arange(101.0), 0.9)
    >>> round(lower, 6), round(upper, 6)
    (5.0, 95.0)
    """
    check_confidence(confidence)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def bca_bounds(values: Floats, observed: float, jackknife: Floats, confidence: float = 0.95) -> Bounds:
    """Return bias-corrected and accelerated percentile bounds, Efron (1987).

    Parameters
    ----------
    values : array of shape (resamples,)
        The statistic of each resample.
    observed : float
        The statistic of the data.
    jackknife : array of shape (members,)
        The statistic without each of the members.
    confidence : float
        Between 0 and 1.

    Examples
    --------
    Without bias and skewness the bounds are the percentiles:

    >>> low, high = bca_bounds(np.arange(101.0), 50.0, np.array([49.0, 50.0, 51.0]), 0.9)
    >>> round(low, 6), round(high, 6)
    (5.0, 95.0)
    """
    check_confidence(confidence)
    normal = NormalDist()
    below = (np.count_nonzero(values < observed) + np.count_nonzero(values == observed) / 2) / len(values)
    bias = normal.inv_cdf(min(max(below, 0.5 / len(values)), 1 - 0.5 / len(values)))
    deviations = jackknife.mean() - jackknife
    spread = float((deviations**2).sum())
    acceleration = float((deviations**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    shares = []
    for share in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + normal.inv_cdf(share)
        shares.append(normal.cdf(bias + z / max(1 - acceleration * z, 1e-9)))
    low, high = np.quantile(values, shares)
    return float(low), float(high)


def check_confidence(confidence: float) -> None:
    """Raise UsageError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"The level of confidence is {confidence!r}; a number between 0 and 1 was expected.")
