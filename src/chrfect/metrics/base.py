"""The metric interface: count, score, and the calls that do both."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from chrfect.counts import Counts, CountTable
from chrfect.errors import ChrfectWarning, UsageError, shown
from chrfect.foreign_names import ATTRIBUTES, check_parameters, refuse_names
from chrfect.kernels import default_threads
from chrfect.metrics.references import Aligned, References, ReferencesPerSegment, Texts, align, blocks, check_text
from chrfect.metrics.result import CorpusResult, Result, Segments
from chrfect.metrics.scoring import Scoring

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

MAX_THREADS = 1_024


class Metric(Scoring):
    """The base class of metrics. A metric is an immutable value: frozen, hashable and picklable.

    A subclass is a frozen dataclass with the class attributes `name` and `columns`, and the methods
    :meth:`count_pair` and :meth:`exact_score`. See ``docs/metrics.md`` for a complete example.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # to type checkers these names are errors

        def __new__(cls, *_: object, **parameters: object) -> Metric:
            if parameters:
                check_parameters(cls, parameters)
            return super().__new__(cls)

    def corpus(
        self,
        hypotheses: Texts,
        references: References | None = None,
        *,
        references_per_segment: ReferencesPerSegment | None = None,
        threads: int | None = None,
    ) -> Result:
        """Return the score of a corpus: the counts of all segments summed, then scored.

        Parameters
        ----------
        hypotheses : iterable of str
            One text for each segment.
        references : iterable of str, or mapping of str to iterable of (str or None)
            One text for each segment, or several named lists of such texts, in which None is a missing reference; or an
            Arrow column with a list of references for each segment.
        references_per_segment : iterable of iterables of (str or None)
            The references of each segment, as an alternative to `references`.
        threads : int, optional
            At least 1; by default ``CHRFECT_THREADS``, else the cores this process may use.

        Returns
        -------
        Result
            Without segments: memory does not grow with the corpus.

        Warns
        -----
        ChrfectWarning
            If the metric is not meant for such texts, or the score misleads; as do :meth:`segments`, :meth:`both` and
            :meth:`count`.

        Raises
        ------
        UsageError
            If the numbers of segments differ, the layout is not one of the three, or an element is not a text.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().corpus(["the cat sat", "hi"], ["the cat sat", "ho"]).score_text
        '96.632997'
        >>> ChrF().corpus(["cat"], {"refA": ["dog"], "refB": ["cat"]}).score
        100.0
        """
        aligned = self._align(hypotheses, references, references_per_segment)
        result = self._corpus(aligned, thread_number(threads))
        self._warn(aligned, result)
        return result

    def segments(
        self,
        hypotheses: Texts,
        references: References | None = None,
        *,
        references_per_segment: ReferencesPerSegment | None = None,
        threads: int | None = None,
    ) -> Segments:
        """Return the score of each segment; parameters and errors are those of :meth:`corpus`.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().segments(["the cat sat", "hi"], ["the cat sat", "ho"]).scores
        [100.0, 25.0]
        """
        aligned = self._align(hypotheses, references, references_per_segment)
        segments = Segments(self, self._chosen(aligned, thread_number(threads)))
        self.segmental._warn(aligned, segments.table)
        return segments

    def both(
        self,
        hypotheses: Texts,
        references: References | None = None,
        *,
        references_per_segment: ReferencesPerSegment | None = None,
        threads: int | None = None,
    ) -> CorpusResult:
        """Return the corpus result with its segments, from one pass; parameters and errors are those of :meth:`corpus`.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> result = ChrF().both(["the cat sat", "hi"], ["the cat sat", "ho"])
        >>> result.score_text, result.mean_segment_score, result.segments.scores
        ('96.632997', 62.5, [100.0, 25.0])
        """
        aligned = self._align(hypotheses, references, references_per_segment)
        result = CorpusResult(Segments(self, self._chosen(aligned, thread_number(threads))))
        self._warn(aligned, result)
        return result

    def sentence(self, hypothesis: str, references: str | Sequence[str | None] | Mapping[str, str | None]) -> Result:
        """Return the score of one segment against one reference (a str), or several (a sequence, or by name).

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().sentence("cat", "the cat sat on the mat").score
        14.88248583092228
        >>> ChrF().sentence("cat", ["dog", "cat"]).reference
        1
        >>> ChrF().sentence("cat", {"refA": "dog", "refB": "cat"}).reference
        'refB'
        """
        if type(hypothesis) is str and type(references) is str:
            return self._pair(hypothesis, references)
        hypothesis = check_text(hypothesis, "hypothesis")
        if isinstance(references, str):
            return self._pair(hypothesis, check_text(references, "references"))
        if isinstance(references, Mapping):
            aligned = align((hypothesis,), {name: (text,) for name, text in references.items()})
        elif not isinstance(references, Sequence) or isinstance(references, bytes) or not references:
            given = "empty" if references == [] or references == () else f"a {type(references).__name__}"
            raise UsageError(f"references is {given}; one text, or a list of at least one, was expected.")
        else:
            aligned = align((hypothesis,), None, (references,))
        return Segments(self, self._chosen(aligned, 1))[0]

    def count(
        self,
        hypotheses: Texts,
        references: References | None = None,
        *,
        references_per_segment: ReferencesPerSegment | None = None,
        threads: int | None = None,
    ) -> CountTable:
        """Return the counts of each segment; parameters and errors are those of :meth:`corpus`.

        Returns
        -------
        CountTable
            With a row for each segment; or, where segments have several references of which the metric chooses one,
            for each segment and reference. :meth:`score` makes the choice.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> metric = ChrF(char_order=1)
        >>> table = metric.count(["ab", "c"], ["ab", "d"])
        >>> table.to_numpy().tolist(), metric.scores(table), metric.score(table).score_text
        ([[2, 2, 2], [1, 1, 0]], [100.0, 0.0], '66.666667')
        """
        aligned = self._align(hypotheses, references, references_per_segment)
        table = self._count(aligned, thread_number(threads))
        self._warn(aligned, table)
        return table

    def score(self, counts: CountTable | Counts) -> Result:
        """Return the score of counts: of one sum, or of the sum of the rows of a table.

        Raises
        ------
        UsageError
            If the counts have another recipe than this metric; the message names the difference.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> table = ChrF().count(["the cat sat", "hi"], ["the cat sat", "ho"])
        >>> ChrF().score(table).score_text, ChrF(beta=3).score(table.sum()).score_text
        ('96.632997', '96.632997')
        """
        if not isinstance(counts, CountTable | Counts):
            raise UsageError(f"counts is a {type(counts).__name__}; a CountTable or Counts was expected.")
        scorer = self.for_recipe(counts.recipe)
        if isinstance(counts, CountTable):
            table = counts.choose(self)
            self.check_recipe(table.recipe)
            scorer, counts = self.for_sum(table), table.sum()
        self.check_recipe(counts.recipe)
        return Result(self, counts.values, counts.segments, scorer, None, counts.references, counts.recipe)

    def scores(self, table: CountTable) -> list[float]:
        """Return the score of each row of a table; ``metric.segmental.scores(table)`` scores rows as segments.

        Raises
        ------
        UsageError
            As :meth:`score`.
        """
        chosen = table.choose(self)
        self.check_recipe(chosen.recipe)
        return self.for_recipe(chosen.recipe).float_scores(chosen.rows)

    @property
    def segmental(self) -> Metric:
        """The metric that scores single segments, if their rule differs from that of a corpus."""
        return self

    def join(self, other: Metric) -> Metric | None:
        """Return a metric from whose counts both metrics can be projected; None if there is no such metric.

        Texts are counted once for metrics that can be joined. By default, metrics must have the same recipe.
        """
        return self if self.count_recipe == other.count_recipe else None

    @abstractmethod
    def count_pair(self, hypothesis: str, reference: str) -> Sequence[int]:
        """Return the counts of one hypothesis and one reference, in the order of the columns."""

    def _align(
        self, hypotheses: Texts, references: References | None, references_per_segment: ReferencesPerSegment | None
    ) -> Aligned:
        return align(hypotheses, references, references_per_segment)

    def _warn(self, aligned: Aligned, counted: Result | CountTable) -> None:
        for message in self._notices(aligned, counted):
            warnings.warn(message, ChrfectWarning, stacklevel=3)

    def _notices(self, aligned: Aligned, counted: Result | CountTable) -> Iterator[str]:
        """Yield warnings about texts whose score may be misleading; by default none."""
        return iter(())

    def _count(self, aligned: Aligned, threads: int) -> CountTable:
        """Count aligned texts. Override it to count many pairs at once, or over all references."""
        rows = array("q")
        width = len(self.columns)
        starts = aligned.starts or range(len(aligned.hypotheses) + 1)
        for hypothesis, (start, stop) in zip(aligned.hypotheses, pairwise(starts), strict=True):
            for reference in aligned.references[start:stop]:
                values = self.count_pair(hypothesis, reference)
                if len(values) != width:
                    raise UsageError(
                        f"count_pair of {self} returned {len(values)} integers; one for each of the {width} columns "
                        "was expected."
                    )
                rows.extend(values)
        return self._table(aligned, rows)

    def _table(self, aligned: Aligned, rows: array[int]) -> CountTable:
        """Return the rows of aligned texts, one for each reference, as a table."""
        offsets = None
        if aligned.starts is not None:
            first = aligned.starts[0]
            offsets = array("q", (start - first for start in aligned.starts))
        return CountTable(
            self.count_recipe, rows, offsets=offsets, origins=aligned.reference_names(), references=aligned.number
        )

    def _chosen(self, aligned: Aligned, threads: int) -> CountTable:
        """Return one row for each segment, counted in blocks, so that memory does not grow with the references."""
        parts = [self._count(block, threads).choose(self) for block in blocks(aligned)]
        return CountTable.concatenate(parts)

    def _corpus(self, aligned: Aligned, threads: int) -> Result:
        values, recipe = self._sum(aligned, threads)
        scorer = self if recipe is None else self.for_recipe(recipe)
        return Result(self, values, len(aligned.hypotheses), scorer, None, aligned.number, recipe)

    def _sum(self, aligned: Aligned, threads: int) -> tuple[Sequence[int], Any]:
        """Return the sum of the counts of all segments, and its recipe (None: that of the metric)."""
        total: Counts | None = None
        for block in blocks(aligned):
            part = self._count(block, threads).choose(self).sum()
            total = part if total is None else total + part
        assert total is not None
        return total.values, total.recipe

    def _pair(self, hypothesis: str, reference: str) -> Result:
        return Segments(self, self._count(Aligned((hypothesis,), (reference,)), 1))[0]

    def _matrix(
        self, hypotheses: list[str], columns: list[list[str]], threads: int, stop: list[BaseException]
    ) -> NDArray[float64]:
        """Return the score of each hypothesis against each column of references, as :meth:`sentence` gives it."""
        import numpy as np

        out = np.empty((len(hypotheses), len(columns)))
        for j, column in enumerate(columns):
            if stop:
                raise stop[0]
            starts = range(0, len(column) * len(hypotheses) + 1, len(column))
            single = len(column) == 1
            aligned = Aligned(hypotheses, column * len(hypotheses), None if single else starts)
            chosen = self._chosen(aligned, threads)
            out[:, j] = self.segmental.for_recipe(chosen.recipe).float_array(chosen.rows)
        return out


refuse_names(Metric, ATTRIBUTES)


def thread_number(threads: int | None) -> int:
    """Return the number of threads: the given number or the default, at most ``MAX_THREADS``."""
    if threads is None:
        return min(default_threads(), MAX_THREADS)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise UsageError(f"threads is {shown(threads)}; a whole number of at least 1 was expected.")
    return min(threads, MAX_THREADS)
