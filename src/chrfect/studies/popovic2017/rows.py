"""The rows of the paper's tables, each a weighting of the same fourteen orders counted once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from chrfect.formulas.fscore import EPSILON
from chrfect.metrics import ChrF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chrfect.text.units import Unit

    Floats = NDArray[np.float64]

CHARACTERS, WORDS = 10, 4
"""Orders counted in one pass: the tables need characters 1 to 6, the sweep goes on to 10."""

Averaging = Literal["per_order_f", "mean_precision_recall"]
Weights = tuple[float, ...]


def uniform(characters: int, words: int) -> Weights:
    """Weigh character orders 1 to `characters` and word orders 1 to `words` alike.

    Examples
    --------
    >>> uniform(2, 1)
    (1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    """
    return tuple(float(n < characters) for n in range(CHARACTERS)) + tuple(float(n < words) for n in range(WORDS))


def single(kind: Literal["chr", "word"], n: int) -> Weights:
    """Weigh one order alone."""
    at = n - 1 if kind == "chr" else CHARACTERS + n - 1
    return tuple(float(order == at) for order in range(CHARACTERS + WORDS))


@dataclass(frozen=True)
class Row:
    """A metric as the paper names it.

    Parameters
    ----------
    label : str
        What tables print.
    weights : tuple of float
        A weight for each order, characters first.
    beta : float
        How many times more recall weighs than precision.
    """

    label: str
    weights: Weights
    beta: float = 2.0


ROWS: dict[str, Row] = {
    **{f"chrF{beta}": Row(f"chrF{beta}", uniform(6, 0), beta) for beta in (1, 2, 3)},
    **{f"wordF{beta}": Row(f"wordF{beta}", uniform(0, 4), beta) for beta in (1, 2, 3)},
    **{f"chr{n}": Row(f"chr{n}-gram", single("chr", n)) for n in range(1, 7)},
    **{f"word{n}": Row(f"word{n}-gram", single("word", n)) for n in range(1, 5)},
    "word2F": Row("word2F", uniform(0, 2)),
    "c6w4": Row("c6w4F", uniform(6, 4)),
    "c6w3": Row("c6w3F", uniform(6, 3)),
    "c6w2": Row("c6w2F (chrF++)", uniform(6, 2)),
    "c6w1": Row("c6w1F (chrF+)", uniform(6, 1)),
}
"""Every row of the paper."""

TABLES: dict[int, tuple[str, ...]] = {
    1: ("chrF1", "chrF2", "chrF3", "wordF1", "wordF2", "wordF3"),
    2: tuple(f"chr{n}" for n in range(1, 7)) + tuple(f"word{n}" for n in range(1, 5)),
    3: ("wordF2", "word2F", "chrF2", "c6w4", "c6w3", "c6w2", "c6w1"),
}
"""Which rows each of the paper's tables has; wordF2 and chrF2 stand in two."""


class Orders:
    """The counts of one text's segments for every order, and scores made from them.

    Parameters
    ----------
    hypotheses, references : sequence of str
        One text a segment.
    unit : {"codepoint", "byte", "grapheme"}
        What a character is.

    Examples
    --------
    >>> Orders(["the cat"], ["the cat sat"], "codepoint").scores(uniform(6, 0)).round(4).tolist()
    [55.3197]
    """

    def __init__(self, hypotheses: Sequence[str], references: Sequence[str], unit: Unit) -> None:
        metric = ChrF(char_order=CHARACTERS, word_order=WORDS, unit=unit)
        counts = metric.count(hypotheses, references).to_numpy()
        self.counts = counts.reshape(len(hypotheses), CHARACTERS + WORDS, 3)
        self._fs: dict[float, Floats] = {}

    @cached_property
    def _ratios(self) -> tuple[Floats, Floats]:
        hypothesis, reference, matches = np.moveaxis(self.counts.astype(float), -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(hypothesis > 0, matches / hypothesis, EPSILON)
            recall = np.where(reference > 0, matches / reference, EPSILON)
        return precision, recall

    def f(self, beta: float) -> Floats:
        """Return the F-score of every order, 0..1, of shape (segments, orders)."""
        if beta not in self._fs:
            precision, recall = self._ratios
            under = beta**2 * precision + recall
            with np.errstate(divide="ignore", invalid="ignore"):
                over = (1 + beta**2) * precision * recall / under
            self._fs[beta] = np.where(under > 0, over, EPSILON)
        return self._fs[beta]

    def scores(self, weights: Weights, beta: float = 2.0, averaging: Averaging = "per_order_f") -> Floats:
        """Return the score of every segment, 0..100: F of weighted mean precision and recall, or weighted mean F."""
        weight = np.array(weights)
        if averaging == "per_order_f":
            mean: Floats = 100 * (self.f(beta) @ weight) / weight.sum()
            return mean
        effective = (self.counts[..., :2] > 0).all(axis=-1) * weight
        total = effective.sum(axis=1)
        known = np.where(total > 0, total, 1.0)
        precision, recall = ((side * effective).sum(axis=1) / known for side in self._ratios)
        under = beta**2 * precision + recall
        scores: Floats = 100 * (1 + beta**2) * precision * recall / np.where(under > 0, under, 1.0)
        return scores
