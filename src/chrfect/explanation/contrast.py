"""Which n-grams two collections of texts have differently often: what one of them has more of, most informative first.

The same contrast answers two questions: what references have and hypotheses miss, against what hypotheses invent; and
what one system matches, against what another matches.

An n-gram is informative if its share of one side is unlike that of all n-grams together. If hypotheses are too short,
nearly every n-gram is missed more often than it is invented; one whose excess is no larger than that says nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chrfect.metrics import ChrF, Scoring
from chrfect.metrics.notices import are_unspaced
from chrfect.metrics.shares import Level
from chrfect.text.symbols import Ints, Symbols

Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]

_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
LONGEST = 4
"""The longest n-grams of words or characters that are counted; those that go on beside each other become runs."""
_SURPLUS = 4
"""How many times as many n-grams are found as are returned, because some of them are joined."""
_CANDIDATES = 50
"""How many n-grams are considered for each that is listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """The n-grams of one order that texts have: a hash, a segment, and the position of the first symbol, of each."""

    hashes: Hashes
    segments: Ints
    places: Ints


@dataclass(frozen=True, slots=True)
class Contrasted:
    """An n-gram, or a longer run, and how often each side has it more often than the other.

    Parameters
    ----------
    n : int
        How many symbols it has.
    first, second : int
        Over all segments, how often the first side has it more often than the second, and the second than the first.
    segments : tuple of int
        The segments in which the side in question has it more often, from 0.
    places : tuple of int
        The symbol at which it begins in each of these segments, where it does so first.
    """

    n: int
    first: int
    second: int
    segments: tuple[int, ...]
    places: tuple[int, ...]


def occurrences(symbols: Sequence[Symbols], flags: Sequence[Flags], first_segment: int = 0) -> list[Occurrences]:
    """Return the n-grams that are flagged, for each order.

    Parameters
    ----------
    symbols : sequence of Symbols
        The symbols of each text.
    flags : sequence of bool arrays
        For each order, the symbols at which an n-gram begins.
    first_segment : int
        The number of the first text.
    """
    lengths = [len(of_text) for of_text in symbols]
    begins = np.cumsum([0, *lengths])
    segments = np.repeat(np.arange(len(symbols)), lengths)
    mixed = _mixed(np.concatenate([of_text.symbols for of_text in symbols]))
    hashes = np.zeros(len(mixed), np.uint64)
    found = []
    for n, here in enumerate(flags, 1):
        number = max(len(mixed) - n + 1, 0)
        hashes = hashes[:number] * np.uint64(_ODD[0]) + mixed[n - 1 :][:number]
        places = np.flatnonzero(here)
        within = segments[places]
        found.append(Occurrences(hashes[places], within + first_segment, places - begins[within]))
    return found


def fact_levels(metric: Scoring, references: Sequence[str]) -> Sequence[Level]:
    """Return the symbols of the n-grams that report facts: those of the metric, but words instead of characters.

    In texts without spaces they are characters.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> fact_levels(ChrF(), ["the cat sat"])[0].kind, fact_levels(ChrF(), ["猫坐在垫子上看着鸟儿飞"])[0].kind
    ('word', 'character')
    """
    if metric.levels and metric.levels[0].kind != "character":
        return metric.levels
    lowercase = bool(metric.parameters.get("lowercase", False))
    if are_unspaced(references):
        return ChrF(char_order=LONGEST, lowercase=lowercase).levels
    return ChrF(char_order=0, word_order=LONGEST, lowercase=lowercase).levels


def together(parts: Sequence[Occurrences]) -> Occurrences:
    """Return the occurrences of several blocks as one."""
    return Occurrences(
        np.concatenate([part.hashes for part in parts]),
        np.concatenate([part.segments for part in parts]),
        np.concatenate([part.places for part in parts]),
    )


class Index:
    """How often each of several collections has each n-gram of one order in each segment."""

    def __init__(self, n: int, collections: Sequence[Occurrences]) -> None:
        self.n = n
        every = together(collections)
        self.distinct, of_each = np.unique(every.hashes, return_inverse=True)
        span = int(every.segments.max(initial=0)) + 1
        pairs, rows = np.unique(of_each * span + every.segments, return_inverse=True)
        self.ngrams, self.segments = pairs // span, pairs % span
        bounds = np.cumsum([0, *(len(one.hashes) for one in collections)])
        parts = [rows[start:end] for start, end in pairwise(bounds)]
        self.counts = [np.bincount(part, minlength=len(pairs)).astype(np.int32) for part in parts]
        self._rows = [np.unique(part, return_index=True) for part in parts]
        self._places = [one.places for one in collections]

    def first_places(self, collection: int, rows: Ints) -> Ints:
        """Return the symbol at which each n-gram first begins in its segment, in a collection that has all of them."""
        known, at = self._rows[collection]
        return self._places[collection][at[np.searchsorted(known, rows)]]

    def more(self, first: int, second: int) -> tuple[Ints, Ints]:
        """Return for each n-gram how often the first collection has it more often, and the second."""
        difference = self.counts[first] - self.counts[second]
        size = len(self.distinct)
        return tuple(  # type: ignore[return-value]
            np.bincount(self.ngrams, np.maximum(sign * difference, 0), size).astype(np.int64) for sign in (1, -1)
        )


def indices_of(collections: Sequence[Sequence[Sequence[Occurrences]]]) -> list[Index]:
    """Return the index of each order, given for each collection its blocks, and for each block its orders."""
    by_order = zip(*(zip(*blocks, strict=True) for blocks in collections), strict=True)
    return [Index(n, [together(blocks) for blocks in of_order]) for n, of_order in enumerate(by_order, 1)]


def contrast(indices: Sequence[Index], first: int, second: int, limit: int) -> list[Contrasted]:
    """Return the n-grams that the first collection has more often than the second, the most informative first.

    Parameters
    ----------
    indices : sequence of Index
        One for each order, from 1.
    first, second : int
        The collections.
    limit : int
        How many n-grams to return at most. Of those that report the same, only one is returned: an n-gram is left out
        if it overlaps one that ranks before it in most of its segments. Of equally informative ones the shortest rank
        first; those that always stand side by side are joined into one run.
    """
    more = [index.more(first, second) for index in indices]
    sums = np.array([[side.sum() for side in sides] for sides in more], float).sum(axis=0)
    expected = sums[0] / sums.sum() if sums.sum() else 0.5
    candidates: list[tuple[float, int, int, int]] = []
    for at, (of_first, of_second) in enumerate(more):
        number = of_first + of_second
        excess = of_first - expected * number
        spread = np.sqrt(number * expected * (1 - expected)) if expected < 1 else np.sqrt(number)
        information = np.where(of_first > of_second, excess / np.maximum(spread, 1e-9), -1.0)
        if expected == 1:
            information = np.where(of_first > 0, np.sqrt(of_first), -1.0)
        best = np.argsort(-information, kind="stable")[: limit * _CANDIDATES]
        ranked = best[information[best] > 0]
        found_first = indices[at].segments[np.searchsorted(indices[at].ngrams, ranked)]
        candidates += [
            (-round(float(information[i]), 6), at, int(segment), int(i))
            for i, segment in zip(ranked, found_first, strict=True)
        ]
    listed: list[_Entry] = []
    for rank, (_, at, _, ngram) in enumerate(sorted(candidates)):
        entry = _Entry(indices[at], ngram, first, second, rank, *(int(side[ngram]) for side in more[at]))
        if any(entry.overlaps(other) for other in listed):
            continue
        if len(listed) == _SURPLUS * limit:
            break
        while (beside := next((other for other in listed if entry.adjoins(other)), None)) is not None:
            listed.remove(beside)
            entry = entry.joined(beside)
        listed.append(entry)
    listed.sort(key=lambda entry: entry.rank)
    return [entry.value() for entry in listed[:limit]]


class _Entry:
    """A candidate of a contrast: how many symbols it has, and where it begins in each segment."""

    def __init__(self, index: Index, ngram: int, first: int, second: int, rank: int, *more: int) -> None:
        rows = np.arange(*np.searchsorted(index.ngrams, [ngram, ngram + 1]))
        rows = rows[index.counts[first][rows] > index.counts[second][rows]]
        places = index.first_places(first, rows).tolist()
        self.starts: dict[int, int] = dict(zip(index.segments[rows].tolist(), places, strict=True))
        self.n, self.rank, self.more = index.n, rank, more

    def overlaps(self, other: _Entry) -> bool:
        """Return whether it reports what the other does: it shares symbols with it in most of its segments."""
        shifts = (at - other.starts[segment] for segment, at in self.starts.items() if segment in other.starts)
        return 2 * sum(-self.n < shift < other.n for shift in shifts) > len(self.starts)

    def adjoins(self, other: _Entry) -> bool:
        """Return whether both occur equally often, in the same segments, and always side by side."""
        if (self.more, self.starts.keys()) != (other.more, other.starts.keys()):
            return False
        shifts = {at - other.starts[segment] for segment, at in self.starts.items()}
        return shifts in ({other.n}, {-self.n})

    def joined(self, other: _Entry) -> _Entry:
        """Return the run of both; `other` adjoins."""
        self.starts = {segment: min(at, other.starts[segment]) for segment, at in self.starts.items()}
        self.n, self.rank = self.n + other.n, min(self.rank, other.rank)
        return self

    def value(self) -> Contrasted:
        segments = tuple(sorted(self.starts))
        more, less = self.more
        return Contrasted(self.n, more, less, segments, tuple(self.starts[segment] for segment in segments))


def _mixed(symbols: Ints) -> Hashes:
    """Return well distributed hashes of symbols (the finalizer of splitmix64)."""
    mixed = (symbols.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_ODD[1])
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_ODD[2])
    return mixed ^ (mixed >> np.uint64(31))
