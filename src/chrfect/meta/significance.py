"""Is one metric better than another? Williams's test, and permutation tests that name what they swap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.inference.student import two_sided
from chrfect.meta.correlation import moments, pearson, rank_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from chrfect.meta.intervals import Progress
    from chrfect.meta.panel import Panel
    from chrfect.meta.recipe import Recipe

    Floats = NDArray[np.float64]

Swapped = Literal["cells", "systems", "items"]

_BATCH = 1 << 16  # cells swapped at once
_SLACK = 1e-12  # differences this close to the observed one count as equal


@dataclass(frozen=True)
class Comparison:
    """A test of the difference of two metrics' agreement with humans.

    Parameters
    ----------
    first, second : str
        The metrics.
    difference : float or None
        Agreement of the first minus that of the second; None where either is undefined.
    p_value : float or None
        Two-sided; None where the difference is undefined.
    test : str
        The test and its settings, in words.
    statistic : float or None
        Williams's t.
    degrees : int or None
        Its degrees of freedom.
    """

    first: str
    second: str
    difference: float | None
    p_value: float | None
    test: str
    statistic: float | None = None
    degrees: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-ready data."""
        data = {"first": self.first, "second": self.second, "difference": self.difference, "p_value": self.p_value}
        data["test"] = self.test
        return data if self.degrees is None else data | {"t": self.statistic, "degrees": self.degrees}


def williams(r12: float, r13: float, r23: float, members: int) -> tuple[float, float]:
    """Test whether two correlations that share variable 1 are equal.

    Parameters
    ----------
    r12, r13 : float
        Correlation of variables 2 and 3 (the metrics) with variable 1 (humans), -1..1.
    r23 : float
        Correlation of the two metrics, -1..1.
    members : int
        Scores compared, at least 4.

    Returns
    -------
    tuple of float
        Williams's (1959) t with members - 3 degrees of freedom, as in Steiger (1980, equation 7), and its two-sided
        p-value.

    Raises
    ------
    UsageError
        With fewer than 4 members.

    Examples
    --------
    Howell, Statistical Methods for Psychology: t(23) = 1.36, p = .187.

    >>> t, p = williams(0.80, 0.72, 0.89, 26)
    >>> round(t, 3), round(p, 3)
    (1.361, 0.187)
    """
    if members < 4:
        raise UsageError(f"Williams's test needs at least 4 scores, got {members}.")
    if r12 == r13:
        return 0.0, 1.0
    determinant = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    mean = (r12 + r13) / 2
    under = 2 * (members - 1) / (members - 3) * determinant + mean**2 * (1 - r23) ** 3
    over = (r12 - r13) * math.sqrt((members - 1) * max(0.0, 1 + r23))
    if under <= 0:
        return (math.copysign(math.inf, over), 0.0) if over else (0.0, 1.0)
    t = over / math.sqrt(under)
    return t, two_sided(t, members - 3)


def compare_williams(panel: Panel, first: str, second: str, recipe: Recipe) -> Comparison:
    """Compare two metrics by Williams's test, for one ungrouped Pearson or Spearman correlation.

    Raises
    ------
    UsageError
        If the recipe has groups or another statistic.

    Examples
    --------
    >>> from chrfect.meta import Panel, Recipe, Statistic
    >>> metrics = {"a": [[1, 2, 3, 5, 4]], "b": [[5, 1, 4, 2, 3]]}
    >>> panel = Panel("demo", ["A"], list("12345"), [[1, 2, 3, 4, 5]], metrics)
    >>> round(compare_williams(panel, "a", "b", Recipe(Statistic("pearson"))).p_value, 4)
    0.1846
    """
    if recipe.statistic.name not in ("pearson", "spearman") or recipe.grouping != "none":
        raise UsageError(
            f"Williams's test is for one ungrouped Pearson or Spearman correlation, not for {recipe}; "
            "use the permutation test."
        )
    sums = moments if recipe.statistic.name == "pearson" else rank_moments
    human, one, two = (recipe.arrange(cells)[0] for cells in (panel.human, panel.metric(first), panel.metric(second)))
    members = int(np.count_nonzero(~np.isnan(human)))
    test = f"Williams, two-sided, {members - 3} degrees of freedom"
    r12, r13, r23 = (float(pearson(sums(a, b))) for a, b in ((human, one), (human, two), (one, two)))
    if math.isnan(r12) or math.isnan(r13):
        return Comparison(first, second, None, None, test)
    t, p = williams(r12, r13, r23, members)
    return Comparison(first, second, r12 - r13, p, test, t, members - 3)


def compare_permuted(
    panel: Panel,
    first: str,
    second: str,
    recipe: Recipe,
    *,
    swapped: Swapped = "cells",
    permutations: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two metrics by swapping their standardised scores at random, Deutsch, Dror and Roth (2021).

    Parameters
    ----------
    panel, first, second, recipe
        What is compared.
    swapped : {"cells", "systems", "items"}
        What is swapped between the metrics: each cell alone, a system's whole row, or an item's whole column.
    permutations : int
        Random swaps, at least 1.
    seed : int
        Seed of the swaps.
    progress : callable, optional
        Called with the permutations done and their number.

    Returns
    -------
    Comparison
        p = (1 + swaps with a difference at least as large) / (1 + swaps); 1 for identical metrics.

    Raises
    ------
    UsageError
        If a parameter is none of its choices, or the statistic has a tie threshold in a metric's own units.

    Examples
    --------
    >>> from chrfect.meta import Panel, Recipe, Statistic
    >>> scores = [[1, 2, 3, 5, 4, 6]]
    >>> panel = Panel("demo", ["A"], list("123456"), [[1, 2, 3, 4, 5, 6]], {"a": scores, "b": scores})
    >>> compare_permuted(panel, "a", "b", Recipe(Statistic("pearson"))).p_value
    1.0
    """
    if swapped not in get_args(Swapped):
        raise UsageError(f"swapped is {swapped!r}; one of {', '.join(get_args(Swapped))} was expected.")
    if permutations < 1:
        raise UsageError(f"permutations is {permutations}; at least 1 was expected.")
    if recipe.statistic.epsilon:
        raise UsageError(
            f"the permutation test swaps standardised scores, and the tie threshold {recipe.statistic.epsilon:g} is "
            "in a metric's own units; test accuracy-calibrated, or test nothing."
        )
    test = f"permutation of {swapped}, two-sided, {permutations:,} permutations, seed {seed}"
    human, one, two = panel.human, panel.metric(first), panel.metric(second)
    observed = float(recipe.values(human, one) - recipe.values(human, two))
    if math.isnan(observed):
        return Comparison(first, second, None, None, test)
    one, two = _standardised(one), _standardised(two)
    systems, items = human.shape
    drawn = {"cells": (systems, items), "systems": (systems, 1), "items": (1, items)}[swapped]
    generator = np.random.default_rng(seed)
    batch = max(1, _BATCH // human.size)
    beyond = 0
    for start in range(0, permutations, batch):
        number = min(batch, permutations - start)
        first_swapped, second_swapped = _swap(one, two, _coins(generator, (number, *drawn)))
        differences = recipe.values(human, first_swapped) - recipe.values(human, second_swapped)
        beyond += int(np.count_nonzero(np.abs(differences) >= abs(observed) - _SLACK))
        if progress:
            progress(start + number, permutations)
    return Comparison(first, second, observed, (1 + beyond) / (1 + permutations), test)


def _coins(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Throw fair coins, eight from a random byte."""
    number = math.prod(shape)
    return np.unpackbits(generator.integers(0, 256, -(-number // 8), np.uint8), count=number).view(bool).reshape(shape)


def _swap(one: Floats, two: Floats, coins: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Exchange cells where a coin says so, bit by bit: exact, and faster than choosing by a random condition."""
    bits_one, bits_two = one.view(np.int64), two.view(np.int64)
    moved = (bits_one ^ bits_two) & -coins.astype(np.int64)
    return (bits_one ^ moved).view(np.float64), (bits_two ^ moved).view(np.float64)


def _standardised(cells: Floats) -> Floats:
    """Scores with mean 0 and deviation 1 over all cells, so that a swap keeps the scale."""
    deviation = np.nanstd(cells)
    centred: Floats = cells - np.nanmean(cells)
    return centred / deviation if deviation > 0 else centred


def compare_all(metrics: Sequence[str], compare: Callable[[str, str], Comparison]) -> list[Comparison]:
    """Compare every two metrics, in the order given."""
    return [compare(first, second) for first, second in combinations(metrics, 2)]
