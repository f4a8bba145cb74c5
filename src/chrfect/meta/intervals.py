"""Confidence intervals for agreement: Fisher's z, and the bootstrap over systems, items or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.inference.interval import percent
from chrfect.inference.intervals import check_confidence, fisher_bounds, percentile_bounds
from chrfect.inference.resample import draw
from chrfect.meta.soft import better_p_values, soft_accuracy_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.meta.measure import Measure
    from chrfect.meta.panel import Panel

    Floats = NDArray[np.float64]

Resampled = Literal["systems", "items", "both"]
DRAWN: dict[str, str] = {"systems": "systems", "items": "items", "both": "systems and items"}
"""Names of the resampled units."""

Progress = Callable[[int, int], None]

_BATCH = 1 << 16  # maximum number of cells in a batch of resamples


@dataclass(frozen=True)
class Interval:
    """A confidence interval and its method.

    Parameters
    ----------
    low, high : float
        The bounds.
    confidence : float
        Between 0 and 1.
    method : str
        ``"fisher"`` or ``"bootstrap"``.
    resampled : str or None
        Bootstrap: the resampled unit.
    resamples, undefined : int
        Bootstrap: the number of resamples, and of those that were excluded because the statistic was undefined.
    seed : int or None
        Bootstrap: the random seed.
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
            return f"{percent(self.confidence)} Fisher z"
        drawn = DRAWN.get(self.resampled or "", self.resampled)
        return f"{percent(self.confidence)} bootstrap over {drawn}, {self.resamples:,} resamples, seed {self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
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
    """Return Fisher's z interval for one ungrouped correlation of independent scores.

    See `chrfect.inference.intervals.fisher_bounds`.

    Examples
    --------
    >>> interval = fisher("pearson", 0.5, 28)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.156, 0.7358)
    """
    return Interval(*fisher_bounds(statistic, value, members, confidence), confidence, "fisher")


def bootstrap(
    panel: Panel,
    metric: str,
    measure: Measure,
    *,
    resampled: Resampled,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Interval:
    """Return the percentile interval over resamples of systems, items or both.

    Parameters
    ----------
    panel, metric, measure
        The agreement to estimate.
    resampled : {"systems", "items", "both"}
        The resampled unit, to which the interval generalizes. A cell is never compared with its own copy.
    resamples : int
        The number of resamples, at least 1.
    confidence : float
        Between 0 and 1.
    seed : int
        The random seed.
    progress : callable, optional
        Called with the numbers of finished and of all resamples.

    Raises
    ------
    UsageError
        If a parameter is out of range, no resample has a value, or items of corpus scores are to be resampled.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> panel = Panel("demo", ["A"], list("123456"), [[1, 2, 3, 4, 5, 6]], {"chrF": [[1, 2, 3, 4, 5, 6]]})
    >>> interval = bootstrap(panel, "chrF", Measure(Statistic("pearson")), resampled="items", resamples=50)
    >>> round(interval.low, 9), round(interval.high, 9)
    (1.0, 1.0)
    """
    check_confidence(confidence)
    [every] = resampled_values(
        panel, (metric,), measure, resampled=resampled, resamples=resamples, seed=seed, progress=progress
    )
    defined = every[~np.isnan(every)]
    if not len(defined):
        raise UsageError(f"{panel.name}: {measure.statistic.name} of {metric} is undefined on every resample.")
    low, high = percentile_bounds(defined, confidence)
    undefined = len(every) - len(defined)
    return Interval(low, high, confidence, "bootstrap", resampled, resamples, undefined, seed)


def resampled_values(
    panel: Panel,
    metrics: Sequence[str],
    measure: Measure,
    *,
    resampled: Resampled,
    resamples: int,
    seed: int,
    progress: Progress | None = None,
) -> list[Floats]:
    """Return the agreement of several metrics on the same resamples; NaN if it is undefined."""
    if resampled not in get_args(Resampled):
        raise UsageError(f"resampled is {resampled!r}; one of {', '.join(get_args(Resampled))} was expected.")
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}; at least 1 was expected.")
    human = panel.human
    scores = [measure.scores(panel, metric) for metric in metrics]
    if resampled != "systems" and any(one.shape != human.shape for one in scores):
        raise UsageError(
            f"{panel.name}: corpus scores cannot be resampled by item; resample systems, or use mean scores."
        )
    systems, items = human.shape
    generator = np.random.default_rng(seed)
    batch = max(1, _BATCH // human.size)
    by_row = resampled == "systems" and measure.statistic.name == "soft-accuracy"
    p_values = [better_p_values(cells) for cells in (human, *scores)] if by_row else []
    values: list[list[Floats]] = [[] for _ in metrics]
    for start in range(0, resamples, batch):
        number = min(batch, resamples - start)
        rows = draw(generator, number, systems, resampled != "items")
        columns = draw(generator, number, items, resampled != "systems")
        picked = rows[:, :, None], columns[:, None, :]
        identities = rows if measure.level == "system" else rows[:, :, None] * items + columns[:, None, :]
        for at, (one, found) in enumerate(zip(scores, values, strict=True), 1):
            if by_row:
                found.append(soft_accuracy_of_rows(p_values[0], p_values[at], rows, rows))
            else:
                drawn = one[picked] if one.shape == human.shape else one[rows]
                found.append(measure.values(human[picked], drawn, identities))
        if progress:
            progress(start + number, resamples)
    return [np.concatenate(found) for found in values]
