"""What the page of a comparison has for its script: scores, pairs, and the shaded texts of every segment.

Everything is JSON, compressed (zlib) and written in base64. Texts are in blocks, which the page reads when it shows
them.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from chrfect.errors import without_surrogates
from chrfect.evaluation.comparison import Comparison
from chrfect.evaluation.contrast import Contrast
from chrfect.evaluation.groups import in_order
from chrfect.evaluation.report.tables import CORRECTED
from chrfect.evaluation.value import Evaluation
from chrfect.evaluation.where import Contrasts
from chrfect.explanation.corpus import explain_aligned, shown_first
from chrfect.explanation.many import MarkedText, marked_texts
from chrfect.explanation.matches import Matcher
from chrfect.metrics import ChrF
from chrfect.metrics.base import Metric
from chrfect.metrics.references import Aligned, align
from chrfect.report.visible import visible

TEXTS = 400
"""About how many outputs a block of segments has: the segments that are shown are in few, small blocks."""
FEW = 10
"""The smallest number of segments for which a group is called better or worse."""
GROUPS = 12
"""How many documents or labels are listed for a pair: those that differ most."""
RUNS = 5
"""How many missed and how many invented runs of a segment are kept."""
TEXT_LIMIT = 2_000
"""How many code points of a text are shown."""
NGRAMS = 12
"""How many n-grams are in each list."""
LOCATIONS = 5
"""How many segments are named for an n-gram."""
Progress = Callable[[int, int], None]


def packed(data: Any) -> str:
    """Return JSON-ready data as compressed JSON in base64.

    Examples
    --------
    >>> json.loads(zlib.decompress(base64.b64decode(packed({"a": "<b>"}))))
    {'a': '<b>'}
    """
    text = without_surrogates(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode("ascii")


def index(comparison: Comparison) -> dict[str, Any]:
    """Return what the page needs before any text is shown."""
    evaluation = comparison.evaluation
    contrasts = [
        Contrasts(
            evaluation, metric, trials=comparison.resamples, level=comparison.level, seed=comparison.seed, threads=1
        )
        for metric in evaluation.metrics
    ]
    return {
        "systems": [visible(name) for name in evaluation.systems],
        "metrics": [{"name": str(metric), "lower": metric.lower_is_better} for metric in evaluation.metrics],
        "segments": evaluation.segment_count,
        "level": comparison.level,
        "correction": CORRECTED[comparison.correction],
        "block": _block(evaluation),
        "few": FEW,
        "limit": TEXT_LIMIT,
        "scores": [_whole(of_metric.segment_scores, 100) for of_metric in contrasts],
        "influence": [_whole(of_metric.influence, 100_000) for of_metric in contrasts],
        "corpus": [[evaluation.score(name, m).score for name in evaluation.systems] for m in evaluation.metrics],
        "groups": {name: _coded(labels) for name, labels in evaluation.texts.labels.items()},
        "columns": _columns(comparison),
        "pairs": _pairs(comparison, contrasts),
        "errors": [[_errors(evaluation, metric, name) for name in evaluation.systems] for metric in evaluation.metrics],
    }


def _block(evaluation: Evaluation) -> int:
    """Return how many segments a block has."""
    return max(10, TEXTS // len(evaluation.systems))


def _whole(numbers: Any, factor: int) -> list[list[int]]:
    return [[round(factor * number) for number in of_system] for of_system in numbers.tolist()]


def _coded(labels: Sequence[Any]) -> dict[str, Any]:
    """Return labels as their distinct names, and the number of the name of each segment."""
    names = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return {"names": [_named(label) for label in names], "of": [names[label] for label in labels]}


def _named(label: Any) -> str:
    text = str(label)
    return visible(text) if text.strip() else "(empty)"


def _columns(comparison: Comparison) -> list[str]:
    evaluation = comparison.evaluation
    return list(evaluation.score(evaluation.systems[0], evaluation.metrics[0]).runs[0].scorer.columns)


def _pairs(comparison: Comparison, contrasts: Sequence[Contrasts]) -> list[dict[str, Any]]:
    """Return what is known of each pair of systems by each metric."""
    evaluation = comparison.evaluation
    found = []
    for place, (metric, shared) in enumerate(zip(evaluation.metrics, contrasts, strict=True)):
        for difference in comparison.differences:
            if difference.metric != metric:
                continue
            contrast = shared.pair(difference.baseline, difference.system, NGRAMS)
            found.append(
                {
                    "metric": place,
                    "a": evaluation.systems.index(difference.baseline),
                    "b": evaluation.systems.index(difference.system),
                    "difference": difference.difference,
                    "interval": [difference.interval.lower, difference.interval.upper],
                    "p": difference.p_value,
                    "corrected": difference.corrected,
                    "significant": difference.significant,
                    "humans": difference.human_agreement,
                    "wins": difference.wins,
                    "losses": difference.losses,
                    "ties": difference.ties,
                    "identical": contrast.identical,
                    "groups": _groups(contrast, evaluation.texts.labels),
                    "ngrams": _ngrams(contrast),
                }
            )
    return found


def _groups(contrast: Contrast, labels: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return for each grouping those that differ most, and in how many the system is surely ahead, and behind.

    A row starts with the number of the label, as in the index: labels that differ can look alike.
    """
    sign = -1 if contrast.metric.lower_is_better else 1
    found: dict[str, Any] = {}
    for name in dict.fromkeys(group.group for group in contrast.groups):
        groups = [group for group in contrast.groups if group.group == name]
        enough = [group for group in groups if group.segments >= FEW]
        ahead = [sign * group.lower > 0 and sign * group.upper > 0 for group in enough]
        behind = [sign * group.lower < 0 and sign * group.upper < 0 for group in enough]
        numbers = {label: place for place, label in enumerate(dict.fromkeys(labels[name]))}
        shown = list(zip((numbers[label] for label in in_order(name, numbers)), groups, strict=True))
        if name != "reference-length":
            shown = sorted(shown, key=lambda one: -abs(one[1].difference) * one[1].segments ** 0.5)[:GROUPS]
        rows = [
            [
                place,
                group.segments,
                *(round(value, 2) for value in (group.baseline, group.system, group.lower, group.upper)),
                group.wins,
                group.losses,
            ]
            for place, group in shown
        ]
        few = len(groups) - len(enough)
        found[name] = {"rows": rows, "total": len(groups), "few": few, "ahead": sum(ahead), "behind": sum(behind)}
    return found


def _ngrams(contrast: Contrast) -> list[list[Any]]:
    """Return what the baseline matches more often, and what the system does."""
    return [
        [[visible(one.text), one.count, one.opposite, len(one.segments), one.segments[:LOCATIONS]] for one in of_one]
        for of_one in (contrast.missed, contrast.matched)
    ]


def _errors(evaluation: Evaluation, metric: Metric, name: str) -> list[list[list[Any]]]:
    """Return what a system misses more often than it invents, and what it invents more often than it misses.

    Rows are as in :func:`_ngrams`. For a metric without n-grams they are those of chrF.
    """
    explained = explain_aligned(metric if metric.levels else ChrF(), _aligned(evaluation, name), NGRAMS)
    return [
        [
            [visible(one.text), one.count, one.opposite, one.segments, [example.segment for example in one.examples]]
            for one in of_one
        ]
        for of_one in (explained.missed, explained.invented)
    ]


def _aligned(evaluation: Evaluation, name: str) -> Aligned:
    """Return the texts of a system with their references."""
    texts = evaluation.texts
    references: Any = texts.references if len(texts.references) > 1 else next(iter(texts.references.values()))
    return align(list(texts.systems[name]), references)


def text_blocks(comparison: Comparison, progress: Progress | None = None) -> Iterator[list[Any]]:
    """Yield blocks of segments: for each its source, its references, and what each system made of it.

    A system's entry is its text, the steps of the text, the number of its reference, the steps of that, the missed and
    the invented runs (each as start, end and hundredths of the gain in turn), the counts, and the length of a cut text.
    After the systems come the lengths of the source and the references where any is cut, 0 for those that are not.
    """
    evaluation = comparison.evaluation
    texts = evaluation.texts
    metric = evaluation.metrics[0]
    scorer = evaluation.score(evaluation.systems[0], metric).runs[0].segments.scorer
    matcher = Matcher(scorer.levels, remember=True)
    of_systems = [_marked(comparison, metric, name, matcher) for name in evaluation.systems]
    rows = [evaluation.score(name, metric).runs[0].segments.table.to_numpy() for name in evaluation.systems]
    segments = range(evaluation.segment_count)
    size = _block(evaluation)
    number = -(-len(segments) // size)
    for done, start in enumerate(range(0, len(segments), size), 1):
        block = []
        for segment in segments[start : start + size]:
            references: dict[tuple[str, int], int] = {}
            systems = []
            for of_system, counts in zip(of_systems, rows, strict=True):
                hypothesis, reference = next(of_system)
                at = references.setdefault((reference.shown, reference.length), len(references))
                runs = [_flat(reference), _flat(hypothesis)]
                system = [hypothesis.shown, hypothesis.steps, at, reference.steps, *runs, counts[segment].tolist()]
                systems.append([*system, hypothesis.length] if hypothesis.length else system)
            source = None if texts.sources is None else texts.sources[segment]
            cut = [len(source) if source is not None and len(source) > TEXT_LIMIT else 0]
            cut += [length for _, length in references]
            source = None if source is None else visible(source[:TEXT_LIMIT])
            block.append([source, [text for text, _ in references], systems, *([cut] if any(cut) else [])])
        yield block
        if progress:
            progress(done, number)


def _flat(text: MarkedText) -> list[int]:
    return [value for run in text.runs for value in (run.start, run.end, round(100 * run.gain))]


def _marked(
    comparison: Comparison, metric: Metric, name: str, matcher: Matcher
) -> Iterator[tuple[MarkedText, MarkedText]]:
    segments = comparison.evaluation.score(name, metric).runs[0].segments
    ordered, _ = shown_first(metric, _aligned(comparison.evaluation, name), segments)
    return marked_texts(
        segments.scorer,
        [text[0] for text in ordered],
        [text[1:] for text in ordered],
        segments.table.to_numpy(),
        RUNS,
        TEXT_LIMIT,
        matcher,
    )
