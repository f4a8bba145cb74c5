"""A measure: which numbers are compared, in which groups, by which statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.meta.calibration import calibrate
from chrfect.meta.correlation import scaled_groups
from chrfect.meta.soft import soft_accuracy
from chrfect.meta.statistics import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.meta.panel import Panel

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Level = Literal["segment", "system"]
Grouping = Literal["none", "item", "system"]
Average = Literal["macro", "micro"]
CHOICES = {"level": get_args(Level), "grouping": get_args(Grouping), "average": get_args(Average)}


@dataclass(frozen=True)
class Measure:
    """How agreement is measured: a value that every number carries.

    Parameters
    ----------
    statistic : Statistic
        What is computed.
    level : {"segment", "system"}
        Single cells; or whole systems, by their corpus scores where the panel has them, else by their means.
    grouping : {"none", "item", "system"}
        Segment level: compare all cells; or systems within an item; or items within a system.
    average : {"macro", "micro"}
        The mean of the groups' values; or one value of the groups' sums.

    Raises
    ------
    UsageError
        If a parameter is none of its choices, or they do not go together.

    Examples
    --------
    >>> print(Measure(Statistic("kendall-b"), grouping="item"))
    segment level, grouped by item, macro average, kendall-b
    """

    statistic: Statistic
    level: Level = "segment"
    grouping: Grouping = "none"
    average: Average = "macro"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} is {getattr(self, name)!r}; one of {', '.join(choices)} was expected.")
        if self.level == "system" and self.grouping != "none":
            raise UsageError(f"the system level has one score a system and no groups; grouping is {self.grouping!r}.")
        if self.statistic.name == "soft-accuracy" and self.level != "system":
            raise UsageError("soft-accuracy compares systems: it needs level 'system'.")

    def __str__(self) -> str:
        parts = [f"{self.level} level"]
        if self.level == "segment":
            parts.append("not grouped" if self.grouping == "none" else f"grouped by {self.grouping}")
            if self.grouping != "none":
                parts.append(f"{self.average} average")
        return ", ".join([*parts, str(self.statistic)])

    def scores(self, panel: Panel, metric: str) -> Floats:
        """Return the scores of a metric that are compared: cells (systems, items), or corpus scores (systems, 1)."""
        if self.level == "system" and self.statistic.name != "soft-accuracy" and metric in panel.corpus:
            return panel.corpus[metric][:, None]
        return panel.metric(metric)

    def arrange(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Turn cells (..., systems, items) into groups (..., groups, members)."""
        if self.level == "system":
            return mean_of_items(cells)[..., None, :]
        if self.grouping == "item":
            return np.swapaxes(cells, -1, -2)
        if self.grouping == "system":
            return cells
        return cells.reshape(*cells.shape[:-2], 1, -1)

    def values(self, human: Floats, metric: Floats, identities: Integers | None = None) -> Floats:
        """Return the statistic of cells (..., systems, items), NaN where undefined.

        `identities` (same shape, or (..., systems) on the system level) mark a resampled cell's origin: a cell is
        not compared with its own copy.
        """
        if self.statistic.name == "soft-accuracy":
            return soft_accuracy(human, metric, identities)
        humans, metrics = self.arrange(human), self.arrange(metric)
        if identities is not None:
            identities = identities[..., None, :] if self.level == "system" else self.arrange(identities)
        if self.statistic.name == "accuracy-calibrated":
            return self._calibrated(humans, metrics, identities)
        return self.statistic.average(self.sums(humans, metrics, identities), self.average)

    def sums(self, humans: Floats, metrics: Floats, identities: Integers | None = None) -> NDArray[Any]:
        """Return the sums of each group; groups that are not summed may have scores of any size."""
        if self.statistic.name == "pearson" and self.average == "macro":
            humans, metrics = scaled_groups(humans), scaled_groups(metrics)
        return self.statistic.sums(humans, metrics, identities)

    def _calibrated(self, humans: Floats, metrics: Floats, identities: Integers | None) -> Floats:
        """Calibrate each table of a batch anew: the threshold belongs to the statistic."""
        humans, metrics = np.broadcast_arrays(humans, metrics)
        tables = metrics.shape[:-2]
        result = np.empty(tables)
        for table in np.ndindex(tables):
            result[table] = calibrate(
                humans[table],
                metrics[table],
                average=self.average,
                margin=self.statistic.margin,
                identities=None if identities is None else identities[table],
            ).accuracy
        return result


def mean_of_items(cells: Floats) -> Floats:
    """Return each system's mean over its cells: (..., systems, items) to (..., systems)."""
    missing = np.isnan(cells)
    if not missing.any():
        means: Floats = cells.mean(axis=-1)
        return means
    present = (~missing).sum(axis=-1)
    return np.where(present > 0, np.where(missing, 0.0, cells).sum(axis=-1) / np.maximum(present, 1), np.nan)
