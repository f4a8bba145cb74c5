"""Counting of data sets in threads, with results of complete units kept for restarts."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, compress
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrfect.counts import CountTable
from chrfect.engines.data import Batch, Unit, column_names, find_files, read_batches, units_of
from chrfect.engines.part import Part, add_parts, add_tables, read_part, write_part
from chrfect.engines.scored import Filter, Schema, ScoredRows, join_rows, row_writer
from chrfect.errors import InputFileError, UsageError
from chrfect.files.save import make_folder
from chrfect.metrics import Metric
from chrfect.metrics.base import thread_number
from chrfect.metrics.family import count_groups, count_segments

Progress = Callable[[int, int], None]
"""Called with the numbers of processed and of all bytes."""

SUMS = 65_536
"""The maximum number of sums of the same group before they are added."""

NOT_UTF8 = object()
"""Stands for a text that is not UTF-8."""


@dataclass(frozen=True)
class Plan:
    """The metrics and columns to count.

    Parameters
    ----------
    metrics : tuple of Metric
    hypothesis : str
        The column of the hypotheses.
    references : tuple of str
        The columns of the references; a single one may contain lists.
    by : tuple of str
        The columns whose values define groups.
    filters : tuple of Filter
        Conditions on the scores of rows. Rows that fail one are neither counted nor written. They need `segments` of
        :func:`count_data`.
    """

    metrics: tuple[Metric, ...]
    hypothesis: str
    references: tuple[str, ...]
    by: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All columns to read, without repetitions."""
        return list(dict.fromkeys((self.hypothesis, *self.references, *self.by)))

    def digest(self, unit: Unit) -> str:
        """Return a hash of the plan and of the file of a unit."""
        found = os.stat(unit.path)
        stated = [
            [metric.signature for metric in self.metrics],
            [self.hypothesis, self.references, self.by, list(map(str, self.filters))],
            [os.path.realpath(unit.path), unit.group, found.st_size, found.st_mtime_ns],
        ]
        return hashlib.sha256(json.dumps(stated).encode()).hexdigest()[:32]

    def kept(self, units: Sequence[Unit], unfinished: str) -> str:
        """Return the path of the part of complete units in the folder of an unfinished run."""
        stated = "".join(map(self.digest, units))
        return os.path.join(unfinished, hashlib.sha256(stated.encode()).hexdigest()[:32] + ".parquet")


@dataclass
class _Work:
    plan: Plan
    threads: int
    done: int = 0
    whole: int = 0
    progress: Progress | None = None
    stop: list[BaseException] = field(default_factory=list)
    schema: Schema = field(default_factory=Schema)
    lock: Lock = field(default_factory=Lock)

    def advance(self, number: int) -> None:
        with self.lock:
            self.done += number
            if self.progress is not None:
                self.progress(min(self.done, self.whole), self.whole)


def count_data(
    sources: Sequence[str],
    plan: Plan,
    *,
    segments: str | None = None,
    unfinished: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Part:
    """Return the counts of data sets; memory use depends on the number of threads and groups, not on the data.

    Parameters
    ----------
    sources : sequence of str
        Files, folders, or patterns.
    plan : Plan
        The metrics and columns to count.
    segments : str, optional
        A Parquet file for the rows, in their order, with a column of scores for each metric. It needs `unfinished`.
    unfinished : str, optional
        A folder for the results of complete units. An interrupted run that is restarted with the same folder does
        not count these units again. The folder is removed at the end.
    threads : int, optional
        At least 1; by default ``CHRFECT_THREADS``, or the number of cores available to the process.
    progress : callable, optional
        Called with the numbers of processed and of all bytes.

    Raises
    ------
    InputFileError
        If there is no data, or it cannot be read or counted; the message names the file, row group and row.
    UsageError
        If `segments` is given without `unfinished`, or the plan has filters and `segments` is not given.
    """
    if segments is not None and unfinished is None:
        raise UsageError("segments needs unfinished, a folder in which the rows are collected.")
    number = thread_number(threads)
    units = find_units(sources)
    work = _Work(plan, max(1, number // len(units)), whole=sum(unit.bytes for unit in units), progress=progress)
    if unfinished is not None:
        make_folder(unfinished)
    with ThreadPoolExecutor(min(number, len(units))) as pool:
        try:
            parts = list(pool.map(lambda unit: _resumed(work, unit, unfinished, segments is not None), units))
        except BaseException as error:
            work.stop.append(error)
            pool.shutdown(cancel_futures=True)
            raise
    part = join_units(units, parts)
    if segments is not None and unfinished is not None:
        pieces = [
            _piece(plan.kept([unit], unfinished)) for unit, found in zip(units, parts, strict=True) if found.tables
        ]
        join_rows(pieces, segments)
    return part


def find_units(sources: Sequence[str]) -> list[Unit]:
    """Return the units of all data files; raise InputFileError if there are none."""
    units = [unit for path in find_files(sources) for unit in units_of(path)]
    if not units:
        raise InputFileError("There are no rows in the data; at least one was expected.")
    return units


def join_units(units: Sequence[Unit], parts: Sequence[Part]) -> Part:
    """Return the sum of the parts of all units; raise InputFileError if none of them has rows."""
    filled = [part for part in parts if part.tables]
    if not filled:
        raise InputFileError(f"{units[0].path}: there are no rows in the data; at least one was expected.")
    return add_parts(filled)


def forget(unfinished: str) -> None:
    """Remove the folder with the results of an interrupted run."""
    shutil.rmtree(unfinished, ignore_errors=True)


def _resumed(work: _Work, unit: Unit, unfinished: str | None, with_rows: bool) -> Part:
    if unfinished is None:
        return count_unit(work.plan, unit, _advancing(work, unit, work.plan.columns), work.threads)
    path = work.plan.kept([unit], unfinished)
    if os.path.exists(path) and (not with_rows or os.path.exists(_piece(path))):
        work.advance(unit.bytes)
        return read_part(path)
    columns = list(dict.fromkeys([*column_names(unit.path), *work.plan.columns])) if with_rows else work.plan.columns
    batches = _advancing(work, unit, columns, with_rows)
    first = next(batches, None)
    if first is None:
        return count_unit(work.plan, unit, (), work.threads)
    with ExitStack() as stack:
        rows = None
        if with_rows:
            writer = stack.enter_context(row_writer(_piece(path)))
            rows = ScoredRows(writer, work.plan.metrics, work.plan.filters, work.schema)
        part = count_unit(work.plan, unit, chain([first], batches), work.threads, rows)
    write_part(part, path)
    return part


def _piece(path: str) -> str:
    """Return the path of the rows of a unit, beside its part."""
    return path.removesuffix(".parquet") + ".rows.parquet"


def _advancing(work: _Work, unit: Unit, columns: Sequence[str], complete: bool = False) -> Iterator[Batch]:
    """Yield the batches of a unit, report progress, and stop if another unit failed."""
    reported = 0
    for batch in read_batches(unit, columns, complete):
        if work.stop:
            raise work.stop[0]
        yield batch
        at = int(unit.bytes * batch.share)
        work.advance(at - reported)
        reported = at
    work.advance(unit.bytes - reported)


def count_unit(plan: Plan, unit: Unit, batches: Iterable[Batch], threads: int, rows: ScoredRows | None = None) -> Part:
    """Return the counts of the batches of a unit, without tables if there are none; `rows` takes their scores."""
    tables = sum_batches(plan, batches, unit.name, threads, rows)
    return Part(plan.metrics, plan.by, tables, ((os.path.realpath(unit.path), unit.group),))


def sum_batches(
    plan: Plan, batches: Iterable[Batch], place: str, threads: int, rows: ScoredRows | None = None
) -> tuple[CountTable, ...]:
    """Return the sums of the groups in batches for each metric; no tables if there are no batches.

    Parameters
    ----------
    plan : Plan
    batches : iterable of Batch
    place : str
        Where the batches are from, for messages.
    threads : int
    rows : ScoredRows, optional
        Takes the rows with their scores, and decides which are counted.

    Raises
    ------
    UsageError
        If the plan has filters, and no `rows` apply them.
    """
    if plan.filters and rows is None:
        raise UsageError(
            "Filters keep rows that are written with their scores; count_data needs segments to apply them."
        )
    kept: list[list[CountTable]] = [[] for _ in plan.metrics]
    sums, least = 0, SUMS
    for batch in batches:
        tables = _count_batch(plan, batch, place, threads, rows)
        for of_metric, table in zip(kept, tables, strict=True):
            of_metric.append(table)
        sums += len(tables[0])
        if sums > least:
            kept = [[add_tables(of_metric)] for of_metric in kept]
            sums = len(kept[0][0])
            least = max(SUMS, 2 * sums)
    return tuple(add_tables(of_metric) for of_metric in kept) if kept[0] else ()


def _count_batch(plan: Plan, batch: Batch, place: str, threads: int, rows: ScoredRows | None) -> list[CountTable]:
    texts = {name: batch.columns[name] for name in (plan.hypothesis, *plan.references)}
    hypotheses, first = texts[plan.hypothesis], texts[plan.references[0]]
    arguments: dict[str, Any] = {"references": first}
    if len(plan.references) > 1:
        arguments = {"references": {name: texts[name] for name in plan.references}}
    elif isinstance(first, list) and isinstance(next((value for value in first if value is not None), None), list):
        arguments = {"references_per_segment": first}
    groups = None
    if plan.by:
        values = [_labels(batch.columns[name]) for name in plan.by]
        groups = list(zip(*values, strict=True))
    try:
        if rows is None:
            return count_groups(plan.metrics, hypotheses, **arguments, groups=groups, threads=threads)
        tables = count_segments(plan.metrics, hypotheses, **arguments, threads=threads)
    except UsageError as error:
        raise InputFileError(_located(error, place, batch, texts, plan)) from None
    kept = rows.add(batch.columns, tables, f"{place}, rows from {batch.first}")
    labels = list(compress(groups or [()] * len(kept), kept))
    return [_selected(table, kept).sum_by(labels) for table in tables]


def _selected(table: CountTable, kept: NDArray[np.bool_]) -> CountTable:
    rows = table.rows if kept.all() else table.to_numpy()[kept].ravel()
    return CountTable(table.recipe, rows, references=table.references)


def _labels(column: Any) -> list[str | None]:
    values = column if isinstance(column, list) else column.to_pylist()
    return [value if value is None or isinstance(value, str) else str(value) for value in values]


def _located(error: UsageError, where: str, batch: Batch, texts: dict[str, Any], plan: Plan) -> str:
    """Return an error message with the row that caused it."""
    columns = {name: column if isinstance(column, list) else _decoded(column) for name, column in texts.items()}
    hypotheses = columns[plan.hypothesis]
    for i, hypothesis in enumerate(hypotheses):
        place = f"{where}, row {batch.first + i} (from 0)"
        if not isinstance(hypothesis, str):
            return f"{place}: {plan.hypothesis} is {_kind(hypothesis)}; a text was expected."
        references = [columns[name][i] for name in plan.references]
        if len(references) == 1 and isinstance(references[0], list):
            references = references[0]
        for reference in references:
            if reference is not None and not isinstance(reference, str):
                return f"{place}: a reference is {_kind(reference)}; a text was expected."
        if all(reference is None for reference in references):
            return f"{place}: there is no reference ({', '.join(plan.references)}); at least one was expected."
    return f"{where}, rows from {batch.first}: {error}"


def _decoded(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
        return values
    except UnicodeDecodeError:
        return list(map(_value, column))


def _value(scalar: Any) -> Any:
    """Return the value of an Arrow scalar, with NOT_UTF8 for texts that are not UTF-8."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return list(map(_value, scalar.values)) if hasattr(scalar, "values") else NOT_UTF8


def _kind(value: Any) -> str:
    if value is NOT_UTF8:
        return "not valid UTF-8"
    if isinstance(value, bytes):
        return "binary"
    return "null" if value is None else f"a {type(value).__name__}"
