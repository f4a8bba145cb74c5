"""Ranking of metrics in clusters separated by significant differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from chrfect.errors import UsageError

Rule = Literal["corrected", "wmt"]


def rank_clusters(
    values: Mapping[str, float | None],
    p_values: Mapping[tuple[str, str], float | None],
    alpha: float = 0.05,
    rule: Rule = "corrected",
) -> dict[str, int | None]:
    """Return the ranks of metrics, best first, in clusters separated by significant differences.

    Parameters
    ----------
    values : mapping of str to (float or None)
        Agreement of each metric, higher is better; a metric with None has no rank.
    p_values : mapping of (str, str) to (float or None)
        The p-value of each pair, in either order: two-sided and corrected for "corrected"; one-sided (for a higher
        agreement) and uncorrected for "wmt".
    alpha : float
        The significance level.
    rule : {"corrected", "wmt"}
        "corrected" starts a new rank if a metric differs from the first of the cluster with p < alpha. "wmt", the rule
        of the WMT metrics task, does so if any metric of the cluster is better with p <= alpha.

    Raises
    ------
    UsageError
        If the rule does not exist.

    Examples
    --------
    >>> p = {("a", "b"): 0.4, ("a", "c"): 0.2, ("b", "c"): 0.01}
    >>> rank_clusters({"a": 0.9, "b": 0.8, "c": 0.7}, p)
    {'a': 1, 'b': 1, 'c': 1}
    >>> rank_clusters({"a": 0.9, "b": 0.8, "c": 0.7}, p, rule="wmt")
    {'a': 1, 'b': 1, 'c': 2}
    """
    if rule not in get_args(Rule):
        raise UsageError(f"rule is {rule!r}; one of {', '.join(get_args(Rule))} was expected.")
    defined = [(value, name) for name, value in values.items() if value is not None]
    order = [name for _, name in sorted(defined, key=lambda entry: -entry[0])]
    result: dict[str, int | None] = dict.fromkeys(values)
    cluster: list[str] = []
    rank = 1
    for name in order:
        compared = cluster if rule == "wmt" else cluster[:1]
        found = [p_values.get((member, name), p_values.get((name, member))) for member in compared]
        if any(p is not None and (p <= alpha if rule == "wmt" else p < alpha) for p in found):
            cluster, rank = [], rank + 1
        cluster.append(name)
        result[name] = rank
    return {name: result[name] for name in [*order, *(name for name in values if values[name] is None)]}
