"""Counts of pair comparisons, and the Kendall coefficients and accuracies computed from them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

CONCORDANT, DISCORDANT, TIED_HUMAN, TIED_METRIC, TIED_BOTH = range(5)

DIRECT = 64  # larger groups are counted by sorting instead of listing all pairs
_BLOCK = 1 << 21  # maximum number of pairs in memory


@dataclass(frozen=True)
class PairCounts:
    """The numbers of the five kinds of pairs, whose sum is the number of all pairs.

    Parameters
    ----------
    concordant, discordant : int
        Pairs that both order, in the same or the opposite way.
    tied_human, tied_metric : int
        Pairs that are tied only in human ratings, or only in metric scores.
    tied_both : int
        Pairs that are tied in both.

    Examples
    --------
    >>> PairCounts(3, 1, 1, 1, 0) + PairCounts(0, 0, 0, 0, 1)
    PairCounts(concordant=3, discordant=1, tied_human=1, tied_metric=1, tied_both=1)
    """

    concordant: int
    discordant: int
    tied_human: int
    tied_metric: int
    tied_both: int

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return sum(astuple(self))

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def compare_pairs(human: ArrayLike, metric: ArrayLike, *, margin: float = 0.0, epsilon: float = 0.0) -> PairCounts:
    """Compare all pairs of one group; members with a NaN are ignored.

    Parameters
    ----------
    human, metric : array of shape (members,)
        Ratings and scores of the same members.
    margin : float
        Human scores that differ by less are ties (equal scores always are); at least 0.
    epsilon : float
        Metric scores that differ by at most this are ties; at least 0.

    Returns
    -------
    PairCounts

    Raises
    ------
    UsageError
        If `margin` or `epsilon` is negative.

    Examples
    --------
    >>> compare_pairs([1, 2, 3], [10, 30, 20])
    PairCounts(concordant=2, discordant=1, tied_human=0, tied_metric=0, tied_both=0)
    """
    counts = pair_sums(np.asarray(human, float), np.asarray(metric, float), margin=margin, epsilon=epsilon)
    return PairCounts(*(int(count) for count in counts))


def pair_sums(human: Floats, metric: Floats, *, margin: float = 0.0, epsilon: float = 0.0) -> Integers:
    """Compare all pairs along the last axis: shapes (..., members) broadcast, result (..., 5)."""
    if not (margin >= 0 and epsilon >= 0):
        raise UsageError(f"margin is {margin!r} and epsilon is {epsilon!r}; numbers of at least 0 were expected.")
    human, metric = np.broadcast_arrays(human, metric)
    shape, members = human.shape[:-1], human.shape[-1]
    rows = int(np.prod(shape))
    human, metric = human.reshape(rows, members), metric.reshape(rows, members)
    result = np.zeros((rows, 5), np.int64)
    if members <= DIRECT:
        step = max(1, _BLOCK // max(1, members * (members - 1) // 2))
        first, second = np.triu_indices(members, 1)
        for start in range(0, rows, step):
            part = slice(start, start + step)
            result[part] = _classify(
                human[part, first] - human[part, second],
                metric[part, first] - metric[part, second],
                margin,
                epsilon,
            )
    else:
        count = _by_sorting if margin == epsilon == 0 else _by_blocks
        for row in range(rows):
            present = ~(np.isnan(human[row]) | np.isnan(metric[row]))
            result[row] = count(human[row, present], metric[row, present], margin, epsilon)
    return result.reshape(*shape, 5)


def _classify(human: Floats, metric: Floats, margin: float, epsilon: float) -> Integers:
    """Count the five kinds of pairs along the last axis of pair differences; NaN differences are ignored."""
    present = ~(np.isnan(human) | np.isnan(metric))
    human_tied = (human == 0) if margin == 0 else (np.abs(human) < margin) | (human == 0)
    metric_tied = np.abs(metric) <= epsilon
    ordered = present & ~human_tied & ~metric_tied
    same = ordered & ((human > 0) == (metric > 0))
    sums = [
        np.count_nonzero(kind, axis=-1)
        for kind in (
            same,
            ordered & ~same,
            present & human_tied & ~metric_tied,
            present & metric_tied & ~human_tied,
            human_tied & metric_tied & present,
        )
    ]
    return np.stack(sums, axis=-1)


def outcomes(
    human: Floats, first: Floats, second: Floats, margin: float, first_epsilon: float, second_epsilon: float
) -> tuple[Integers, Integers, Integers]:
    """Return for each group the pairs that only the first or only the second metric orders correctly, and all pairs.

    A pair is correct as in `accuracy`: ordered as by humans, or tied if it is tied for humans.
    """
    groups, members = human.shape
    counts = np.zeros((3, groups), np.int64)
    step = max(1, _BLOCK // max(1, members))
    for group in range(groups):
        rows = ~(np.isnan(human[group]) | np.isnan(first[group]) | np.isnan(second[group]))
        sides = human[group, rows], first[group, rows], second[group, rows]
        for start in range(0, int(rows.sum()), step):
            later = (
                np.arange(start, len(sides[0]))[None, :] > np.arange(start, min(start + step, len(sides[0])))[:, None]
            )
            h, a, b = (side[start : start + step, None] - side[None, start:] for side in sides)
            tied = (h == 0) | (np.abs(h) < margin)
            right_a, right_b = (
                np.where(np.abs(m) <= epsilon, tied, ~tied & (h * np.sign(m) > 0))
                for m, epsilon in ((a, first_epsilon), (b, second_epsilon))
            )
            counts[:, group] += [
                np.count_nonzero(later & kind) for kind in (right_a & ~right_b, right_b & ~right_a, True)
            ]
    return counts[0], counts[1], counts[2]


def _by_blocks(human: Floats, metric: Floats, margin: float, epsilon: float) -> Integers:
    """Compare all pairs of one large group in blocks of rows, so that memory use is linear."""
    members = len(human)
    total = np.zeros(5, np.int64)
    step = max(1, _BLOCK // max(1, members))
    columns = np.arange(members)
    for start in range(0, members, step):
        rows = columns[start : start + step, None]
        later = columns[None, start:] > rows
        human_difference = np.where(later, human[rows] - human[None, start:], np.nan)
        metric_difference = metric[rows] - metric[None, start:]
        total += _classify(human_difference, metric_difference, margin, epsilon).sum(axis=0)
    return total


def _by_sorting(human: Floats, metric: Floats, _margin: float, _epsilon: float) -> Integers:
    """Count as Knight (1966): discordant pairs are the inversions after sorting, in O(n log² n)."""
    members = len(human)
    order = np.lexsort((metric, human))
    human, metric = human[order], metric[order]
    ranks = np.unique(metric, return_inverse=True)[1]
    both = (np.diff(human) == 0) & (np.diff(metric) == 0)
    human_ties = _tied(np.diff(human) == 0)
    metric_ties = _tied(np.diff(np.sort(metric)) == 0)
    both_ties = _tied(both)
    discordant = _inversions(ranks.astype(np.int64))
    pairs = members * (members - 1) // 2
    concordant = pairs - discordant - human_ties - metric_ties + both_ties
    return np.array([concordant, discordant, human_ties - both_ties, metric_ties - both_ties, both_ties], np.int64)


def _tied(same_as_previous: NDArray[np.bool_]) -> int:
    """Return the number of pairs within runs of equal sorted values."""
    edges = np.flatnonzero(np.concatenate(([True], ~same_as_previous, [True])))
    lengths = np.diff(edges)
    return int((lengths * (lengths - 1) // 2).sum())


def _inversions(values: Integers) -> int:
    """Return the number of pairs in strictly descending order, by merging blocks of doubling width."""
    size = 1 << max(0, len(values) - 1).bit_length()
    top = int(values.max(initial=0)) + 1
    padded = np.full(size, top, np.int64)
    padded[: len(values)] = values
    total, width = 0, 1
    while width < size:
        halves = padded.reshape(-1, 2, width)
        blocks = np.arange(len(halves))[:, None]
        keys = blocks * (top + 1)
        left = (halves[:, 0] + keys).ravel()
        right = (halves[:, 1] + keys).ravel()
        not_above = np.searchsorted(left, right, side="right")
        ends = np.repeat((blocks.ravel() + 1) * width, width)
        total += int((ends - not_above).sum())
        width *= 2
        padded = np.sort(padded.reshape(-1, width), axis=1).ravel()
    return total


def copies(identities: Integers) -> Integers:
    """Return the number of pairs of equal non-negative identities along the last axis: (..., members) to (...).

    In a bootstrap resample these are pairs of a member with its own copy, which are ignored.
    """
    ordered = np.sort(identities, axis=-1)
    position = np.arange(ordered.shape[-1])
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    start = np.maximum.accumulate(np.where(starts, position, 0), axis=-1)
    counts: Integers = np.where(ordered >= 0, position - start, 0).sum(axis=-1)
    return counts


def _ratio(numerator: NDArray[np.generic], denominator: NDArray[np.generic]) -> Floats:
    """Divide; a denominator of 0 gives NaN, which means undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator != 0, np.true_divide(numerator, denominator), np.nan)


def _columns(sums: Integers) -> tuple[Integers, ...]:
    return tuple(sums[..., kind] for kind in range(5))


def kendall_a(sums: Integers) -> Floats:
    """tau-a = (C - D) / all pairs."""
    concordant, discordant, *_ = _columns(sums)
    return _ratio(concordant - discordant, sums[..., :5].sum(axis=-1))


def kendall_b(sums: Integers) -> Floats:
    """tau-b = (C - D) / sqrt((C + D + Th) (C + D + Tm)), Kendall (1945)."""
    concordant, discordant, human, metric, _ = _columns(sums)
    ordered = concordant + discordant
    under = np.sqrt((ordered + human).astype(float) * (ordered + metric))
    return _ratio(concordant - discordant, under)


def kendall_c(sums: Integers) -> Floats:
    """tau-c = 2 m (C - D) / (n² (m - 1)), Stuart (1953); columns 5 and 6 are n and m."""
    concordant, discordant, *_ = _columns(sums)
    members, classes = sums[..., 5].astype(float), sums[..., 6].astype(float)
    return _ratio(2 * classes * (concordant - discordant), members**2 * (classes - 1))


def wmt12(sums: Integers) -> Floats:
    """(C - D - Tm) / (C + D + Tm): human ties are ignored, and a metric tie counts as discordant."""
    concordant, discordant, _, metric, _ = _columns(sums)
    return _ratio(concordant - discordant - metric, concordant + discordant + metric)


def wmt13(sums: Integers) -> Floats:
    """(C - D) / (C + D): ties in either are ignored."""
    concordant, discordant, *_ = _columns(sums)
    return _ratio(concordant - discordant, concordant + discordant)


def wmt14(sums: Integers) -> Floats:
    """(C - D) / (C + D + Tm): human ties are ignored, and a metric tie counts as half correct."""
    concordant, discordant, _, metric, _ = _columns(sums)
    return _ratio(concordant - discordant, concordant + discordant + metric)


def accuracy(sums: Integers) -> Floats:
    """(C + Tb) / all pairs: a metric tie is correct for a human tie, Deutsch et al. (2023)."""
    concordant, _, _, _, both = _columns(sums)
    return _ratio(concordant + both, sums[..., :5].sum(axis=-1))


def classes(human: Floats, metric: Floats) -> Integers:
    """Return the number of members, and the smaller number of distinct values, along the last axis: (..., 2)."""
    human, metric = np.broadcast_arrays(human, metric)
    missing = np.isnan(human) | np.isnan(metric)

    def distinct(values: Floats) -> Integers:
        ordered = np.sort(np.where(missing, np.nan, values), axis=-1)
        changes = (np.diff(ordered, axis=-1) > 0).sum(axis=-1)
        number: Integers = changes + (~missing).any(axis=-1)
        return number

    present = (~missing).sum(axis=-1)
    return np.stack([present, np.minimum(distinct(human), distinct(metric))], axis=-1)


PAIR_STATISTICS: dict[str, Callable[[Integers], Floats]] = {
    "kendall-a": kendall_a,
    "kendall-b": kendall_b,
    "kendall-c": kendall_c,
    "wmt12": wmt12,
    "wmt13": wmt13,
    "wmt14": wmt14,
    "darr": wmt12,
    "accuracy": accuracy,
}
