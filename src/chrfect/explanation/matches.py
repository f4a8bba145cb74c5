"""The positions of matching n-grams in two texts, for all orders.

If a text has more occurrences of an n-gram than may match, occurrences inside longer matching n-grams are selected
first, and then the leftmost ones. The number of matching positions on each side is the clipped count of the kernels.

The id of an n-gram is determined by the id of its (n-1)-gram prefix and the next symbol, so the running time is
proportional to text length × orders. Positions whose shorter n-grams do not match are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chrfect.metrics.shares import Level
from chrfect.text.symbols import Ints, Symbols

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The n-grams of one side: flags of the symbols at which an n-gram begins or matches, for each order.

    Parameters
    ----------
    counted, matched : list of bool arrays
        One array for each order, one flag for each symbol.
    segments : int64 array
        The segment of each symbol.
    """

    counted: list[Flags]
    matched: list[Flags]
    segments: Ints

    @property
    def unmatched(self) -> list[Flags]:
        """The positions of n-grams that do not match, for each order."""
        return [counted & ~matched for counted, matched in zip(self.counted, self.matched, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class LevelMatches:
    """The matches of one level of a metric.

    Parameters
    ----------
    kind : str
        ``"character"``, ``"word"`` or ``"token"``.
    sides : tuple of Side
        The hypotheses and the shown references.
    symbols : sequence of sequences of Symbols
        The symbols of the texts on each side, by segment.
    """

    kind: str
    sides: tuple[Side, Side]
    symbols: Sequence[Sequence[Symbols]]


class Matcher:
    """Finds matches at all levels of a metric; equal symbols keep equal numbers from call to call.

    Parameters
    ----------
    levels : sequence of Level
    remember : bool
        Whether to keep the symbols of references, for further systems with the same ones.
    """

    def __init__(self, levels: Sequence[Level], remember: bool = False) -> None:
        self._levels = levels
        self._known: dict[tuple[str, str], Symbols] | None = {} if remember else None
        self._ids: dict[str, dict[str, int]] = {level.kind: {} for level in levels}

    def symbols(self, kind: str, text: str) -> Symbols:
        """Return the symbols of a text at the level of this kind."""
        level = next(level for level in self._levels if level.kind == kind)
        return level.locate(text, self._ids[kind])

    def _reference(self, kind: str, text: str) -> Symbols:
        if self._known is None:
            return self.symbols(kind, text)
        if (found := self._known.get((kind, text))) is None:
            found = self._known[kind, text] = self.symbols(kind, text)
        return found

    def matches(self, texts: Sequence[Sequence[str]]) -> list[LevelMatches]:
        """Return the matches at each level.

        Parameters
        ----------
        texts : sequence of sequences of str
            The hypotheses, the shown references, and further references; one text for each segment.
        """
        found = []
        for level in self._levels:
            sides = texts if level.over_all_references else texts[:2]
            symbols = [[self.symbols(level.kind, text) for text in sides[0]]]
            symbols += [[self._reference(level.kind, text) for text in side] for side in sides[1:]]
            matched = match(symbols, level.max_order, level.unreferenced_dropped)
            found.append(LevelMatches(level.kind, matched, symbols))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The n-grams of one order that may match: positions and ids on each side, and the maximum number of matches."""

    places: list[Ints]
    ids: list[Ints]
    caps: tuple[Ints, Ints]


def match(texts: Sequence[Sequence[Symbols]], order: int, drop: bool) -> tuple[Side, Side]:
    """Return the n-grams of hypotheses and references for the orders 1 to `order`.

    Parameters
    ----------
    texts : sequence of sequences of Symbols
        The hypotheses, the references, and further references, all of the same length. Matches in hypotheses are
        clipped at the largest count in any reference.
    order : int
        The maximum order, 0 or more.
    drop : bool
        Whether the n-grams of a hypothesis are ignored if its reference has none of this order.
    """
    segments = [np.repeat(np.arange(len(side)), [len(text) for text in side]) for side in texts]
    counted = [_counted(side, order) for side in segments]
    if drop:
        lengths = np.array([len(text) for text in texts[1]], np.int64)
        for n, flags in enumerate(counted[0], 1):
            flags &= lengths[segments[0]] >= n
    matched: list[list[Flags]] = [[], []]
    for candidates in reversed(_all_candidates(texts, segments, order)):
        for side in (0, 1):
            above = matched[side][-1] if matched[side] else None
            matched[side].append(_placed(candidates, side, above, len(segments[side])))
    sides = [Side(counted[side], matched[side][::-1], segments[side]) for side in (0, 1)]
    return sides[0], sides[1]


def _counted(segments: Ints, order: int) -> list[Flags]:
    """Return the positions at which an n-gram of each order begins: those with enough symbols left in the segment."""
    flags = []
    for n in range(1, order + 1):
        here = np.zeros(len(segments), np.bool_)
        number = max(len(segments) - n + 1, 0)
        here[:number] = segments[n - 1 :] == segments[:number]
        flags.append(here)
    return flags


def _all_candidates(texts: Sequence[Sequence[Symbols]], segments: Sequence[Ints], order: int) -> list[_Candidates]:
    if not order:
        return []
    symbols = [np.concatenate([text.symbols for text in side]) for side in texts]
    span = 1 + max(int(side.max(initial=0)) for side in symbols)
    keys = [side * span + symbol for side, symbol in zip(segments, symbols, strict=True)]
    levels = [_candidates([np.arange(len(key)) for key in keys], keys)]
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
        levels.append(_candidates(places, keys))
    return levels


def _candidates(places: list[Ints], keys: Sequence[Ints]) -> _Candidates:
    distinct, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    ids = np.split(numbers, np.cumsum([len(key) for key in keys])[:-1])
    counts = [np.bincount(side, minlength=len(distinct)) for side in ids]
    caps = np.minimum(counts[0], np.maximum.reduce(counts[1:])), np.minimum(counts[0], counts[1])
    return _Candidates(places, ids, caps)


def _placed(candidates: _Candidates, side: int, above: Flags | None, length: int) -> Flags:
    """Return the positions of matching n-grams, given those of the next longer order."""
    places, ids, caps = candidates.places[side], candidates.ids[side], candidates.caps[side]
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
