"""What a metric says about itself to be explained: the n-grams it counts, and what each order contributes.

A metric overrides the hooks of :class:`Explainable`. One that overrides none is explained by its counts and its score.
"""

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
    """One order: its counts, and what it contributes to the score; all on the scale 0 to 100, exact.

    Parameters
    ----------
    kind : str
        ``"character"`` or ``"word"``; ``"token"`` for BLEU.
    n : int
        The length of the n-grams.
    hypothesis_ngrams, reference_ngrams, matches : int
        Totals and clipped matches; BLEU does not count the n-grams of references (None).
    precision, recall, f : Fraction or None
        None where there are no n-grams to divide by. BLEU's precision is smoothed, and None where it does not enter
        the score.
    worth : Fraction
        What one match contributes.
    contribution : Fraction
        What all matches contribute, with the smoothing of an order that has none.
    gain : Fraction or None
        How much the score would rise if all hypothesis n-grams of the order matched; None except for BLEU, whose
        orders contribute equal parts.
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
    """Symbols whose n-grams a metric counts: the characters, the words or the tokens of a text.

    Parameters
    ----------
    kind : {"character", "word", "token"}
        What the symbols are.
    max_order : int
        The longest n-grams, at least 1.
    locate : callable
        Returns the symbols of a text with their positions. Its second argument holds the numbers of the symbols that
        were seen before; see :class:`chrfect.text.preparation.Preparation`.
    over_all_references : bool
        Whether matches are clipped at the largest count in any reference, instead of the count in one.
    unreferenced_dropped : bool
        Whether a hypothesis has no n-grams of an order in which its reference has none.
    """

    kind: Literal["character", "word", "token"]
    max_order: int
    locate: Callable[[str, dict[str, int]], Symbols]
    over_all_references: bool = False
    unreferenced_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Adjacent words that an error rate treats alike.

    Parameters
    ----------
    kind : {"keep", "substitute", "delete", "insert", "shift"}
        What is done to the words of the hypothesis.
    hypothesis, reference : tuple of str
        The words of each side; empty where a side has none.
    hypothesis_start, reference_start : int or None
        The position of the first word, in words from 0; in the hypothesis as it was before any shift.
    shifted : bool
        Whether the words of the hypothesis were moved here.
    points : Fraction
        What the edits contribute to the score; 0 for words that are kept.
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


class Explainable:
    """The hooks of a metric that explanations call."""

    __slots__ = ()

    @property
    def levels(self) -> tuple[Level, ...]:
        """What the metric counts n-grams of, characters first; empty if it does not say where it matches."""
        return ()

    def shares(self, values: Sequence[int]) -> tuple[OrderShare, ...]:
        """Return each order of counts with its contribution, the orders of the first level first; empty by default.

        The contributions add up to the exact score, or for an irrational score to its six decimals.
        """
        return ()

    def edits(self, hypothesis: str, reference: str, values: Sequence[int]) -> tuple[Edit, ...]:
        """Return the edits that make a hypothesis a reference, with what each contributes; none by default.

        Shifts come first; then the words of both sides follow in the order of the reference. The points add up to the
        exact score.
        """
        return ()

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the steps from the counts to the score, one on each line; none by default."""
        return ()

    def changed_counts(self, values: Sequence[int], hypothesis: Sequence[int], matches: Sequence[int]) -> Sequence[int]:
        """Return counts with so many more hypothesis n-grams and matches of each order; negative numbers are fewer.

        A metric that has levels needs this method: it answers what the score would be without a mistake.
        """
        raise NotImplementedError(f"{type(self).__name__} has levels and must define changed_counts.")

    def shown_reference(self, candidates: Sequence[Sequence[int]], values: Sequence[int]) -> int | None:
        """Return which reference to show, given the counts against each alone and against all.

        None is the first reference with the best score.
        """
        return None


def order_shares(
    orders: Sequence[Any],
    worths: Sequence[Fraction],
    contributions: Sequence[Fraction],
    precisions: Sequence[Fraction | None] | None = None,
    gains: Sequence[Fraction] | None = None,
) -> tuple[OrderShare, ...]:
    """Return orders with what they contribute; `precisions`, where given, replace those that follow from the counts."""
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
