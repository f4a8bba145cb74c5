"""Score batch by batch, as in a training loop."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from chrfect.counts import Counts, CountTable
from chrfect.errors import UsageError, shown
from chrfect.metrics.base import Metric, thread_number
from chrfect.metrics.references import Aligned, References, ReferencesPerSegment, Texts, align, read_references
from chrfect.metrics.registry import as_metric
from chrfect.metrics.result import Result


class Evaluator:
    """Scores the checkpoints of a training, whose hypotheses come in batches and from several workers.

    It keeps one row of counts for each index and metric, and no hypotheses. A repeated index, as samplers add to fill
    the last batch, counts once. Evaluators can be pickled.

    Parameters
    ----------
    metrics : Metric, str, or iterable of them
        Metrics, or their names.
    references, references_per_segment
        As in :meth:`Metric.corpus`: the references of the whole set.
    threads : int, optional
        At least 1; by default the cores this process may use.

    Raises
    ------
    UsageError
        If a metric is given twice, or the references are not as expected.

    Examples
    --------
    >>> evaluator = Evaluator(["chrF", "BLEU"], ["the cat sat", "a dog ran"])
    >>> evaluator.add_batch(["the cat sat"], [0])
    >>> worker = Evaluator(["chrF", "BLEU"], ["the cat sat", "a dog ran"])
    >>> worker.add_batch(["a dog ran", "a dog ran"], [1, 1])
    >>> evaluator.merge(worker)
    >>> {name: result.score for name, result in evaluator.compute().items()}
    {'chrF': 100.0, 'BLEU': 0.0}
    """

    def __init__(
        self,
        metrics: Metric | str | Iterable[Metric | str],
        references: References | None = None,
        *,
        references_per_segment: ReferencesPerSegment | None = None,
        threads: int | None = None,
    ) -> None:
        given = [metrics] if isinstance(metrics, Metric | str) else metrics
        self._metrics = {str(metric): metric for metric in map(as_metric, given)}
        if not self._metrics:
            raise UsageError("metrics is empty; at least one metric was expected.")
        read, per_segment = read_references([] if references is None else references, references_per_segment)
        self._references: list[Any] | dict[str, list[Any]] = read if per_segment is None else per_segment
        self._is_per_segment = per_segment is not None
        streams = self._references
        self._number = len(streams if isinstance(streams, list) else next(iter(streams.values()), []))
        self._threads = thread_number(threads)
        self._align([""] * self._number, range(self._number))
        self.reset()

    def reset(self) -> None:
        """Forget all rows, for the next checkpoint."""
        self._places: dict[int, tuple[int, int]] = {}
        self._parts: dict[str, list[CountTable]] = {name: [] for name in self._metrics}
        self._totals: dict[str, Counts | None] = dict.fromkeys(self._metrics)

    def __len__(self) -> int:
        """Return how many segments have a row."""
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Evaluator of {', '.join(self._metrics)}: {len(self)} of {self._number} segments>"

    def add_batch(self, hypotheses: Texts, indices: Iterable[int]) -> None:
        """Count a batch; either all of it is kept, or nothing.

        Parameters
        ----------
        hypotheses : iterable of str
            The texts of some segments.
        indices : iterable of int
            For each text, the index of its references, from 0.

        Raises
        ------
        UsageError
            If numbers differ, an index has no references, or a repeated index has other counts than before.
        """
        texts = list(hypotheses) if not isinstance(hypotheses, str) else hypotheses
        places = [self._index(index) for index in indices]
        if len(places) != len(texts):
            raise UsageError(f"There are {len(texts)} hypotheses and {len(places)} indices; one for each was expected.")
        if not places:
            return
        aligned = self._align(texts, places)
        tables = {name: metric._chosen(aligned, self._threads) for name, metric in self._metrics.items()}
        self._add(places, tables)

    def merge(self, *others: Evaluator) -> None:
        """Take over the rows of evaluators of other workers; either all of them, or none.

        Raises
        ------
        UsageError
            If metrics or references differ, or an index has different counts.
        """
        for other in others:
            if self._metrics != other._metrics:
                raise UsageError(
                    f"The evaluators have different metrics: {', '.join(self._metrics)}; {', '.join(other._metrics)}."
                )
            if self._references != other._references:
                raise UsageError("The evaluators have different references; construct all of them with the same.")
        before = dict(self._places), {name: list(parts) for name, parts in self._parts.items()}, dict(self._totals)
        try:
            for other in others:
                self._take(other)
        except UsageError:
            self._places, self._parts, self._totals = before
            raise

    def compute(self, *, partial: bool = False) -> dict[str, Result]:
        """Return the corpus result of each metric by its name.

        Parameters
        ----------
        partial : bool
            Whether to score the segments that there are, where some have no row yet.

        Raises
        ------
        UsageError
            If segments are missing and `partial` is not set, or there is none.
        """
        if not self._places or (len(self) < self._number and not partial):
            missing = next(index for index in range(self._number) if index not in self._places)
            raise UsageError(
                f"{self._number - len(self)} of {self._number} segments have no row, the first at index {missing}: "
                "add them, merge the other workers, or pass partial=True."
            )
        return {name: self._score(name, metric) for name, metric in self._metrics.items()}

    def table(self, metric: Metric | str) -> CountTable:
        """Return the counts by a metric, one row for each segment that has one, in the order of the indices."""
        parts = self._parts[str(as_metric(metric))]
        ordered = [self._places[index] for index in sorted(self._places)]
        runs: list[list[int]] = []
        for part, row in ordered:
            if runs and runs[-1][0] == part and runs[-1][2] == row:
                runs[-1][2] += 1
            else:
                runs.append([part, row, row + 1])
        return CountTable.concatenate(parts[part][start:stop] for part, start, stop in runs)

    def _score(self, name: str, metric: Metric) -> Result:
        if metric.adds_in_order:  # lengths that are means are added in the order of the segments
            table = self.table(name)
            if table.references != 1:
                return metric.score(table)
        total = self._totals[name]
        assert total is not None
        return metric.score(total)

    def _add(self, places: Sequence[int], tables: dict[str, CountTable]) -> None:
        """Keep the rows of indices that have none; UsageError where another row is there."""
        first: dict[int, int] = {}
        for row, index in enumerate(places):
            if index in self._places:
                part, kept = self._places[index]
                for name, table in tables.items():
                    _check_equal(name, index, self._parts[name][part][kept], table[row])
            elif index in first:
                for name, table in tables.items():
                    _check_equal(name, index, table[first[index]], table[row])
            else:
                first[index] = row
        if not first:
            return
        rows = list(first.values())
        for name, table in tables.items():
            if len(rows) < len(table):
                table = CountTable.concatenate(table[row : row + 1] for row in rows)
            total = self._totals[name]
            self._totals[name] = table.sum() if total is None else total + table.sum()
            self._parts[name].append(table)
        part = len(next(iter(self._parts.values()))) - 1
        self._places |= {index: (part, row) for row, index in enumerate(first)}

    def _take(self, other: Evaluator) -> None:
        of_part: dict[int, list[tuple[int, int]]] = {}
        for index, (part, row) in other._places.items():
            of_part.setdefault(part, []).append((row, index))
        for part, placed in of_part.items():
            places = [index for _, index in sorted(placed)]
            self._add(places, {name: parts[part] for name, parts in other._parts.items()})

    def _index(self, index: Any) -> int:
        try:
            place = operator.index(index)
        except TypeError:
            raise UsageError(f"indices has a {type(index).__name__}; whole numbers were expected.") from None
        if not 0 <= place < self._number:
            raise UsageError(f"The index {place} has no references: there are {self._number}, counted from 0.")
        return place

    def _align(self, hypotheses: Any, places: Sequence[int]) -> Aligned:
        if isinstance(self._references, dict):
            streams = {name: [stream[i] for i in places] for name, stream in self._references.items()}
            return align(hypotheses, streams)
        texts = [self._references[i] for i in places]
        return align(hypotheses, None, texts) if self._is_per_segment else align(hypotheses, texts)


def _check_equal(name: str, index: int, kept: Counts, given: Counts) -> None:
    if _by_column(kept) != _by_column(given):
        raise UsageError(
            f"The index {index} was added before with other counts of {shown(name)}: each segment has one hypothesis. "
            "Call reset() before the next checkpoint."
        )


def _by_column(counts: Counts) -> dict[str, int]:
    return {column: value for column, value in zip(counts.recipe.columns, counts.values, strict=True) if value}
