"""Measures: the statistic, and the scores and groups for which it is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.meta.calibration import NoPairsError, calibrate
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
    """The definition of an agreement, which every result includes.

    Parameters
    ----------
    statistic : Statistic
        The statistic to compute.
    level : {"segment", "system"}
        Single cells, or whole systems by corpus scores if the panel has them, and by means otherwise.
    grouping : {"none", "item", "system"}
        For the segment level: compare all cells, the systems of each item, or the items of each system.
    average : {"macro", "micro"}
        The mean of the values of groups, or one value computed from their sums.

    Raises
    ------
    UsageError
        If a parameter has an invalid value, or parameters contradict each other.

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
            raise UsageError(f"the system level has no groups; grouping is {self.grouping!r}.")
        if self.statistic.name == "soft-accuracy" and self.level != "system":
            raise UsageError("soft-accuracy compares systems; level 'system' was expected.")

    def __str__(self) -> str:
        parts = [f"{self.level} level"]
        if self.level == "segment":
            parts.append("not grouped" if self.grouping == "none" else f"grouped by {self.grouping}")
            if self.grouping != "none":
                parts.append(f"{self.average} average")
        return ", ".join([*parts, str(self.statistic)])

    def scores(self, panel: Panel, metric: str) -> Floats:
        """Return the compared scores of a metric: cells (systems, items), or corpus scores (systems, 1)."""
        if self.level == "system" and self.statistic.name != "soft-accuracy" and metric in panel.corpus:
            return panel.corpus[metric][:, None]
        return panel.metric(metric)

    def arrange(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Reshape cells (..., systems, items) to groups (..., groups, members)."""
        if self.level == "system":
            return mean_of_items(cells)[..., None, :]
        if self.grouping == "item":
            return np.swapaxes(cells, -1, -2)
        if self.grouping == "system":
            return cells
        return cells.reshape(*cells.shape[:-2], 1, -1)

    def values(self, human: Floats, metric: Floats, identities: Integers | None = None) -> Floats:
        """Return the statistic of cells (..., systems, items); NaN if it is undefined.

        `identities` (the same shape, or (..., systems) for the system level) are the origins of resampled cells; a cell
        is not compared with its own copy.
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
        """Return the sums of each group; scores of groups that are not summed may have any magnitude."""
        if self.statistic.name == "pearson" and self.average == "macro":
            humans, metrics = scaled_groups(humans), scaled_groups(metrics)
        return self.statistic.sums(humans, metrics, identities)

    def _calibrated(self, humans: Floats, metrics: Floats, identities: Integers | None) -> Floats:
        """Calibrate the threshold of each table of a batch separately."""
        humans, metrics = np.broadcast_arrays(humans, metrics)
        tables = metrics.shape[:-2]
        result = np.empty(tables)
        for table in np.ndindex(tables):
            try:
                result[table] = calibrate(
                    humans[table],
                    metrics[table],
                    average=self.average,
                    margin=self.statistic.margin,
                    identities=None if identities is None else identities[table],
                ).accuracy
            except NoPairsError:
                result[table] = np.nan
        return result


def mean_of_items(cells: Floats) -> Floats:
    """Return each system's mean over its cells: (..., systems, items) to (..., systems)."""
    missing = np.isnan(cells)
    if not missing.any():
        means: Floats = cells.mean(axis=-1)
        return means
    present = (~missing).sum(axis=-1)
    return np.where(present > 0, np.where(missing, 0.0, cells).sum(axis=-1) / np.maximum(present, 1), np.nan)
