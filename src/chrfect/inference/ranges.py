"""Ranks of systems as ranges, and clusters of systems whose ranges do not overlap."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rank:
    """Where a system stands among others.

    Parameters
    ----------
    best, worst : int
        The range of its rank, from 1: one more than there are systems significantly better than it, and as many as are
        left when those significantly worse are taken away.
    cluster : int
        The number of its cluster, from 1. Every system of a cluster is significantly better than all systems of later
        clusters; this is how WMT reports the rankings of systems.
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
        The pairs of systems, by their places and in either order, whose scores differ significantly.

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
