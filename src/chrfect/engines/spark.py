"""Counting on a Spark cluster.

Each partition of a DataFrame, or each task of row groups and files, is summed by a Python worker, through
``DataFrame.mapInArrow``, and only sums are collected. Spark runs a task again if its executor is lost, and takes one
result of each task.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from chrfect import errors
from chrfect.engines.count import Plan, sum_batches
from chrfect.engines.data import Batch, Unit
from chrfect.engines.part import Part, add_parts
from chrfect.engines.shipment import SentPlan, Tasks, count_units
from chrfect.errors import InputFileError, WorkError
from chrfect.files.texts import only_column

__all__ = ["SCHEMA", "count_data", "count_frame", "partial_sums"]

SCHEMA = "part binary"
"""The schema of the rows that :func:`partial_sums` yields."""

ADDERS = 16
"""The number of tasks that add the sums of groups before they are collected."""

_OUT_OF_MEMORY = re.compile(r"Python worker exited unexpectedly|MemoryError|alloc of size \d+ failed")
_ERROR = re.compile(r"\bchrfect\.errors\.(InputFileError|UsageError|WorkError): (.+)")


def count_data(session: Any, sources: Sequence[str], plan: Plan, *, unfinished: str | None = None) -> Part:
    """Return the counts of data sets, as :func:`chrfect.engines.count.count_data`, counted on a Spark cluster.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    sources : sequence of str
        Files, folders, or patterns, with the same paths on all machines.
    plan : Plan
        The metrics and columns to count.
    unfinished : str, optional
        A folder, with the same path on all machines, in which workers write the results of complete tasks. An
        interrupted run that is restarted with the same folder does not count them again.

    Raises
    ------
    InputFileError
        If there is no data, or it cannot be read or counted; the message names the file, row group and row.
    WorkError
        If workers ended unexpectedly or ran out of memory, or have chrfect in a version that counts differently.
    """
    tasks = Tasks.of(sources, plan, unfinished)
    work = [(i, tasks.groups[i], tasks.kept[i]) for i in tasks.remaining()]
    if work:
        numbers = session.range(0, len(work), 1, len(work))
        tasks.parts.update(_collected(numbers.mapInArrow(partial(_count_tasks, SentPlan.of(plan), work), SCHEMA)))
    return tasks.joined()


def count_frame(frame: Any, plan: Plan) -> Part:
    """Return the counts of a Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    plan : Plan
        The metrics and columns to count.

    Raises
    ------
    InputFileError
        If a column is missing, there are no rows, or a row cannot be counted; the message names the partition and the
        row.
    WorkError
        As :func:`count_data`.
    """
    for column in plan.columns:
        only_column(frame.columns, "the DataFrame", column)
    # mapInArrow does not find columns whose names have dots
    quoted = ["`" + name.replace("`", "``") + "`" for name in plan.columns]
    chosen = frame.select(*(frame[name].alias(f"column{i}") for i, name in enumerate(quoted)))
    sums = chosen.mapInArrow(partial_sums(plan), SCHEMA)
    if plan.by:
        sums = sums.repartition(ADDERS).mapInArrow(_add, SCHEMA)
    parts = _collected(sums)
    if not parts:
        raise InputFileError("There are no rows in the DataFrame; at least one was expected.")
    return add_parts(parts)


def _collected(sums: Any) -> list[Any]:
    """Return the pickled objects in the rows of a DataFrame, or raise the exception of chrfect for one of Spark."""
    try:
        return [pickle.loads(row.part) for row in sums.collect()]
    except Exception as error:
        found = _ERROR.search(str(error))
        if found is not None:
            raise getattr(errors, found[1])(found[2]) from None
        if _OUT_OF_MEMORY.search(str(error)):
            raise WorkError(
                "A Python worker of Spark ended unexpectedly or ran out of memory. Give executors more memory outside "
                "Java (spark.executor.memoryOverhead), or make partitions with fewer groups, and start the run again."
            ) from error
        raise


def partial_sums(plan: Plan) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function for ``DataFrame.mapInArrow`` that sums the counts of each partition.

    The DataFrame has the columns of the plan (``plan.columns``) in their order, by any names. The rows of the result
    have one column, ``part``: a pickled :class:`chrfect.engines.part.Part`; see :data:`SCHEMA`.
    """
    return partial(_count, SentPlan.of(plan))


# ---- on the workers


def _count(sent: SentPlan, batches: Iterator[Any]) -> Iterator[Any]:
    from pyspark import TaskContext

    plan = sent.receive()
    context = TaskContext.get()
    place = "the DataFrame" if context is None else f"the DataFrame: partition {context.partitionId()}"
    tables = sum_batches(plan, _numbered(plan.columns, batches), place, 1)
    if tables:
        yield _row(Part(plan.metrics, plan.by, tables, ()))


def _count_tasks(
    sent: SentPlan, work: Sequence[tuple[int, Sequence[Unit], str | None]], batches: Iterator[Any]
) -> Iterator[Any]:
    for batch in batches:
        for place in batch.column(0).to_pylist():
            number, units, kept = work[place]
            yield _row((number, count_units(sent, units, kept)))


def _numbered(names: list[str], batches: Iterator[Any]) -> Iterator[Batch]:
    first = 0
    for batch in batches:
        if batch.num_rows:
            yield Batch(first, dict(zip(names, batch.columns, strict=True)), 0)
        first += batch.num_rows


def _add(batches: Iterator[Any]) -> Iterator[Any]:
    parts = [pickle.loads(value) for batch in batches for value in batch.column(0).to_pylist()]
    if parts:
        yield _row(add_parts(parts))


def _row(found: Any) -> Any:
    import pyarrow as pa

    return pa.record_batch({"part": pa.array([pickle.dumps(found)], pa.binary())})
