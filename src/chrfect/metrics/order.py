"""The counts of one n-gram order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chrfect.formulas import fscore


@dataclass(frozen=True, slots=True)
class Order:
    """The counts of one order, and its precision, recall and F on the scale 0 to 100.

    Parameters
    ----------
    kind : str
        ``"character"`` or ``"word"``; ``"token"`` for BLEU.
    n : int
        The length of the n-grams, at least 1.
    hypothesis_ngrams, reference_ngrams, matches : int
        Totals and clipped matches; BLEU does not count the n-grams of references (None).
    beta : int or Fraction
        The weight of recall relative to precision in :attr:`f`.

    Examples
    --------
    >>> order = Order("character", 1, 4, 5, 4, 2)
    >>> order.precision, order.recall, order.f_fraction, order.effective
    (100.0, 80.0, Fraction(250, 3), True)
    """

    kind: str
    n: int
    hypothesis_ngrams: int
    reference_ngrams: int | None
    matches: int
    beta: int | Fraction

    @property
    def effective(self) -> bool:
        """Whether every counted side has an n-gram of this order."""
        return bool(self.hypothesis_ngrams) and self.reference_ngrams != 0

    @property
    def precision_fraction(self) -> Fraction | None:
        """100 × matches ÷ hypothesis n-grams; None without hypothesis n-grams."""
        return Fraction(100 * self.matches, self.hypothesis_ngrams) if self.hypothesis_ngrams else None

    @property
    def recall_fraction(self) -> Fraction | None:
        """100 × matches ÷ reference n-grams; None without reference n-grams."""
        return Fraction(100 * self.matches, self.reference_ngrams) if self.reference_ngrams else None

    @property
    def f_fraction(self) -> Fraction | None:
        """F of the precision and recall of this order; None if either is None, 0 if both are 0."""
        return fscore.order_f(self.hypothesis_ngrams, self.reference_ngrams or 0, self.matches, self.beta)

    @property
    def precision(self) -> float | None:
        """:attr:`precision_fraction` as the nearest float."""
        return _nearest(self.precision_fraction)

    @property
    def recall(self) -> float | None:
        """:attr:`recall_fraction` as the nearest float."""
        return _nearest(self.recall_fraction)

    @property
    def f(self) -> float | None:
        """:attr:`f_fraction` as the nearest float."""
        return _nearest(self.f_fraction)

    def to_dict(self) -> dict[str, Any]:
        """Return the order as JSON-ready data."""
        return {
            "kind": self.kind,
            "n": self.n,
            "hypothesis_ngrams": self.hypothesis_ngrams,
            "reference_ngrams": self.reference_ngrams,
            "matches": self.matches,
            "effective": self.effective,
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f,
        }


def _nearest(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
