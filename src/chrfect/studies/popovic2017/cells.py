"""The cells of the paper's tables, recomputed on code points, on UTF-8 bytes, and by the formula it states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.formulas.fscore import Averaging
from chrfect.meta.correlation import moments, pearson
from chrfect.studies.popovic2017.published import MEAN, PUBLISHED, TEXTS
from chrfect.studies.popovic2017.rows import ROWS, Orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.studies.popovic2017.dataset import Text

Reading = Literal["codepoint", "byte", "paper", "formula"]
READINGS: tuple[Reading, ...] = ("codepoint", "byte", "paper")
PLAIN_CHRF = ("chrF1", "chrF2", "chrF3")
"""The rows that the paper computed on UTF-8 bytes; the reading "paper" takes bytes for them alone."""


@dataclass(frozen=True)
class Cell:
    """One published correlation and its recomputation.

    Parameters
    ----------
    row, text : str
        The row and the column of the cell.
    published : float or None
        The printed value; None where it is illegible in the text extracted from the paper.
    codepoint, byte : float
        Pearson's r with characters that are code points, or UTF-8 bytes; F-scores of orders averaged.
    formula : float
        By the formula that the paper states, precision and recall averaged first, on the unit that it used.
    """

    row: str
    text: str
    published: float | None
    codepoint: float
    byte: float
    formula: float

    @property
    def paper(self) -> float:
        """The value on the unit that the paper used for this row."""
        return self.byte if self.row in PLAIN_CHRF else self.codepoint

    def equal(self, reading: Reading) -> bool:
        """Return whether a reading equals the printed value at three decimals."""
        return self.published is not None and round(getattr(self, reading), 3) == self.published

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as JSON-ready data."""
        readings = {"codepoint": self.codepoint, "byte": self.byte, "paper": self.paper, "formula": self.formula}
        return {
            "row": self.row,
            "text": self.text,
            "published": self.published,
            **readings,
            "equal": None if self.published is None else {name: self.equal(name) for name in get_args(Reading)},
        }


def r(human: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Return Pearson's correlation."""
    return float(pearson(moments(human, scores)))


def make_cells(texts: Iterable[Text], orders: Mapping[tuple[str, str], Orders]) -> list[Cell]:
    """Recompute every cell of every row, and the means; `orders` maps (text, unit) to counts."""
    human = {text.name: text.human for text in texts}
    cells = []
    for name, row in ROWS.items():
        readings: tuple[tuple[str, Averaging], ...] = (
            ("codepoint", "per_order_f"),
            ("byte", "per_order_f"),
            ("byte" if name in PLAIN_CHRF else "codepoint", "mean_precision_recall"),
        )
        values = [
            [r(human[text], orders[text, unit].scores(row.weights, row.beta, averaging)) for text in TEXTS]
            for unit, averaging in readings
        ]
        for text, found in zip(TEXTS, zip(*values, strict=True), strict=True):
            cells.append(Cell(name, text, PUBLISHED.get((name, text)), *found))
        cells.append(Cell(name, MEAN, PUBLISHED.get((name, MEAN)), *map(fmean, values)))
    return cells


def count_equal(cells: Iterable[Cell], reading: Reading, rows: Iterable[str] = ROWS) -> tuple[int, int]:
    """Return how many single-text cells of some rows equal the printed ones, and how many are legible."""
    kept = set(rows)
    legible = [c for c in cells if c.text != MEAN and c.published is not None and c.row in kept]
    return sum(cell.equal(reading) for cell in legible), len(legible)
