"""The most telling runs of each kind, exact where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from chrfect.explanation.contribution import changed, exact_score
from chrfect.explanation.runs import Folded
from chrfect.explanation.spans import Run, Runs
from chrfect.explanation.value import OrderShare
from chrfect.metrics import Result

MATCHED, MISSED, INVENTED = "matched", "missed", "invented"
_CONSIDERED = 200
"""Unmatched runs are preselected by what their n-grams would be worth: so many, and ten for each that is shown."""


def listed(
    kind: str, folded: Folded, text: str, result: Result, orders: Sequence[OrderShare], limit: int | None
) -> Runs:
    """Return the runs with the most points, those of the same text counted together.

    Parameters
    ----------
    kind : str
        ``"matched"``, ``"missed"`` or ``"invented"``: what the points of a run are.
    limit : int or None
        How many to show at most.
    """
    first, places, counts = _grouped(folded, text)
    ngrams = tuple(counts.sum(axis=0).tolist())
    worths = [order.worth for order in orders]
    total = sum((n * worth for n, worth in zip(ngrams, worths, strict=True)), Fraction(0))
    worth = counts @ np.array([float(worth) for worth in worths])
    weight = counts @ np.ones(counts.shape[1])
    ranked = np.lexsort((folded.focus_starts[first], -weight, -worth)).tolist()
    show = len(ranked) if limit is None else limit
    exact = []
    for i in ranked[: show if kind == MATCHED else max(_CONSIDERED, 10 * show)]:
        row = counts[i].tolist()
        exact.append((_points(kind, row, result, worths), i, row))
    exact.sort(key=lambda entry: -entry[0])
    shown = []
    for points, i, row in exact[:show]:
        at = first[i]
        start, end = whole_clusters(text, int(folded.focus_starts[at]), int(folded.focus_ends[at]))
        outer, last = whole_clusters(text, int(folded.starts[at]), int(folded.ends[at]))
        before, after = text[outer:start], text[end:last]
        shown.append(Run(before, text[start:end], after, start, end, int(places[i]), tuple(row), points))
    return Runs(tuple(shown), len(first), ngrams, total if kind == MATCHED else None)


def whole_clusters(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span widened so that it splits no grapheme cluster.

    Examples
    --------
    >>> whole_clusters("ae\u0301b", 2, 3)
    (1, 3)
    """
    from wcwidth import grapheme_boundary_before, iter_graphemes

    last = grapheme_boundary_before(text, end)
    cluster = next(iter_graphemes(text, last), "") if end else ""
    return grapheme_boundary_before(text, start + 1) if start < len(text) else start, max(end, last + len(cluster))


def _points(kind: str, row: list[int], result: Result, worths: Sequence[Fraction]) -> Fraction:
    if kind == MATCHED:
        return sum((n * worth for n, worth in zip(row, worths, strict=True)), Fraction(0))
    more = row if kind == MISSED else [-n for n in row]
    return changed(result, more, row if kind == MISSED else [0] * len(row)) - exact_score(result)


def _grouped(folded: Folded, text: str) -> tuple[list[int], list[int], np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Return the first run of each text, how many there are of it, and the sum of their counts."""
    groups: dict[str, int] = {}
    first: list[int] = []
    group = np.zeros(len(folded.starts), np.int64)
    order = np.argsort(folded.focus_starts, kind="stable").tolist()
    starts, ends = folded.focus_starts.tolist(), folded.focus_ends.tolist()
    for at in order:
        key = text[starts[at] : ends[at]]
        number = groups.get(key)
        if number is None:
            number = groups[key] = len(first)
            first.append(at)
        group[at] = number
    counts = np.zeros((len(first), folded.counts.shape[1]), np.int64)
    np.add.at(counts, group, folded.counts)
    return first, np.bincount(group, minlength=len(first)).tolist(), counts
