"""The significance tests and intervals of sacreBLEU 2.6.0: its random numbers, its operations, its results.

They differ from this package's own: a trial as extreme as what was observed does not count against it, so that equal
outputs get the smallest p-value; the bootstrap computes in float32 and centres absolute differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    """What sacreBLEU reports of one system.

    Parameters
    ----------
    p_value : float or None
        Of the comparison with the baseline; None for the baseline itself.
    mean : float or None
        The mean score of the resamples; None where none were asked for.
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
    """Compare systems with the first as ``sacrebleu --paired-bs`` does.

    Parameters
    ----------
    tables : sequence of int64 arrays, (segments, columns)
        The counts of each system, the baseline first.
    score, single : callable
        From sums of counts (trials, columns) to scores; `single` in float32 where sacreBLEU computes in it.
    trials : int
        Resamples.
    seed : int or None
        ``SACREBLEU_SEED``. The compared systems lose a seed of 0, as in sacreBLEU.
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
    """Compare systems with the first as ``sacrebleu --paired-ar`` does.

    Parameters are those of :func:`paired_bootstrap`, and

    resamples : int
        Bootstrap resamples for the intervals (``--paired-ar-confidence-n``); 0 for no intervals.
    """
    pairs = [(0, place) for place in range(1, len(tables))]
    shared = seed or None
    p_values = randomize(tables, score, pairs, trials=trials, seed=shared, threads=threads, ties=False)
    if not resamples:
        return [Tested(p_value, None, None) for p_value in (None, *p_values)]
    stream = Stream(shared)
    for _ in stream.coins(trials, len(tables[0])):
        pass  # the resamples continue the stream of the exchanges
    baseline = _resampled([tables[0]], single, resamples, Stream(seed), threads)
    others = _resampled(tables[1:], single, resamples, stream, threads) if pairs else []
    return [
        Tested(p_value, *estimate(scores))
        for p_value, scores in zip((None, *p_values), [*baseline, *others], strict=True)
    ]


def estimate(scores: Floats) -> tuple[float, float]:
    """Return the mean of resampled scores and half the width of their 95 % interval, as ``PairedTest`` has them."""
    ordered = np.sort(scores)
    lower, upper = _bounds(ordered)
    return float(ordered.mean()), float(0.5 * (upper - lower))


def corpus_interval(
    table: Integers, single: Score, *, trials: int = 1000, seed: int | None = 12345, threads: int = 1
) -> Interval:
    """Return the 95 % interval of ``sacrebleu --confidence`` and ``corpus_score(n_bootstrap=...)``.

    The half width is ``0.5 * (upper - lower)``; the mean is rounded once, unlike that of :func:`estimate`.
    """
    from statistics import mean

    scores = _resampled([table], single, trials, Stream(seed), threads)[0]
    lower, upper = _bounds(np.sort(scores))
    return Interval(float(lower), float(upper), float(mean(scores)), 0.95, "sacrebleu", trials, seed)


def _bounds(ordered: Floats) -> tuple[Any, Any]:
    return ordered[len(ordered) // 40], ordered[len(ordered) - len(ordered) // 40 - 1]


def _resampled(
    tables: Sequence[Integers], single: Score, trials: int, stream: Stream, threads: int
) -> list[NDArray[Any]]:
    batches = resampled(tables, stream, trials, threads, _single_sums)
    parts = [[single(sums) for sums in batch] for batch in batches]
    return [np.concatenate(of_table) for of_table in zip(*parts, strict=True)]


def _single_sums(rows: Rows, indices: NDArray[np.int32]) -> Integers:
    """Return the sums as float32 arithmetic gives them, row after row: exact up to 2^24, and rounded beyond."""
    sums = rows.drawn(indices)
    inexact = np.flatnonzero(sums.max(axis=1) > _EXACT_SINGLE)
    if len(inexact):
        table = rows.table.astype(np.float32)
        for trial in inexact:
            sums[trial] = table[indices[trial]].sum(axis=0)
    return sums
