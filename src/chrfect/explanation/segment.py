"""The explanation of one segment: runs of matched, missed and invented n-grams, and the shaded texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chrfect.explanation.matches import Flags, LevelMatches, Matcher, Side
from chrfect.explanation.runs import Folded, fold
from chrfect.explanation.value import Candidate, Explanation, Run, Runs, Shaded, Stretch, Token, explained_score
from chrfect.metrics import Metric, Scoring
from chrfect.text.symbols import Ints, Symbols

MATCHED, MISSED, INVENTED = "matched", "missed", "invented"
_RANKED = 200
"""The minimum number of unmatched runs whose gains are computed; at least ten times the number of listed runs."""


def explain_segment(
    metric: Metric,
    hypothesis: str,
    references: str | Sequence[str | None] | Mapping[str, str | None],
    limit: int | None,
    text_limit: int | None,
) -> Explanation:
    """Return the explanation of one segment; see :func:`chrfect.explanation.explain`."""
    result = metric.sentence(hypothesis, references)
    scorer = result.scorer
    passed: Iterable[tuple[int | str, str | None]]
    if isinstance(references, Mapping):
        passed = references.items()
    else:
        passed = enumerate([references] if isinstance(references, str) else references)
    present = [(name, text) for name, text in passed if text is not None]
    candidates = tuple(Candidate(name, metric.sentence(hypothesis, text)) for name, text in present)
    chosen = shown_reference(scorer, [candidate.result.values for candidate in candidates], result.values)
    texts = (hypothesis, present[chosen][1], *(text for i, (_, text) in enumerate(present) if i != chosen))
    orders = scorer.shares(result.values)
    levels = Matcher(metric.levels).matches([[text] for text in texts]) if orders else []
    gains = _Gains(scorer, result.values, [order.worth for order in orders])
    matched, missed, invented = (
        _listed(kind, levels, which, texts[which], gains, limit)
        for kind, which in ((MATCHED, 0), (MISSED, 1), (INVENTED, 0))
    )
    unmatched_part = Fraction(0)
    if levels:
        unmatched_part = sum((order.contribution for order in orders), -(matched.points or Fraction(0)))
    return Explanation(
        result=result,
        orders=orders,
        smoothing=unmatched_part,
        edits=scorer.edits(hypothesis, texts[1], result.values),
        arithmetic=scorer.arithmetic(result.values),
        chosen=candidates[chosen].name,
        candidates=candidates,
        hypothesis=_shaded(hypothesis, levels, 0, text_limit),
        reference=_shaded(texts[1], levels, 1, text_limit),
        matched=matched,
        missed=missed,
        invented=invented,
    )


def shown_reference(scorer: Scoring, candidates: Sequence[Sequence[int]], values: Sequence[int]) -> int:
    """Return the index of the shown reference: that selected by the metric, or the first with the best score.

    Parameters
    ----------
    candidates : sequence of sequences of int
        The counts for each reference alone.
    values : sequence of int
        The counts of the segment.
    """
    shown = scorer.shown_reference(candidates, values)
    if shown is None:
        scores = [scorer.float_score(candidate) for candidate in candidates]
        shown = scores.index(min(scores) if scorer.lower_is_better else max(scores))
    return shown


def whole_clusters(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span that is extended to whole grapheme clusters.

    Examples
    --------
    >>> whole_clusters("ae\u0301b", 2, 3)
    (1, 3)
    """
    from wcwidth import grapheme_boundary_before, iter_graphemes

    last = grapheme_boundary_before(text, end)
    cluster = next(iter_graphemes(text, last), "") if end else ""
    return grapheme_boundary_before(text, start + 1) if start < len(text) else start, max(end, last + len(cluster))


class _Gains:
    """Computes the points of runs from their n-grams."""

    def __init__(self, scorer: Scoring, values: Sequence[int], worths: Sequence[Fraction]) -> None:
        self.worths = worths
        self._scorer = scorer
        self._values = values
        self._score = explained_score(scorer, values)

    def points(self, kind: str, ngrams: Sequence[int]) -> Fraction:
        """Return the contribution of a matched run, or the gain in score without an unmatched run."""
        if kind == MATCHED:
            return sum((n * worth for n, worth in zip(ngrams, self.worths, strict=True)), Fraction(0))
        hypothesis, matches = (ngrams, ngrams) if kind == MISSED else ([-n for n in ngrams], [0] * len(ngrams))
        changed = self._scorer.changed_counts(self._values, hypothesis, matches)
        return explained_score(self._scorer, changed) - self._score


def _listed(kind: str, levels: Sequence[LevelMatches], which: int, text: str, gains: _Gains, limit: int | None) -> Runs:
    """Return the runs with the most points; runs with the same text are counted together.

    Parameters
    ----------
    kind : str
        ``"matched"``, ``"missed"`` or ``"invented"``.
    limit : int or None
        The maximum number of runs.
    """
    if not levels:
        return Runs((), 0, ())
    folded = fold(levels, which, kind == MATCHED, np.zeros(1, np.int64))
    first, places, counts = _grouped(folded, text)
    ngrams = tuple(counts.sum(axis=0).tolist())
    worth = counts @ np.array([float(worth) for worth in gains.worths])
    weight = counts @ np.ones(counts.shape[1])
    ranked = np.lexsort((folded.focus_starts[first], -weight, -worth)).tolist()
    show = len(ranked) if limit is None else limit
    exact = []
    for i in ranked[: show if kind == MATCHED else max(_RANKED, 10 * show)]:
        row = counts[i].tolist()
        exact.append((gains.points(kind, row), i, row))
    exact.sort(key=lambda entry: -entry[0])
    shown = []
    for points, i, row in exact[:show]:
        at = first[i]
        start, end = whole_clusters(text, int(folded.focus_starts[at]), int(folded.focus_ends[at]))
        outer, last = whole_clusters(text, int(folded.starts[at]), int(folded.ends[at]))
        before, after = text[outer:start], text[end:last]
        shown.append(Run(before, text[start:end], after, start, end, int(places[i]), tuple(row), points))
    return Runs(tuple(shown), len(first), ngrams, gains.points(MATCHED, ngrams) if kind == MATCHED else None)


def _grouped(folded: Folded, text: str) -> tuple[list[int], list[int], NDArray[np.int64]]:
    """Return the first run with each text, the number of runs with this text, and the sum of their counts."""
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


def _shaded(text: str, levels: Sequence[LevelMatches], which: int, limit: int | None) -> Shaded:
    """Return one of the two texts, truncated to `limit` code points, with its stretches and tokens.

    The stretches are those of the first level, which are words if the metric does not count characters.
    """
    shown = text if limit is None or len(text) <= limit else text[: _boundary(text, limit)]
    if not levels:
        return Shaded(shown, len(text), _stretches(*np.zeros((2, len(shown)), np.int64)), ())
    side, symbols = levels[0].sides[which], levels[0].symbols[which][0]
    matched, ngrams = (cover(flags, symbols, len(text))[: len(shown)] for flags in (side.matched, side.counted))
    last = levels[-1]
    tokens = () if last.kind == "character" else _tokens(last.symbols[which][0], last.sides[which], len(shown))
    return Shaded(shown, len(text), _stretches(matched, ngrams), tokens)


def cover(flags: Sequence[Flags], symbols: Symbols, length: int) -> Ints:
    """Return the number of flagged n-grams that cover each code point."""
    number = len(symbols)
    per_symbol = np.zeros(number + 1, np.int64)
    for n, here in enumerate(flags, 1):
        places = np.flatnonzero(here)
        np.add.at(per_symbol, places, 1)
        np.add.at(per_symbol, places + n, -1)
    cover = np.cumsum(per_symbol)[:number]
    per_point = np.zeros(length + 1, np.int64)
    np.add.at(per_point, symbols.starts, cover)
    np.add.at(per_point, symbols.ends, -cover)
    return np.cumsum(per_point)[:length]


def _stretches(matched: Ints, ngrams: Ints) -> tuple[Stretch, ...]:
    if not len(matched):
        return ()
    change = (np.diff(matched) != 0) | (np.diff(ngrams) != 0)
    bounds = [0, *(np.flatnonzero(change) + 1).tolist(), len(matched)]
    return tuple(Stretch(start, end, int(matched[start]), int(ngrams[start])) for start, end in pairwise(bounds))


def _tokens(words: Symbols, side: Side, length: int) -> tuple[Token, ...]:
    number = int(np.searchsorted(words.ends, length, "right"))
    alone = Symbols(words.symbols, np.arange(len(words)), np.arange(1, len(words) + 1))
    covers = [cover(flags, alone, len(words))[:number].tolist() for flags in (side.matched, side.counted)]
    starts, ends = words.starts[:number].tolist(), words.ends[:number].tolist()
    return tuple(Token(*values) for values in zip(starts, ends, *covers, strict=True))


def _boundary(text: str, limit: int) -> int:
    """Return the end of the last grapheme cluster that ends within the limit."""
    from wcwidth import grapheme_boundary_before

    return grapheme_boundary_before(text[: limit + 1], limit + 1) or limit
