"""Which n-grams of two texts match, place by place, for every order at once.

Counting says how many n-grams match; an explanation also says where. Where a text holds an n-gram more often than it
may match, the places that matching longer n-grams cover come first, then those nearer the beginning. The number of
matching places is the clipped count of the kernels, on both sides.

N-grams get numbers by pairing the number of the (n-1)-gram with the next symbol, so the work grows with text × orders,
not with its square; places whose shorter n-grams match nowhere are left out on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chrfect.text.symbols import Ints, Symbols

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The n-grams of one side: for each order, whether one begins at a unit, and whether it matches.

    Parameters
    ----------
    counted, matched : list of bool arrays
        One array an order, one flag a unit.
    segments : int64 array
        The segment of each unit.
    """

    counted: list[Flags]
    matched: list[Flags]
    segments: Ints

    @property
    def unmatched(self) -> list[Flags]:
        """For each order, where an n-gram begins that does not match."""
        return [counted & ~matched for counted, matched in zip(self.counted, self.matched, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The n-grams of one order that may match: places and numbers of each side, and how often each number may match."""

    places: list[Ints]
    ids: list[Ints]
    caps: tuple[Ints, Ints]


def match(texts: Sequence[Sequence[Symbols]], order: int, drop: bool) -> tuple[Side, Side]:
    """Return the n-grams of hypotheses and references, one pair a segment, for the orders 1 to `order`.

    Parameters
    ----------
    texts : sequence of sequences of Symbols
        The hypotheses; the references; and any further references, over all of which the hypotheses' matches are then
        clipped. As many of each.
    order : int
        The longest n-grams, 0 or more.
    drop : bool
        Whether a hypothesis has no n-grams of an order in which its reference has none.
    """
    segments = [np.repeat(np.arange(len(side)), [len(units) for units in side]) for side in texts]
    counted = [_counted(side, order) for side in segments]
    if drop:
        lengths = np.array([len(units) for units in texts[1]], np.int64)
        for n, flags in enumerate(counted[0], 1):
            flags &= lengths[segments[0]] >= n
    matched: list[list[Flags]] = [[], []]
    for level in reversed(_levels(texts, segments, order)):
        for side in (0, 1):
            above = matched[side][-1] if matched[side] else None
            matched[side].append(_placed(level, side, above, len(segments[side])))
    sides = [Side(counted[side], matched[side][::-1], segments[side]) for side in (0, 1)]
    return sides[0], sides[1]


def _counted(segments: Ints, order: int) -> list[Flags]:
    """Return for each order where an n-gram begins: where the unit n - 1 further on is of the same segment."""
    flags = []
    for n in range(1, order + 1):
        here = np.zeros(len(segments), np.bool_)
        number = max(len(segments) - n + 1, 0)
        here[:number] = segments[n - 1 :] == segments[:number]
        flags.append(here)
    return flags


def _levels(texts: Sequence[Sequence[Symbols]], segments: Sequence[Ints], order: int) -> list[_Level]:
    if not order:
        return []
    symbols = [np.concatenate([units.symbols for units in side]) for side in texts]
    span = 1 + max(int(side.max(initial=0)) for side in symbols)
    keys = [side * span + symbol for side, symbol in zip(segments, symbols, strict=True)]
    levels = [_level([np.arange(len(key)) for key in keys], keys)]
    firsts = levels[0].ids
    radix = len(levels[0].caps[0]) + 1
    for n in range(2, order + 1):
        before = levels[-1]
        places: list[Ints] = []
        keys = []
        for side, first in enumerate(firsts):
            shared = before.caps[0][before.ids[side]] > 0
            at = before.places[side][shared]
            ids = np.full(len(first) + 1, -1)
            ids[at] = before.ids[side][shared]
            at = at[(ids[at + 1] >= 0) & (at + n <= len(first))]
            at = at[segments[side][at + n - 1] == segments[side][at]]
            places.append(at)
            keys.append(ids[at] * radix + first[at + n - 1])
        levels.append(_level(places, keys))
    return levels


def _level(places: list[Ints], keys: Sequence[Ints]) -> _Level:
    distinct, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    ids = np.split(numbers, np.cumsum([len(key) for key in keys])[:-1])
    counts = [np.bincount(side, minlength=len(distinct)) for side in ids]
    caps = np.minimum(counts[0], np.maximum.reduce(counts[1:])), np.minimum(counts[0], counts[1])
    return _Level(places, ids, caps)


def _placed(level: _Level, side: int, above: Flags | None, length: int) -> Flags:
    """Return where an order's n-grams match, given where those one longer do."""
    places, ids, caps = level.places[side], level.ids[side], level.caps[side]
    matched = np.zeros(length, np.bool_)
    enough = caps >= np.bincount(ids, minlength=len(caps))
    matched[places[enough[ids]]] = True
    open_ = ~enough[ids] & (caps[ids] > 0)
    places, ids = places[open_], ids[open_]
    if len(places):
        covered = np.zeros(len(places), np.int64)
        if above is not None:
            covered = above[places].astype(np.int64) + (above[places - 1] & (places > 0))
        order = np.lexsort((places, -covered, ids))
        sorted_ids = ids[order]
        begins = np.flatnonzero(np.concatenate(([True], sorted_ids[1:] != sorted_ids[:-1])))
        rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
        matched[places[order[rank < caps[sorted_ids]]]] = True
    return matched
