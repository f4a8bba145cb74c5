"""Explanations as values: what the page, the reports and JSON show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from chrfect.explanation.spans import Runs, Shaded
from chrfect.formulas.decimals import numbers
from chrfect.metrics import Metric, Result


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
        Totals and clipped matches; BLEU does not count the reference's (None).
    precision, recall, f : Fraction or None
        None where there are no n-grams to divide by. BLEU's precision is smoothed, and None where it does not enter.
    worth : Fraction
        What one match contributes.
    contribution : Fraction
        What all its matches contribute, with the smoothing of an order that has none.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the order as JSON-ready data."""
        return {
            "kind": self.kind,
            "n": self.n,
            "hypothesis_ngrams": self.hypothesis_ngrams,
            "reference_ngrams": self.reference_ngrams,
            "matches": self.matches,
            **numbers(precision=self.precision, recall=self.recall, f=self.f),
            **numbers(worth=self.worth, contribution=self.contribution),
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reference, and what the hypothesis scores against it alone."""

    name: int | str
    result: Result

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as JSON-ready data."""
        return {"reference": self.name, "score": self.result.score, "score_text": self.result.score_text}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a segment's score is what it is.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        Their contributions add up to ``result.score_fraction``, or for irrational BLEU to ``result.score_text``.
    smoothing : Fraction
        What no match contributes: the constant of ``per_order_f``, BLEU's smoothing. With the matched runs it adds up
        to the score too.
    arithmetic : tuple of str
        The steps from the orders to the score, in digits from which it comes out.
    chosen : int or str
        Which reference is shown: for chrF the one that counts, for BLEU, which clips over all, the closest in length.
    candidates : tuple of Candidate
        All references, and the score against each alone.
    hypothesis, reference : Shaded
        The two texts.
    matched, missed, invented : Runs
        N-grams of both texts, of the reference alone, and of the hypothesis alone.
    """

    result: Result
    orders: tuple[OrderShare, ...]
    smoothing: Fraction
    arithmetic: tuple[str, ...]
    chosen: int | str
    candidates: tuple[Candidate, ...]
    hypothesis: Shaded
    reference: Shaded
    matched: Runs
    missed: Runs
    invented: Runs

    @property
    def metric(self) -> Metric:
        """What was measured."""
        return self.result.metric

    def to_dict(self) -> dict[str, Any]:
        """Return the whole explanation as JSON-ready data: exact numbers as ``"n/d"`` beside the nearest floats."""
        return {
            "result": self.result.to_dict(),
            "orders": [order.to_dict() for order in self.orders],
            **numbers(smoothing=self.smoothing),
            "arithmetic": list(self.arithmetic),
            "chosen": self.chosen,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "hypothesis": self.hypothesis.to_dict(),
            "reference": self.reference.to_dict(),
            "matched": self.matched.to_dict(),
            "missed": self.missed.to_dict(),
            "invented": self.invented.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Example:
    """A place in a corpus where an n-gram stands, with some text around it; segments are counted from 0."""

    segment: int
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class Frequent:
    """An n-gram, or a run of those that always stand together, that is often missed or invented.

    Parameters
    ----------
    kind : str
        ``"character"``, ``"word"`` or ``"token"``.
    n : int
        How many units it has; more than the longest order for a run.
    text : str
        As it stands in the first example.
    count, segments : int
        How often it is missed or invented, and in how many segments.
    points : Fraction
        What it and the shorter n-grams in it would contribute if they matched so often, at what a match contributes
        now.
    examples : tuple of Example
        The first places.
    """

    kind: str
    n: int
    text: str
    count: int
    segments: int
    points: Fraction
    examples: tuple[Example, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the n-gram as JSON-ready data."""
        return {
            "kind": self.kind,
            "n": self.n,
            "text": self.text,
            "count": self.count,
            "segments": self.segments,
            **numbers(points=self.points),
            "examples": [asdict(example) for example in self.examples],
        }


@dataclass(frozen=True, slots=True)
class CorpusExplanation:
    """Why a corpus's score is what it is.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        As in :class:`Explanation`.
    arithmetic : tuple of str
        As in :class:`Explanation`.
    chosen : tuple of (name, int)
        Where there were several references, in how many segments each counts, or for BLEU is the closest in length.
    missed, invented : tuple of Frequent
        The n-grams most often missed and invented, the most telling first: by how often, times what one would
        contribute, long runs counted as short ones; what stands once last. One that lies in another that is listed is
        left out.
    """

    result: Result
    orders: tuple[OrderShare, ...]
    arithmetic: tuple[str, ...]
    chosen: tuple[tuple[int | str, int], ...]
    missed: tuple[Frequent, ...]
    invented: tuple[Frequent, ...]

    @property
    def metric(self) -> Metric:
        """What was measured."""
        return self.result.metric

    def to_dict(self) -> dict[str, Any]:
        """Return the whole explanation as JSON-ready data."""
        return {
            "result": self.result.to_dict(),
            "orders": [order.to_dict() for order in self.orders],
            "arithmetic": list(self.arithmetic),
            "chosen": [list(pair) for pair in self.chosen],
            "missed": [frequent.to_dict() for frequent in self.missed],
            "invented": [frequent.to_dict() for frequent in self.invented],
        }
