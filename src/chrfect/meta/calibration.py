"""Tie calibration: the tie threshold of a metric with the highest pairwise accuracy.

Deutsch, Foster and Freitag (2023), "Ties Matter": pairwise accuracy counts ties, and a metric that rarely has ties
gets the best tie threshold. The pairs are sorted by metric difference. The cumulative sum of the changes in accuracy
from tying each pair gives the accuracy of every threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import UsageError
from chrfect.meta.pairs import CONCORDANT, DIRECT, TIED_BOTH, copies, pair_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64] | NDArray[np.int64]
    Band = tuple[Floats, Numbers]  # metric differences in ascending order, and the gain from tying each

_BLOCK = 1 << 21  # maximum number of pairs in memory
_POINTS = 1000  # number of points of a curve


@dataclass(frozen=True, eq=False)
class Calibration:
    """The best tie threshold of a metric, and accuracy as a function of the threshold.

    Parameters
    ----------
    epsilon : float
        The smallest threshold with the highest accuracy; smaller or equal metric differences are ties.
    accuracy : float
        Accuracy at `epsilon`, between 0 and 1.
    epsilons, accuracies : array of shape (points,)
        The curve from threshold 0, reduced to about 1,000 points that include the best one.
    deviation : float
        The standard deviation of the metric scores.
    """

    epsilon: float
    accuracy: float
    epsilons: Floats
    accuracies: Floats
    deviation: float


class NoPairsError(UsageError):
    """No group has two scores to compare, as in a resample that drew one system only."""


def calibrate(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    average: str = "micro",
    margin: float = 0.0,
    identities: NDArray[np.int64] | None = None,
) -> Calibration:
    """Return the exact tie threshold with the highest pairwise accuracy, in O(P log P) for P pairs.

    Parameters
    ----------
    human, metric : array of shape (groups, members) or (members,)
        Scores; pairs are formed within a group; NaN is missing.
    average : {"micro", "macro"}
        Give equal weight to every pair, or to every group.
    margin : float
        Human scores that differ by less are ties; at least 0.
    identities : array of shape (groups, members), optional
        Members of a group with equal identities are copies, and their pairs are ignored.

    Returns
    -------
    Calibration

    Raises
    ------
    UsageError
        If there is no pair.

    Examples
    --------
    >>> best = calibrate([1, 1, 2], [10.0, 10.5, 12.0])
    >>> best.epsilon, best.accuracy
    (0.5, 1.0)
    """
    if average not in ("micro", "macro"):
        raise UsageError(f'average is {average!r}; "micro" or "macro" was expected.')
    humans, metrics = np.atleast_2d(np.asarray(human, float)), np.atleast_2d(np.asarray(metric, float))
    missing = np.isnan(humans) | np.isnan(metrics)
    humans, metrics = np.where(missing, np.nan, humans), np.where(missing, np.nan, metrics)
    counts = pair_sums(humans, metrics, margin=margin)
    own = np.broadcast_to(np.arange(humans.shape[1]), humans.shape) if identities is None else identities
    if identities is not None:
        counts[:, TIED_BOTH] -= copies(np.where(missing, -1, own))
    weights, whole = _weights(counts.sum(axis=1), average)
    if whole == 0:
        raise NoPairsError("Tie calibration needs at least one group with two scores; there is none.")
    bands = _listed if humans.shape[1] <= DIRECT else _banded

    correct = (weights * counts[:, CONCORDANT]).sum()  # no metric ties below threshold 0
    best, best_epsilon = -np.inf, 0.0
    curve: list[tuple[Floats, Floats]] = []
    for distances, gains in bands(humans, metrics, own, weights, margin):
        if not curve and distances[0] > 0:
            distances, gains = np.append(0.0, distances), np.concatenate([gains[:1] * 0, gains])
        running = correct + np.cumsum(gains)
        correct = running[-1]
        peak = int(np.argmax(running))
        if running[peak] > best:
            best, best_epsilon = float(running[peak]), float(distances[peak])
        curve.append(_thinned(distances, running / whole, peak))
    epsilons, accuracies = (np.concatenate(part) for part in zip(*curve, strict=True))
    peak = int(np.searchsorted(epsilons, best_epsilon))
    curve_points = _thinned(epsilons, accuracies, peak)
    return Calibration(best_epsilon, best / float(whole), *curve_points, float(np.nanstd(metrics)))


def _weights(pairs: NDArray[np.int64], average: str) -> tuple[Numbers, int]:
    """Return a weight for the pairs of each group and the total weight, as integers if they fit."""
    if average == "micro":
        return np.ones_like(pairs), int(pairs.sum())
    sizes = [int(size) for size in pairs if size]
    common = math.lcm(*sizes)
    if common * len(sizes) < 1 << 62:
        return np.where(pairs > 0, common // np.maximum(pairs, 1), 0), common * len(sizes)
    return np.where(pairs > 0, 1 / np.maximum(pairs, 1), 0.0), len(sizes)


def _reduced(distances: Floats, gains: Numbers) -> Band:
    """Sort by distance, and sum the gains of equal distances."""
    order = np.argsort(distances, kind="stable")
    distances, gains = distances[order], gains[order]
    starts = np.flatnonzero(np.append(True, distances[1:] != distances[:-1]))
    return distances[starts], np.add.reduceat(gains, starts)


def _gains(human: Floats, metric: Floats, weights: Numbers, margin: float) -> Numbers:
    """Return the change in the weight of correct pairs if each pair is tied."""
    tied = (human == 0) | (np.abs(human) < margin)
    concordant = ~tied & (human * metric > 0)
    gains: Numbers = weights * (tied.astype(np.int8) - concordant.astype(np.int8))
    return gains


def _listed(humans: Floats, metrics: Floats, identities: Integers, weights: Numbers, margin: float) -> Iterator[Band]:
    """Return all pairs of many small groups as one band."""
    first, second = np.triu_indices(humans.shape[1], 1)
    metric = metrics[:, first] - metrics[:, second]
    gains = _gains(humans[:, first] - humans[:, second], metric, weights[:, None], margin)
    present = ~np.isnan(metric) & (identities[:, first] != identities[:, second])
    yield _reduced(np.abs(metric[present]), gains[present])


def _banded(humans: Floats, metrics: Floats, identities: Integers, weights: Numbers, margin: float) -> Iterator[Band]:
    """Yield the pairs of large groups in bands of ascending distance, so that memory use is linear."""
    groups = []
    for human, metric, identity, weight in zip(humans, metrics, identities, weights, strict=True):
        order = np.argsort(metric)[: np.count_nonzero(~np.isnan(metric))]
        groups.append((human[order], metric[order], identity[order], weight, np.arange(1, len(order) + 1)))
    pairs = sum(len(metric) * (len(metric) - 1) // 2 for _, metric, *_ in groups)
    sample = np.concatenate(
        [np.abs(np.roll(metric, step) - metric) for _, metric, *_ in groups for step in _strides(len(metric))]
    )
    limits = np.unique(np.quantile(sample, np.linspace(0, 1, max(2, 2 * pairs // _BLOCK))))
    for limit in (*limits[1:], np.inf):
        parts: list[Band] = []
        for index, (human, metric, identity, weight, start) in enumerate(groups):
            stop = _reach(metric, limit)
            for first, second in _windows(start, stop):
                distance = metric[second] - metric[first]
                gains = _gains(human[second] - human[first], distance, weight, margin)
                parts.append(_reduced(distance, np.where(identity[first] == identity[second], 0, gains)))
            groups[index] = (human, metric, identity, weight, stop)
        if parts:
            yield _reduced(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _strides(members: int) -> list[int]:
    """Return a sample of offsets between members, from which the distribution of distances is estimated."""
    return sorted({max(1, members * part // 128) for part in range(64)})


def _reach(values: Floats, limit: float) -> NDArray[np.int64]:
    """For each sorted value, return the first index whose distance is at least `limit` in float subtraction."""
    low = np.arange(1, len(values) + 1)
    high = np.full(len(values), len(values))
    while (open_ := low < high).any():
        middle = (low + high) // 2
        near = open_ & (values[np.minimum(middle, len(values) - 1)] - values < limit)
        low = np.where(near, middle + 1, low)
        high = np.where(open_ & ~near, middle, high)
    return low


def _windows(
    start: NDArray[np.int64], stop: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Index pairs (i, j) with start[i] <= j < stop[i], some rows at a time."""
    lengths = stop - start
    row, rows = 0, len(start)
    ends = np.cumsum(lengths)
    while row < rows:
        before = int(ends[row - 1]) if row else 0
        after = max(row + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
        part = lengths[row:after]
        if total := int(part.sum()):
            offsets = np.arange(total) - np.repeat(np.cumsum(part) - part, part)
            yield np.repeat(np.arange(row, after), part), np.repeat(start[row:after], part) + offsets
        row = after


def _thinned(epsilons: Floats, accuracies: Floats, peak: int) -> tuple[Floats, Floats]:
    """Reduce a curve to about `_POINTS` points, including its ends and the peak."""
    keep = np.unique(np.append(np.linspace(0, len(epsilons) - 1, _POINTS).astype(int), peak))
    return epsilons[keep], accuracies[keep]
