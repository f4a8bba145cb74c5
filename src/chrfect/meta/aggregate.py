"""A ranking of metrics over several tasks, each a panel and a measure, by the weighted mean of their agreements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.errors import UsageError
from chrfect.inference.clusters import rank_clusters
from chrfect.inference.corrections import adjust

if TYPE_CHECKING:
    from chrfect.meta.judgement import Judged, Judgement, Settings

_SLACK = 1e-12  # tolerance for equality with the observed difference


@dataclass(frozen=True)
class Aggregate:
    """The ranking of metrics over all tasks, best first.

    Parameters
    ----------
    weights : tuple of float
        The normalized weight of each task; the weights sum to 1.
    values : dict of str to (float or None)
        The weighted mean agreement of each metric; None if it has no value for a task.
    comparisons : dict of (str, str) to (float or None)
        The two-sided p-value of each pair, the better metric first; None if the tests of a task have no permutations or
        resamples.
    ranks : dict of str to (int or None)
        By metric; empty without tests.
    """

    weights: tuple[float, ...]
    values: dict[str, float | None]
    comparisons: dict[tuple[str, str], float | None]
    ranks: dict[str, int | None]

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {
            "weights": list(self.weights),
            "metrics": [
                {"metric": metric, "value": value, "rank": self.ranks.get(metric)}
                for metric, value in self.values.items()
            ],
            "comparisons": [
                {"first": first, "second": second, "p_value": p} for (first, second), p in self.comparisons.items()
            ],
        }


def task_name(one: Judged) -> str:
    """Return the name of a task in weights: its panel and statistic."""
    return f"{one.panel}:{one.measure.statistic.name}"


def aggregate(judgement: Judgement, weights: Mapping[str, float] | None = None) -> Aggregate:
    """Average the agreements of each metric over all tasks, and rank the metrics by tests of these averages.

    Parameters
    ----------
    judgement : Judgement
        The tasks.
    weights : mapping of str to float, optional
        The positive weight of a panel, a statistic, or a task ``PANEL:STATISTIC``; by default 1. If several apply to
        a task, they are multiplied.

    Raises
    ------
    UsageError
        If a weight does not refer to a task or is not positive.

    Notes
    -----
    The difference of two metrics is the weighted sum of their differences in all tasks. Its null distribution is that
    of the sum of permuted or resampled differences, drawn independently in each task.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> from chrfect.meta.judgement import Settings, judge
    >>> human = [[1, 2, 3, 4, 5]]
    >>> metrics = {"a": [[1, 2, 3, 5, 4]], "b": [[5, 1, 4, 2, 3]]}
    >>> panels = [Panel("de", ["A"], list("12345"), human, metrics), Panel("fr", ["A"], list("12345"), human, metrics)]
    >>> judgement = judge(panels, [Measure(Statistic("kendall-b"))], Settings(permutations=50, resamples=50))
    >>> aggregate(judgement, {"de": 3}).weights
    (0.75, 0.25)
    """
    tasks, weights = judgement.judged, weights or {}
    for name, weight in weights.items():
        if not any(name in _names(one) for one in tasks):
            known = ", ".join(task_name(one) for one in tasks)
            raise UsageError(
                f"the weight {name}={weight:g} matches no panel, statistic or task. The tasks are {known}."
            )
        if not (math.isfinite(weight) and weight > 0):
            raise UsageError(f"the weight of {name} is {weight:g}; a positive number was expected.")
    given = [math.prod(weights.get(name, 1.0) for name in _names(one)) for one in tasks]
    shares = tuple(weight / math.fsum(given) for weight in given)
    metrics = list(dict.fromkeys(agreement.metric for one in tasks for agreement in one.agreements))
    values = {metric: _mean([_value(one, metric) for one in tasks], shares) for metric in metrics}
    values = dict(sorted(values.items(), key=lambda entry: (entry[1] is None, -(entry[1] or 0.0))))
    if not any(one.comparisons for one in tasks):
        return Aggregate(shares, values, {}, {})
    settings = judgement.settings
    defined = [metric for metric, value in values.items() if value is not None]
    two_sided: dict[tuple[str, str], float | None] = {}
    one_sided: dict[tuple[str, str], float | None] = {}
    for pair in combinations(defined, 2):
        two_sided[pair], one_sided[pair] = _p_values(tasks, pair, shares, settings)
    if settings.ranks == "corrected":
        used = dict(zip(two_sided, adjust(list(two_sided.values()), settings.correction), strict=True))
    else:
        used = one_sided
    return Aggregate(shares, values, two_sided, rank_clusters(values, used, settings.alpha, settings.ranks))


def _names(one: Judged) -> tuple[str, str, str]:
    return one.panel, one.measure.statistic.name, task_name(one)


def _value(one: Judged, metric: str) -> float | None:
    return next((agreement.value for agreement in one.agreements if agreement.metric == metric), None)


def _mean(values: Sequence[float | None], shares: Sequence[float]) -> float | None:
    known = [share * value for share, value in zip(shares, values, strict=True) if value is not None]
    return math.fsum(known) if len(known) == len(shares) else None


def _p_values(
    tasks: Sequence[Judged], pair: tuple[str, str], shares: Sequence[float], settings: Settings
) -> tuple[float | None, float | None]:
    """Return the two-sided and the one-sided p-value of a pair of metrics; None if a task has no draws."""
    comparisons = [next((c for c in one.comparisons if {c.first, c.second} == set(pair)), None) for one in tasks]
    found = [c for c in comparisons if c is not None and c.draws is not None and c.difference is not None]
    if len(found) < len(tasks):
        return None, None
    if len(found) == 1:
        return found[0].p_value, found[0].one_sided
    generator = np.random.default_rng(settings.seed)
    number = max(settings.permutations, *(len(c.draws) for c in found if c.draws is not None))
    observed, drawn = 0.0, np.zeros(number)
    for comparison, share in zip(found, shares, strict=True):
        signed = share if comparison.first == pair[0] else -share
        observed += signed * (comparison.difference or 0.0)
        drawn += signed * generator.choice(np.asarray(comparison.draws), number)  # independent of the other tasks
    beyond = int(np.count_nonzero(np.abs(drawn) >= abs(observed) - _SLACK))
    above = int(np.count_nonzero(drawn >= observed - _SLACK))
    return (1 + beyond) / (1 + number), (1 + above) / (1 + number)
