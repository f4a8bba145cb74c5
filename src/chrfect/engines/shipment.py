"""Plans that are sent to other machines, which must count as the sender does."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass

from chrfect._version import __version__
from chrfect.counts import CountRecipe
from chrfect.engines.count import Plan
from chrfect.errors import UsageError, WorkError
from chrfect.metrics import Metric, parse


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
