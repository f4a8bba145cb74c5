"""Evaluate systems: count their texts once, and score them by every metric."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

from chrfect.errors import UsageError, shown
from chrfect.evaluation.groups import Labels, in_order, labels_of, read_groups
from chrfect.evaluation.notices import warn_of_scores, warn_of_texts
from chrfect.evaluation.runs import Runs
from chrfect.evaluation.value import EvaluatedTexts, Evaluation, SystemScore, group_scores
from chrfect.metrics.base import Metric
from chrfect.metrics.family import score_with_notices
from chrfect.metrics.references import (
    Aligned,
    References,
    ReferencesPerSegment,
    Texts,
    align,
    arrow_values,
    exports_arrow,
    named_columns,
    read_references,
)
from chrfect.metrics.registry import as_metric
from chrfect.metrics.result import CorpusResult

Form = Literal["NFC", "NFKC"]


def evaluate(
    systems: Mapping[str, Texts | Runs],
    references: References | None = None,
    metrics: Metric | str | Iterable[Metric | str] = ("chrF",),
    *,
    references_per_segment: ReferencesPerSegment | None = None,
    documents: Iterable[Hashable] | None = None,
    by: str | Iterable[str] | Mapping[str, Iterable[Hashable]] | None = None,
    sources: Iterable[str] | None = None,
    normalize: Form | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Score systems against references by every metric.

    Parameters
    ----------
    systems : mapping of str to (iterable of str, or Runs)
        The hypotheses of each system, by name; :class:`Runs` for several runs of one system. A table with a column for
        each system is such a mapping.
    references, references_per_segment
        As in :meth:`Metric.corpus`.
    metrics : Metric, str, or iterable of them
        The metrics, such as ``["chrF", "BLEU"]``.
    documents : iterable, optional
        The document of each segment; each document is also scored.
    by : {"length", "reference-length"}, several of them, or mapping of str to iterable, optional
        Other groupings of segments: buckets by the length in characters of the hypothesis or of the shortest reference,
        or custom labels, one for each segment, by the name of the grouping.
    sources : iterable of str, optional
        The source of each segment, used to warn about systems that copy it.
    normalize : {"NFC", "NFKC"}, optional
        The Unicode normalization form of all texts; it becomes part of the signatures.
    threads : int, optional
        As in :meth:`Metric.corpus`.

    Warns
    -----
    ChrfectWarning
        For misleading texts and scores, such as zero-width characters, equal systems or empty references.

    Raises
    ------
    UsageError
        If there is no system or metric, the numbers of segments differ, or a name or label is invalid.

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
    systems = named_columns(systems)
    if not isinstance(systems, Mapping) or not systems:
        given = "empty" if isinstance(systems, Mapping) else f"a {type(systems).__name__}"
        raise UsageError(f'systems is {given}; a mapping from names to texts ({{"A": [...]}}) was expected.')
    if normalize is not None and normalize not in get_args(Form):
        raise UsageError(f"normalize is {shown(normalize)}; one of {', '.join(get_args(Form))} was expected.")
    held = _held(references, references_per_segment, normalize)
    scores: list[SystemScore] = []
    notices: dict[str, list[str]] = {}
    groups = None
    texts: dict[str, Sequence[str]] = {}
    first_runs: dict[str, Sequence[str]] = {}
    labels: dict[str, Labels] = {}
    streams: dict[str, Sequence[str | None]] = {}
    for name, given_texts in systems.items():
        if not isinstance(name, str):
            raise UsageError(f"{shown(name)} in systems is a {type(name).__name__}; names are texts (str).")
        runs = given_texts if isinstance(given_texts, Runs) else Runs(given_texts)
        results, aligned, notices[name] = _runs(name, runs, held, measured, normalize, threads)
        texts |= {
            name if len(runs) == 1 else f"{name}, run {number}": of_run.hypotheses
            for number, of_run in enumerate(aligned, 1)
        }
        if groups is None:
            groups = read_groups(documents, by, results[0][0].segment_count)
            streams = _reference_streams(aligned[0])
            named = {kind: given for kind, given in groups.items() if kind != "length"} | {"reference-length": None}
            labels = {kind: labels_of(kind, given, aligned[0]) for kind, given in named.items()}
        first_runs[name] = aligned[0].hypotheses
        for place, metric in enumerate(measured):
            found = tuple(of_run[place] for of_run in results)
            grouped = {
                kind: group_scores(
                    metric,
                    found,
                    [labels_of(kind, given, of_run) for of_run in aligned],
                    lambda labels, kind=kind: in_order(kind, labels),
                )
                for kind, given in groups.items()
            }
            scores.append(SystemScore(name, metric, found, grouped))
    listed = None if sources is None else list(sources)
    warn_of_texts(texts, streams, listed)
    warn_of_scores(notices)
    kept = EvaluatedTexts(first_runs, streams, listed, labels)
    return Evaluation(tuple(systems), tuple(measured), tuple(scores), normalize, kept)


def _runs(
    name: str,
    runs: Runs,
    held: tuple[Any, Any],
    metrics: Sequence[Metric],
    normalize: Form | None,
    threads: int | None,
) -> tuple[list[list[CorpusResult]], list[Aligned], list[str]]:
    """Return the results of each run by each metric, the texts set side by side, and what metrics noticed."""
    results, aligned, notices = [], [], []
    for number, texts in enumerate(runs, 1):
        try:
            beside = align(texts if normalize is None else _normalized(texts, normalize), *held)
            found, noticed = score_with_notices(
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
        notices += noticed
        results.append([result for result in found if isinstance(result, CorpusResult)])
    return results, aligned, list(dict.fromkeys(notices))


def _held(references: Any, references_per_segment: Any, form: Form | None) -> tuple[Any, Any]:
    """Return references that can be iterated for every system, even if generators were given; normalize on request."""
    if form is None:
        if isinstance(references, Mapping):
            references = {name: _kept(texts) for name, texts in references.items()}
        if isinstance(references_per_segment, Iterable) and not exports_arrow(references_per_segment):
            references_per_segment = list(map(_kept, references_per_segment))
        return _kept(references), references_per_segment
    if references is not None or references_per_segment is not None:
        references, references_per_segment = read_references(references, references_per_segment)
    if isinstance(references, Mapping):
        references = {name: _normalized(texts, form) for name, texts in references.items()}
    elif references is not None:
        references = _normalized(references, form)
    if references_per_segment is not None:
        references_per_segment = [_normalized(texts, form) for texts in references_per_segment]
    return references, references_per_segment


def _kept(texts: Any) -> Any:
    return list(texts) if hasattr(texts, "__next__") else texts


def _normalized(texts: Any, form: Form) -> Any:
    """Return texts in a Unicode normalization form; other values are kept for the later check."""
    exported = arrow_values(texts)
    if exported is None and (isinstance(texts, str) or not isinstance(texts, Iterable)):
        return texts
    values = texts if exported is None else exported
    return [unicodedata.normalize(form, text) if isinstance(text, str) else text for text in values]


def _reference_streams(aligned: Aligned) -> dict[str, Sequence[str | None]]:
    """Return the references by name, with None for a missing reference."""
    if aligned.starts is None or aligned.origins is None:
        return {aligned.names[0] if aligned.names else "references": aligned.references}
    number = max(aligned.origins) + 1
    streams: list[list[str | None]] = [[None] * len(aligned.hypotheses) for _ in range(number)]
    for segment, (start, stop) in enumerate(pairwise(aligned.starts)):
        for place in range(start, stop):
            streams[aligned.origins[place]][segment] = aligned.references[place]
    names = aligned.names or tuple(f"reference {i}" for i in range(1, number + 1))
    return dict(zip(names, streams, strict=True))
