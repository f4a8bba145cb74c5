"""What a metric tells explanations: the n-grams that it counts, the contribution of each order, and edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from chrfect.formulas.decimals import numbers

if TYPE_CHECKING:
    from chrfect.text.symbols import Symbols


@dataclass(frozen=True, slots=True)
class OrderShare:
    """One order: its counts, and its contribution to the score; exact, on the scale 0 to 100.

    Parameters
    ----------
    kind : str
        ``"character"`` or ``"word"``; ``"token"`` for BLEU.
    n : int
        The length of the n-grams.
    hypothesis_ngrams, reference_ngrams, matches : int
        Totals and clipped matches; BLEU does not count the n-grams of references (None).
    precision, recall, f : Fraction or None
        None if there are no n-grams to divide by. The precision of BLEU is smoothed; it is None if the order does not
        enter the score.
    worth : Fraction
        The contribution of one match.
    contribution : Fraction
        The contribution of all matches, including the smoothing of an order without matches.
    gain : Fraction or None
        The increase of the score if all hypothesis n-grams of the order matched. Only for BLEU, whose orders have equal
        contributions; otherwise None.
    """

    kind: str
    n: int
    hypothesis_ngrams: int
    reference_ngrams: int | None
    matches: int
    precision: Fraction | None
    recall: Fraction | None
    f: Fraction | None
    worth: Fraction
    contribution: Fraction
    gain: Fraction | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the order as JSON-ready data."""
        return {
            "kind": self.kind,
            "n": self.n,
            "hypothesis_ngrams": self.hypothesis_ngrams,
            "reference_ngrams": self.reference_ngrams,
            "matches": self.matches,
            **numbers(precision=self.precision, recall=self.recall, f=self.f),
            **numbers(worth=self.worth, contribution=self.contribution, gain=self.gain),
        }


@dataclass(frozen=True, slots=True)
class Level:
    """A kind of symbols whose n-grams a metric counts: the characters, words or tokens of a text.

    Parameters
    ----------
    kind : {"character", "word", "token"}
        The kind of the symbols.
    max_order : int
        The longest n-grams, at least 1.
    locate : callable
        Returns the symbols of a text with their positions. Its second argument has the numbers of known symbols; see
        :class:`chrfect.text.preparation.Preparation`.
    over_all_references : bool
        Whether matches are clipped at the largest count in any reference, instead of the count in one.
    unreferenced_dropped : bool
        Whether the hypothesis n-grams of an order are dropped if the reference has no n-gram of that order.
    """

    kind: Literal["character", "word", "token"]
    max_order: int
    locate: Callable[[str, dict[str, int]], Symbols]
    over_all_references: bool = False
    unreferenced_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Adjacent words with the same edit operation.

    Parameters
    ----------
    kind : {"keep", "substitute", "delete", "insert", "shift"}
        The operation on the words of the hypothesis.
    hypothesis, reference : tuple of str
        The words of each side; empty if a side has no words.
    hypothesis_start, reference_start : int or None
        The position of the first word, in words from 0; in the hypothesis as it was before any shift.
    shifted : bool
        Whether the words of the hypothesis were moved here.
    points : Fraction
        The contribution of the edits to the score; 0 for kept words.
    """

    kind: Literal["keep", "substitute", "delete", "insert", "shift"]
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    hypothesis_start: int | None
    reference_start: int | None
    shifted: bool
    points: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as JSON-ready data."""
        return {
            "kind": self.kind,
            "hypothesis": list(self.hypothesis),
            "reference": list(self.reference),
            "hypothesis_start": self.hypothesis_start,
            "reference_start": self.reference_start,
            "shifted": self.shifted,
            **numbers(points=self.points),
        }


def order_shares(
    orders: Sequence[Any],
    worths: Sequence[Fraction],
    contributions: Sequence[Fraction],
    precisions: Sequence[Fraction | None] | None = None,
    gains: Sequence[Fraction] | None = None,
) -> tuple[OrderShare, ...]:
    """Return orders with their contributions; `precisions`, if given, replace those computed from the counts."""
    return tuple(
        OrderShare(
            kind=order.kind,
            n=order.n,
            hypothesis_ngrams=order.hypothesis_ngrams,
            reference_ngrams=order.reference_ngrams,
            matches=order.matches,
            precision=order.precision_fraction if precisions is None else precisions[i],
            recall=order.recall_fraction,
            f=order.f_fraction,
            worth=worths[i],
            contribution=contributions[i],
            gain=None if gains is None else gains[i],
        )
        for i, order in enumerate(orders)
    )
