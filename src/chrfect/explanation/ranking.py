"""The n-grams of a corpus that are most often missed or invented: counted, ranked, folded, with examples.

N-grams are distinguished by 64-bit hashes, so that tens of millions fit into memory. Those that are shown are read
again from the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chrfect.explanation.matches import LevelMatches, Matcher
from chrfect.explanation.segment import whole_clusters
from chrfect.explanation.value import Example, Frequent
from chrfect.metrics.shares import OrderShare
from chrfect.text.symbols import Ints

Hashes = NDArray[np.uint64]

EXAMPLES = 3
_CANDIDATES = 2_000
"""The least number of n-grams of each order that are ranked; it is at least twenty times the number listed."""
_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_SINGLE_LETTER = re.compile(r"^\S\s+(?=\S)|(?<=\S)\s+\S$")
CONTEXT = 16
"""How many code points of text an example has on each side."""


@dataclass(slots=True)
class Found:
    """A frequent n-gram: how often it occurs, in how many segments, and its first positions (segment, symbol)."""

    kind: str
    n: int
    count: int = 0
    segments: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)


class Tally:
    """Counts the unmatched n-grams of one side of a corpus, block by block, then finds the most frequent ones."""

    def __init__(self, orders: Sequence[OrderShare]) -> None:
        self.found: dict[tuple[int, int], Found] = {}
        self._orders = orders
        self._hashes: list[Hashes] = [np.zeros(0, np.uint64) for _ in orders]
        self._counts: list[Ints] = [np.zeros(0, np.int64) for _ in orders]

    def count(self, levels: Sequence[LevelMatches], which: int) -> None:
        """Add a block's unmatched n-grams of one side."""
        for i, (hashes, _, _) in enumerate(_unmatched(levels, which)):
            fresh, numbers = np.unique(hashes, return_counts=True)
            merged, inverse = np.unique(np.concatenate((self._hashes[i], fresh)), return_inverse=True)
            counts = np.zeros(len(merged), np.int64)
            np.add.at(counts, inverse, np.concatenate((self._counts[i], numbers)))
            self._hashes[i], self._counts[i] = merged, counts

    def choose(self, limit: int) -> None:
        """Choose the most frequent n-grams of each order, which :meth:`find` then finds in the text."""
        for i, (hashes, counts) in enumerate(zip(self._hashes, self._counts, strict=True)):
            for at in np.lexsort((hashes, -counts))[: max(_CANDIDATES, 20 * limit)].tolist():
                order = self._orders[i]
                self.found[i, int(hashes[at])] = Found(order.kind, order.n)

    def find(self, levels: Sequence[LevelMatches], which: int, first_segment: int) -> None:
        """Find the chosen n-grams in a block that begins with that segment."""
        for i, (hashes, segments, units) in enumerate(_unmatched(levels, which)):
            wanted = np.array(sorted(key for order, key in self.found if order == i), np.uint64)
            here = np.flatnonzero(np.isin(hashes, wanted))
            ids = np.searchsorted(wanted, hashes[here])
            order = np.lexsort((here, ids))
            here, ids = here[order], ids[order]
            new = (np.diff(ids, prepend=-1) != 0) | (np.diff(segments[here], prepend=-1) != 0)
            counts, in_segments = (np.bincount(x, minlength=len(wanted)) for x in (ids, ids[new]))
            entries = [self.found[i, key] for key in wanted.tolist()]
            for entry, number, in_number in zip(entries, counts.tolist(), in_segments.tolist(), strict=True):
                entry.count += number
                entry.segments += in_number
            ids, here = ids[new], here[new]
            rank = np.arange(len(ids)) - np.searchsorted(ids, ids)
            for id_, place in zip(ids[rank < EXAMPLES].tolist(), here[rank < EXAMPLES].tolist(), strict=True):
                if len(entries[id_].places) < EXAMPLES:
                    entries[id_].places.append((first_segment + int(segments[place]), int(units[place])))


def _unmatched(levels: Sequence[LevelMatches], which: int) -> list[tuple[Hashes, Ints, Ints]]:
    """Return for each order the hashes of the unmatched n-grams, their segments, and their symbols in those."""
    return [found for level in levels for found in _unmatched_of_level(level, which)]


def _unmatched_of_level(level: LevelMatches, which: int) -> list[tuple[Hashes, Ints, Ints]]:
    side, texts = level.sides[which], level.symbols[which]
    symbols = _mixed(np.concatenate([text.symbols for text in texts]))
    begins = np.cumsum([0, *(len(text) for text in texts)])
    hashes = np.zeros(len(symbols), np.uint64)
    found = []
    for n, flags in enumerate(side.unmatched, 1):
        number = max(len(symbols) - n + 1, 0)
        hashes = hashes[:number] * np.uint64(_ODD[0]) + symbols[n - 1 :][:number]
        places = np.flatnonzero(flags)
        segments = side.segments[places]
        found.append((hashes[places], segments, places - begins[segments]))
    return found


def _mixed(symbols: Ints) -> Hashes:
    """Return well distributed hashes of symbols (the finalizer of splitmix64)."""
    mixed = (symbols.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_ODD[1])
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_ODD[2])
    return mixed ^ (mixed >> np.uint64(31))


def rank_frequent(
    found: Sequence[Found], orders: Sequence[OrderShare], matcher: Matcher, texts: Sequence[str], limit: int
) -> tuple[Frequent, ...]:
    """Return n-grams, those with the most points first: their count times what one would contribute as a match.

    N-grams that occur once come last. A long run ranks as one of the longest order, or of twice the longest order of
    characters, so that a passage that a corpus has twice does not come before what is often missed. An n-gram is left
    out if it lies in, or around, one that is already listed, or if it differs from one only in a single letter of the
    next word (``d the``, ``n the``). Character n-grams are listed only if they are longer than half the longest order,
    because every text misses some ``e`` and ``en``.

    Parameters
    ----------
    texts : sequence of str
        The texts that the n-grams were found in, by segment.
    """
    kinds = {order.kind for order in orders}
    longest = {kind: max((entry.n for entry in found if entry.kind == kind), default=0) for kind in kinds}
    worths = {kind: [order.worth for order in orders if order.kind == kind] for kind in kinds}
    runs = _folded([e for e in found if e.kind != "character" or 2 * e.n > longest[e.kind]], longest)
    each = cache(lambda kind, n: _each(n, worths[kind]))

    def key_of(run: Found) -> tuple[object, ...]:
        n = min(run.n, longest[run.kind] * (2 if run.kind == "character" else 1))
        return run.count == 1, -run.count * each(run.kind, n), -run.count * n**2, -run.n, run.places

    runs.sort(key=key_of)
    listed: list[Frequent] = []
    keys: list[tuple[str, str, str]] = []
    for run in runs:
        if len(listed) == limit:
            break
        first = _example(run, matcher, *run.places[0], texts)
        key = run.kind, _key(run, first.text), _core(run, first.text)
        if any(_overlap(key, other) for other in keys):
            continue
        keys.append(key)
        points = run.count * each(run.kind, run.n)
        examples = first, *(_example(run, matcher, *place, texts) for place in run.places[1:])
        listed.append(Frequent(run.kind, run.n, first.text, run.count, run.segments, points, examples))
    return tuple(listed)


def _folded(found: Sequence[Found], longest: dict[str, int]) -> list[Found]:
    """Return the n-grams; those of the longest order that always follow one another are joined into runs."""
    by_places = {(f.kind, f.count, f.segments, tuple(f.places)): f for f in found if f.n == longest[f.kind]}

    def beside(entry: Found, step: int) -> Found | None:
        places = tuple((segment, at + step) for segment, at in entry.places)
        return by_places.get((entry.kind, entry.count, entry.segments, places))

    runs = [f for f in found if f.n < longest[f.kind]]
    for entry in by_places.values():
        if beside(entry, -1) is None:
            length, last = entry.n, entry
            while (following := beside(last, 1)) is not None:
                length, last = length + 1, following
            runs.append(Found(entry.kind, length, entry.count, entry.segments, entry.places))
    return runs


def _each(n: int, worths: Sequence[Fraction]) -> Fraction:
    """Return what an n-gram and the shorter ones in it would contribute as matches, at the present worth of a match."""
    return sum(((n - k + 1) * worth for k, worth in enumerate(worths[:n], 1)), Fraction(0))


def _example(run: Found, matcher: Matcher, segment: int, at: int, texts: Sequence[str]) -> Example:
    text = texts[segment]
    symbols = matcher.symbols(run.kind, text)
    start, end = whole_clusters(text, int(symbols.starts[at]), int(symbols.ends[at + run.n - 1]))
    outer, last = whole_clusters(text, max(start - CONTEXT, 0), min(end + CONTEXT, len(text)))
    return Example(segment, text[outer:start], text[start:end], text[end:last])


def _overlap(one: tuple[str, str, str], two: tuple[str, str, str]) -> bool:
    """Return whether one of two n-grams lies in the other, or both have the same core and one is of characters."""
    within = one[1] in two[1] or two[1] in one[1]
    return (one[0] == two[0] and within) or ("character" in (one[0], two[0]) and one[2] == two[2])


def _key(run: Found, text: str) -> str:
    return "".join(text.split()) if run.kind == "character" else f" {' '.join(text.split())} "


def _core(run: Found, text: str) -> str:
    """Return the text without whitespace; for characters, also without a single letter that a space sets off."""
    return "".join((_SINGLE_LETTER.sub("", text) if run.kind == "character" else text).split())
