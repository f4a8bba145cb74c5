"""Rows with their scores, filtered by exact comparison, as Parquet."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrfect.counts import CountTable
from chrfect.errors import InputFileError, UsageError, shown
from chrfect.files.save import replacing
from chrfect.metrics import Metric, Segments
from chrfect.metrics.registry import parse

ROWS = 131_072
"""The number of rows in a row group of the output."""

_CLOSE = 1e-6  # floats that differ from a bound by less are compared exactly

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Filter:
    """A condition on the score of a row.

    Parameters
    ----------
    metric : Metric
    comparison : {">=", "<=", ">", "<"}
    bound : Fraction
        The score to compare with.
    """

    metric: Metric
    comparison: str
    bound: Fraction

    def __str__(self) -> str:
        return f"{self.metric} {self.comparison} {self.bound}"

    def keep(self, segments: Segments) -> NDArray[np.bool_]:
        """Return whether each segment passes; exact scores are compared.

        The score of BLEU is irrational in general. It is compared as rounded to six decimals.
        """
        compare, bound = _COMPARISONS[self.comparison], float(self.bound)
        kept: NDArray[np.bool_] = compare(segments.score_array, bound)
        for i in np.flatnonzero(np.abs(segments.score_array - bound) <= _CLOSE).tolist():
            kept[i] = compare(_exact(segments[i]), self.bound)
        return kept


def _exact(result: Any) -> Fraction:
    exact = result.score_fraction
    return Fraction(result.score_text) if exact is None else exact


def parse_filter(text: str, metrics: Sequence[Metric]) -> Filter:
    """Return the filter that a text such as ``chrF++ >= 40`` describes.

    Raises
    ------
    UsageError
        If the text is not a comparison with a number, or the metric is not one of `metrics`.

    Examples
    --------
    >>> str(parse_filter("chrF++ >= 40.5", [parse("chrF++")]))
    'chrF++ >= 81/2'
    """
    found = re.fullmatch(r"(.+?)\s*(>=|<=|>|<)\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*", text)
    if found is None:
        raise UsageError(f"{shown(text)} is not a filter; METRIC, one of >= <= > <, and a number were expected.")
    metric = parse(found[1].strip())
    if metric not in metrics:
        raise UsageError(f"The filter {shown(text)} needs the score of {metric}; add it to the metrics.")
    return Filter(metric, found[2], Fraction(found[3]))


class Schema:
    """The columns and types of all rows: those of the first unit that was read, which others must have too."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._fields: Any = None
        self._place = ""

    @property
    def fields(self) -> Any:
        """The Arrow schema, or None if no rows have been read."""
        return self._fields

    def check(self, fields: Any, place: str) -> None:
        """Remember the first schema; raise InputFileError for another one."""
        with self._lock:
            if self._fields is None:
                self._fields, self._place = fields, place
        if fields != self._fields:
            mine, first = (", ".join(f"{field.name} ({field.type})" for field in one) for one in (fields, self._fields))
            raise InputFileError(
                f"{place}: the columns are {mine}, and those of {self._place} are {first}; rows with scores need the "
                "same columns and types."
            )


class RowWriter:
    """Writes rows as Parquet, in row groups of at least ``ROWS`` rows but the last."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._writer: Any = None
        self._held: list[Any] = []

    def write(self, rows: Any) -> None:
        """Write an Arrow table."""
        self._held.append(rows)
        if self._writer is None or sum(held.num_rows for held in self._held) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows = pa.concat_tables(self._held)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, rows.schema, compression="zstd")
            if rows.num_rows < ROWS:
                self._held = [rows]
                return
        self._writer.write_table(rows)
        self._held = []

    def close(self) -> None:
        """Write the rows that are held, and the end of the file."""
        if self._writer is not None:
            if self._held:
                self._flush()
            self._writer.close()


@contextmanager
def row_writer(path: str) -> Iterator[RowWriter]:
    """Yield a writer to a temporary file, which replaces `path` at the end.

    Raises
    ------
    WorkError
        If the file cannot be written, for example because the disk is full.
    """
    with replacing(path) as temporary:
        writer = RowWriter(temporary)
        try:
            yield writer
        finally:
            writer.close()


class ScoredRows:
    """Writes the rows of a unit that pass all filters, with a column of scores for each metric."""

    def __init__(self, writer: RowWriter, metrics: Sequence[Metric], filters: Sequence[Filter], schema: Schema) -> None:
        self._writer = writer
        self._metrics, self._filters, self._schema = metrics, filters, schema

    def add(self, columns: dict[str, Any], tables: Sequence[CountTable], place: str) -> NDArray[np.bool_]:
        """Write a batch, and return whether each row passes.

        Parameters
        ----------
        columns : dict of str to (list, or pyarrow array)
        tables : sequence of CountTable
            The counts by each metric, one row for each row of the batch.
        place : str
            Where the batch is from, for messages.
        """
        import pyarrow as pa

        segments = {metric: Segments(metric, table) for metric, table in zip(self._metrics, tables, strict=True)}
        kept = np.ones(len(tables[0]), np.bool_)
        for condition in self._filters:
            kept &= condition.keep(segments[condition.metric])
        rows = self._rows(columns, place)
        self._schema.check(rows.schema, place)
        for metric, scored in segments.items():
            if str(metric) in columns:
                raise InputFileError(f"{place}: there is already a column {shown(str(metric))}; rename it.")
            rows = rows.append_column(pa.field(str(metric), pa.float64()), pa.array(scored.score_array))
        self._writer.write(rows if kept.all() else rows.filter(pa.array(kept)))
        return kept

    def _rows(self, columns: dict[str, Any], place: str) -> Any:
        import pyarrow as pa

        known, arrays = self._schema.fields, []
        for name, values in columns.items():
            expected = known.field(name).type if known is not None and name in known.names else None
            try:
                made = pa.array(values, expected) if isinstance(values, list) else values
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                raise InputFileError(
                    f"{place}: the column {shown(name)} has values of several types: {error}"
                ) from None
            arrays.append(made.cast(pa.string()) if pa.types.is_null(made.type) else made)
        return pa.table(arrays, list(columns))


def join_rows(paths: Sequence[str], output: str) -> None:
    """Write the rows of files with one schema to one file, in order."""
    import pyarrow.parquet as pq

    with row_writer(output) as writer:
        for path in paths:
            with pq.ParquetFile(path, pre_buffer=False) as file:
                for group in range(file.num_row_groups):
                    writer.write(file.read_row_group(group, use_threads=False))
                if not file.num_row_groups:
                    writer.write(file.schema_arrow.empty_table())
