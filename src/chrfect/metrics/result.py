"""Results: scores with the counts from which they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import fsum
from typing import TYPE_CHECKING, Any, overload

from chrfect._version import __version__
from chrfect.counts import CountRecipe, Counts, CountTable, ReferenceNumber
from chrfect.errors import UsageError
from chrfect.foreign_names import RESULTS, refuse_names
from chrfect.metrics.scoring import Scoring

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from chrfect.metrics.order import Order


class Result:
    """The score of a segment or of a corpus, with the counts from which it is computed.

    A result holds the metric and the counts; all other values are computed on access. It can be converted to a float,
    and a format such as ``f"{result:.2f}"`` applies to the score.

    Parameters
    ----------
    metric : Metric
        The metric.
    values : sequence of int
        The counts, in the order of the metric's columns.
    segment_count : int
        The number of segments that were summed.
    scorer : Metric
        The metric whose rule scores the counts: for a segment, ``metric.segmental``.
    reference : int or str, optional
        For a segment with several references, the index or the name of the chosen one.
    references : int, "var" or None
        The number of references of each segment.
    recipe : CountRecipe, optional
        How the segments were counted; by default as the metric counts.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> result = ChrF().sentence("the cat", "the cat sat")
    >>> result.score_text, f"{result:.2f}"
    ('55.771011', '55.77')
    >>> result.orders[0].matches, result.orders[0].reference_ngrams
    (6, 9)
    """

    __slots__ = ("_metric", "_recipe", "_reference", "_references", "_scorer", "_segment_count", "_values")

    def __init__(
        self,
        metric: Scoring,
        values: Sequence[int],
        segment_count: int,
        scorer: Scoring,
        reference: int | str | None = None,
        references: ReferenceNumber = None,
        recipe: CountRecipe | None = None,
    ) -> None:
        self._metric = metric
        self._values = values
        self._segment_count = segment_count
        self._scorer = scorer
        self._reference = reference
        self._references = references
        self._recipe = recipe

    @property
    def metric(self) -> Scoring:
        """The metric."""
        return self._metric

    @property
    def values(self) -> Sequence[int]:
        """The counts, in the order of the metric's columns."""
        return self._values

    @property
    def segment_count(self) -> int:
        """The number of segments that were summed."""
        return self._segment_count

    @property
    def scorer(self) -> Scoring:
        """The metric whose rule scores the counts: for a segment, ``metric.segmental``."""
        return self._scorer

    @property
    def reference(self) -> int | str | None:
        """For a segment with several references, the index or the name of the chosen one."""
        return self._reference

    @property
    def references(self) -> ReferenceNumber:
        """The number of references of each segment; ``"var"`` if it varies, None if it is not known."""
        return self._references

    @property
    def segments(self) -> Segments | None:
        """The results of the segments; None if they were not kept."""
        return None

    @property
    def score(self) -> float:
        """The score as a float, bit for bit equal to that of sacreBLEU."""
        return self._scorer.float_score(self._values)

    @property
    def score_fraction(self) -> Fraction | None:
        """The exact score; None if it is irrational, as for BLEU."""
        return self._scorer.exact_score(self._values)

    @property
    def score_text(self) -> str:
        """The exact score rounded once to six decimals, ties to even."""
        return self._scorer.decimal_score(self._values)

    @property
    def precision_fraction(self) -> Fraction | None:
        """Precision averaged over the effective orders, 0 to 100; None if the score is not computed from it."""
        means = self._scorer.mean_precision_recall(self._values)
        return None if means is None else means[0]

    @property
    def recall_fraction(self) -> Fraction | None:
        """Recall averaged over the effective orders, 0 to 100; None if the score is not computed from it."""
        means = self._scorer.mean_precision_recall(self._values)
        return None if means is None else means[1]

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders, characters first, then words; or those of tokens."""
        return self._scorer.orders(self._values)

    @property
    def counts(self) -> Counts:
        """The counts as a value that can be added to other counts."""
        recipe = self._recipe or self._metric.count_recipe
        return Counts(recipe, tuple(self._values), self._segment_count, self._references)

    @property
    def signature(self) -> str:
        """The metric's signature with the number of references: enough to repeat the measurement."""
        return self._metric.signature_with(self._references)

    @property
    def mean_segment_score(self) -> float | None:
        """The mean of the segment scores (macro), unlike :attr:`score` (micro); None if segments were not kept."""
        return None if self.segments is None else self.segments.mean_score

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as JSON-ready data, floats in full precision."""
        data: dict[str, Any] = {
            "metric": str(self._metric),
            "score": self.score,
            "score_text": self.score_text,
            **self._scorer.details(self._values),
            "segment_count": self._segment_count,
            "orders": [order.to_dict() for order in self.orders],
            "parameters": self._metric.parameters,
            "signature": self.signature,
            "version": __version__,
        }
        if self._reference is not None:
            data["reference"] = self._reference
        if self.segments is not None:
            data["mean_segment_score"] = self.mean_segment_score
            data["segment_scores"] = self.segments.scores
        return data

    def __float__(self) -> float:
        return self.score

    def __format__(self, format_spec: str) -> str:
        return format(self.score, format_spec) if format_spec else str(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self._metric, self._scorer, tuple(self._values), self._segment_count, self._reference

    def __repr__(self) -> str:
        segments = f"{self._segment_count:,} segment" + ("" if self._segment_count == 1 else "s")
        return f"<{self._metric} {self.score_text} over {segments}>"

    def _repr_html_(self) -> str:
        import html

        rows = [("score", self.score_text), ("segments", f"{self._segment_count:,}"), ("signature", self.signature)]
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in rows)
        return f"<table><caption>{html.escape(str(self._metric))}</caption>{cells}</table>"


refuse_names(Result, RESULTS)


class CorpusResult(Result):
    """The score of a corpus with the results of its segments; see :class:`Result`."""

    __slots__ = ("_segments",)

    def __init__(self, segments: Segments) -> None:
        counts = segments.table.sum()
        metric = segments.metric
        scorer = metric.for_sum(segments.table)
        super().__init__(metric, counts.values, counts.segments, scorer, None, counts.references, counts.recipe)
        self._segments = segments

    @property
    def segments(self) -> Segments:
        """The results of the segments."""
        return self._segments

    @property
    def mean_segment_score(self) -> float:
        """The mean of the segment scores (macro), unlike :attr:`score` (micro)."""
        return self._segments.mean_score


class Segments(Sequence[Result]):
    """The results of all segments: a view of a table of counts.

    Parameters
    ----------
    metric : Metric
        The metric.
    table : CountTable
        One row for each segment.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> segments = ChrF().segments(["a b", "c"], ["a b", "d"])
    >>> segments.scores, segments.score_texts, segments.mean_score
    ([100.0, 0.0], ['100.000000', '0.000000'], 50.0)
    >>> segments[0].orders[0].matches
    2
    """

    def __init__(self, metric: Scoring, table: CountTable) -> None:
        self.metric = metric
        self.table = table.choose(metric)

    def __repr__(self) -> str:
        return f"<{self.metric} of {len(self):,} segments, {self.mean_score:.6f} on average>"

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Segments: ...
    def __getitem__(self, index: int | slice) -> Result | Segments:
        if isinstance(index, slice):
            return Segments(self.metric, self.table[index])
        counts = self.table[index]
        chosen = None if self.table.origins is None else self.table.origins[index]
        return Result(self.metric, counts.values, 1, self.scorer, chosen, counts.references, counts.recipe)

    def __iter__(self) -> Iterator[Result]:
        return (self[i] for i in range(len(self)))

    @property
    def scorer(self) -> Scoring:
        """The metric whose rule scores the rows."""
        return self.metric.segmental.for_recipe(self.table.recipe)

    @cached_property
    def scores(self) -> list[float]:
        """The score of each segment as a float, equal to that of sacreBLEU."""
        return self.scorer.float_scores(self.table.rows)

    @cached_property
    def score_array(self) -> NDArray[float64]:
        """:attr:`scores` as a NumPy array."""
        return self.scorer.float_array(self.table.rows)

    @cached_property
    def score_texts(self) -> list[str]:
        """The exact score of each segment at six decimals."""
        return self.scorer.decimal_scores(self.table.rows)

    @property
    def mean_score(self) -> float:
        """The mean of the scores."""
        return fsum(self.scores) / len(self)

    def to_arrow(self) -> Any:
        """Return an Arrow table of the scores; UsageError if pyarrow is not installed."""
        return _module("pyarrow").table(self._columns())

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of the scores; UsageError if pandas is not installed."""
        return _module("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """Return a Polars DataFrame of the scores; UsageError if Polars is not installed."""
        return _module("polars").DataFrame(self._columns())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Export :meth:`to_arrow` through the Arrow PyCapsule interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _columns(self) -> dict[str, Any]:
        """Return the columns of tables: the scores, and the chosen references where there are several."""
        columns: dict[str, Any] = {"score": self.score_array, "score_text": self.score_texts}
        if self.table.origins is not None:
            columns["reference"] = list(self.table.origins)
        return columns


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UsageError(f"The module {name} is not installed: pip install {name}.") from None
