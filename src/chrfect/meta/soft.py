"""Soft pairwise accuracy: do metric and humans agree on how sure one can be that a system is better?

Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving Statistical Significance in Human Evaluation of
Automatic Metrics via Soft Pairwise Accuracy": 1 minus the mean absolute difference of the two p-values of every
pair of systems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

PERMUTATIONS = 1000
SEED = 20240604


def better_p_values(scores: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = SEED) -> Floats:
    """Return the one-sided p-value that each system is better than each other, by paired permutation over items.

    Parameters
    ----------
    scores : array of shape (systems, items)
        Segment scores; an item missing (NaN) for either system of a pair takes no part in that pair.
    permutations : int
        Random sign vectors, the same ones for every pair.
    seed : int
        Seed of the sign vectors.

    Returns
    -------
    array of shape (systems, systems)
        Entry (i, j) is the share of permutations whose difference i - j is above the observed one, equal ones
        counting half, so that (i, j) and (j, i) add up to 1.

    Examples
    --------
    >>> better_p_values([[5, 6, 7, 8, 9, 9, 8, 7], [1, 2, 3, 2, 1, 2, 3, 4]])[0, 1] < 0.05
    np.True_
    """
    values = np.atleast_2d(np.asarray(scores, float))
    systems, items = values.shape
    if items < 2:
        raise UsageError("soft pairwise accuracy needs segment scores: every system has a single score here.")
    signs = np.random.default_rng(seed).integers(0, 2, (permutations, items)) * 2.0 - 1.0
    complete = not np.isnan(values).any()
    shuffled = signs @ values.T if complete else None
    result = np.full((systems, systems), 0.5)
    for first in range(systems):
        differences = values[first] - values[first + 1 :]
        if shuffled is not None:
            null = shuffled[:, first, None] - shuffled[:, first + 1 :]
        else:
            differences = np.where(np.isnan(differences), 0.0, differences)
            null = signs @ differences.T
        observed = differences.sum(axis=1)
        slack = 1e-9 * np.maximum(np.abs(differences).sum(axis=1), 1e-300)
        above = np.count_nonzero(null > observed + slack, axis=0)
        equal = np.count_nonzero(np.abs(null - observed) <= slack, axis=0)
        p = (above + equal / 2) / permutations
        result[first, first + 1 :], result[first + 1 :, first] = p, 1 - p
    return result


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
    humans, metrics = np.broadcast_arrays(np.asarray(human, float), np.asarray(metric, float))
    tables = humans.shape[:-2]
    first, second = np.triu_indices(humans.shape[-2], 1)
    result = np.full(tables, np.nan)
    for table in np.ndindex(tables):
        sure, says = (
            better_p_values(cells[table], permutations=permutations, seed=seed)[first, second]
            for cells in (humans, metrics)
        )
        apart = np.ones(len(first), bool)
        if identities is not None:
            apart = identities[table][first] != identities[table][second]
        if apart.any():
            result[table] = 1 - np.abs(sure - says)[apart].mean()
    return result
