"""Explanations as values. A terminal, a page and JSON show the same values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from chrfect.formulas.decimals import numbers
from chrfect.metrics import Result
from chrfect.metrics.scoring import Scoring
from chrfect.metrics.shares import Edit, OrderShare


def explained_score(metric: Scoring, values: Sequence[int]) -> Fraction:
    """Return the score that contributions add up to: exact, or at six decimals where it is irrational, as for BLEU."""
    exact = metric.exact_score(values)
    return Fraction(metric.decimal_score(values)) if exact is None else exact


@dataclass(frozen=True, slots=True)
class Run:
    """Overlapping n-grams folded into one run of text, with all its occurrences.

    Parameters
    ----------
    before, text, after : str
        The run where it first occurs, with the text before and after it that its n-grams reach into.
    start, end : int
        Where `text` first occurs, in code points of the hypothesis or the reference.
    places : int
        How often the run occurs.
    ngrams : tuple of int
        How many n-grams of each order it folds in, over all places.
    points : Fraction
        For a matched run what it contributes to the score. For a missed one what the score would gain if the
        hypothesis had its n-grams too; for an invented one if it did not have them.
    """

    before: str
    text: str
    after: str
    start: int
    end: int
    places: int
    ngrams: tuple[int, ...]
    points: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON-ready data."""
        return {
            "text": self.text,
            "before": self.before,
            "after": self.after,
            "start": self.start,
            "end": self.end,
            "places": self.places,
            "ngrams": list(self.ngrams),
            **numbers(points=self.points),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Runs:
    """The runs of a kind with the most points, and how many runs there are.

    Parameters
    ----------
    shown : tuple of Run
        Those with the most points first.
    total : int
        How many different runs there are.
    ngrams : tuple of int
        How many n-grams of each order all of them fold in.
    points : Fraction or None
        What all matched runs contribute together; None for the others, whose gains do not add up.
    """

    shown: tuple[Run, ...]
    total: int
    ngrams: tuple[int, ...]
    points: Fraction | None = None

    def __repr__(self) -> str:
        return f"<Runs: {len(self.shown):,} of {self.total:,}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the runs as JSON-ready data, with how many were left out."""
        data: dict[str, Any] = {
            "total": self.total,
            "left_out": self.total - len(self.shown),
            "ngrams": list(self.ngrams),
            "shown": [run.to_dict() for run in self.shown],
        }
        return data | (numbers(points=self.points) if self.points is not None else {})


@dataclass(frozen=True, slots=True)
class Stretch:
    """Adjacent code points that the same numbers of n-grams cover.

    Parameters
    ----------
    start, end : int
        Offsets into the text, in code points.
    matched, ngrams : int
        How many matched n-grams, and how many at all, cover each of them; both 0 for whitespace that is not counted.
    """

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True)
class Token:
    """A word token: its position, how many of the word n-grams over it match, and how many there are."""

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True, repr=False)
class Shaded:
    """A text, or the beginning of a long one, with how much of it is covered by matched n-grams.

    Parameters
    ----------
    text : str
        The text as it was passed, cut at the limit.
    length : int
        How many code points the whole text has.
    stretches : tuple of Stretch
        From the first code point of `text` to the last, without gaps.
    tokens : tuple of Token
        The word tokens, empty where the metric counts no words.
    """

    text: str
    length: int
    stretches: tuple[Stretch, ...]
    tokens: tuple[Token, ...]

    def __repr__(self) -> str:
        return f"<Shaded text of {self.length:,} code points>"

    def to_dict(self) -> dict[str, Any]:
        """Return the text as JSON-ready data; stretches and tokens as [start, end, matched, n-grams]."""
        return {
            "text": self.text,
            "length": self.length,
            "left_out": self.length - len(self.text),
            "stretches": [[s.start, s.end, s.matched, s.ngrams] for s in self.stretches],
            "tokens": [[t.start, t.end, t.matched, t.ngrams] for t in self.tokens],
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reference, and what the hypothesis scores against it alone."""

    name: int | str
    result: Result

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as JSON-ready data."""
        return {"reference": self.name, "score": self.result.score, "score_text": self.result.score_text}


class _Writable:
    """What both kinds of explanation can do: be shown in a notebook, and be saved."""

    __slots__ = ()
    result: Result

    @property
    def metric(self) -> Scoring:
        """What was measured."""
        return self.result.metric

    def save(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Write the explanation to a file: a page (.html), Markdown (.md), JSON (.json) or plain text (.txt).

        Parameters
        ----------
        path : str or path-like
            The file; its ending decides the format. An existing file is replaced.
        title : str
            What was explained, such as ``"segment 3 of system.txt"``.

        Raises
        ------
        UsageError
            If the ending is not that of a supported format.
        WorkError
            If the file cannot be written.
        """
        from chrfect.explanation.report import file_format, render
        from chrfect.files.save import write_text

        assert isinstance(self, Explanation | CorpusExplanation)
        name = os.fspath(path)
        write_text(name, render(self, file_format(name), title))

    def _repr_html_(self) -> str:
        from chrfect.explanation.report import document

        assert isinstance(self, Explanation | CorpusExplanation)
        return document(self).fragment()

    def to_dict(self) -> dict[str, Any]:
        """Return the whole explanation as JSON-ready data."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(_Writable):
    """The explanation of a segment's score.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        Their contributions add up to ``result.score_fraction``, or for irrational BLEU to ``result.score_text``. Empty
        for a metric that does not say what its orders contribute; there are no runs then.
    smoothing : Fraction
        The part of the score that no match contributes: the constant of ``per_order_f``, or BLEU's smoothing. Together
        with the matched runs it adds up to the score.
    edits : tuple of Edit
        The edits of an error rate, whose points add up to the score; empty for other metrics.
    arithmetic : tuple of str
        The steps from the orders to the score, with enough digits to repeat them.
    chosen : int or str
        The reference that is shown: the one that counts, or for BLEU, which clips over all, the closest in length.
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
    edits: tuple[Edit, ...]
    arithmetic: tuple[str, ...]
    chosen: int | str
    candidates: tuple[Candidate, ...]
    hypothesis: Shaded
    reference: Shaded
    matched: Runs
    missed: Runs
    invented: Runs

    @property
    def score(self) -> Fraction:
        """The score that the contributions add up to: exact, or at six decimals where it is irrational."""
        return explained_score(self.result.scorer, self.result.values)

    def __repr__(self) -> str:
        runs = ", ".join(f"{getattr(self, kind).total:,} {kind}" for kind in ("matched", "missed", "invented"))
        return f"<Explanation of {self.metric} {self.result.score_text}: runs {runs}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the whole explanation as JSON-ready data: exact numbers as ``"n/d"`` beside the nearest floats."""
        return {
            "result": self.result.to_dict(),
            "orders": [order.to_dict() for order in self.orders],
            **numbers(smoothing=self.smoothing),
            "edits": [edit.to_dict() for edit in self.edits],
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
    """An occurrence of an n-gram in a corpus, with some text around it; segments are counted from 0."""

    segment: int
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class Frequent:
    """An n-gram that is more often missed than invented, or the other way round, or a run of such n-grams.

    Parameters
    ----------
    kind : str
        ``"character"``, ``"word"`` or ``"token"``.
    n : int
        How many symbols it has; more than the longest n-gram for a run of n-grams that always occur together.
    text : str
        The n-gram as it is written in the first example.
    count : int
        How often it is missed, or invented.
    opposite : int
        How often the opposite happens to it, in other segments: how often it is invented, or missed.
    segments : int
        In how many segments `count` occurs.
    points : Fraction
        What it and the shorter n-grams in it would contribute if they matched `count` minus `opposite` times, at the
        present worth of a match.
    examples : tuple of Example
        Its first occurrences.
    """

    kind: str
    n: int
    text: str
    count: int
    opposite: int
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
            "opposite": self.opposite,
            "segments": self.segments,
            **numbers(points=self.points),
            "examples": [asdict(example) for example in self.examples],
        }


@dataclass(frozen=True, slots=True, repr=False)
class CorpusExplanation(_Writable):
    """The explanation of a corpus's score.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        As in :class:`Explanation`.
    arithmetic : tuple of str
        As in :class:`Explanation`.
    chosen : tuple of (name, int)
        Where there were several references, in how many segments each is the one that counts, or for BLEU the closest
        in length.
    missed, invented : tuple of Frequent
        N-grams of words, tokens, or (in texts without spaces) characters that are more often missed than invented, and
        the other way round. Those come first whose balance is least like that of all n-grams. Of those that report the
        same, only one is listed.
    """

    result: Result
    orders: tuple[OrderShare, ...]
    arithmetic: tuple[str, ...]
    chosen: tuple[tuple[int | str, int], ...]
    missed: tuple[Frequent, ...]
    invented: tuple[Frequent, ...]

    @property
    def length_ratio(self) -> float | None:
        """The symbols of the hypotheses over those of the references; None if the metric does not count both."""
        number = self.orders[0].reference_ngrams if self.orders else None
        return self.orders[0].hypothesis_ngrams / number if number else None

    def __repr__(self) -> str:
        listed = f"{len(self.missed):,} n-grams missed, {len(self.invented):,} invented"
        return f"<CorpusExplanation of {self.metric} {self.result.score_text}: {listed}>"

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
