"""Outliers by the median absolute deviation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

OUTLYING = 2.5
"""The number of scaled median absolute deviations from the median beyond which a value is an outlier."""


def outliers(values: Sequence[float]) -> list[int]:
    """Return the indices of values that deviate from the median by more than 2.5 scaled median absolute deviations.

    Examples
    --------
    >>> outliers([0.1, 0.2, 0.15, -2.0])
    [3]
    """
    if not values:
        return []
    middle = median(values)
    deviations = [abs(value - middle) for value in values]
    limit = OUTLYING * 1.4826 * median(deviations)
    return [at for at, deviation in enumerate(deviations) if limit > 0 and deviation > limit]
