"""Panels: human ratings and metric scores of the same systems on the same items."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import ChrfectWarning, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

SMALLEST = 1e-300
"""The smallest magnitude that the largest score of a source may have; smaller numbers lose precision."""

LARGEST = 1e150
"""The maximum score; larger squares of deviations could overflow."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Ratings and scores of systems on items, with a common mask.

    Parameters
    ----------
    name : str
        A name such as ``"en-de"``.
    systems : sequence of str
        The systems, one for each row.
    items : sequence of str
        The items (segments), one for each column; a single item if whole systems are scored.
    human : array of shape (systems, items)
        Human ratings, higher is better; NaN if missing.
    metrics : mapping of str to array of shape (systems, items)
        Scores of each metric, higher is better; NaN if missing.
    corpus : mapping of str to array of shape (systems,), optional
        Corpus scores of metrics, which replace means for the system level.
    segments : int
        The number of segments of a system in the corpus scores; 0 without corpus scores.
    documents : bool
        Whether items are documents, whose scores are means over segments.

    Raises
    ------
    UsageError
        If shapes differ, a name is repeated, a score is infinite or above `LARGEST`, all scores of a source are below
        `SMALLEST`, or nothing is rated.

    Notes
    -----
    A cell is used if it has a rating and a score of every metric. All arrays are NaN elsewhere, so that all metrics are
    evaluated on the same cells. A rated cell without a metric score causes a warning.

    Examples
    --------
    >>> panel = Panel("demo", ["A", "B"], ["1", "2"], [[1, float("nan")], [2, 3]], {"chrF": [[50, 60], [70, 80]]})
    >>> panel.cells, panel.mask
    (3, '3 of 4 cells rated and scored')
    """

    name: str
    systems: Sequence[str]
    items: Sequence[str]
    human: Floats
    metrics: Mapping[str, Floats]
    corpus: Mapping[str, Floats]
    segments: int
    documents: bool
    cells: int = field(init=False)

    def __init__(
        self,
        name: str,
        systems: Sequence[str],
        items: Sequence[str],
        human: ArrayLike,
        metrics: Mapping[str, ArrayLike],
        corpus: Mapping[str, ArrayLike] | None = None,
        *,
        segments: int = 0,
        documents: bool = False,
    ) -> None:
        shape = (len(systems), len(items))
        arrays = {label: np.array(values, float) for label, values in metrics.items()}
        ratings = np.array(human, float)
        for kind, names in (("system", systems), ("item", items)):
            if len(set(names)) != len(names):
                twice = next(one for one in names if list(names).count(one) > 1)
                raise UsageError(f"{name}: the {kind} {twice!r} is repeated.")
        for label, values in (("human ratings", ratings), *arrays.items()):
            if values.shape != shape:
                raise UsageError(f"{name}: {label} have shape {values.shape}; {shape} (systems, items) was expected.")
            if (beyond := np.argwhere(np.abs(values) > LARGEST)).size:
                row, column = beyond[0]
                what = "infinite; a finite number" if np.isinf(values[row, column]) else "too large; at most 1e150"
                where = f"system {systems[row]!r}, item {items[column]!r}"
                raise UsageError(f"{name}: {label}: the score of {where} is {what} was expected.")
            if 0 < (largest := np.nanmax(np.abs(values), initial=0.0)) < SMALLEST:
                raise UsageError(
                    f"{name}: {label}: all scores are between {-largest:g} and {largest:g}, too small to be compared "
                    "exactly; multiply them by a constant."
                )
        rated = ~np.isnan(ratings)
        present = rated.copy()
        for label, values in arrays.items():
            if (lost := np.argwhere(rated & np.isnan(values))).size:
                row, column = lost[0]
                whole = rated.any(axis=1) & ~(rated & ~np.isnan(values)).any(axis=1)
                names = [system for system, one in zip(systems, whole, strict=True) if one]
                unscored = f" Systems without any score: {', '.join(names)}." if names else ""
                warnings.warn(
                    f"{name}: {label} has no score for {len(lost):,} of {int(rated.sum()):,} rated cells, the first "
                    f"being system {systems[row]!r}, item {items[column]!r}. These cells are excluded for every metric."
                    f"{unscored}",
                    ChrfectWarning,
                    stacklevel=2,
                )
            present &= ~np.isnan(values)
        if not present.any():
            raise UsageError(f"{name}: no cell has both a human rating and a score of every metric.")
        whole = {label: np.array(values, float) for label, values in (corpus or {}).items()}
        for label, values in whole.items():
            if values.shape != shape[:1]:
                raise UsageError(
                    f"{name}: corpus scores of {label} have shape {values.shape}; (systems,) was expected."
                )
        used = present.any(axis=1)
        whole = {label: np.where(used, values, np.nan) for label, values in whole.items()}
        masked = {label: np.where(present, values, np.nan) for label, values in arrays.items()}
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "systems", tuple(systems))
        object.__setattr__(self, "items", tuple(items))
        object.__setattr__(self, "human", np.where(present, ratings, np.nan))
        object.__setattr__(self, "metrics", masked)
        object.__setattr__(self, "corpus", whole)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "documents", documents)
        object.__setattr__(self, "cells", int(present.sum()))

    @property
    def mask(self) -> str:
        """A description of the number of cells used."""
        items = "; each item is a document, the mean of its segments" if self.documents else ""
        return f"{self.cells:,} of {self.human.size:,} cells rated and scored{items}"

    def metric(self, name: str) -> Floats:
        """Return the scores of one metric; raise UsageError if it does not exist."""
        if name not in self.metrics:
            raise UsageError(f"{self.name}: there is no metric {name!r}; the metrics are {', '.join(self.metrics)}.")
        return self.metrics[name]
