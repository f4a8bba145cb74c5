"""Confidence intervals for agreement: Fisher's z, and the bootstrap over systems, items or both."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.meta.panel import Panel
    from chrfect.meta.recipe import Recipe

Resampled = Literal["systems", "items", "both"]
Progress = Callable[[int, int], None]

_BATCH = 1 << 16  # cells resampled at once


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made.

    Parameters
    ----------
    low, high : float
        The bounds.
    confidence : float
        0..1.
    method : str
        ``"fisher"`` or ``"bootstrap"``.
    resampled : str or None
        Bootstrap: what was drawn with replacement.
    resamples, undefined : int
        Bootstrap: tables drawn, and those among them on which the statistic was undefined and left out.
    seed : int or None
        Bootstrap: seed of the draws.
    """

    low: float
    high: float
    confidence: float
    method: str
    resampled: str | None = None
    resamples: int = 0
    undefined: int = 0
    seed: int | None = None

    def __str__(self) -> str:
        if self.method == "fisher":
            return f"{self.confidence:.0%} Fisher z"
        return f"{self.confidence:.0%} bootstrap over {self.resampled}, {self.resamples:,} resamples, seed {self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as JSON-ready data."""
        bounds = {"low": self.low, "high": self.high, "confidence": self.confidence, "method": self.method}
        if self.method == "fisher":
            return bounds
        return bounds | {
            "resampled": self.resampled,
            "resamples": self.resamples,
            "undefined": self.undefined,
            "seed": self.seed,
        }


def fisher(statistic: str, value: float, members: int, confidence: float = 0.95) -> Interval:
    """Return the interval of one ungrouped correlation by Fisher's z transformation.

    Parameters
    ----------
    statistic : {"pearson", "spearman", "kendall-b"}
        The variance of z is 1/(n - 3); (1 + r²/2)/(n - 3), Bonett and Wright (2000); 0.437/(n - 4), Fieller,
        Hartley and Pearson (1957).
    value : float
        The correlation, -1..1.
    members : int
        Scores compared, at least 4 (5 for Kendall).
    confidence : float
        Between 0 and 1.

    Raises
    ------
    UsageError
        For another statistic, or too few members.

    Examples
    --------
    >>> interval = fisher("pearson", 0.5, 28)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.156, 0.7358)
    """
    check_confidence(confidence)
    if statistic not in ("pearson", "spearman", "kendall-b"):
        raise UsageError(f"Fisher's z gives no interval for {statistic}; use the bootstrap.")
    freedom = members - (4 if statistic == "kendall-b" else 3)
    if freedom < 1:
        raise UsageError(f"Fisher's z needs more than {members} scores for {statistic}.")
    if abs(value) >= 1:
        return Interval(value, value, confidence, "fisher")
    numerator = {"pearson": 1.0, "spearman": 1 + value * value / 2, "kendall-b": 0.437}[statistic]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(numerator / freedom)
    z = math.atanh(value)
    return Interval(math.tanh(z - half), math.tanh(z + half), confidence, "fisher")


def bootstrap(
    panel: Panel,
    metric: str,
    recipe: Recipe,
    *,
    resampled: Resampled,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Interval:
    """Return the percentile interval over tables whose systems, items or both are drawn with replacement.

    Parameters
    ----------
    panel, metric, recipe
        What is measured.
    resampled : {"systems", "items", "both"}
        What is drawn. A cell is never compared with its own copy.
    resamples : int
        Tables drawn, at least 1.
    confidence : float
        Between 0 and 1.
    seed : int
        Seed of the draws.
    progress : callable, optional
        Called with the tables done and their number.

    Raises
    ------
    UsageError
        If a parameter is out of range, or no table has a value.

    Examples
    --------
    >>> from chrfect.meta import Panel, Recipe, Statistic
    >>> panel = Panel("demo", ["A"], list("123456"), [[1, 2, 3, 4, 5, 6]], {"chrF": [[1, 2, 3, 4, 5, 6]]})
    >>> interval = bootstrap(panel, "chrF", Recipe(Statistic("pearson")), resampled="items", resamples=50)
    >>> round(interval.low, 9), round(interval.high, 9)
    (1.0, 1.0)
    """
    check_confidence(confidence)
    if resampled not in get_args(Resampled):
        raise UsageError(f"resampled is {resampled!r}; one of {', '.join(get_args(Resampled))} was expected.")
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}; at least 1 was expected.")
    human, scores = panel.human, panel.metric(metric)
    systems, items = human.shape
    generator = np.random.default_rng(seed)
    batch = max(1, _BATCH // human.size)
    values = []
    for start in range(0, resamples, batch):
        number = min(batch, resamples - start)
        rows = draw(generator, number, systems, resampled != "items")
        columns = draw(generator, number, items, resampled != "systems")
        picked = rows[:, :, None], columns[:, None, :]
        identities = rows if recipe.level == "system" else rows[:, :, None] * items + columns[:, None, :]
        values.append(recipe.values(human[picked], scores[picked], identities))
        if progress:
            progress(start + number, resamples)
    every = np.concatenate(values)
    defined = every[~np.isnan(every)]
    if not len(defined):
        raise UsageError(f"{panel.name}: {recipe.statistic.name} of {metric} is undefined on every resampled table.")
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    undefined = len(every) - len(defined)
    return Interval(float(low), float(high), confidence, "bootstrap", resampled, resamples, undefined, seed)


def draw(generator: np.random.Generator, number: int, size: int, resample: bool) -> NDArray[np.int64]:
    """Return indices (number, size), with replacement or in order."""
    if resample:
        return generator.integers(0, size, (number, size))
    return np.broadcast_to(np.arange(size), (number, size))


def check_confidence(confidence: float) -> None:
    """Raise UsageError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence!r}; a number between 0 and 1 was expected.")
