"""Significance tests of pairs of systems, with intervals, corrections and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.evaluation.comparison import TRIALS, Comparison, Difference, Test
from chrfect.evaluation.human import human_agreement
from chrfect.evaluation.value import Evaluation
from chrfect.inference import sacrebleu
from chrfect.inference.bootstrap import bootstrap, interval, leave_one_out
from chrfect.inference.corrections import Correction, adjust
from chrfect.inference.interval import Interval, Method
from chrfect.inference.randomize import randomize
from chrfect.inference.ranges import Rank, rank_ranges
from chrfect.metrics.base import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.inference.bootstrap import Score


def compare(
    evaluation: Evaluation,
    baseline: str | None,
    *,
    test: Test,
    trials: int | None,
    resamples: int,
    method: Method,
    level: float,
    correction: Correction,
    seed: int | None,
    threads: int,
) -> Comparison:
    """Compare the systems of an evaluation; see :meth:`Evaluation.compare`."""
    if test not in get_args(Test):
        raise UsageError(f"test is {test!r}; one of {', '.join(get_args(Test))} was expected.")
    if correction not in get_args(Correction):
        raise UsageError(f"correction is {correction!r}; one of {', '.join(get_args(Correction))} was expected.")
    names = evaluation.systems
    if len(names) < 2:
        raise UsageError(f"There is one system, {names[0]}; at least two are needed for a comparison.")
    if baseline is not None:
        evaluation.score(baseline, evaluation.metrics[0])  # checks the name
    trials = TRIALS[test] if trials is None else trials
    if baseline is None:
        pairs = list(combinations(range(len(names)), 2))
    else:
        first = names.index(baseline)
        pairs = [(first, other) for other in range(len(names)) if other != first]
    single_runs = all(len(score.runs) == 1 for score in evaluation.scores)
    if test == "randomization" or not single_runs:
        evaluation = evaluation.with_intervals(method, level=level, trials=resamples, seed=seed, threads=threads)
    else:
        exchanges, drawn = (trials, resamples) if test == "sacrebleu-ar" else (0, trials)
        evaluation = _with_sacrebleu_intervals(evaluation, pairs[0][0], exchanges, drawn, seed, threads)
    differences: list[Difference] = []
    ranks: dict[tuple[str, str], Rank] = {}
    for metric in evaluation.metrics:
        found = _of_metric(evaluation, metric, pairs, test, trials, resamples, method, level, correction, seed, threads)
        differences += found
        if baseline is None:
            sign = -1 if metric.lower_is_better else 1
            scores = [sign * evaluation.score(name, metric).score for name in names]
            different = {pair for pair, one in zip(pairs, found, strict=True) if one.significant}
            for name, rank in zip(names, rank_ranges(scores, different), strict=True):
                ranks[str(metric), name] = rank
    return Comparison(evaluation, baseline, tuple(differences), ranks, test, trials, resamples, level, correction, seed)


def _with_sacrebleu_intervals(
    evaluation: Evaluation, baseline: int, exchanges: int, trials: int, seed: int | None, threads: int
) -> Evaluation:
    """Return the evaluation with the intervals of sacreBLEU's ``PairedTest``, which gets the baseline first."""
    order = [baseline, *(place for place in range(len(evaluation.systems)) if place != baseline)]
    intervals: dict[tuple[str, str], Interval] = {}
    for metric in evaluation.metrics:
        tables, _ = evaluation.tables(metric)
        found = sacrebleu.paired_intervals(
            [tables[place] for place in order],
            _single(_reader(evaluation, metric)),
            exchanges=exchanges,
            trials=trials,
            seed=seed,
            threads=threads,
        )
        intervals |= {
            (evaluation.systems[place], str(metric)): bounds for place, bounds in zip(order, found, strict=True)
        }
    scores = (replace(score, interval=intervals[score.system, str(score.metric)]) for score in evaluation.scores)
    return replace(evaluation, scores=tuple(scores))


def _reader(evaluation: Evaluation, metric: Metric) -> Metric:
    return metric.for_recipe(evaluation.score(evaluation.systems[0], metric).runs[0].segments.table.recipe)


def _single(metric: Metric) -> Score:
    """Return the function that scores sums of counts in the precision of sacreBLEU's bootstrap."""

    def single(sums: NDArray[np.int64]) -> NDArray[Any]:
        return metric.single_precision(memoryview(np.ascontiguousarray(sums)).cast("B").cast("q"))  # type: ignore[arg-type]

    return single


def _of_metric(
    evaluation: Evaluation,
    metric: Metric,
    pairs: Sequence[tuple[int, int]],
    test: Test,
    trials: int,
    resamples: int,
    method: Method,
    level: float,
    correction: Correction,
    seed: int | None,
    threads: int,
) -> list[Difference]:
    tables, score = evaluation.tables(metric)
    names = evaluation.systems
    resampled = bootstrap(tables, score, trials=resamples, seed=seed, threads=threads)
    without = [leave_one_out(table, score) for table in tables] if method == "bca" else None
    segments = [
        np.mean([run.segments.score_array for run in evaluation.score(name, metric).runs], axis=0) for name in names
    ]
    p_values = _p_values(_reader(evaluation, metric), tables, score, pairs, test, trials, seed, threads)
    holm, benjamini_hochberg, chosen = (
        [float(p or 0.0) for p in adjust(p_values, kind)] for kind in ("holm", "benjamini-hochberg", correction)
    )
    found = []
    for place, (i, j) in enumerate(pairs):
        observed = evaluation.score(names[j], metric).score - evaluation.score(names[i], metric).score
        jackknife = None if without is None else without[j] - without[i]
        bounds = interval(resampled[j] - resampled[i], observed, jackknife, method=method, level=level, seed=seed)
        found.append(
            Difference(
                metric,
                names[i],
                names[j],
                observed,
                bounds,
                p_values[place],
                holm[place],
                benjamini_hochberg[place],
                chosen[place],
                *_by_segment(segments[i], segments[j], metric.lower_is_better),
                human_agreement(metric, observed),
                chosen[place] <= 1 - level + 1e-12,
            )
        )
    return found


def _p_values(
    metric: Metric,
    tables: Sequence[NDArray[np.int64]],
    score: Score,
    pairs: Sequence[tuple[int, int]],
    test: Test,
    trials: int,
    seed: int | None,
    threads: int,
) -> list[float]:
    if test != "sacrebleu-bs":
        ties = test == "randomization"
        seed = seed if ties else seed or None  # sacreBLEU loses a seed of 0 here
        return randomize(tables, score, pairs, trials=trials, seed=seed, threads=threads, ties=ties)
    width = len(metric.columns)
    if tables[0].shape[1] != width:
        raise UsageError("sacrebleu-bs compares single runs; use the test randomization for several runs of a system.")
    single = _single(metric)
    found: dict[tuple[int, int], float] = {}
    for first in dict.fromkeys(i for i, _ in pairs):
        others = [j for i, j in pairs if i == first]
        compared = [tables[place] for place in (first, *others)]
        tested = sacrebleu.paired_bootstrap(compared, score, single, trials=trials, seed=seed, threads=threads)
        for other, result in zip(others, tested[1:], strict=True):
            found[first, other] = float(result.p_value or 0.0)
    return [found[pair] for pair in pairs]


def _by_segment(
    baseline: NDArray[np.float64], system: NDArray[np.float64], lower_is_better: bool
) -> tuple[float | None, int, int, int]:
    """Return the effect size, and the number of segments that the system wins, loses and ties."""
    differences = system - baseline
    higher, lower = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    effect = float(np.mean(differences)) / spread if spread else None
    wins, losses = (lower, higher) if lower_is_better else (higher, lower)
    return effect, wins, losses, len(differences) - higher - lower
