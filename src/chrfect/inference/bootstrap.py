"""The bootstrap over segments: scores of resampled corpora, and confidence intervals from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.inference.interval import Interval, Method
from chrfect.inference.intervals import bca_bounds, percentile_bounds
from chrfect.inference.stream import Stream
from chrfect.inference.sums import resampled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.inference.sums import Floats, Integers

Score = Callable[["Integers"], "Floats"]
"""A function from sums of counts, one in each row, to scores."""


def bootstrap(
    tables: Sequence[Integers], score: Score, *, trials: int = 1000, seed: int | None = 12345, threads: int = 1
) -> NDArray[np.float64]:
    """Return the scores of corpora whose segments are drawn with replacement, the same segments for every table.

    Parameters
    ----------
    tables : sequence of int64 arrays, (segments, columns)
        The counts of each system.
    score : callable
        From sums of counts (trials, columns) to scores.
    trials : int
        The number of resamples, at least 1.
    seed : int or None
        The random seed.
    threads : int
        At least 1; the results do not depend on it.

    Returns
    -------
    array of float64, (tables, trials)

    Raises
    ------
    UsageError
        If the tables differ in length, or there are no segments or no trials.

    Examples
    --------
    >>> table = np.array([[1, 1], [1, 2], [0, 1]])
    >>> bootstrap([table], lambda sums: sums[:, 0] / sums[:, 1], trials=3)
    array([[0.33333333, 0.66666667, 0.25      ]])
    """
    batches = resampled(tables, Stream(seed), trials, threads)
    return np.concatenate([np.array([score(sums) for sums in batch]) for batch in batches], axis=1)


def leave_one_out(table: Integers, score: Score) -> Floats:
    """Return the score of the corpus without each of its segments."""
    return score(np.ascontiguousarray(table.sum(axis=0) - table))


def interval(
    scores: Floats,
    observed: float,
    jackknife: Floats | None = None,
    *,
    method: Method = "percentile",
    level: float = 0.95,
    seed: int | None = 12345,
) -> Interval:
    """Return the confidence interval of a score, or of a difference of scores, from its resampled values.

    Parameters
    ----------
    scores : array
        One value for each resample.
    observed : float
        The value of the corpus itself.
    jackknife : array, optional
        The values without each of the segments (:func:`leave_one_out`), which ``"bca"`` requires.
    method : {"percentile", "bca"}
        Quantiles of the resamples, or quantiles corrected for bias and acceleration (Efron 1987).
    level : float
        The confidence level, between 0 and 1.
    seed : int or None
        The seed of the resamples.

    Raises
    ------
    UsageError
        If the method does not exist, or the level is not between 0 and 1.

    Examples
    --------
    >>> bounds = interval(np.arange(101.0), 50.0)
    >>> round(bounds.lower, 9), round(bounds.upper, 9), bounds.mean
    (2.5, 97.5, 50.0)
    """
    if method not in get_args(Method):
        raise UsageError(f"method is {method!r}; one of {', '.join(get_args(Method))} was expected.")
    if method == "bca":
        assert jackknife is not None
        lower, upper = bca_bounds(scores, observed, jackknife, level)
    else:
        lower, upper = percentile_bounds(scores, level)
    return Interval(lower, upper, float(np.mean(scores)), level, method, len(scores), seed)
