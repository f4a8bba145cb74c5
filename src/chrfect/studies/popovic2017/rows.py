"""The rows of the paper's tables, each a weighting of orders that are counted once."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from chrfect.formulas.fscore import Averaging, score_array
from chrfect.metrics import ChrF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chrfect.text.units import Unit

    Floats = NDArray[np.float64]

CHARACTERS, WORDS = 10, 4
"""Orders counted in one pass: the tables need characters 1 to 6, the sweep 1 to 10."""

Kind = Literal["character", "word"]
Weights = Mapping[tuple[Kind, int], float]
"""The weight of each order; orders without a weight are not used."""


def uniform(characters: int, words: int) -> Weights:
    """Return equal weights for character orders 1 to `characters` and word orders 1 to `words`.

    Examples
    --------
    >>> uniform(2, 1)
    {('character', 1): 1.0, ('character', 2): 1.0, ('word', 1): 1.0}
    """
    orders: dict[tuple[Kind, int], float] = {("character", n): 1.0 for n in range(1, characters + 1)}
    return orders | {("word", n): 1.0 for n in range(1, words + 1)}


def single(kind: Kind, n: int) -> Weights:
    """Return weights that select one order."""
    return {(kind, n): 1.0}


@dataclass(frozen=True)
class Row:
    """A metric as the paper names it.

    Parameters
    ----------
    label : str
        The name in tables.
    weights : mapping of (kind, n) to float
        The weight of each order.
    beta : float
        The weight of recall relative to precision.
    """

    label: str
    weights: Weights
    beta: float = 2.0


ROWS: dict[str, Row] = {
    **{f"chrF{beta}": Row(f"chrF{beta}", uniform(6, 0), beta) for beta in (1, 2, 3)},
    **{f"wordF{beta}": Row(f"wordF{beta}", uniform(0, 4), beta) for beta in (1, 2, 3)},
    **{f"chr{n}": Row(f"chr{n}-gram", single("character", n)) for n in range(1, 7)},
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
"""The rows of each table of the paper; wordF2 and chrF2 are in two of them."""


class Orders:
    """The counts of one text's segments for every order, and their scores by the library's formulas.

    Parameters
    ----------
    hypotheses, references : sequence of str
        One text for each segment.
    unit : {"codepoint", "byte", "grapheme"}
        What a character is.
    characters, words : int
        The longest orders counted.

    Examples
    --------
    >>> Orders(["the cat"], ["the cat sat"], "codepoint").scores(uniform(6, 0)).round(4).tolist()
    [55.3197]
    """

    def __init__(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str],
        unit: Unit,
        characters: int = CHARACTERS,
        words: int = WORDS,
    ) -> None:
        metric = ChrF(char_order=characters, word_order=words, unit=unit)
        counts = metric.count(hypotheses, references).to_numpy()
        self.counts = counts.reshape(len(hypotheses), characters + words, 3)
        orders = uniform(characters, words)
        self._at = {order: at for at, order in enumerate(orders)}

    def scores(self, weights: Weights, beta: float = 2.0, averaging: Averaging = "per_order_f") -> Floats:
        """Return the score of every segment, 0..100; unequal weights average the F-scores of single orders."""
        if averaging == "per_order_f" and len(set(weights.values())) > 1:
            parts = [weight * self.scores({order: 1.0}, beta) for order, weight in weights.items() if weight]
            mean: Floats = np.sum(parts, axis=0) / sum(weights.values())
            return mean
        counts = self.counts[:, [self._at[order] for order in weights]]
        return score_array(array("q", counts.tobytes()), 3 * len(weights), beta, averaging)
