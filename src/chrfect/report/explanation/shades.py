"""The shades: how much of a character is covered by matched n-grams, in five steps that need no colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from chrfect.explanation.spans import Shaded
from chrfect.report.visible import Cluster, clusters, visible

UNCOUNTED = -1
NONE, PARTLY, ALL = 0, 2, 4


@dataclass(frozen=True, slots=True)
class Shade:
    """One step: its name in legends, and its mark where there is no colour."""

    name: str
    mark: str


SHADES = (
    Shade("none", "x"),
    Shade("under 1/3", "="),
    Shade("under 2/3", "-"),
    Shade("more", "."),
    Shade("all", " "),
)


def step(matched: int, ngrams: int) -> int:
    """Return the step of a character with so many n-grams over it.

    Examples
    --------
    >>> [step(matched, 6) for matched in range(7)], step(0, 0)
    ([0, 1, 2, 2, 3, 3, 4], -1)
    """
    if not ngrams:
        return UNCOUNTED
    if matched == ngrams:
        return ALL
    return 1 + 3 * matched // ngrams if matched else NONE


def shaded_clusters(text: Shaded) -> Iterator[tuple[Cluster, int]]:
    """Yield each grapheme cluster of a text with its step, that of all its code points together."""
    stretches = iter(text.stretches)
    stretch = next(stretches, None)
    for cluster in clusters(text.text):
        matched = ngrams = 0
        at = cluster.start
        while stretch is not None and at < cluster.end:
            size = min(stretch.end, cluster.end) - at
            matched, ngrams, at = matched + size * stretch.matched, ngrams + size * stretch.ngrams, at + size
            if stretch.end <= at:
                stretch = next(stretches, None)
        yield cluster, step(matched, ngrams)


def shaded_stretches(text: Shaded) -> list[tuple[str, int]]:
    """Return neighbouring clusters of the same step together, as they are shown."""
    return [
        ("".join(cluster.shown for cluster, _ in group), level)
        for level, group in groupby(shaded_clusters(text), key=lambda pair: pair[1])
    ]


def bracketed(shown: str, level: int) -> str:
    """Return a stretch or a token in the brackets that say without colour that none or some of it matches.

    Examples
    --------
    >>> bracketed("dog", NONE), bracketed("The", 2), bracketed("sat", ALL)
    ('⟦dog⟧', '⟨The⟩', 'sat')
    """
    if level == NONE and shown:
        return f"⟦{shown}⟧"
    return f"⟨{shown}⟩" if NONE < level < ALL and shown else shown


def tokens(text: Shaded) -> list[tuple[str, int]]:
    """Return the word tokens as they are shown, with their steps."""
    return [(visible(text.text[t.start : t.end]), step(t.matched, t.ngrams)) for t in text.tokens]
