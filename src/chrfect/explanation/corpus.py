"""From a metric and a corpus to an explanation: what is most often missed and invented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from chrfect.explanation.contribution import arithmetic, shares
from chrfect.explanation.counted import Counted
from chrfect.explanation.frequent import Tally
from chrfect.explanation.telling import most_telling
from chrfect.explanation.units import Reader
from chrfect.explanation.value import CorpusExplanation
from chrfect.metrics import Bleu, Metric, Result, Segments
from chrfect.metrics.references import Aligned

_BLOCK = 500_000
"""About how many code points are counted at a time."""
_HELD = 4
"""How many blocks are held between the two passes; more are counted again."""


def corpus_explanation(
    metric: Metric,
    aligned: Aligned,
    segments: Segments,
    limit: int,
    progress: Callable[[int, int], None] | None = None,
) -> CorpusExplanation:
    """Return the explanation of a corpus; see :func:`chrfect.explanation.explain_corpus`."""
    texts, chosen = _chosen_first(metric, aligned, segments)
    result = Result(metric, segments.total(), len(texts), segments=segments)
    orders = shares(result)
    blocks = list(_blocks(texts))
    missed, invented = Tally(orders), Tally(orders)
    reader = Reader(metric)
    held = []
    for done, block in enumerate(blocks, 1):
        counted = _count(reader, texts, block)
        missed.count(counted, 1)
        invented.count(counted, 0)
        if len(blocks) <= _HELD:
            held.append(counted)
        if progress:
            progress(done, 2 * len(blocks))
    for tally in (missed, invented):
        tally.choose(limit)
    for done, block in enumerate(blocks):
        counted = held[done] if held else _count(reader, texts, block)
        missed.find(counted, 1, block.start)
        invented.find(counted, 0, block.start)
        if progress:
            progress(len(blocks) + done + 1, 2 * len(blocks))
    return CorpusExplanation(
        result=result,
        orders=orders,
        arithmetic=arithmetic(result),
        chosen=chosen,
        missed=most_telling(list(missed.found.values()), orders, reader, [text[1] for text in texts], limit),
        invented=most_telling(list(invented.found.values()), orders, reader, [text[0] for text in texts], limit),
    )


def _chosen_first(
    metric: Metric, aligned: Aligned, segments: Segments
) -> tuple[list[tuple[str, ...]], tuple[tuple[int | str, int], ...]]:
    """Return each segment's hypothesis and references, the one that counts first, and how often each reference does."""
    if aligned.starts is None:
        return list(zip(aligned.hypotheses, aligned.references, strict=True)), ()
    assert aligned.origins is not None
    tokens = Reader(metric).tokens
    texts = []
    chosen: Counter[int | str] = Counter()
    for i, hypothesis in enumerate(aligned.hypotheses):
        places = range(aligned.starts[i], aligned.starts[i + 1])
        names = [aligned.origins[at] if aligned.names is None else aligned.names[aligned.origins[at]] for at in places]
        references = [aligned.references[at] for at in places]
        if isinstance(metric, Bleu):
            first = [len(tokens(text)) for text in references].index(segments[i].values[1])
        else:
            assert segments.chosen is not None
            first = names.index(segments.chosen[i])
        chosen[names[first]] += 1
        texts.append((hypothesis, references[first], *references[:first], *references[first + 1 :]))
    return texts, tuple(chosen.most_common())


def _blocks(texts: list[tuple[str, ...]]) -> Iterator[range]:
    start = length = 0
    for i, text in enumerate(texts):
        length += sum(map(len, text))
        if length >= _BLOCK:
            yield range(start, i + 1)
            start, length = i + 1, 0
    if start < len(texts):
        yield range(start, len(texts))


def _count(reader: Reader, texts: list[tuple[str, ...]], block: range) -> Counted:
    """Return the counts of a block; a segment with fewer references than others has empty ones in their place."""
    most = max(len(texts[i]) for i in block)
    columns = [[texts[i][k] if k < len(texts[i]) else "" for i in block] for k in range(most)]
    return Counted(reader, columns)
