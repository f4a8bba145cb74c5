"""Where two systems differ: by length, document and label, by segment, and in what they match of the references."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.errors import UsageError, shown
from chrfect.evaluation.contrast import Contrast, GroupDifference, MatchedNgram, SegmentDifference, TextCounts
from chrfect.evaluation.groups import in_order
from chrfect.evaluation.value import Evaluation
from chrfect.explanation.contrast import Index, contrast, fact_levels, indices_of, occurrences
from chrfect.explanation.matches import Matcher
from chrfect.inference.bootstrap import bootstrap, leave_one_out
from chrfect.metrics.base import Metric, thread_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 2_000
"""How many segments are matched at a time."""


def text_counts(evaluation: Evaluation) -> list[TextCounts]:
    """Return how many hypotheses of each system are empty, equal to a reference, and copies of the source.

    Examples
    --------
    >>> from chrfect import evaluate
    >>> text_counts(evaluate({"A": ["the cat", ""]}, ["the cat", "hi"]))[0]
    TextCounts(system='A', empty=1, equal_to_reference=1, copies=None, length_ratio=0.7777777777777778)
    """
    texts = evaluation.texts
    references = list(zip(*texts.references.values(), strict=True))
    length = sum(len(next((text for text in row if text is not None), "")) for row in references)
    return [
        TextCounts(
            name,
            sum(not text.strip() for text in of_system),
            sum(text in row for text, row in zip(of_system, references, strict=True)),
            None if texts.sources is None else sum(map(str.__eq__, of_system, texts.sources)),
            sum(map(len, of_system)) / length if length else None,
        )
        for name, of_system in texts.systems.items()
    ]


class Contrasts:
    """Where the systems of an evaluation differ, pair by pair; what pairs share is computed once.

    Parameters
    ----------
    evaluation : Evaluation
    metric : Metric
    trials, level, seed, threads
        Of the intervals of groups; as in :meth:`Evaluation.with_intervals`.
    """

    def __init__(
        self, evaluation: Evaluation, metric: Metric, *, trials: int, level: float, seed: int | None, threads: int
    ) -> None:
        self.evaluation, self.metric, self.level = evaluation, metric, level
        self._settings: dict[str, Any] = {"trials": trials, "seed": seed, "threads": threads}
        self._tables, self._score = evaluation.tables(metric)
        self.segment_scores = segment_scores(evaluation, metric)

    def pair(self, baseline: str, system: str, limit: int) -> Contrast:
        """Return where two systems differ, with at most `limit` segments and n-grams in each list."""
        first, second = (self.evaluation.systems.index(name) for name in (baseline, system))
        differences = self.segment_scores[second] - self.segment_scores[first]
        sign = -1 if self.metric.lower_is_better else 1
        order = np.argsort(-sign * differences, kind="stable")
        change = self.influence[second] - self.influence[first]
        texts = self.evaluation.texts.systems
        return Contrast(
            self.metric,
            baseline,
            system,
            self.level,
            sum(map(str.__eq__, texts[baseline], texts[system])),
            tuple(self._groups(first, second)),
            self._segments(first, second, np.argsort(-np.abs(change), kind="stable")[:limit].tolist()),
            self._segments(first, second, [i for i in order[:limit].tolist() if sign * differences[i] > 0]),
            self._segments(first, second, [i for i in order[::-1][:limit].tolist() if sign * differences[i] < 0]),
            self._ngrams(second, first, limit),
            self._ngrams(first, second, limit),
        )

    def _segments(self, first: int, second: int, segments: Sequence[int]) -> tuple[SegmentDifference, ...]:
        baseline, system = self.segment_scores[first], self.segment_scores[second]
        change = self.influence[second] - self.influence[first]
        return tuple(
            SegmentDifference(i, *map(float, (baseline[i], system[i], system[i] - baseline[i], change[i])))
            for i in segments
        )

    @cached_property
    def influence(self) -> NDArray[np.float64]:
        """How much each segment adds to the corpus score of each system: systems × segments."""
        return np.array(
            [self._score(table.sum(axis=0)[None])[0] - leave_one_out(table, self._score) for table in self._tables]
        )

    def _groups(self, first: int, second: int) -> list[GroupDifference]:
        sign = -1 if self.metric.lower_is_better else 1
        gained = sign * (self.segment_scores[second] - self.segment_scores[first])
        outside = [(1 - self.level) / 2, (1 + self.level) / 2]
        found = []
        for name, label, rows, scores, resampled in self._grouped:
            lower, upper = np.quantile(resampled[second] - resampled[first], outside).tolist()
            here = gained[rows]
            baseline, system = float(scores[first]), float(scores[second])
            wins, losses = int(np.count_nonzero(here > 0)), int(np.count_nonzero(here < 0))
            found.append(
                GroupDifference(
                    name, str(label), len(rows), baseline, system, system - baseline, lower, upper, wins, losses
                )
            )
        return found

    @cached_property
    def _grouped(self) -> list[tuple[str, Hashable, Any, Any, Any]]:
        """Each group: its grouping, label and segments, and the scores and resampled scores of all systems."""
        found: list[tuple[str, Hashable, Any, Any, Any]] = []
        for name, labels in self.evaluation.texts.labels.items():
            rows: dict[Hashable, list[int]] = {}
            for segment, label in enumerate(labels):
                rows.setdefault(label, []).append(segment)
            for label in in_order(name, rows):
                tables = [np.ascontiguousarray(table[rows[label]]) for table in self._tables]
                scores = [float(self._score(table.sum(axis=0)[None])[0]) for table in tables]
                resampled = bootstrap(tables, self._score, **self._settings)
                found.append((name, label, np.array(rows[label]), scores, resampled))
        return found

    def _ngrams(self, first: int, second: int, limit: int) -> tuple[MatchedNgram, ...]:
        """Return what the first system matches more often than the second."""
        kind, matcher, indices = self._matched
        texts = self.evaluation.texts.systems[self.evaluation.systems[first]]
        found = []
        for one in contrast(indices, first, second, limit):
            text = texts[one.segments[0]]
            symbols = matcher.symbols(kind, text)
            at = one.places[0]
            words = text[int(symbols.starts[at]) : int(symbols.ends[at + one.n - 1])]
            found.append(MatchedNgram(words, one.first, one.second, one.segments))
        return tuple(found)

    @cached_property
    def _matched(self) -> tuple[str, Matcher, list[Index]]:
        """The matched n-grams of all systems; with several references, those that match any of them."""
        texts = self.evaluation.texts
        streams = [[text or "" for text in stream] for stream in texts.references.values()]
        level = fact_levels(self.metric, streams[0])[0]
        matcher = Matcher([replace(level, over_all_references=True)], remember=True)
        parts = []
        for name in self.evaluation.systems:
            blocks = []
            for start in range(0, self.evaluation.segment_count, _BLOCK):
                here = slice(start, start + _BLOCK)
                (found,) = matcher.matches([texts.systems[name][here], *(stream[here] for stream in streams)])
                blocks.append(occurrences(found.symbols[0], found.sides[0].matched, start))
            parts.append(blocks)
        return level.kind, matcher, indices_of(parts)


def segment_scores(evaluation: Evaluation, metric: Metric) -> NDArray[np.float64]:
    """Return the score of each segment, systems × segments, averaged over runs."""
    return np.array(
        [
            np.mean([run.segments.score_array for run in evaluation.score(name, metric).runs], axis=0)
            for name in evaluation.systems
        ]
    )


def check_pair(evaluation: Evaluation, baseline: str, system: str, metric: Metric | str | None) -> Metric:
    """Return the metric of a contrast; raise UsageError if a name does not exist, or both systems are the same."""
    found = evaluation.score(baseline, metric).metric
    evaluation.score(system, found)
    if baseline == system:
        raise UsageError(f"The system {shown(system)} was to be compared with itself; name two systems.")
    return found


def contrast_of(
    evaluation: Evaluation,
    baseline: str,
    system: str,
    metric: Metric | str | None,
    *,
    limit: int,
    trials: int,
    level: float,
    seed: int | None,
    threads: int | None,
) -> Contrast:
    """Return where two systems differ; see :meth:`Evaluation.contrast`."""
    found = check_pair(evaluation, baseline, system, metric)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise UsageError(f"limit is {shown(limit)}; a whole number of at least 1 was expected.")
    shared = Contrasts(evaluation, found, trials=trials, level=level, seed=seed, threads=thread_number(threads))
    return shared.pair(baseline, system, limit)
