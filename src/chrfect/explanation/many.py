"""The shaded texts and the runs of many segments at once, as a page of all segments needs them.

The numbers are those of :func:`chrfect.explanation.explain`; they are computed for a block of segments by the same
functions, without a value for each segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from chrfect.explanation.matches import LevelMatches, Matcher
from chrfect.explanation.report.shading import ALL, NONE, UNCOUNTED, step
from chrfect.explanation.runs import Folded, fold, joined, text_starts
from chrfect.explanation.segment import cover
from chrfect.metrics import Scoring
from chrfect.report.visible import clusters, plain
from chrfect.text.symbols import Ints

_BLOCK = 200_000
"""About how many code points are matched at a time."""
LETTERS = "abcdef"
"""The letters of the steps of :func:`chrfect.explanation.report.shading.step`, from ``UNCOUNTED`` to ``ALL``."""


@dataclass(frozen=True, slots=True)
class MarkedRun:
    """A missed or invented run: its position in the shown text, and what the score of the segment would gain."""

    start: int
    end: int
    gain: float


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text as it is displayed, and the steps of its characters.

    Parameters
    ----------
    shown : str
        The text, or its beginning, with control characters replaced by symbols.
    length : int
        How many code points the whole text has if it is cut, else 0.
    steps : str
        A letter for each step (``LETTERS``) before the number of UTF-16 code units that have it: ``"f12b3"``.
    runs : tuple of MarkedRun
        The missed runs of a reference, the invented runs of a hypothesis, those with the largest gains first.
    """

    shown: str
    steps: str
    runs: tuple[MarkedRun, ...]
    length: int = 0


def marked_texts(
    scorer: Scoring,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    rows: NDArray[np.int64],
    limit: int,
    text_limit: int,
    matcher: Matcher | None = None,
) -> Iterator[tuple[MarkedText, MarkedText]]:
    """Yield the hypothesis and the shown reference of each segment, shaded.

    Parameters
    ----------
    scorer : Scoring
        The rule for segments.
    hypotheses : sequence of str
    references : sequence of sequences of str
        The references of each segment, the shown one first.
    rows : int64 array, segments × columns
        The counts of the segments.
    limit : int
        How many runs of each text to keep.
    text_limit : int
        How many code points of each text to show.
    matcher : Matcher, optional
        One for the levels of the scorer; for several systems the same, which then knows the references.
    """
    matcher = matcher or Matcher(scorer.levels)
    scores = _scores(scorer, rows)
    for block in _blocks(hypotheses, references):
        most = max(len(references[i]) for i in block)
        sides = [[hypotheses[i] for i in block]]
        sides += [[references[i][k] if k < len(references[i]) else "" for i in block] for k in range(most)]
        levels = matcher.matches(sides) if scorer.levels else []
        part = rows[block.start : block.stop], scores[block.start : block.stop]
        found = [_side(scorer, levels, which, sides[which], *part, limit, text_limit) for which in (0, 1)]
        yield from zip(*found, strict=True)


def _scores(scorer: Scoring, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    if not len(rows):
        return np.zeros(0)
    flat = memoryview(np.ascontiguousarray(rows).reshape(-1)).cast("B").cast("q")  # type: ignore[arg-type]
    return scorer.float_array(flat)


def _blocks(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[range]:
    start = length = 0
    for i, text in enumerate(hypotheses):
        length += len(text) + sum(map(len, references[i]))
        if length >= _BLOCK:
            yield range(start, i + 1)
            start, length = i + 1, 0
    if start < len(hypotheses):
        yield range(start, len(hypotheses))


def _side(
    scorer: Scoring,
    levels: Sequence[LevelMatches],
    which: int,
    texts: Sequence[str],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    limit: int,
    text_limit: int,
) -> Iterator[MarkedText]:
    starts = text_starts(texts)
    covers = np.zeros((2, int(starts[-1])), np.int64)
    runs: list[list[tuple[int, int, float]]] = [[] for _ in texts]
    if levels:
        side, symbols = levels[0].sides[which], joined(levels[0].symbols[which], starts)
        covers = np.array([cover(flags, symbols, int(starts[-1])) for flags in (side.matched, side.counted)])
        folded = fold(levels, which, False, starts)
        runs = _best_runs(scorer, folded, which, starts, rows, scores, limit)
    for text, start, steps, here in zip(texts, starts.tolist(), _encoded_block(covers, starts), runs, strict=False):
        if len(text) <= text_limit and plain(text):
            yield MarkedText(text, steps, tuple(MarkedRun(*run) for run in here))
        else:
            matched, ngrams = covers[:, start : start + len(text)]
            yield _marked(text, matched, ngrams, here, text_limit)


def _encoded_block(covers: NDArray[np.int64], starts: Ints) -> list[str]:
    """Return the steps of each text, encoded, where each code point is one UTF-16 code unit."""
    matched, ngrams = covers
    steps = np.where(matched > 0, 1 + 3 * matched // np.maximum(ngrams, 1), NONE)
    steps[ngrams == 0] = UNCOUNTED
    steps[(matched == ngrams) & (ngrams > 0)] = ALL
    change = np.flatnonzero(np.diff(steps, prepend=UNCOUNTED - 1))
    begins = np.union1d(np.append(change, starts[:-1]), starts[1:] - 1)  # a separator follows each text
    lengths = np.diff(np.append(begins, starts[-1]))
    letters = [LETTERS[step + 1] for step in steps[begins].tolist()]
    pieces = [f"{letter}{length}" for letter, length in zip(letters, lengths.tolist(), strict=True)]
    first = np.searchsorted(begins, starts[:-1]).tolist()
    last = np.searchsorted(begins, starts[1:] - 1).tolist()
    return ["".join(pieces[i:j]) for i, j in zip(first, last, strict=True)]


def _best_runs(
    scorer: Scoring,
    folded: Folded,
    which: int,
    starts: Ints,
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    limit: int,
) -> list[list[tuple[int, int, float]]]:
    """Return the runs of each text with the largest gains, as positions in the text with the gain."""
    segments = np.searchsorted(starts, folded.focus_starts, "right") - 1
    change = _change(scorer, rows.shape[1], which)
    gains = _scores(scorer, rows[segments] + folded.counts @ change) - scores[segments]
    if scorer.lower_is_better:
        gains = -gains
    order = np.lexsort((folded.focus_starts, -gains, segments))
    rank = np.arange(len(order)) - np.searchsorted(segments[order], segments[order])
    kept = order[rank < limit]
    runs: list[list[tuple[int, int, float]]] = [[] for _ in range(len(rows))]
    begins, ends = folded.focus_starts[kept] - starts[segments[kept]], folded.focus_ends[kept] - starts[segments[kept]]
    for values in zip(segments[kept].tolist(), begins.tolist(), ends.tolist(), gains[kept].tolist(), strict=True):
        runs[values[0]].append(values[1:])
    return runs


def _change(scorer: Scoring, columns: int, which: int) -> NDArray[np.int64]:
    """Return what one n-gram of each order changes in the counts: one more match, or one invented n-gram less."""
    orders = sum(level.max_order for level in scorer.levels)
    none = [0] * orders
    changes = []
    for order in range(orders):
        one = [int(place == order) for place in range(orders)]
        ngrams, matches = (one, one) if which else ([-n for n in one], none)
        changes.append(list(scorer.changed_counts([0] * columns, ngrams, matches)))
    return np.array(changes, np.int64).reshape(orders, columns)


def _marked(text: str, matched: Ints, ngrams: Ints, runs: Sequence[tuple[int, int, float]], limit: int) -> MarkedText:
    shown, of_clusters, units = [], [], []
    first = np.zeros(len(text) + 1, np.int64)
    last = np.zeros(len(text) + 1, np.int64)
    at = end = 0
    for cluster in clusters(text[: 2 * limit]):
        if cluster.end > limit and cluster.start:
            break
        here = slice(cluster.start, cluster.end)
        of_clusters.append(step(int(matched[here].sum()), int(ngrams[here].sum())))
        units.append(len(cluster.shown.encode("utf-16-le", "surrogatepass")) // 2)
        shown.append(cluster.shown)
        first[cluster.start : cluster.end], last[cluster.start + 1 : cluster.end + 1] = at, at + units[-1]
        at, end = at + units[-1], cluster.end
    placed = tuple(MarkedRun(int(first[s]), int(last[e]), gain) for s, e, gain in runs if e <= end)
    left = len(text) if end < len(text) else 0
    return MarkedText("".join(shown), _encoded(of_clusters, units), placed, left)


def _encoded(steps: Sequence[int], units: Sequence[int]) -> str:
    """Return the steps of clusters with the length of their stretches, in UTF-16 code units."""
    pieces = []
    for level, group in groupby(zip(steps, units, strict=True), key=itemgetter(0)):
        pieces.append(f"{LETTERS[level + 1]}{sum(size for _, size in group)}")
    return "".join(pieces)
