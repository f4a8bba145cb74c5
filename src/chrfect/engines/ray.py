"""Counting and decoding on a Ray cluster.

A task counts row groups of Parquet or text files, or decodes a few source sentences, and returns the result to the
driver. Ray runs a task again if its worker or its machine is lost; the driver takes one result of each task. Data
files must have the same paths on all machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from functools import partial
from itertools import islice
from typing import Any

from chrfect.engines.count import Plan, Progress, count_unit, find_units, join_units, sum_batches
from chrfect.engines.data import BATCH, Batch, Unit, read_batches
from chrfect.engines.part import Part, add_parts, read_part, write_part
from chrfect.engines.shipment import SentMetric, SentPlan
from chrfect.errors import ChrfectError, InputFileError, UsageError, WorkError
from chrfect.files.save import make_folder, write_text
from chrfect.files.texts import only_column
from chrfect.matrices.mbr import Selected
from chrfect.matrices.mbr import select as select_here
from chrfect.metrics import Metric

__all__ = ["count_data", "count_dataset", "select"]

RETRIES = 5
"""How often a task whose worker or machine was lost is run again."""

TASK = 64 << 20
"""The least number of bytes of data for a task, if there are enough; a unit that is larger is a task by itself."""

TASKS = 10_000
"""About the largest number of tasks, so that the driver keeps up with a thousand cores."""

SOURCES = 256
"""The number of sources that a task decodes."""


def count_data(
    sources: Sequence[str],
    plan: Plan,
    *,
    address: str | None = None,
    unfinished: str | None = None,
    progress: Progress | None = None,
) -> Part:
    """Return the counts of data sets, as :func:`chrfect.engines.count.count_data`, counted on a Ray cluster.

    Parameters
    ----------
    sources : sequence of str
        Files, folders, or patterns, with the same paths on all machines.
    plan : Plan
        The metrics and columns to count.
    address : str, optional
        The address of the cluster, such as ``"auto"`` or ``"ray://HOST:10001"``; by default the one to which this
        process is connected, that in ``RAY_ADDRESS``, one that runs on this machine, or else a new one.
    unfinished : str, optional
        A folder of the driver for the results of complete units. An interrupted run that is restarted with the same
        folder does not count these units again.
    progress : callable, optional
        Called with the numbers of processed and of all bytes.

    Raises
    ------
    InputFileError
        If there is no data, or it cannot be read or counted; the message names the file, row group and row.
    WorkError
        If the cluster cannot be reached, a task was lost repeatedly, or a worker has chrfect in a version that counts
        differently.
    """
    units = [replace(unit, path=os.path.realpath(unit.path)) for unit in find_units(sources)]
    groups = _grouped(units)
    kept = [None if unfinished is None else plan.kept(group, unfinished) for group in groups]
    if unfinished is not None:
        make_folder(unfinished)
    parts = {i: read_part(path) for i, path in enumerate(kept) if path and os.path.exists(path)}
    sizes = [sum(unit.bytes for unit in group) for group in groups]
    done = sum(sizes[i] for i in parts)
    sent = SentPlan.of(plan)
    tasks = ((i, group[0].name, (sent, group)) for i, group in enumerate(groups) if i not in parts)
    with _connected(address):
        for i, part in _results(_count_units, tasks):
            path = kept[i]
            if path is not None and part.tables:
                write_part(part, path)
            parts[i] = part
            done += sizes[i]
            if progress is not None:
                progress(done, sum(sizes))
    return join_units(units, [parts[i] for i in range(len(groups))])


def _grouped(units: Sequence[Unit]) -> list[list[Unit]]:
    """Return consecutive units together, so that tasks are neither many nor long."""
    groups: list[list[Unit]] = []
    most = max(TASK, sum(unit.bytes for unit in units) // TASKS)
    size = most
    for unit in units:
        if size + unit.bytes > most:
            groups.append([])
            size = 0
        groups[-1].append(unit)
        size += unit.bytes
    return groups


def count_dataset(dataset: Any, plan: Plan) -> Part:
    """Return the counts of a Ray dataset. Each block is summed where it is; only sums reach the driver.

    Parameters
    ----------
    dataset : ray.data.Dataset
    plan : Plan
        The metrics and columns to count.

    Raises
    ------
    InputFileError
        If a column is missing, there are no rows, or a row cannot be counted.
    WorkError
        As :func:`count_data`.
    """
    ray = _ray()
    for column in plan.columns:
        only_column(list(dataset.columns() or ()), "the dataset", column)
    sums = dataset.select_columns(plan.columns).map_batches(
        partial(_count_block, SentPlan.of(plan)), batch_size=None, batch_format="pyarrow"
    )
    parts = []
    try:
        for row in sums.iter_rows():
            part = pickle.loads(row["part"])
            if isinstance(part, ChrfectError):
                raise part
            parts.append(part)
    except ray.exceptions.RayError as error:
        raise _translated(error, "the dataset") from None
    if not parts:
        raise InputFileError("There are no rows in the dataset; at least one was expected.")
    return add_parts(parts)


def select(
    metric: Metric,
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]] | None = None,
    *,
    top: int = 1,
    weights: Sequence[Sequence[Any]] | None = None,
    method: str = "exact",
    address: str | None = None,
    unfinished: str | None = None,
    progress: Progress | None = None,
) -> list[list[Selected]]:
    """Return the best candidates of each source, as :func:`chrfect.matrices.mbr.select`, decoded on a Ray cluster.

    Parameters
    ----------
    metric, candidates, references, top, weights, method
        As in :func:`chrfect.matrices.mbr.select`; the lists have equal lengths.
    address, unfinished : str, optional
        As in :func:`count_data`.
    progress : callable, optional
        Called with the number of sources that are done, and the number of all.

    Raises
    ------
    UsageError
        As :func:`chrfect.matrices.mbr.select`.
    WorkError
        As :func:`count_data`.
    """
    number = len(candidates)
    sent = SentMetric.of(metric)
    found: dict[int, list[list[Selected]]] = {}
    kept: dict[int, str] = {}
    if unfinished is not None:
        make_folder(unfinished)

    def tasks() -> Iterator[tuple[int, str, tuple[Any, ...]]]:
        for first in range(0, number, SOURCES):
            lists = [None if given is None else given[first : first + SOURCES] for given in (references, weights)]
            arguments = candidates[first : first + SOURCES], *lists, top, method
            if unfinished is not None:
                stated = repr((metric.signature, arguments))
                kept[first] = os.path.join(
                    unfinished, hashlib.sha256(stated.encode("utf-8", "surrogatepass")).hexdigest()
                )
                if os.path.exists(kept[first]):
                    found[first] = _read_selected(kept[first])
                    continue
            yield first, f"sources {first} to {min(first + SOURCES, number) - 1}", (sent, first, *arguments)

    with _connected(address):
        for first, selected in _results(_select, tasks()):
            found[first] = selected
            if first in kept:
                write_text(kept[first], json.dumps([list(map(astuple, choices)) for choices in selected]))
            if progress is not None:
                progress(sum(map(len, found.values())), number)
    return [choices for first in sorted(found) for choices in found[first]]


def _read_selected(path: str) -> list[list[Selected]]:
    with open(path, encoding="utf-8") as file:
        return [[Selected(*choice) for choice in choices] for choices in json.load(file)]


# ---- on the workers


def _count_units(sent: SentPlan, units: Sequence[Unit]) -> Part:
    plan = sent.receive()
    parts = [count_unit(plan, unit, read_batches(unit, plan.columns), 1) for unit in units]
    filled = [part for part in parts if part.tables]
    return add_parts(filled) if filled else parts[0]


def _count_block(sent: SentPlan, block: Any) -> Any:
    """Return a table with the pickled sums of a block, or with the error, which Ray would wrap."""
    import pyarrow as pa

    found: list[Part | ChrfectError] = []
    try:
        plan = sent.receive()
        tables = sum_batches(plan, _batches(block), "a block of the dataset", 1)
        if tables:
            found.append(Part(plan.metrics, plan.by, tables, ()))
    except ChrfectError as error:
        found.append(error)
    return pa.table({"part": pa.array(map(pickle.dumps, found), pa.binary())})


def _batches(block: Any) -> Iterator[Batch]:
    for first in range(0, block.num_rows, BATCH):
        cut = block.slice(first, BATCH)
        yield Batch(first, {name: cut.column(name).combine_chunks() for name in cut.column_names}, 0)


def _select(
    sent: SentMetric, first: int, candidates: Any, references: Any, weights: Any, top: int, method: Any
) -> list[list[Selected]]:
    try:
        return select_here(sent.receive(), candidates, references, weights=weights, top=top, method=method, threads=1)
    except UsageError as error:
        raise UsageError(_renumbered(str(error), first)) from None


def _renumbered(message: str, first: int) -> str:
    """Return a message about ``candidates[3]`` with the number of the source among all."""
    import re

    pattern = r"^(candidates|references|weights)\[(\d+)\]"
    return re.sub(pattern, lambda found: f"{found[1]}[{first + int(found[2])}]", message)


# ---- on the driver


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise UsageError("Ray is not installed: pip install 'ray[data]'.") from None
    return ray


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Connect to a cluster, and disconnect afterwards if this process was not connected before."""
    ray = _ray()
    if ray.is_initialized():
        if address is not None:
            raise UsageError("This process is already connected to a Ray cluster; omit the address.")
        yield
        return
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    try:
        if port.isdecimal():  # Ray itself tries for minutes
            socket.create_connection((host, int(port)), 10).close()
        ray.init(address, log_to_driver=False, logging_level="error")
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        raise WorkError(f"No connection to a Ray cluster at {address or 'this machine'}: {error}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _results(
    function: Callable[..., Any], tasks: Iterable[tuple[int, str, tuple[Any, ...]]]
) -> Iterator[tuple[int, Any]]:
    """Run a function on the cluster for each task (number, name, arguments), and yield numbers and results.

    Twice as many tasks as there are cores are submitted at a time.
    """
    ray = _ray()
    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(function)
    remaining, running = iter(tasks), dict[Any, tuple[int, str]]()
    try:
        while True:
            most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            for number, name, arguments in islice(remaining, max(0, most - len(running))):
                running[remote.remote(*arguments)] = number, name
            if not running:
                return
            for reference in ray.wait(list(running))[0]:
                number, name = running.pop(reference)
                try:
                    result = ray.get(reference)
                except ray.exceptions.RayError as error:
                    raise _translated(error, name) from None
                yield number, result
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def _translated(error: Any, name: str) -> Exception:
    """Return the exception of chrfect for one of Ray."""
    cause: Any = error
    while not isinstance(cause, ChrfectError) and getattr(cause, "cause", None) is not None:
        cause = cause.cause
    if isinstance(cause, ChrfectError):
        return cause
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if any("No module named 'chrfect" in line for line in lines):
        return WorkError(f"{name}: a worker has no chrfect, or another version; install the same on all machines.")
    reason = lines[0 if cause is error else -1]
    return WorkError(f"{name}: the task failed on the cluster: {reason} Start the run again to continue it.")
