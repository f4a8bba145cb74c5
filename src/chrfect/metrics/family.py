"""Several metrics at once: texts are counted once for all metrics with compatible counts."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

from chrfect.counts import CountTable
from chrfect.errors import ChrfectWarning
from chrfect.metrics.base import Metric, thread_number
from chrfect.metrics.references import Aligned, References, ReferencesPerSegment, Texts, align, blocks
from chrfect.metrics.registry import as_metric
from chrfect.metrics.result import CorpusResult, Result, Segments


def score_corpus(
    metrics: Sequence[Metric | str],
    hypotheses: Texts,
    references: References | None = None,
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    segments: bool = False,
    threads: int | None = None,
) -> list[Result]:
    """Return the result of each metric for a corpus; texts are counted once for all metrics with compatible counts.

    Parameters
    ----------
    metrics : sequence of (Metric or str)
        The metrics, or their names.
    hypotheses, references, references_per_segment, threads
        As in :meth:`Metric.corpus`.
    segments : bool
        Whether to keep the results of the segments.

    Returns
    -------
    list of Result
        One for each metric; with `segments`, of the class CorpusResult.

    Warns
    -----
    ChrfectWarning
        As :meth:`Metric.corpus`.

    Raises
    ------
    UsageError
        As :meth:`Metric.corpus`.

    Examples
    --------
    >>> results = score_corpus(["chrF", "chrF++"], ["a cat"], ["the cat"])
    >>> [f"{result.metric} {result:.2f}" for result in results]
    ['chrF 31.25', 'chrF++ 29.36']
    """
    found, notices = score_with_notices(
        metrics,
        hypotheses,
        references,
        references_per_segment=references_per_segment,
        segments=segments,
        threads=threads,
    )
    for message in notices:
        warnings.warn(message, ChrfectWarning, stacklevel=2)
    return found


def score_with_notices(
    metrics: Sequence[Metric | str],
    hypotheses: Texts,
    references: References | None = None,
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    segments: bool = False,
    threads: int | None = None,
) -> tuple[list[Result], list[str]]:
    """Return what :func:`score_corpus` returns, and what it would warn about, each once."""
    if not metrics:
        return [], []
    measured = [as_metric(metric) for metric in metrics]
    aligned = measured[0]._align(hypotheses, references, references_per_segment)
    results: dict[int, Result] = {}
    for joined, places in joined_metrics(measured):
        members = [measured[place] for place in places]
        results.update(zip(places, _score(joined, members, aligned, segments, thread_number(threads)), strict=True))
    found = [results[place] for place in range(len(metrics))]
    notices = (metric._notices(aligned, result) for metric, result in zip(measured, found, strict=True))
    return found, list(dict.fromkeys(chain.from_iterable(notices)))


def count_groups(
    metrics: Sequence[Metric],
    hypotheses: Texts,
    references: References | None = None,
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    groups: Sequence[Hashable] | None = None,
    threads: int | None = None,
) -> list[CountTable]:
    """Return the sums of the counts of each group for each metric; texts are counted as by :func:`score_corpus`.

    Parameters
    ----------
    metrics : sequence of Metric
    hypotheses, references, references_per_segment, threads
        As in :meth:`Metric.corpus`.
    groups : sequence, optional
        The group of each segment, the label of its sum; by default all are in the group ``()``.

    No metric warns about the texts.

    Examples
    --------
    >>> (table,) = count_groups([as_metric("chrF")], ["a", "b"], ["a", "b"], groups=["x", "x"])
    >>> table.labels, table.sum().segments
    (('x',), 2)
    """
    if groups is None:
        aligned = align(hypotheses, references, references_per_segment)
        tables: dict[int, CountTable] = {}
        for joined, places in joined_metrics(metrics):
            members = [metrics[place] for place in places]
            results = _score(joined, members, aligned, False, thread_number(threads))
            for place, result in zip(places, results, strict=True):
                counts = result.counts
                tables[place] = CountTable(
                    counts.recipe,
                    array("q", counts.values),
                    sizes=array("q", [counts.segments]),
                    labels=[()],
                    references=counts.references,
                )
        return [tables[place] for place in range(len(metrics))]
    counted = count_segments(
        metrics, hypotheses, references, references_per_segment=references_per_segment, threads=threads
    )
    return [table.sum_by(groups) for table in counted]


def count_segments(
    metrics: Sequence[Metric],
    hypotheses: Texts,
    references: References | None = None,
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    threads: int | None = None,
) -> list[CountTable]:
    """Return the counts of each segment for each metric, against the reference that the metric chooses.

    The parameters are those of :func:`count_groups`. No metric warns about the texts.

    Examples
    --------
    >>> (table,) = count_segments([as_metric("chrF")], ["a", "b"], ["a", "b"])
    >>> len(table)
    2
    """
    aligned = align(hypotheses, references, references_per_segment)
    parts: list[list[CountTable]] = [[] for _ in metrics]
    for joined, places in joined_metrics(metrics):
        for block in blocks(aligned):
            counted = joined._count(block, thread_number(threads))
            for place in places:
                parts[place].append(counted.project(metrics[place]).choose(metrics[place]))
    return [CountTable.concatenate(tables) for tables in parts]


def _score(
    joined: Metric, members: Sequence[Metric], aligned: Aligned, segments: bool, threads: int
) -> Iterator[Result]:
    """Yield the result of each member metric, with counts projected from those of the joined metric."""
    number = len(aligned.hypotheses)
    if not segments and aligned.starts is None:
        values, recipe = joined._sum(aligned, threads)
        sizes = array("q", [number])
        total = CountTable(recipe or joined.count_recipe, array("q", values), sizes=sizes, references=aligned.number)
        for metric in members:
            yield metric.score(total.project(metric))
        return
    tables: list[list[CountTable]] = [[] for _ in members]
    for block in blocks(aligned):
        counted = joined._count(block, threads)
        for metric, parts in zip(members, tables, strict=True):
            chosen = counted.project(metric).choose(metric)
            parts.append(chosen if segments or metric.adds_in_order else chosen.sum_by([None] * len(chosen)))
    for metric, parts in zip(members, tables, strict=True):
        table = CountTable.concatenate(parts)
        yield CorpusResult(Segments(metric, table)) if segments else metric.score(table)


def joined_metrics(metrics: Sequence[Metric]) -> list[tuple[Metric, list[int]]]:
    """Return the metrics to count, each with the indices of the metrics that can be projected from its counts."""
    groups: list[tuple[Metric, list[int]]] = []
    for place, metric in enumerate(metrics):
        for i, (joined, places) in enumerate(groups):
            both = joined.join(metric)
            if both is not None:
                groups[i] = both, [*places, place]
                break
        else:
            groups.append((metric, [place]))
    return groups
