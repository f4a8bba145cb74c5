"""How often each n-gram of a corpus is missed or invented, and where first.

N-grams are told apart by 64-bit hashes, so that tens of millions fit into memory; those that are shown are read again
from the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chrfect.explanation.counted import Counted, Kind
from chrfect.explanation.value import OrderShare
from chrfect.text.symbols import Ints

Hashes = NDArray[np.uint64]

EXAMPLES = 3
_CANDIDATES = 2_000
"""How many n-grams of each order are looked at, at least, and twenty for each that is to be listed."""
_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(slots=True)
class Found:
    """An n-gram that was looked for: how often it stands where, with its first segments and units there."""

    kind: str
    n: int
    count: int = 0
    segments: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)


class Tally:
    """Counts the unmatched n-grams of one side of a corpus, block by block, then finds the most frequent."""

    def __init__(self, orders: Sequence[OrderShare]) -> None:
        self.found: dict[tuple[int, int], Found] = {}
        self._orders = orders
        self._hashes: list[Hashes] = [np.zeros(0, np.uint64) for _ in orders]
        self._counts: list[Ints] = [np.zeros(0, np.int64) for _ in orders]

    def count(self, counted: Counted, which: int) -> None:
        """Add a block's unmatched n-grams of one side."""
        for i, (hashes, _, _) in enumerate(_unmatched(counted, which)):
            fresh, numbers = np.unique(hashes, return_counts=True)
            merged, inverse = np.unique(np.concatenate((self._hashes[i], fresh)), return_inverse=True)
            counts = np.zeros(len(merged), np.int64)
            np.add.at(counts, inverse, np.concatenate((self._counts[i], numbers)))
            self._hashes[i], self._counts[i] = merged, counts

    def choose(self, limit: int) -> None:
        """Choose the most frequent of each order, to be found in the text."""
        for i, (hashes, counts) in enumerate(zip(self._hashes, self._counts, strict=True)):
            for at in np.lexsort((hashes, -counts))[: max(_CANDIDATES, 20 * limit)].tolist():
                order = self._orders[i]
                self.found[i, int(hashes[at])] = Found(order.kind, order.n)

    def find(self, counted: Counted, which: int, first_segment: int) -> None:
        """Find the chosen n-grams in a block, which is counted from that segment."""
        for i, (hashes, segments, units) in enumerate(_unmatched(counted, which)):
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


def _unmatched(counted: Counted, which: int) -> list[tuple[Hashes, Ints, Ints]]:
    """Return for each order the hashes of the unmatched n-grams, their segments, and their places in those."""
    return [found for kind in counted.kinds() for found in _of_kind(kind, which)]


def _of_kind(kind: Kind, which: int) -> list[tuple[Hashes, Ints, Ints]]:
    sides, units = kind
    side, texts = sides[which], units[which]
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
    """Return well spread numbers for symbols (the finalizer of splitmix64)."""
    mixed = (symbols.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_ODD[1])
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_ODD[2])
    return mixed ^ (mixed >> np.uint64(31))
