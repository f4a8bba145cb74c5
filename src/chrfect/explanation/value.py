"""The data of explanations, which are the same for a terminal, a page and JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from chrfect.errors import quantity
from chrfect.formulas.decimals import numbers
from chrfect.metrics import Result
from chrfect.metrics.scoring import Scoring
from chrfect.metrics.shares import Edit, OrderShare


def explained_score(metric: Scoring, values: Sequence[int]) -> Fraction:
    """Return the score to which contributions sum: exact, or with six decimals if it is irrational, as for BLEU."""
    exact = metric.exact_score(values)
    return Fraction(metric.decimal_score(values)) if exact is None else exact


@dataclass(frozen=True, slots=True)
class Run:
    """A run of overlapping n-grams, with all its occurrences.

    Parameters
    ----------
    before, text, after : str
        The text of the run at its first occurrence, and the text before and after it that its n-grams cover.
    start, end : int
        The position of `text` at its first occurrence, in code points of the hypothesis or the reference.
    places : int
        The number of occurrences.
    ngrams : tuple of int
        The number of n-grams of each order in all occurrences.
    points : Fraction
        For a matched run its contribution to the score; for a missed run the gain in score if the hypothesis also had
        its n-grams; for an invented run the gain in score if the hypothesis did not have them.
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
        """Return a dict that can be serialized as JSON."""
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
    """The runs of one kind with the most points, and the total number of runs.

    Parameters
    ----------
    shown : tuple of Run
        The runs by descending points.
    total : int
        The number of different runs.
    ngrams : tuple of int
        The number of n-grams of each order in all runs.
    points : Fraction or None
        The sum of the contributions of all matched runs; None for other kinds, whose gains are not additive.
    """

    shown: tuple[Run, ...]
    total: int
    ngrams: tuple[int, ...]
    points: Fraction | None = None

    def __repr__(self) -> str:
        return f"<Runs: {len(self.shown):,} of {self.total:,}>"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON, with the number of omitted runs."""
        data: dict[str, Any] = {
            "total": self.total,
            "left_out": self.total - len(self.shown),
            "ngrams": list(self.ngrams),
            "shown": [run.to_dict() for run in self.shown],
        }
        return data | (numbers(points=self.points) if self.points is not None else {})


@dataclass(frozen=True, slots=True)
class Stretch:
    """Adjacent code points that are covered by the same numbers of n-grams.

    Parameters
    ----------
    start, end : int
        Offsets into the text, in code points.
    matched, ngrams : int
        The number of matched n-grams and of all n-grams that cover them; both 0 for ignored whitespace.
    """

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True)
class Token:
    """A word token: its position, and the numbers of matched and of all word n-grams that cover it."""

    start: int
    end: int
    matched: int
    ngrams: int


@dataclass(frozen=True, slots=True, repr=False)
class Shaded:
    """A text, or the beginning of a long text, with the numbers of n-grams that cover its code points.

    Parameters
    ----------
    text : str
        The original text, truncated at the limit.
    length : int
        The number of code points of the whole text.
    stretches : tuple of Stretch
        Adjacent stretches from the first code point of `text` to the last.
    tokens : tuple of Token
        The word tokens; empty if the metric does not count words.
    """

    text: str
    length: int
    stretches: tuple[Stretch, ...]
    tokens: tuple[Token, ...]

    def __repr__(self) -> str:
        return f"<Shaded text of {self.length:,} code points>"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON, with stretches and tokens as [start, end, matched, n-grams]."""
        return {
            "text": self.text,
            "length": self.length,
            "left_out": self.length - len(self.text),
            "stretches": [[s.start, s.end, s.matched, s.ngrams] for s in self.stretches],
            "tokens": [[t.start, t.end, t.matched, t.ngrams] for t in self.tokens],
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reference, and the score of the hypothesis against it alone."""

    name: int | str
    result: Result

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {"reference": self.name, "score": self.result.score, "score_text": self.result.score_text}


class _Writable:
    """The common methods of explanations: display in a notebook, and saving."""

    __slots__ = ()
    result: Result

    @property
    def metric(self) -> Scoring:
        """The metric."""
        return self.result.metric

    def save(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Write the explanation to a file as HTML, Markdown, JSON or plain text.

        Parameters
        ----------
        path : str or path-like
            The file; its extension (.html, .md, .json, .txt) determines the format. An existing file is overwritten.
        title : str
            A title for the explanation, such as ``"segment 3 of system.txt"``.

        Raises
        ------
        UsageError
            If the extension is not supported.
        WorkError
            If the file cannot be written.
        """
        from chrfect.explanation.report import file_format, render
        from chrfect.files.save import write_text

        assert isinstance(self, Explanation | CorpusExplanation)
        name = os.fspath(path)
        write_text(name, render(self, file_format(name), title))

    def _repr_html_(self) -> str:
        from chrfect.explanation.report import PAGE_DECIMALS, document

        assert isinstance(self, Explanation | CorpusExplanation)
        return document(self, decimals=PAGE_DECIMALS).fragment()

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(_Writable):
    """The explanation of the score of a segment.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        Their contributions sum to ``result.score_fraction``, or for irrational BLEU to ``result.score_text``. Empty
        if the metric does not define the contributions of orders; then there are no runs.
    smoothing : Fraction
        The part of the score that is independent of matches: the constant of ``per_order_f``, or BLEU's smoothing.
        The sum of it and the matched runs is the score.
    edits : tuple of Edit
        The edits of an error rate, whose points sum to the score; empty for other metrics.
    arithmetic : tuple of str
        The steps from the orders to the score, with enough digits to repeat them.
    chosen : int or str
        The shown reference: the one that is scored, or for BLEU, which uses all references, the closest in length.
    candidates : tuple of Candidate
        All references, and the score against each of them alone.
    hypothesis, reference : Shaded
        The hypothesis and the shown reference.
    matched, missed, invented : Runs
        N-grams of both texts, only of the reference, and only of the hypothesis.
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
        """The sum of the contributions: the exact score, or the score with six decimals if it is irrational."""
        return explained_score(self.result.scorer, self.result.values)

    def __repr__(self) -> str:
        runs = ", ".join(f"{getattr(self, kind).total:,} {kind}" for kind in ("matched", "missed", "invented"))
        steps = f"runs {runs}" if self.orders else "; ".join(self.arithmetic)
        return f"<Explanation of {self.metric} {self.result.score_text}: {steps}>"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON: exact numbers as ``"n/d"`` and as the nearest floats."""
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
    """An occurrence of an n-gram in a corpus with adjacent text; segments are counted from 0."""

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
        The number of symbols; more than the longest order for a run of n-grams that always occur together.
    text : str
        The n-gram as written in the first example.
    count : int
        The number of times it is missed (or invented).
    opposite : int
        The number of times it is invented (or missed) in other segments.
    segments : int
        The number of segments with these occurrences.
    points : Fraction
        The contribution of it and the shorter n-grams in it if they matched `count` minus `opposite` times, at the
        current value of a match.
    examples : tuple of Example
        The first occurrences.
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
        """Return a dict that can be serialized as JSON."""
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
    """The explanation of the score of a corpus.

    Parameters
    ----------
    result : Result
        The score and its counts.
    orders : tuple of OrderShare
        As in :class:`Explanation`.
    arithmetic : tuple of str
        As in :class:`Explanation`.
    chosen : tuple of (name, int)
        If there are several references, the number of segments in which each is scored, or for BLEU is the closest in
        length.
    missed, invented : tuple of Frequent
        N-grams of words, tokens, or (in texts without spaces) characters that are more often missed than invented, and
        vice versa, by how much their ratio differs from that of all n-grams. Of several n-grams with the same
        occurrences, only one is listed.
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
        listed = f"{quantity(len(self.missed), 'n-gram')} missed, {len(self.invented):,} invented"
        return f"<CorpusExplanation of {self.metric} {self.result.score_text}: {listed}>"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {
            "result": self.result.to_dict(),
            "orders": [order.to_dict() for order in self.orders],
            "arithmetic": list(self.arithmetic),
            "chosen": [list(pair) for pair in self.chosen],
            "missed": [frequent.to_dict() for frequent in self.missed],
            "invented": [frequent.to_dict() for frequent in self.invented],
        }
