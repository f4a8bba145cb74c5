"""Plans that are sent to other machines, which must count as the sender does, and the tasks of a cluster."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chrfect._version import __version__
from chrfect.counts import CountRecipe
from chrfect.engines.count import Plan, count_unit, find_units, join_units
from chrfect.engines.data import Unit, read_batches
from chrfect.engines.part import Part, add_parts, read_part, write_part
from chrfect.errors import UsageError, WorkError
from chrfect.files.save import make_folder
from chrfect.metrics import Metric, parse

TASK = 64 << 20
"""The least number of bytes of data for a task, if there are enough; a unit that is larger is a task by itself."""

TASKS = 10_000
"""About the largest number of tasks, so that the driver keeps up with a thousand cores."""


@dataclass(frozen=True, slots=True)
class SentMetric:
    """A metric as plain data, which other versions of chrfect can read.

    Parameters
    ----------
    name : str
    recipe : str
        The recipe of its counts on the sender, as JSON.
    version : str
        The version of chrfect of the sender.
    """

    name: str
    recipe: str
    version: str

    @classmethod
    def of(cls, metric: Metric) -> SentMetric:
        """Return a metric as it is sent."""
        return cls(str(metric), json.dumps(metric.count_recipe.to_dict()), __version__)

    def receive(self) -> Metric:
        """Return the metric on the receiving machine.

        Raises
        ------
        WorkError
            If chrfect on this machine lacks the metric or counts it in another way; the message names the difference.
        """
        try:
            metric = parse(self.name)
            difference = CountRecipe.from_dict(json.loads(self.recipe)).difference(metric.count_recipe)
        except UsageError as error:
            difference = str(error).rstrip(".")
        if difference:
            raise WorkError(
                f"chrfect {__version__} on the worker {socket.gethostname()} does not count {self.name} as chrfect "
                f"{self.version} of the driver does: {difference}. Install the same versions on all machines."
            )
        return metric


@dataclass(frozen=True, slots=True)
class SentPlan:
    """A plan as plain data; see :class:`SentMetric`."""

    metrics: tuple[SentMetric, ...]
    hypothesis: str
    references: tuple[str, ...]
    by: tuple[str, ...]

    @classmethod
    def of(cls, plan: Plan) -> SentPlan:
        """Return a plan as it is sent; raise UsageError if it has filters, which clusters do not apply."""
        if plan.filters:
            raise UsageError("Filters keep rows that are written on one machine; on a cluster a plan has none.")
        return cls(tuple(map(SentMetric.of, plan.metrics)), plan.hypothesis, plan.references, plan.by)

    def receive(self) -> Plan:
        """Return the plan on the receiving machine; raise WorkError as :meth:`SentMetric.receive`."""
        metrics = tuple(metric.receive() for metric in self.metrics)
        return Plan(metrics, self.hypothesis, self.references, self.by)


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a cluster for data sets, and the parts of those that are complete.

    Parameters
    ----------
    groups : list of lists of Unit
        The units of each task, with absolute paths.
    kept : list of (str or None)
        The absolute path of the file in which the part of each task is kept; None without a folder for unfinished runs.
    parts : dict of int to Part
        The parts of the complete tasks.
    """

    groups: list[list[Unit]]
    kept: list[str | None]
    parts: dict[int, Part]

    @classmethod
    def of(cls, sources: Sequence[str], plan: Plan, unfinished: str | None) -> Tasks:
        """Return the tasks for data sets, with the parts that an earlier run kept in the folder `unfinished`."""
        groups = grouped([replace(unit, path=os.path.realpath(unit.path)) for unit in find_units(sources)])
        kept: list[str | None] = [None] * len(groups)
        if unfinished is not None:
            make_folder(unfinished)
            kept = [plan.kept(group, os.path.abspath(unfinished)) for group in groups]
        return cls(groups, kept, {i: read_part(path) for i, path in enumerate(kept) if path and os.path.exists(path)})

    def remaining(self) -> list[int]:
        """Return the numbers of the tasks that are not complete."""
        return [i for i in range(len(self.groups)) if i not in self.parts]

    def joined(self) -> Part:
        """Return the sum of all parts; raise InputFileError if none of them has rows."""
        units = [unit for group in self.groups for unit in group]
        return join_units(units, [self.parts[i] for i in range(len(self.groups))])


def grouped(units: Sequence[Unit]) -> list[list[Unit]]:
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


def count_units(sent: SentPlan, units: Sequence[Unit], kept: str | None = None) -> Part:
    """Return the sums of the units of a task, and write them to the file `kept`; run on a worker."""
    plan = sent.receive()
    parts = [count_unit(plan, unit, read_batches(unit, plan.columns), 1) for unit in units]
    filled = [part for part in parts if part.tables]
    if not filled:
        return parts[0]
    part = add_parts(filled)
    if kept is not None:
        write_part(part, kept)
    return part
