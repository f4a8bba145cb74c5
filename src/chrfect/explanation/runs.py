"""Runs: overlapping n-grams that are joined to the longest spans of text that they cover.

A run is a span of consecutive n-grams of the longest order in it, which are all matched, all missed, or all invented.
Shorter n-grams in this span belong to the run.

Unmatched n-grams overlap matched text on both sides, so an unmatched run has a *focus*. A *gap* is text that is not
covered by a matched n-gram of at least half the longest order, such as ``dog`` in ``The dogs sat.`` and ``The cats
sat.``. Each gap is the focus of a run of all unmatched n-grams that overlap it; an n-gram that overlaps several gaps
belongs to the first. The other unmatched n-grams occur where matched spans are adjacent in another order. Their focus
is the text that is covered only by the n-grams of the run or, if there is none, by all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chrfect.explanation.matches import Flags, LevelMatches, Side
from chrfect.text.symbols import Ints, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """Runs of one side, in code points of its texts joined (see :func:`joined`).

    Parameters
    ----------
    starts, ends : int64 array
        The span of the run.
    focus_starts, focus_ends : int64 array
        The span of its focus, which is the whole run for matched runs.
    counts : int64 array, runs × orders
        The number of n-grams of each order in the run.
    """

    starts: Ints
    ends: Ints
    focus_starts: Ints
    focus_ends: Ints
    counts: Ints


def fold(levels: Sequence[LevelMatches], which: int, matched: bool, starts: Ints) -> Folded:
    """Return the matched or the unmatched runs on one side; no run spans two segments.

    N-grams of further levels, such as words, are added to overlapping runs of the first level.

    Parameters
    ----------
    which : int
        0 for the hypotheses, 1 for the references.
    starts : int64 array
        The start of each text in the joined texts.
    """
    first, *further = levels
    fold_first = _fold_matched if matched else _fold_unmatched
    folded = fold_first(first.sides[which], joined(first.symbols[which], starts))
    for level in further:
        folded = _join(folded, level.sides[which], joined(level.symbols[which], starts), matched)
    return folded


def text_starts(texts: Sequence[str]) -> Ints:
    """Return the start of each text if they are joined with one code point between them, and their end.

    Examples
    --------
    >>> text_starts(["ab", "", "c"]).tolist()
    [0, 3, 4, 6]
    """
    return np.cumsum([0, *(len(text) + 1 for text in texts)])


def joined(symbols: Sequence[Symbols], starts: Ints) -> Symbols:
    """Return the symbols of several texts as those of one joined text."""
    if len(symbols) == 1:
        return symbols[0]
    shift = np.repeat(starts[: len(symbols)], [len(of_text) for of_text in symbols])
    return Symbols(
        np.concatenate([of_text.symbols for of_text in symbols]),
        np.concatenate([of_text.starts for of_text in symbols]) + shift,
        np.concatenate([of_text.ends for of_text in symbols]) + shift,
    )


def _fold_matched(side: Side, symbols: Symbols) -> Folded:
    """Return the runs of matched n-grams."""
    return _in_text(_fold(side.matched, side.segments, focused=False), symbols)


def _fold_unmatched(side: Side, symbols: Symbols) -> Folded:
    """Return the runs of unmatched n-grams: first those that overlap a gap, then the others."""
    number = len(symbols)
    orders = len(side.counted)
    gap_starts, gap_ends = _gaps(side)
    starts, ends = np.full(len(gap_starts), number), np.zeros(len(gap_starts), np.int64)
    counts = np.zeros((len(gap_starts), orders), np.int64)
    left = []
    for n, flags in enumerate(side.unmatched, 1):
        places = np.flatnonzero(flags)
        owner = _first_touched(gap_starts, gap_ends, places, places + n)
        within = owner >= 0
        np.minimum.at(starts, owner[within], places[within])
        np.maximum.at(ends, owner[within], places[within] + n)
        counts[:, n - 1] = np.bincount(owner[within], minlength=len(gap_starts))
        rest = np.zeros(number, np.bool_)
        rest[places[~within]] = True
        left.append(rest)
    seams = _fold(left, side.segments, focused=True)
    some = counts.any(axis=1)
    return _in_text(
        Folded(
            np.append(starts[some], seams.starts),
            np.append(ends[some], seams.ends),
            np.append(gap_starts[some], seams.focus_starts),
            np.append(gap_ends[some], seams.focus_ends),
            np.concatenate((counts[some], seams.counts)),
        ),
        symbols,
    )


def _gaps(side: Side) -> tuple[Ints, Ints]:
    """Return the spans that are not covered by matched n-grams of at least half the longest order."""
    number = len(side.segments)
    longest = np.zeros(int(side.segments[-1]) + 1 if number else 0, np.int64)
    for n, flags in enumerate(side.counted, 1):
        longest[side.segments[flags]] = n
    least = (longest + 1)[side.segments] // 2
    change = np.zeros(number + 1, np.int64)
    for n, flags in enumerate(side.matched, 1):
        places = np.flatnonzero(flags & (least <= n))
        np.add.at(change, places, 1)
        np.add.at(change, places + n, -1)
    bare = np.flatnonzero(np.cumsum(change)[:number] == 0)
    begins = _begins(bare, side.segments)
    return bare[begins], bare[np.append(begins[1:], len(bare)) - 1] + 1 if len(bare) else bare


def _begins(places: Ints, segments: Ints) -> Ints:
    """Return the indices of the sorted positions that do not follow the previous one in the same segment."""
    return np.flatnonzero((np.diff(places, prepend=-2) != 1) | (np.diff(segments[places], prepend=-1) != 0))


def _first_touched(starts: Ints, ends: Ints, begin: Ints, end: Ints) -> Ints:
    """Return the index of the first of the sorted spans that each span overlaps; -1 for none."""
    if not len(starts):
        return np.full(len(begin), -1)
    first = np.searchsorted(ends, begin, "right")
    inside = np.minimum(first, len(starts) - 1)
    return np.where((first < len(starts)) & (starts[inside] < end), inside, -1)


def _fold(flags: Sequence[Flags], segments: Ints, focused: bool) -> Folded:
    """Return runs in symbols, by descending order."""
    starts, ends = np.zeros(0, np.int64), np.zeros(0, np.int64)
    focus_starts, focus_ends = starts, ends
    owners: list[Ints] = []
    for n in range(len(flags), 0, -1):
        places = np.flatnonzero(flags[n - 1])
        reach, owner = _reach(starts, ends, places)
        inside = reach >= places + n
        left = places[~inside]
        begins = _begins(left, segments)
        firsts, lasts = left[begins], left[np.append(begins[1:], len(left)) - 1] if len(left) else left
        owner[~inside] = len(starts) + np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(left))))
        owners.append(owner)
        starts, ends = np.append(starts, firsts), np.append(ends, lasts + n)
        inner, outer = _focus(firsts, lasts, n, segments) if focused else (firsts, lasts + n)
        focus_starts, focus_ends = np.append(focus_starts, inner), np.append(focus_ends, outer)
    counts = np.zeros((len(starts), len(flags)), np.int64)
    for n, owner in zip(range(len(flags), 0, -1), owners, strict=True):
        counts[:, n - 1] = np.bincount(owner, minlength=len(starts))
    return Folded(starts, ends, focus_starts, focus_ends, counts)


def _in_text(runs: Folded, symbols: Symbols) -> Folded:
    return Folded(
        symbols.starts[runs.starts],
        symbols.ends[runs.ends - 1],
        symbols.starts[runs.focus_starts],
        symbols.ends[runs.focus_ends - 1],
        runs.counts,
    )


def _reach(starts: Ints, ends: Ints, places: Ints) -> tuple[Ints, Ints]:
    """Return for each position the maximum end of runs that begin at or before it, and the run with this end."""
    if not len(starts):
        return np.full(len(places), -1), np.full(len(places), -1)
    order = np.argsort(starts, kind="stable")
    farthest = np.maximum.accumulate(ends[order] * len(starts) + order)
    at = np.searchsorted(starts[order], places, "right") - 1
    found = np.where(at >= 0, farthest[at], -len(starts))
    return found // len(starts), found % len(starts)


def _focus(firsts: Ints, lasts: Ints, n: int, segments: Ints) -> tuple[Ints, Ints]:
    around = np.concatenate(([-1], segments, [-1]))
    opens = around[firsts] != around[firsts + 1]
    closes = around[lasts + n] != around[lasts + n + 1]
    inner = np.where(opens, firsts, firsts + n - 1)
    outer = np.where(closes, lasts + n, lasts + 1)
    touching = inner < outer
    return np.where(touching, inner, lasts), np.where(touching, outer, firsts + n)


def _join(characters: Folded, side: Side, words: Symbols, matched: bool) -> Folded:
    """Return the runs of characters with the overlapping word n-grams, and runs of the other word n-grams.

    A matched word n-gram belongs to the run that contains it, an unmatched one to the first run whose focus it touches.
    """
    flags = side.matched if matched else side.unmatched
    number, orders = characters.counts.shape
    joined = np.zeros((number, len(flags)), np.int64)
    left = []
    for n, here in enumerate(flags, 1):
        places = np.flatnonzero(here)
        begin, end = words.starts[places], words.ends[places + n - 1]
        owner = _container(characters, begin, end) if matched else _touched(characters, begin, end)
        joined[:, n - 1] = np.bincount(owner[owner >= 0], minlength=number)
        rest = np.zeros(len(here), np.bool_)
        rest[places[owner < 0]] = True
        left.append(rest)
    own = _in_text(_fold(left, side.segments, focused=not matched), words)
    counts = np.zeros((number + len(own.starts), orders + len(flags)), np.int64)
    counts[:number, :orders] = characters.counts
    counts[:number, orders:] = joined
    counts[number:, orders:] = own.counts
    return Folded(
        np.append(characters.starts, own.starts),
        np.append(characters.ends, own.ends),
        np.append(characters.focus_starts, own.focus_starts),
        np.append(characters.focus_ends, own.focus_ends),
        counts,
    )


def _container(runs: Folded, begin: Ints, end: Ints) -> Ints:
    reach, owner = _reach(runs.starts, runs.ends, begin)
    return np.where(reach >= end, owner, -1)


def _touched(runs: Folded, begin: Ints, end: Ints) -> Ints:
    order = np.argsort(runs.focus_starts, kind="stable")
    farthest = np.maximum.accumulate(runs.focus_ends[order])
    owner = _first_touched(runs.focus_starts[order], farthest, begin, end)
    return np.where(owner >= 0, np.append(order, -1)[owner], -1)
