"""The significance tests and intervals of sacreBLEU 2.6.0 with the same random numbers, operations and results.

They differ from the tests of this package: a trial with a difference equal to the observed one is not counted, so
that equal outputs get the smallest p-value; the bootstrap uses float32 and centres absolute differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.inference.interval import Interval
from chrfect.inference.randomize import randomize
from chrfect.inference.stream import Stream
from chrfect.inference.sums import Rows, resampled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.inference.bootstrap import Score
    from chrfect.inference.sums import Floats, Integers

_EXACT_SINGLE = 2**24


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of a sacreBLEU test for one system.

    Parameters
    ----------
    p_value : float or None
        The p-value of the comparison with the baseline; None for the baseline.
    mean : float or None
        The mean score of the resamples; None without resamples.
    half_width : float or None
        Half the width of the 95 % interval.
    """

    p_value: float | None
    mean: float | None
    half_width: float | None


def paired_bootstrap(
    tables: Sequence[Integers],
    score: Score,
    single: Score,
    *,
    trials: int = 1000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Tested]:
    """Compare all systems with the first like ``sacrebleu --paired-bs``.

    Parameters
    ----------
    tables : sequence of int64 arrays, (segments, columns)
        The counts of each system, the baseline first.
    score, single : callable
        From sums of counts (trials, columns) to scores; `single` uses float32 where sacreBLEU does.
    trials : int
        The number of resamples.
    seed : int or None
        ``SACREBLEU_SEED``. As in sacreBLEU, a seed of 0 is ignored for the compared systems.
    threads : int
        At least 1; the results do not depend on it.
    """
    scores = _resampled(tables, single, trials, Stream(seed or None), threads)
    baseline = scores[0] if seed else _resampled(tables[:1], single, trials, Stream(seed), threads)[0]
    observed = score(np.array([table.sum(axis=0) for table in tables]))
    results = [Tested(None, *estimate(baseline))]
    for place in range(1, len(tables)):
        differences = np.abs(scores[place] - scores[0])
        extreme = differences - differences.mean() > abs(float(observed[0]) - float(observed[place]))
        results.append(Tested((1 + int(np.sum(extreme))) / (1 + trials), *estimate(scores[place])))
    return results


def paired_randomization(
    tables: Sequence[Integers],
    score: Score,
    single: Score,
    *,
    trials: int = 10_000,
    resamples: int = 0,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Tested]:
    """Compare all systems with the first like ``sacrebleu --paired-ar``.

    Parameters are those of :func:`paired_bootstrap`, and

    resamples : int
        Bootstrap resamples for the intervals (``--paired-ar-confidence-n``); 0 for no intervals.
    """
    pairs = [(0, place) for place in range(1, len(tables))]
    shared = seed or None
    p_values = randomize(tables, score, pairs, trials=trials, seed=shared, threads=threads, ties=False)
    if not resamples:
        return [Tested(p_value, None, None) for p_value in (None, *p_values)]
    found = paired_intervals(tables, single, exchanges=trials, trials=resamples, seed=seed, threads=threads)
    return [
        Tested(p_value, bounds.mean, bounds.half_width)
        for p_value, bounds in zip((None, *p_values), found, strict=True)
    ]


def paired_intervals(
    tables: Sequence[Integers],
    single: Score,
    *,
    exchanges: int = 0,
    trials: int = 1000,
    seed: int | None = 12345,
    threads: int = 1,
) -> list[Interval]:
    """Return the 95 % interval of each system that ``PairedTest`` reports with its p-values.

    Parameters
    ----------
    tables, single, seed, threads
        As in :func:`paired_bootstrap`.
    exchanges : int
        The trials of ``--paired-ar``, whose random numbers precede those of the resamples; 0 for ``--paired-bs``.
    trials : int
        The number of resamples.
    """
    stream = Stream(seed or None)
    for _ in stream.coins(exchanges, len(tables[0])):
        pass
    baseline = _resampled(tables[:1], single, trials, Stream(seed), threads)
    others = _resampled(tables[1:], single, trials, stream, threads) if tables[1:] else []
    return [_interval(scores, seed) for scores in (*baseline, *others)]


def estimate(scores: Floats) -> tuple[float, float]:
    """Return the mean of resampled scores and half the width of their 95 % interval, as in ``PairedTest``."""
    found = _interval(scores, None)
    assert found.half_width is not None
    return found.mean, found.half_width


def corpus_interval(
    table: Integers, single: Score, *, trials: int = 1000, seed: int | None = 12345, threads: int = 1
) -> Interval:
    """Return the 95 % interval of ``sacrebleu --confidence`` and ``corpus_score(n_bootstrap=...)``.

    The mean is rounded once, unlike that of :func:`estimate`.
    """
    from statistics import mean

    scores = _resampled([table], single, trials, Stream(seed), threads)[0]
    return replace(_interval(scores, seed), mean=float(mean(scores)))


def _interval(scores: Floats, seed: int | None) -> Interval:
    ordered = np.sort(scores)
    number = len(ordered)
    lower, upper = ordered[number // 40], ordered[number - number // 40 - 1]
    half_width = float(0.5 * (upper - lower))  # in the precision of the scores
    return Interval(float(lower), float(upper), float(ordered.mean()), 0.95, "sacrebleu", number, seed, half_width)


def _resampled(
    tables: Sequence[Integers], single: Score, trials: int, stream: Stream, threads: int
) -> list[NDArray[Any]]:
    batches = resampled(tables, stream, trials, threads, _single_sums)
    parts = [[single(sums) for sums in batch] for batch in batches]
    return [np.concatenate(of_table) for of_table in zip(*parts, strict=True)]


def _single_sums(rows: Rows, indices: NDArray[np.int32]) -> Integers:
    """Return sums in float32 arithmetic, row after row: exact up to 2^24, and rounded above."""
    sums = rows.drawn(indices)
    if rows.largest_sum <= _EXACT_SINGLE:
        return sums
    inexact = np.flatnonzero(sums.max(axis=1) > _EXACT_SINGLE)
    if len(inexact):
        table = rows.table.astype(np.float32)
        for trial in inexact:
            sums[trial] = table[indices[trial]].sum(axis=0)
    return sums
