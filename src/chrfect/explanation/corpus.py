"""The explanation of a corpus: the n-grams that are most often missed and invented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from chrfect.explanation.matches import LevelMatches, Matcher
from chrfect.explanation.ranking import Tally, rank_frequent
from chrfect.explanation.segment import shown_reference
from chrfect.explanation.value import CorpusExplanation, Frequent
from chrfect.metrics import CorpusResult, Metric, Segments
from chrfect.metrics.base import thread_number
from chrfect.metrics.references import Aligned
from chrfect.metrics.shares import OrderShare

_BLOCK = 500_000
"""About how many code points are matched at a time."""
_HELD = 4
"""How many blocks are held between the two passes. In a corpus of more, each block is matched twice."""
Progress = Callable[[int, int], None]


def explain_aligned(
    metric: Metric, aligned: Aligned, limit: int, progress: Progress | None = None
) -> CorpusExplanation:
    """Return the explanation of a corpus; see :func:`chrfect.explanation.explain_corpus`."""
    segments = Segments(metric, metric._chosen(aligned, thread_number(None)))
    result = CorpusResult(segments)
    texts, chosen = _shown_first(metric, aligned, segments)
    orders = metric.shares(result.values)
    missed: tuple[Frequent, ...] = ()
    invented: tuple[Frequent, ...] = ()
    if orders and metric.levels:
        missed, invented = _frequent(Matcher(metric.levels), orders, texts, limit, progress)
    return CorpusExplanation(
        result=result,
        orders=orders,
        arithmetic=result.scorer.arithmetic(result.values),
        chosen=chosen,
        missed=missed,
        invented=invented,
    )


def _frequent(
    matcher: Matcher,
    orders: Sequence[OrderShare],
    texts: Sequence[tuple[str, ...]],
    limit: int,
    progress: Progress | None,
) -> tuple[tuple[Frequent, ...], tuple[Frequent, ...]]:
    """Return the n-grams that are most often missed and invented: count them all, then find those that are listed."""
    blocks = list(_blocks(texts))
    missed, invented = Tally(orders), Tally(orders)
    held = []
    for done, block in enumerate(blocks, 1):
        levels = _matches(matcher, texts, block)
        missed.count(levels, 1)
        invented.count(levels, 0)
        if len(blocks) <= _HELD:
            held.append(levels)
        if progress:
            progress(done, 2 * len(blocks))
    for tally in (missed, invented):
        tally.choose(limit)
    for done, block in enumerate(blocks):
        levels = held[done] if held else _matches(matcher, texts, block)
        missed.find(levels, 1, block.start)
        invented.find(levels, 0, block.start)
        if progress:
            progress(len(blocks) + done + 1, 2 * len(blocks))
    return (
        rank_frequent(list(missed.found.values()), orders, matcher, [text[1] for text in texts], limit),
        rank_frequent(list(invented.found.values()), orders, matcher, [text[0] for text in texts], limit),
    )


def _shown_first(
    metric: Metric, aligned: Aligned, segments: Segments
) -> tuple[list[tuple[str, ...]], tuple[tuple[int | str, int], ...]]:
    """Return each segment's hypothesis and references, the shown one first, and how often each reference is shown."""
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
    """Return the matches of a block; a segment with fewer references than others has empty ones in their place."""
    most = max(len(texts[i]) for i in block)
    return matcher.matches([[texts[i][k] if k < len(texts[i]) else "" for i in block] for k in range(most)])
