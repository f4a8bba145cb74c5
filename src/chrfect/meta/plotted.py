"""The data of figures: regression lines, and scores by quantile of human ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chrfect.inference.student import critical
from chrfect.meta.correlation import quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regression:
    """A regression line with its 95% confidence band.

    Parameters
    ----------
    x, y, low, high : array of shape (points,)
        The line and the band.
    """

    x: Floats
    y: Floats
    low: Floats
    high: Floats


def regression(x: Floats, y: Floats, points: int = 100) -> Regression | None:
    """Return the least-squares line of y on x; None for fewer than three points or a constant x."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(y) < 3 or np.ptp(x) == 0:
        return None
    slope, intercept = np.polyfit(x, y, 1)
    line = np.linspace(x.min(), x.max(), points)
    rest = y - (slope * x + intercept)
    error = math.sqrt(float(rest @ rest) / (len(y) - 2)) * np.sqrt(
        1 / len(y) + (line - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
    )
    half = critical(0.95, len(y) - 2) * error
    middle = slope * line + intercept
    return Regression(line, middle, middle - half, middle + half)


def by_quantile(human: Floats, metrics: Mapping[str, Floats], number: int = 4) -> dict[str, list[Floats]]:
    """Return the standardized scores of each metric by quantile of human ratings; equal ratings are not separated."""
    quantile = quantiles(human, number)
    return {
        name: [standard[quantile == part] for part in range(int(quantile.max()) + 1)]
        for name, standard in ((name, _standard(scores)) for name, scores in metrics.items())
    }


def _standard(values: Floats) -> Floats:
    deviation = np.nanstd(values)
    centred: Floats = values - np.nanmean(values)
    return centred / deviation if deviation > 0 else centred
