"""From the n-grams that are frequent to those worth showing: folded, ranked, with examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from chrfect.explanation.frequent import Found
from chrfect.explanation.listing import whole_clusters
from chrfect.explanation.units import Reader
from chrfect.explanation.value import Example, Frequent, OrderShare
from chrfect.text.symbols import Symbols

_LONE = re.compile(r"^\S\s+(?=\S)|(?<=\S)\s+\S$")
CONTEXT = 16
"""How many code points of text an example has on each side."""


def most_telling(
    found: Sequence[Found], orders: Sequence[OrderShare], reader: Reader, texts: Sequence[str], limit: int
) -> tuple[Frequent, ...]:
    """Return the most telling n-grams first: by how often, times what one would contribute; what stands once last.

    A long run ranks as one of the longest order, or of twice that of characters, lest a passage that a corpus holds
    twice come before all that is often missed. What lies in, or around, one already listed is left out, and what is
    the same but for a lone letter of the next word (``d the``, ``n the``). Of characters only those longer than half
    the longest are listed: every text misses some ``e`` and ``en``.

    Parameters
    ----------
    texts : sequence of str
        The text of each segment that the n-grams stand in.
    """
    kinds = {order.kind for order in orders}
    longest = {kind: max((entry.n for entry in found if entry.kind == kind), default=0) for kind in kinds}
    worths = {kind: [order.worth for order in orders if order.kind == kind] for kind in kinds}
    runs = _folded([e for e in found if e.kind != "character" or 2 * e.n > longest[e.kind]], longest)
    each = cache(lambda kind, n: _each(n, worths[kind]))

    def rank(run: Found) -> tuple[object, ...]:
        n = min(run.n, longest[run.kind] * (2 if run.kind == "character" else 1))
        return run.count == 1, -run.count * each(run.kind, n), -run.count * n**2, -run.n, run.places

    runs.sort(key=rank)
    listed: list[Frequent] = []
    keys: list[tuple[str, str, str]] = []
    for run in runs:
        if len(listed) == limit:
            break
        first = _example(run, reader, *run.places[0], texts)
        key = run.kind, _key(run, first.text), _core(run, first.text)
        if any(_overlap(key, other) for other in keys):
            continue
        keys.append(key)
        points = run.count * each(run.kind, run.n)
        examples = first, *(_example(run, reader, *place, texts) for place in run.places[1:])
        listed.append(Frequent(run.kind, run.n, first.text, run.count, run.segments, points, examples))
    return tuple(listed)


def _folded(found: Sequence[Found], longest: dict[str, int]) -> list[Found]:
    """Return the n-grams, those of the longest order that always follow one another joined into runs."""
    by_places = {(f.kind, f.count, f.segments, tuple(f.places)): f for f in found if f.n == longest[f.kind]}

    def beside(entry: Found, step: int) -> Found | None:
        places = tuple((segment, unit + step) for segment, unit in entry.places)
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
    """Return what an n-gram and those in it would contribute as matches, at what a match contributes now."""
    return sum(((n - k + 1) * worth for k, worth in enumerate(worths[:n], 1)), Fraction(0))


def _example(run: Found, reader: Reader, segment: int, unit: int, texts: Sequence[str]) -> Example:
    text = texts[segment]
    units: Symbols = reader.characters(text) if run.kind == "character" else reader.tokens(text)
    start, end = whole_clusters(text, int(units.starts[unit]), int(units.ends[unit + run.n - 1]))
    outer, last = whole_clusters(text, max(start - CONTEXT, 0), min(end + CONTEXT, len(text)))
    return Example(segment, text[outer:start], text[start:end], text[end:last])


def _overlap(one: tuple[str, str, str], two: tuple[str, str, str]) -> bool:
    """Return whether one of two n-grams lies in the other, or they have the same core, unless both are of words."""
    within = one[1] in two[1] or two[1] in one[1]
    return (one[0] == two[0] and within) or ("character" in (one[0], two[0]) and one[2] == two[2])


def _key(run: Found, text: str) -> str:
    return "".join(text.split()) if run.kind == "character" else f" {' '.join(text.split())} "


def _core(run: Found, text: str) -> str:
    """Return the text without whitespace, and of characters without a lone one that a space sets apart at an end."""
    return "".join((_LONE.sub("", text) if run.kind == "character" else text).split())
