"""The results of an evaluation: scores by system and metric, with documents, buckets, runs and intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from chrfect._version import __version__
from chrfect.errors import UsageError, quantity, shown
from chrfect.evaluation.tabular import Tabular
from chrfect.inference.interval import Interval, Method
from chrfect.metrics.base import Metric, thread_number
from chrfect.metrics.result import CorpusResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chrfect.evaluation.comparison import Comparison, Test
    from chrfect.evaluation.contrast import Contrast
    from chrfect.inference.bootstrap import Score
    from chrfect.inference.corrections import Correction

    Integers = NDArray[np.int64]

SCHEMA = 1
"""The schema version of ``to_dict``."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The score of a document or a bucket.

    Parameters
    ----------
    label : hashable
        The document, or the name of the bucket.
    segments : int
        The number of segments.
    score : float
        The score of the summed counts (micro), averaged over the runs.
    mean_segment_score : float
        The mean of the segment scores (macro), averaged over the runs.
    """

    label: Hashable
    segments: int
    score: float
    mean_segment_score: float


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score of a system by a metric.

    Parameters
    ----------
    system : str
    metric : Metric
    runs : tuple of CorpusResult
        The result of each run.
    groups : dict of str to list of GroupScore
        The scores of documents and buckets, by grouping.
    interval : Interval or None
        The confidence interval over segments, if it was requested.

    Examples
    --------
    >>> from chrfect import evaluate
    >>> found = evaluate({"A": ["a cat", "hi"]}, ["the cat", "hi"]).scores[0]
    >>> found.system, round(found.score, 2), found.mean_segment_score == found.runs[0].mean_segment_score
    ('A', 36.88, True)
    """

    system: str
    metric: Metric
    runs: tuple[CorpusResult, ...]
    groups: dict[str, list[GroupScore]]
    interval: Interval | None = None

    @property
    def score(self) -> float:
        """The corpus score, averaged over the runs."""
        return fmean(run.score for run in self.runs) if len(self.runs) > 1 else self.runs[0].score

    @property
    def mean_segment_score(self) -> float:
        """The mean of the segment scores (macro), averaged over the runs."""
        return fmean(run.mean_segment_score for run in self.runs)

    @property
    def deviation(self) -> float | None:
        """The standard deviation between runs (n - 1); None with one run."""
        return stdev(run.score for run in self.runs) if len(self.runs) > 1 else None

    def group_mean(self, name: str) -> float:
        """Return the mean of the scores of the groups (macro); every document or bucket has equal weight."""
        return fmean(group.score for group in self.groups[name])

    def to_dict(self) -> dict[str, Any]:
        """Return the score as JSON-ready data."""
        return {
            "system": self.system,
            "metric": str(self.metric),
            "score": self.score,
            "mean_segment_score": self.mean_segment_score,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "deviation_between_runs": self.deviation,
            "groups": {
                name: {
                    "mean": self.group_mean(name),
                    "scores": [
                        {
                            "label": str(group.label),
                            "segments": group.segments,
                            "score": group.score,
                            "mean_segment_score": group.mean_segment_score,
                        }
                        for group in groups
                    ],
                }
                for name, groups in self.groups.items()
            },
            "runs": [run.to_dict() for run in self.runs],
        }


@dataclass(frozen=True, slots=True, repr=False)
class EvaluatedTexts:
    """The texts of an evaluation, for pages and for what systems match and miss.

    Parameters
    ----------
    systems : dict of str to sequence of str
        The hypotheses of each system; of the first run, if there are several.
    references : dict of str to sequence of (str or None)
        The references by name; None where one is missing.
    sources : sequence of str or None
    labels : dict of str to sequence
        The label of each segment in each grouping: ``"document"``, ``"reference-length"``, and custom ones.
    """

    systems: dict[str, Sequence[str]]
    references: dict[str, Sequence[str | None]]
    sources: Sequence[str] | None
    labels: dict[str, Sequence[Hashable]]


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Tabular):
    """The scores of systems by metrics; made by :func:`chrfect.evaluate`.

    Parameters
    ----------
    systems : tuple of str
        The names of the systems.
    metrics : tuple of Metric
        The metrics.
    scores : tuple of SystemScore
        One for each system and metric, systems first.
    normalize : str or None
        The Unicode normalization form of the texts.
    texts : EvaluatedTexts
        The texts.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: tuple[SystemScore, ...]
    normalize: str | None
    texts: EvaluatedTexts = field(compare=False)

    def __repr__(self) -> str:
        systems = quantity(len(self.systems), "system")
        over = quantity(self.segment_count, "segment")
        return f"<Evaluation of {systems} over {over}: {', '.join(map(str, self.metrics))}>"

    def _repr_html_(self) -> str:
        from chrfect.evaluation.report.page import evaluation_fragment

        return evaluation_fragment(self)

    @property
    def segment_count(self) -> int:
        """The number of segments."""
        return self.scores[0].runs[0].segment_count

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signature of each metric, with the number of references and the normalization."""
        signatures = (self.score(self.systems[0], metric).runs[0].signature for metric in self.metrics)
        return tuple(self._signed(signature) for signature in signatures)

    def _signed(self, signature: str) -> str:
        if self.normalize is None:
            return signature
        before, _, version = signature.rpartition("|")
        return f"{before}|normalize:{self.normalize}|{version}"

    def score(self, system: str, metric: Metric | str | None = None) -> SystemScore:
        """Return the score of a system.

        Parameters
        ----------
        system : str
            The name of the system.
        metric : Metric or str, optional
            The metric; optional if there is only one.

        Raises
        ------
        UsageError
            If the system or the metric does not exist.
        """
        if system not in self.systems:
            raise UsageError(f"There is no system {shown(system)}; one of {', '.join(self.systems)} was expected.")
        if metric is None and len(self.metrics) > 1:
            raise UsageError(f"Name one of the metrics {', '.join(map(str, self.metrics))}.")
        names = [str(known) for known in self.metrics]
        name = names[0] if metric is None else str(metric)
        if name not in names:
            raise UsageError(f"The metric {shown(name)} was not measured; one of {', '.join(names)} was expected.")
        return self.scores[self.systems.index(system) * len(names) + names.index(name)]

    def with_intervals(
        self,
        method: Method = "percentile",
        *,
        level: float = 0.95,
        trials: int = 1000,
        seed: int | None = 12345,
        threads: int | None = None,
    ) -> Evaluation:
        """Return the evaluation with a bootstrap interval of each score.

        Parameters
        ----------
        method : {"percentile", "bca"}
            Quantiles of the resamples, or quantiles corrected for bias and acceleration.
        level : float
            The confidence, between 0 and 1.
        trials : int
            The number of resamples of the segments; they are the same for every system.
        seed : int or None
            The seed of the random numbers; None for a seed from the operating system.
        threads : int, optional
            The number of threads; results do not depend on it.

        Examples
        --------
        >>> from chrfect import evaluate
        >>> found = evaluate({"A": ["a cat", "hi", "no"]}, ["the cat", "hi", "oh"]).with_intervals(trials=100)
        >>> bounds = found.score("A").interval
        >>> bounds.lower <= found.score("A").score <= bounds.upper, bounds.trials
        (True, 100)
        """
        from chrfect.inference.bootstrap import bootstrap, interval, leave_one_out

        intervals: dict[tuple[str, int], Interval] = {}
        for place, metric in enumerate(self.metrics):
            tables, score = self.tables(metric)
            resampled = bootstrap(tables, score, trials=trials, seed=seed, threads=thread_number(threads))
            for system, table, scores in zip(self.systems, tables, resampled, strict=True):
                jackknife = leave_one_out(table, score) if method == "bca" else None
                observed = self.score(system, metric).score
                intervals[system, place] = interval(scores, observed, jackknife, method=method, level=level, seed=seed)
        number = len(self.metrics)
        scores = tuple(
            replace(found, interval=intervals[found.system, place % number]) for place, found in enumerate(self.scores)
        )
        return replace(self, scores=scores)

    def compare(
        self,
        baseline: str | None = None,
        *,
        test: Test = "randomization",
        trials: int | None = None,
        resamples: int = 1000,
        method: Method = "percentile",
        level: float = 0.95,
        correction: Correction = "holm",
        seed: int | None = 12345,
        threads: int | None = None,
    ) -> Comparison:
        """Compare a baseline with all other systems, or all pairs of systems.

        Parameters
        ----------
        baseline : str, optional
            The name of a system. Without it, all pairs are compared and the systems are ranked.
        test : {"randomization", "sacrebleu-ar", "sacrebleu-bs"}
            Paired approximate randomization, which counts ties, or one of the tests of sacreBLEU, with its random
            numbers, p-values and intervals.
        trials : int, optional
            The number of trials of the test; by default 10,000, or 1,000 for ``"sacrebleu-bs"``.
        resamples : int
            Of the bootstrap that gives intervals.
        method : {"percentile", "bca"}
            Of the intervals.
        level : float
            The confidence of the intervals (sacreBLEU's are always of .95); 1 - level is the level of significance.
        correction : {"none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"}
            The correction for multiple comparisons by one metric; it decides significance and ranks.
        seed : int or None
            The seed of the random numbers.
        threads : int, optional
            The number of threads; results do not depend on it.

        Raises
        ------
        UsageError
            If there is only one system, the system or the test does not exist, or a number is out of range.

        Examples
        --------
        >>> from chrfect import evaluate
        >>> found = evaluate({"A": ["a cat", "hi", "no"], "B": ["cat", "ho", "on"]}, ["the cat", "hi", "oh"])
        >>> found.compare("A", trials=99).differences[0].wins
        1
        """
        from chrfect.evaluation.pairs import compare

        return compare(
            self,
            baseline,
            test=test,
            trials=trials,
            resamples=resamples,
            method=method,
            level=level,
            correction=correction,
            seed=seed,
            threads=thread_number(threads),
        )

    def contrast(
        self,
        baseline: str,
        system: str,
        metric: Metric | str | None = None,
        *,
        limit: int = 10,
        trials: int = 1000,
        level: float = 0.95,
        seed: int | None = 12345,
        threads: int | None = None,
    ) -> Contrast:
        """Return where two systems differ: by length, document and label, by segment, and in what they match.

        Parameters
        ----------
        baseline, system : str
            The names of the systems; differences are system minus baseline.
        metric : Metric or str, optional
            The metric; optional if there is only one.
        limit : int
            How many segments and how many n-grams to list for each system, at least 1.
        trials, level, seed, threads
            Of the intervals of the groups, as in :meth:`with_intervals`.

        Raises
        ------
        UsageError
            If a system or the metric does not exist, or a number is out of range.

        Examples
        --------
        >>> from chrfect import evaluate
        >>> found = evaluate({"A": ["a cat", "hi", "no"], "B": ["the cat", "ho", "on"]}, ["the cat", "hi", "oh"])
        >>> where = found.contrast("A", "B", trials=100)
        >>> [(ngram.text, ngram.segments) for ngram in where.matched], [one.segment for one in where.worse]
        ([('the', (0,))], [1])
        """
        from chrfect.evaluation.where import contrast_of

        return contrast_of(
            self, baseline, system, metric, limit=limit, trials=trials, level=level, seed=seed, threads=threads
        )

    def tables(self, metric: Metric) -> tuple[list[Integers], Score]:
        """Return the counts of each system, with runs in adjacent columns, and the function that scores their sums."""
        import math

        import numpy as np

        results = [self.score(system, metric).runs for system in self.systems]
        number = math.lcm(*map(len, results))
        reader = metric.for_recipe(results[0][0].segments.table.recipe)
        width = len(reader.columns)
        tables = [
            np.concatenate([runs[run % len(runs)].segments.table.to_numpy() for run in range(number)], axis=1)
            for runs in results
        ]

        def score(sums: Integers) -> Any:
            rows = np.ascontiguousarray(sums).reshape(-1, width)
            scores = reader.float_array(memoryview(rows).cast("B").cast("q"))  # type: ignore[arg-type]
            return scores if number == 1 else scores.reshape(-1, number).mean(axis=1)

        return tables, score

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each system and metric."""
        return [_record(found) for found in self.scores]

    def group_records(self) -> list[dict[str, Any]]:
        """Return one row for each system, metric, and document or bucket."""
        return [
            {
                "system": found.system,
                "metric": str(found.metric),
                "group": name,
                "label": str(group.label),
                "segments": group.segments,
                "score": group.score,
                "mean_segment_score": group.mean_segment_score,
            }
            for found in self.scores
            for name, groups in found.groups.items()
            for group in groups
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data, floats in full precision; see ``docs/evaluation.md``."""
        scores = [found.to_dict() for found in self.scores]
        for result in (result for score in scores for result in score["runs"]):
            result["signature"] = self._signed(result["signature"])
        return {
            "schema": SCHEMA,
            "version": __version__,
            "segment_count": self.segment_count,
            "signatures": list(self.signatures),
            "scores": scores,
        }


def _record(found: SystemScore) -> dict[str, Any]:
    bounds = found.interval
    return {
        "system": found.system,
        "metric": str(found.metric),
        "score": found.score,
        "lower": None if bounds is None else bounds.lower,
        "upper": None if bounds is None else bounds.upper,
        "mean_segment_score": found.mean_segment_score,
        "runs": len(found.runs),
        "deviation_between_runs": found.deviation,
        **{f"mean_{name}_score": found.group_mean(name) for name in found.groups},
    }


def group_scores(
    metric: Metric, runs: Sequence[CorpusResult], labels: Sequence[Sequence[Hashable]], order: Any
) -> list[GroupScore]:
    """Return the scores of the groups of a system; `labels` are those of each run."""
    found: dict[Hashable, list[tuple[int, float, float]]] = {}
    for run, of_run in zip(runs, labels, strict=True):
        sums = run.segments.table.sum_by(of_run)
        totals: dict[Hashable, float] = dict.fromkeys(sums.labels or (), 0.0)
        for label, score in zip(of_run, run.segments.scores, strict=True):
            totals[label] += score
        sizes, scores = sums.sizes or (), metric.for_recipe(sums.recipe).float_scores(sums.rows)
        for label, size, score in zip(sums.labels or (), sizes, scores, strict=True):
            found.setdefault(label, []).append((size, score, totals[label] / size))
    return [
        GroupScore(label, max(size for size, _, _ in each), fmean(s for _, s, _ in each), fmean(m for _, _, m in each))
        for label in order(found)
        for each in [found[label]]
    ]
