"""Soft pairwise accuracy: how closely the p-values of a metric match those of humans for pairs of systems.

Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving Statistical Significance in Human Evaluation of
Automatic Metrics via Soft Pairwise Accuracy": 1 minus the mean absolute difference of the two p-values of every
pair of systems.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

PERMUTATIONS = 1000
SEED = 20240604

_BATCH = 1 << 18  # maximum number of permuted sums in memory


def better_p_values(scores: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = SEED) -> Floats:
    """Return the one-sided p-values that each system is better than each other, by paired permutation of items.

    Parameters
    ----------
    scores : array of shape (systems, items)
        Segment scores; an item that is missing (NaN) for either system of a pair is ignored for this pair.
    permutations : int
        The number of random sign vectors, which are the same for all pairs.
    seed : int
        The random seed.

    Returns
    -------
    array of shape (systems, systems)
        Entry (i, j) is the share of permutations with a difference i - j above the observed one; equal differences
        count half, so that (i, j) and (j, i) sum to 1.

    Examples
    --------
    >>> better_p_values([[5, 6, 7, 8, 9, 9, 8, 7], [1, 2, 3, 2, 1, 2, 3, 4]])[0, 1] < 0.05
    np.True_
    """
    values = np.atleast_2d(np.asarray(scores, float))
    first, second = np.triu_indices(len(values), 1)
    p = _pair_p_values(values[None], first, second, permutations, seed)[0]
    result = np.full((len(values), len(values)), 0.5)
    result[first, second], result[second, first] = p, 1 - p
    return result


def _pair_p_values(tables: Floats, first: Integers, second: Integers, permutations: int, seed: int) -> Floats:
    """Return one-sided p-values of the pairs (first, second) of systems for tables (tables, systems, items)."""
    number, systems, items = tables.shape
    if items < 2:
        raise UsageError("soft pairwise accuracy needs segment scores, but each system has a single score.")
    signs = _signs(permutations, items, seed)
    result = np.empty((number, len(first)))
    step = max(1, _BATCH // max(1, permutations * systems))
    for start in range(0, number, step):
        cells = tables[start : start + step]
        whole = not np.isnan(cells).any()
        shuffled = (cells.reshape(-1, items) @ signs.T).reshape(-1, systems, permutations) if whole else None
        for at, table in enumerate(cells, start):  # one table fits into the CPU cache
            differences = table[first] - table[second]
            if shuffled is None:
                differences = np.where(np.isnan(differences), 0.0, differences)
                null = differences @ signs.T
            else:
                null = shuffled[at - start, first] - shuffled[at - start, second]
            observed = differences.sum(axis=-1, keepdims=True)
            slack = 1e-9 * np.abs(differences).sum(axis=-1, keepdims=True)
            above = np.count_nonzero(null > observed + slack, axis=-1)
            not_below = np.count_nonzero(null >= observed - slack, axis=-1)
            result[at] = (above + not_below) / (2 * permutations)
    return result


@lru_cache(maxsize=2)
def _signs(permutations: int, items: int, seed: int) -> Floats:
    """Return the same random signs for every table of a given size, so that results only depend on scores."""
    return (np.random.default_rng(seed).integers(0, 2, (permutations, items)) * 2 - 1).astype(np.float64)


def soft_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    identities: Integers | None = None,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> Floats:
    """Return soft pairwise accuracy of tables of shape (..., systems, items), 0..1.

    Pairs of equal `identities` (..., systems) are copies of one system and do not count; NaN without a pair.

    Examples
    --------
    >>> scores = [[5, 6, 7, 8, 9], [1, 2, 3, 2, 1]]
    >>> float(soft_accuracy(scores, scores))
    1.0
    """
    humans, metrics = np.asarray(human, float), np.asarray(metric, float)
    first, second = np.triu_indices(humans.shape[-2], 1)

    def p_values(cells: Floats) -> Floats:
        tables = cells.reshape(-1, *cells.shape[-2:])
        return _pair_p_values(tables, first, second, permutations, seed).reshape(*cells.shape[:-2], -1)

    counted = True if identities is None else identities[..., first] != identities[..., second]
    return _mean_agreement(p_values(humans), p_values(metrics), counted)


def soft_accuracy_of_rows(human_p: Floats, metric_p: Floats, human_rows: Integers, metric_rows: Integers) -> Floats:
    """Return soft pairwise accuracy of tables made of whole rows, whose p-values are computed only once.

    Parameters
    ----------
    human_p, metric_p : array of shape (rows, rows)
        The p-values of all pairs of rows, see `better_p_values`.
    human_rows, metric_rows : array of int, of shape (..., systems)
        The rows of each table. Copies of one human row are not compared with each other.

    Examples
    --------
    >>> p = better_p_values([[5, 6, 7, 8, 9], [1, 2, 3, 2, 1]])
    >>> rows = np.array([[0, 1], [1, 0], [0, 0]])
    >>> soft_accuracy_of_rows(p, p, rows, rows).tolist()
    [1.0, 1.0, nan]
    """
    first, second = np.triu_indices(human_rows.shape[-1], 1)
    humans = human_p[human_rows[..., first], human_rows[..., second]]
    metrics = metric_p[metric_rows[..., first], metric_rows[..., second]]
    return _mean_agreement(humans, metrics, human_rows[..., first] != human_rows[..., second])


def _mean_agreement(humans: Floats, metrics: Floats, counted: NDArray[np.bool_] | bool) -> Floats:
    """Return 1 - the mean difference of two arrays of p-values (..., pairs) over the pairs that count."""
    apart = np.abs(humans - metrics)
    counted = np.broadcast_to(counted, apart.shape)
    number = counted.sum(axis=-1)
    return np.where(number > 0, 1 - (apart * counted).sum(axis=-1) / np.maximum(number, 1), np.nan)
