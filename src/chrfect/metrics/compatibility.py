"""Metrics set up as other tools compute them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from chrfect.errors import UsageError, shown
from chrfect.metrics.base import Metric
from chrfect.metrics.chrf import ChrF


class Tool(NamedTuple):
    """How a tool computes chrF.

    Parameters
    ----------
    parameters : dict
        What differs from the defaults of :class:`ChrF`; orders stay those of the metric.
    macro : bool
        Whether its corpus score is the mean of its segment scores.
    """

    parameters: dict[str, Any]
    macro: bool = False


TOOLS = {
    "sacrebleu": Tool({}),
    "chrF++.py": Tool({"averaging": "per_order_f"}),
    "torchmetrics": Tool({"averaging": "per_order_f", "unreferenced": "count_matched"}),
    "nltk": Tool({"averaging": "per_order_f", "beta": 3}, macro=True),
}
"""Every tool by name."""


def as_computed_by(tool: str, metric: Metric) -> Metric:
    """Return a metric with averaging, beta and corpus rule as in a tool.

    Parameters
    ----------
    tool : str
        A key of :data:`TOOLS`.
    metric : Metric
        A metric of the chrF family; for ``"sacrebleu"`` any, as all defaults are sacreBLEU's.

    Raises
    ------
    UsageError
        If there is no such tool, or the metric is of another family.

    Examples
    --------
    >>> str(as_computed_by("nltk", ChrF())), TOOLS["nltk"].macro
    ('chrF(beta=3,averaging=per_order_f)', True)
    """
    if tool not in TOOLS:
        raise UsageError(f"compat is {shown(tool)}; one of {', '.join(TOOLS)} was expected.")
    parameters = TOOLS[tool].parameters
    if not parameters:
        return metric
    if not isinstance(metric, ChrF):
        raise UsageError(
            f"{metric} cannot be computed as by {tool}: compatibility with it is for chrF, chrF+ and chrF++."
        )
    return replace(metric, **parameters)
