"""How much of each character is covered by matched n-grams."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from chrfect.explanation.counted import Counted
from chrfect.explanation.match import Flags, Side
from chrfect.explanation.spans import Shaded, Stretch, Token
from chrfect.text.symbols import Ints, Symbols


def shade(text: str, counted: Counted, which: int, limit: int | None) -> Shaded:
    """Return one of the two texts, cut after `limit` code points, with its stretches and tokens.

    Where the metric counts no characters, the words' n-grams shade what they cover.
    """
    shown = text if limit is None or len(text) <= limit else text[: _boundary(text, limit)]
    sides, units = counted.kinds()[0]
    matched, ngrams = (
        _cover(flags, units[which][0], len(text))[: len(shown)]
        for flags in (sides[which].matched, sides[which].counted)
    )
    tokens: tuple[Token, ...] = ()
    if counted.words is not None:
        sides, units = counted.words
        tokens = _tokens(units[which][0], sides[which], len(shown))
    return Shaded(shown, len(text), _stretches(matched, ngrams), tokens)


def _cover(flags: list[Flags], units: Symbols, length: int) -> Ints:
    """Return for each code point how many of the flagged n-grams cover it."""
    number = len(units)
    per_unit = np.zeros(number + 1, np.int64)
    for n, here in enumerate(flags, 1):
        places = np.flatnonzero(here)
        np.add.at(per_unit, places, 1)
        np.add.at(per_unit, places + n, -1)
    cover = np.cumsum(per_unit)[:number]
    per_point = np.zeros(length + 1, np.int64)
    np.add.at(per_point, units.starts, cover)
    np.add.at(per_point, units.ends, -cover)
    return np.cumsum(per_point)[:length]


def _stretches(matched: Ints, ngrams: Ints) -> tuple[Stretch, ...]:
    if not len(matched):
        return ()
    change = (np.diff(matched) != 0) | (np.diff(ngrams) != 0)
    bounds = [0, *(np.flatnonzero(change) + 1).tolist(), len(matched)]
    return tuple(Stretch(start, end, int(matched[start]), int(ngrams[start])) for start, end in pairwise(bounds))


def _tokens(words: Symbols, side: Side, length: int) -> tuple[Token, ...]:
    number = int(np.searchsorted(words.ends, length, "right"))
    covers = []
    for flags in (side.matched, side.counted):
        alone = Symbols(words.symbols, np.arange(len(words)), np.arange(1, len(words) + 1))
        covers.append(_cover(flags, alone, len(words))[:number].tolist())
    starts, ends = words.starts[:number].tolist(), words.ends[:number].tolist()
    return tuple(Token(*values) for values in zip(starts, ends, *covers, strict=True))


def _boundary(text: str, limit: int) -> int:
    """Return the end of the last grapheme cluster that ends at or before the limit."""
    from wcwidth import grapheme_boundary_before

    return grapheme_boundary_before(text[: limit + 1], limit + 1) or limit
