"""Results that explain themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, overload

from chrfect._version import __version__
from chrfect.counts import Counts
from chrfect.formulas import fscore

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from chrfect.metrics.base import Metric


@dataclass(frozen=True, slots=True)
class Order:
    """The counts of one order, and what follows from them on the scale 0 to 100.

    Parameters
    ----------
    kind : str
        ``"character"`` or ``"word"``; ``"token"`` for BLEU.
    n : int
        The length of the n-grams, at least 1.
    hypothesis_ngrams, reference_ngrams, matches : int
        Totals and clipped matches; BLEU does not count the reference's (None).
    beta : int or Fraction
        How many times more recall weighs than precision in :attr:`f`.

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
        """Whether both sides, as far as they are counted, have an n-gram of this order."""
        return bool(self.hypothesis_ngrams) and self.reference_ngrams != 0

    @property
    def precision_fraction(self) -> Fraction | None:
        """100 × matches ÷ hypothesis n-grams; None without any."""
        return Fraction(100 * self.matches, self.hypothesis_ngrams) if self.hypothesis_ngrams else None

    @property
    def recall_fraction(self) -> Fraction | None:
        """100 × matches ÷ reference n-grams; None without any."""
        return Fraction(100 * self.matches, self.reference_ngrams) if self.reference_ngrams else None

    @property
    def f_fraction(self) -> Fraction | None:
        """F of this order's precision and recall; None if either is; 0 if both are 0."""
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


class Result:
    """The score of a segment or of a corpus, and every count behind it.

    It holds the metric and its integers; everything else is worked out when asked for.

    Parameters
    ----------
    metric : Metric
        What was measured.
    values : sequence of int
        The counts, in the order of the metric's columns.
    segment_count : int
        How many segments were summed.
    reference : int or str, optional
        For a segment with several references, the name or index of the one that was chosen.
    segments : Segments, optional
        The results of the segments, where they were asked for.
    is_segment : bool
        Whether this is the score of a segment, for metrics that score those by another rule (BLEU).

    Examples
    --------
    >>> from chrfect import ChrF
    >>> result = ChrF().sentence("the cat", "the cat sat")
    >>> result.score_text, round(result.score, 2)
    ('55.771011', 55.77)
    >>> result.orders[0].matches, result.orders[0].reference_ngrams
    (6, 9)
    """

    __slots__ = ("is_segment", "metric", "reference", "segment_count", "segments", "values")

    def __init__(
        self,
        metric: Metric,
        values: Sequence[int],
        segment_count: int = 1,
        reference: int | str | None = None,
        segments: Segments | None = None,
        is_segment: bool = False,
    ) -> None:
        self.metric = metric
        self.values = values
        self.segment_count = segment_count
        self.reference = reference
        self.segments = segments
        self.is_segment = is_segment

    @property
    def score(self) -> float:
        """The score, 0 to 100, as sacreBLEU's float, bit for bit."""
        return self.metric.score_of(self.values, self.is_segment)

    @property
    def score_fraction(self) -> Fraction:
        """The exact score, 0 to 100; UsageError for BLEU, which is irrational."""
        return self.metric.fraction_of(self.values)

    @property
    def score_text(self) -> str:
        """The exact score rounded once to six decimals, ties to even."""
        return self.metric.text_of(self.values, self.is_segment)

    @property
    def precision_fraction(self) -> Fraction | None:
        """Precision averaged over the effective orders, 0 to 100; None where F is not taken of such a mean."""
        means = self.metric.means_of(self.values)
        return None if means is None else means[0]

    @property
    def recall_fraction(self) -> Fraction | None:
        """Recall averaged over the effective orders, 0 to 100; None where F is not taken of such a mean."""
        means = self.metric.means_of(self.values)
        return None if means is None else means[1]

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders, characters first, then words; or those of tokens."""
        return self.metric.orders_of(self.values)

    @property
    def counts(self) -> Counts:
        """The counts as a value that adds up with others of the same metric."""
        return Counts(str(self.metric), self.metric.columns, tuple(self.values), self.segment_count)

    @property
    def mean_segment_score(self) -> float | None:
        """The mean of the segments' scores (macro), beside :attr:`score` (micro); None where segments are not held."""
        return None if self.segments is None else self.segments.mean_score

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as JSON-ready data, floats in full precision."""
        data: dict[str, Any] = {
            "metric": str(self.metric),
            "score": self.score,
            "score_text": self.score_text,
            **self.metric.details_of(self.values, self.is_segment),
            "segment_count": self.segment_count,
            "orders": [order.to_dict() for order in self.orders],
            "recipe": self.metric.recipe,
            "signature": self.metric.signature,
            "version": __version__,
        }
        if self.reference is not None:
            data["reference"] = self.reference
        if self.segments is not None:
            data["mean_segment_score"] = self.mean_segment_score
            data["segment_scores"] = self.segments.scores
        return data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self.metric == other.metric and (tuple(self.values), self.reference, self.is_segment) == (
            (tuple(other.values), other.reference, other.is_segment)
        )

    def __hash__(self) -> int:
        return hash((self.metric, tuple(self.values), self.reference, self.is_segment))

    def __repr__(self) -> str:
        return f"<{self.metric} {self.score_text} over {self.segment_count} segment(s)>"


class Segments(Sequence[Result]):
    """The results of all segments, held as one table of integers.

    Parameters
    ----------
    metric : Metric
        What was measured.
    rows : sequence of int
        The counts of the segments, flattened.
    chosen : sequence of int or str, optional
        For each segment, the name or index of the reference that was chosen among several.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> segments = ChrF().segments(["a b", "c"], ["a b", "d"])
    >>> segments.scores, segments.score_texts, segments.mean_score
    ([100.0, 0.0], ['100.000000', '0.000000'], 50.0)
    >>> segments[0].orders[0].matches
    2
    """

    def __init__(self, metric: Metric, rows: Sequence[int], chosen: Sequence[int | str] | None = None) -> None:
        self.metric = metric
        self.rows = rows
        self.chosen = chosen
        self._width = len(metric.columns)

    def __repr__(self) -> str:
        return f"<{self.metric} of {len(self)} segments, {self.mean_score:.6f} on average>"

    def __len__(self) -> int:
        return len(self.rows) // self._width

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        values = tuple(self.rows[at * self._width : (at + 1) * self._width])
        chosen = None if self.chosen is None else self.chosen[at]
        return Result(self.metric, values, reference=chosen, is_segment=True)

    def __iter__(self) -> Iterator[Result]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def scores(self) -> list[float]:
        """The score of each segment, 0 to 100, as sacreBLEU's floats."""
        return self.metric.scores_of(self.rows)

    @cached_property
    def score_array(self) -> NDArray[float64]:
        """:attr:`scores` as a NumPy array."""
        return self.metric.score_array_of(self.rows)

    @cached_property
    def score_texts(self) -> list[str]:
        """The exact score of each segment at six decimals."""
        return self.metric.texts_of(self.rows)

    @property
    def mean_score(self) -> float:
        """The mean of the scores."""
        return fsum(self.scores) / len(self)

    def total(self) -> list[int]:
        """Return the sum of the rows, a corpus's counts."""
        return [sum(self.rows[column :: self._width]) for column in range(self._width)]
