"""Rank ranges of systems, and clusters of systems whose ranges do not overlap."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank range and the cluster of a system.

    Parameters
    ----------
    best, worst : int
        The range of its rank, from 1: the number of significantly better systems plus 1, and the number of systems
        minus that of significantly worse ones.
    cluster : int
        The number of its cluster, from 1. Every system of a cluster is significantly better than all systems of later
        clusters, as in the rankings of WMT.
    """

    best: int
    worst: int
    cluster: int


def rank_ranges(scores: Sequence[float], different: Collection[tuple[int, int]]) -> list[Rank]:
    """Return the rank of each system.

    Parameters
    ----------
    scores : sequence of float
        Higher is better.
    different : collection of (int, int)
        The pairs of systems whose scores differ significantly, by index in either order.

    Examples
    --------
    >>> ranks = rank_ranges([60.0, 58.0, 57.0, 50.0], {(0, 2), (0, 3), (1, 3), (2, 3)})
    >>> [(rank.best, rank.worst, rank.cluster) for rank in ranks]
    [(1, 2, 1), (1, 3, 1), (2, 3, 1), (4, 4, 2)]
    """
    number = len(scores)

    def better(i: int, j: int) -> bool:
        return scores[i] > scores[j] and ((i, j) in different or (j, i) in different)

    best = [1 + sum(better(j, i) for j in range(number)) for i in range(number)]
    worst = [number - sum(better(i, j) for j in range(number)) for i in range(number)]
    cluster, clusters = 0, [0] * number
    furthest = 0
    for i in sorted(range(number), key=lambda i: (best[i], worst[i])):
        cluster += best[i] > furthest
        furthest = max(furthest, worst[i])
        clusters[i] = cluster
    return [Rank(*ranks) for ranks in zip(best, worst, clusters, strict=True)]
