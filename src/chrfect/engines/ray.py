"""Counting on a Ray cluster.

A task counts row groups of Parquet or text files, and returns the sums to the driver. Ray runs a task again if its
worker or its machine is lost; the driver takes one result of each task. Data files must have the same paths on all
machines.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from chrfect.engines.count import Plan, Progress, sum_batches
from chrfect.engines.data import BATCH, Batch
from chrfect.engines.part import Part, add_parts, read_part, write_part
from chrfect.engines.shipment import SentPlan, Tasks, count_units
from chrfect.errors import ChrfectError, InputFileError, UsageError, WorkError
from chrfect.files.save import make_folder
from chrfect.files.texts import only_column

__all__ = ["count_data", "count_dataset"]

RETRIES = 5
"""How often a task whose worker or machine was lost is run again."""


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
    tasks = Tasks.of(sources, plan, unfinished)
    sizes = [sum(unit.bytes for unit in group) for group in tasks.groups]
    done = sum(sizes[i] for i in tasks.parts)
    sent = SentPlan.of(plan)
    remaining = ((i, tasks.groups[i][0].name, (sent, tasks.groups[i])) for i in tasks.remaining())
    with connected(address):
        for i, part in results(count_units, remaining):
            path = tasks.kept[i]
            if path is not None and part.tables:
                write_part(part, path)
            tasks.parts[i] = part
            done += sizes[i]
            if progress is not None:
                progress(done, sum(sizes))
    return tasks.joined()


def count_dataset(dataset: Any, plan: Plan, *, unfinished: str | None = None) -> Part:
    """Return the counts of a Ray dataset. Each block is summed where it is; only sums reach the driver.

    Parameters
    ----------
    dataset : ray.data.Dataset
    plan : Plan
        The metrics and columns to count.
    unfinished : str, optional
        A folder of the driver for the results of complete blocks. An interrupted run that is restarted with the same
        folder reads all blocks, and counts only those whose content is new.

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
    known = None
    if unfinished is not None:
        make_folder(unfinished)
        known = frozenset(os.listdir(unfinished))
    sums = dataset.select_columns(plan.columns).map_batches(
        partial(_count_block, SentPlan.of(plan), known), batch_size=None, batch_format="pyarrow"
    )
    parts = []
    try:
        for row in sums.iter_rows():
            found = pickle.loads(row["part"])
            if isinstance(found, ChrfectError):
                raise found
            if unfinished is not None:
                path = os.path.join(unfinished, row["name"])
                if found is None:
                    found = read_part(path)
                else:
                    write_part(found, path)
            parts.append(found)
    except ray.exceptions.RayError as error:
        raise _translated(error, "the dataset") from None
    if not parts:
        raise InputFileError("There are no rows in the dataset; at least one was expected.")
    return add_parts(parts)


# ---- on the workers


def _count_block(sent: SentPlan, known: frozenset[str] | None, block: Any) -> Any:
    """Return a table with the name and the pickled sums of a block, None if the name is known, or an error.

    Ray would wrap the error. Without `known` the name is empty.
    """
    import pyarrow as pa

    name = "" if known is None else _digest(sent, block) + ".parquet"
    found: list[Part | ChrfectError | None] = []
    if known and name in known:
        found.append(None)
    else:
        try:
            plan = sent.receive()
            tables = sum_batches(plan, _batches(block), "a block of the dataset", 1)
            if tables:
                found.append(Part(plan.metrics, plan.by, tables, ()))
        except ChrfectError as error:
            found.append(error)
    return pa.table({"name": [name] * len(found), "part": pa.array(map(pickle.dumps, found), pa.binary())})


def _digest(sent: SentPlan, block: Any) -> str:
    """Return a hash of a plan and of the content of a block."""
    import pyarrow as pa

    digest = hashlib.sha256(repr((sent, [(field.name, str(field.type)) for field in block.schema])).encode())
    for batch in _batches(block):
        digest.update(pa.record_batch(batch.columns).serialize())
    return digest.hexdigest()[:32]


def _batches(block: Any) -> Iterator[Batch]:
    for first in range(0, block.num_rows, BATCH):
        cut = block.slice(first, BATCH)
        yield Batch(first, {name: cut.column(name).combine_chunks() for name in cut.column_names}, 0)


# ---- on the driver


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise UsageError("Ray is not installed: pip install 'ray[data]'.") from None
    return ray


@contextmanager
def connected(address: str | None) -> Iterator[None]:
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


def results(
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
