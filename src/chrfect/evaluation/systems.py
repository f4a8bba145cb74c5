"""Evaluate systems: count their texts once, and score them by every metric."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from chrfect.errors import UsageError, shown
from chrfect.evaluation.groups import in_order, labels_of, read_groups
from chrfect.evaluation.value import Evaluation, SystemScore, group_scores
from chrfect.metrics.base import Metric
from chrfect.metrics.family import score_corpus
from chrfect.metrics.references import Aligned, References, ReferencesPerSegment, Texts, align
from chrfect.metrics.registry import as_metric
from chrfect.metrics.result import CorpusResult


class Runs(tuple[Any, ...]):
    """The outputs of several runs of one system, such as trainings from different random seeds.

    Examples
    --------
    >>> from chrfect import evaluate
    >>> found = evaluate({"A": Runs(["a cat"], ["the cat"])}, ["the cat"]).score("A")
    >>> len(found.runs), found.score == (found.runs[0].score + found.runs[1].score) / 2
    (2, True)
    """

    def __new__(cls, *runs: Texts) -> Runs:
        if not runs:
            raise UsageError("Runs() has no run; the texts of at least one were expected.")
        return super().__new__(cls, runs)


def evaluate(
    systems: Mapping[str, Texts | Runs],
    references: References | None = None,
    metrics: Metric | str | Iterable[Metric | str] = ("chrF",),
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    documents: Iterable[Hashable] | None = None,
    by: str | Iterable[str] | Mapping[str, Iterable[Hashable]] | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Score systems against references by every metric.

    Parameters
    ----------
    systems : mapping of str to (iterable of str, or Runs)
        The hypotheses of each system, by name; :class:`Runs` for a system that ran several times.
    references, references_per_segment
        As in :meth:`Metric.corpus`.
    metrics : Metric, str, or iterable of them
        What to measure, such as ``["chrF", "BLEU"]``.
    documents : iterable, optional
        The document of each segment; documents get scores of their own.
    by : {"length", "reference-length"}, several of them, or mapping of str to iterable, optional
        Other groups of segments: buckets of lengths in characters, of the hypothesis or the shortest reference; or
        labels, one for each segment, by the name of the grouping.
    threads : int, optional
        As in :meth:`Metric.corpus`.

    Raises
    ------
    UsageError
        If there is no system or metric, numbers of segments differ, or a name or label is not what was expected.

    Examples
    --------
    >>> found = evaluate({"A": ["a cat", "hi"], "B": ["the cat", "ho"]}, ["the cat", "hi"], ["chrF", "chrF++"])
    >>> found
    <Evaluation of 2 systems over 2 segments: chrF, chrF++>
    >>> f"{found.score('B', 'chrF').score:.2f}"
    '95.14'
    """
    measured = [as_metric(metric) for metric in ([metrics] if isinstance(metrics, str | Metric) else metrics)]
    if not measured:
        raise UsageError("metrics is empty; at least one, such as 'chrF', was expected.")
    if len(set(map(str, measured))) < len(measured):
        raise UsageError(f"A metric is given twice: {', '.join(map(str, measured))}.")
    if not isinstance(systems, Mapping) or not systems:
        given = "empty" if isinstance(systems, Mapping) else f"a {type(systems).__name__}"
        raise UsageError(f'systems is {given}; a mapping from names to texts ({{"A": [...]}}) was expected.')
    held = _held(references), None if references_per_segment is None else [list(r) for r in references_per_segment]
    scores: list[SystemScore] = []
    groups = None
    for name, texts in systems.items():
        if not isinstance(name, str):
            raise UsageError(f"{shown(name)} in systems is a {type(name).__name__}; names are texts (str).")
        runs = texts if isinstance(texts, Runs) else Runs(texts)
        results, aligned = _runs(name, runs, held, measured, threads)
        if groups is None:
            groups = read_groups(documents, by, results[0][0].segment_count)
        for place, metric in enumerate(measured):
            found = tuple(of_run[place] for of_run in results)
            grouped = {
                kind: group_scores(
                    metric,
                    found,
                    [labels_of(kind, labels, of_run) for of_run in aligned],
                    lambda labels, kind=kind: in_order(kind, labels),
                )
                for kind, labels in groups.items()
            }
            scores.append(SystemScore(name, metric, found, grouped))
    counts = {found.runs[0].segment_count for found in scores}
    assert len(counts) == 1
    return Evaluation(tuple(systems), tuple(measured), tuple(scores))


def _runs(
    name: str, runs: Runs, held: tuple[Any, Any], metrics: Sequence[Metric], threads: int | None
) -> tuple[list[list[CorpusResult]], list[Aligned]]:
    """Return the results of each run by each metric, and the texts set side by side."""
    results, aligned = [], []
    for number, texts in enumerate(runs, 1):
        try:
            beside = align(texts, *held)
            found = score_corpus(
                metrics,
                beside.hypotheses,
                held[0],
                references_per_segment=held[1],
                segments=True,
                threads=threads,
            )
        except UsageError as error:
            where = f"System {name!r}" + (f", run {number}" if len(runs) > 1 else "")
            raise UsageError(f"{where}: {error}") from None
        aligned.append(beside)
        results.append([result for result in found if isinstance(result, CorpusResult)])
    return results, aligned


def _held(references: Any) -> Any:
    """Return references that can be read for every system, also where they are generators."""
    if isinstance(references, Mapping):
        return {name: _held(texts) for name, texts in references.items()}
    return list(references) if hasattr(references, "__next__") else references
