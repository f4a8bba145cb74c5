"""The explanation of a corpus: what is missed more often than invented, and invented more often than missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

from chrfect.explanation.contrast import Contrasted, Occurrences, contrast, fact_levels, indices_of, occurrences
from chrfect.explanation.matches import LevelMatches, Matcher
from chrfect.explanation.segment import shown_reference, whole_clusters
from chrfect.explanation.value import CorpusExplanation, Example, Frequent
from chrfect.metrics import CorpusResult, Metric, Segments
from chrfect.metrics.base import thread_number
from chrfect.metrics.references import Aligned
from chrfect.metrics.shares import OrderShare
from chrfect.text.symbols import Symbols

_BLOCK = 500_000
"""The approximate number of code points in a block."""
EXAMPLES = 3
CONTEXT = 16
"""The number of code points before and after an n-gram in an example."""
LevelKind = Literal["character", "word", "token"]
Progress = Callable[[int, int], None]


def explain_aligned(
    metric: Metric, aligned: Aligned, limit: int, progress: Progress | None = None
) -> CorpusExplanation:
    """Return the explanation of a corpus; see :func:`chrfect.explanation.explain_corpus`."""
    segments = Segments(metric, metric._chosen(aligned, thread_number(None)))
    result = CorpusResult(segments)
    texts, chosen = shown_first(metric, aligned, segments)
    orders = metric.shares(result.values)
    missed: tuple[Frequent, ...] = ()
    invented: tuple[Frequent, ...] = ()
    if orders and metric.levels:
        missed, invented = _frequent(metric, orders, texts, limit, progress)
    return CorpusExplanation(
        result=result,
        orders=orders,
        arithmetic=result.scorer.arithmetic(result.values),
        chosen=chosen,
        missed=missed,
        invented=invented,
    )


def _frequent(
    metric: Metric,
    orders: Sequence[OrderShare],
    texts: Sequence[tuple[str, ...]],
    limit: int,
    progress: Progress | None,
) -> tuple[tuple[Frequent, ...], tuple[Frequent, ...]]:
    """Return what is missed more often than it is invented, and what is invented more often than it is missed."""
    levels = fact_levels(metric, [text[1] for text in texts])
    matcher = Matcher(levels)
    blocks = list(_blocks(texts))
    parts: list[list[list[Occurrences]]] = [[], []]
    for done, block in enumerate(blocks, 1):
        (level,) = _matches(matcher, texts, block)
        for which, side in enumerate(level.sides):
            parts[which].append(occurrences(level.symbols[which], side.unmatched, block.start))
        if progress:
            progress(done, len(blocks) + 1)
    indices = indices_of(parts)
    worth = _Worth(orders, levels[0].kind)
    found = [
        tuple(
            _described(one, matcher, levels[0].kind, [text[1 - which] for text in texts], worth)
            for one in contrast(indices, 1 - which, which, limit)
        )
        for which in (0, 1)
    ]
    if progress:
        progress(len(blocks) + 1, len(blocks) + 1)
    return found[0], found[1]


class _Worth:
    """Computes the contribution of an n-gram and the shorter ones in it as matches, at the current value of a match."""

    def __init__(self, orders: Sequence[OrderShare], kind: str) -> None:
        self._characters = [order.worth for order in orders if order.kind == "character"]
        self._words = [order.worth for order in orders if order.kind == kind != "character"]

    def __call__(self, text: str, n: int) -> Fraction:
        sizes = (len("".join(text.split())), self._characters), (n, self._words)
        return sum(((size - k) * worth for size, worths in sizes for k, worth in enumerate(worths[:size])), Fraction(0))


def _described(
    found: Contrasted, matcher: Matcher, kind: LevelKind, texts: Sequence[str], worth: Callable[[str, int], Fraction]
) -> Frequent:
    examples = tuple(
        _example(matcher.symbols(kind, texts[segment]), at, found.n, segment, texts[segment])
        for segment, at in zip(found.segments[:EXAMPLES], found.places, strict=False)
    )
    text = examples[0].text
    points = (found.first - found.second) * worth(text, found.n)
    return Frequent(kind, found.n, text, found.first, found.second, len(found.segments), points, examples)


def _example(symbols: Symbols, at: int, n: int, segment: int, text: str) -> Example:
    start, end = whole_clusters(text, int(symbols.starts[at]), int(symbols.ends[at + n - 1]))
    outer, last = whole_clusters(text, max(start - CONTEXT, 0), min(end + CONTEXT, len(text)))
    return Example(segment, text[outer:start], text[start:end], text[end:last])


def shown_first(
    metric: Metric, aligned: Aligned, segments: Segments
) -> tuple[list[tuple[str, ...]], tuple[tuple[int | str, int], ...]]:
    """Return the hypothesis and the references of each segment, the shown one first, and how often each is shown."""
    if aligned.starts is None:
        return list(zip(aligned.hypotheses, aligned.references, strict=True)), ()
    assert aligned.origins is not None
    texts = []
    chosen: Counter[int | str] = Counter()
    for i, hypothesis in enumerate(aligned.hypotheses):
        start, end = aligned.starts[i], aligned.starts[i + 1]
        references = aligned.references[start:end]
        candidates = [metric.sentence(hypothesis, reference).values for reference in references]
        first = shown_reference(metric.segmental, candidates, segments[i].values)
        origin = aligned.origins[start + first]
        chosen[origin if aligned.names is None else aligned.names[origin]] += 1
        texts.append((hypothesis, references[first], *references[:first], *references[first + 1 :]))
    return texts, tuple(chosen.most_common())


def _blocks(texts: Sequence[tuple[str, ...]]) -> Iterator[range]:
    start = length = 0
    for i, text in enumerate(texts):
        length += sum(map(len, text))
        if length >= _BLOCK:
            yield range(start, i + 1)
            start, length = i + 1, 0
    if start < len(texts):
        yield range(start, len(texts))


def _matches(matcher: Matcher, texts: Sequence[tuple[str, ...]], block: range) -> list[LevelMatches]:
    """Return the matches of a block; missing references of a segment are replaced by empty ones."""
    most = max(len(texts[i]) for i in block)
    return matcher.matches([[texts[i][k] if k < len(texts[i]) else "" for i in block] for k in range(most)])
