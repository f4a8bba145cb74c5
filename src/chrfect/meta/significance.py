"""Tests of whether two metrics agree with humans equally well.

Williams's test, permutation of scores, permutation of pair outcomes, and the paired bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chrfect.errors import UsageError
from chrfect.inference.resample import coins, exchanges
from chrfect.inference.student import two_sided
from chrfect.meta.calibration import calibrate
from chrfect.meta.correlation import moments, pearson, rank_moments, scaled
from chrfect.meta.intervals import DRAWN, Resampled, resampled_values
from chrfect.meta.measure import mean_of_items
from chrfect.meta.pairs import outcomes
from chrfect.meta.soft import better_p_values, soft_accuracy_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.meta.intervals import Progress
    from chrfect.meta.measure import Measure
    from chrfect.meta.panel import Panel

    Floats = NDArray[np.float64]
    Flips = NDArray[np.bool_]

Swapped = Literal["systems", "cells", "items", "pairs"]

NULLS = {
    "williams": "the two correlations are equal, and the scores are an independent sample",
    "systems": "the standardised scores of the two metrics are exchangeable within each system",
    "cells": "the standardised scores of the two metrics are exchangeable within each cell, independently of others",
    "items": "the standardised scores of the two metrics are exchangeable within each item",
    "pairs": "which metric orders a pair correctly is exchangeable, independently of others",
    "bootstrap": "the agreement of the two metrics is equal for other samples of what is drawn",
}
"""The null hypothesis of each test."""

_BATCH = 1 << 16  # maximum number of cells in a batch of permutations
_SLACK = 1e-12  # tolerance for equality with the observed difference


@dataclass(frozen=True)
class Comparison:
    """A test of the difference between the agreements of two metrics with humans.

    Parameters
    ----------
    first, second : str
        The metrics.
    difference : float or None
        The agreement of the first metric minus that of the second; None if either is undefined.
    p_value : float or None
        The two-sided p-value; None if the difference is undefined.
    test : str
        A description of the test and its settings.
    null : str
        The null hypothesis.
    one_sided : float or None
        The p-value against the alternative that the first metric agrees better.
    statistic : float or None
        Williams's t.
    degrees : int or None
        Its degrees of freedom.
    draws : array or None
        Differences under the null hypothesis: permuted ones, or the observed difference minus resampled ones.
    """

    first: str
    second: str
    difference: float | None
    p_value: float | None
    test: str
    null: str = ""
    one_sided: float | None = None
    statistic: float | None = None
    degrees: int | None = None
    draws: Floats | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        data: dict[str, Any] = {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "p_value": self.p_value,
            "one_sided": self.one_sided,
            "test": self.test,
            "null": self.null,
        }
        return data if self.degrees is None else data | {"t": self.statistic, "degrees": self.degrees}


def williams(r12: float, r13: float, r23: float, members: int) -> tuple[float, float]:
    """Test whether two correlations that share variable 1 are equal.

    Parameters
    ----------
    r12, r13 : float
        Correlations of variables 2 and 3 (the metrics) with variable 1 (humans), between -1 and 1.
    r23 : float
        Correlation of the two metrics, between -1 and 1.
    members : int
        The number of scores, at least 4.

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
        raise UsageError(f"Williams's test was given {members} scores; at least 4 were expected.")
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


def compare_williams(panel: Panel, first: str, second: str, measure: Measure) -> Comparison:
    """Compare two metrics by Williams's test for one ungrouped Pearson or Spearman correlation.

    Raises
    ------
    UsageError
        If the measure has groups or another statistic.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> metrics = {"a": [[1, 2, 3, 5, 4]], "b": [[5, 1, 4, 2, 3]]}
    >>> panel = Panel("demo", ["A"], list("12345"), [[1, 2, 3, 4, 5]], metrics)
    >>> round(compare_williams(panel, "a", "b", Measure(Statistic("pearson"))).p_value, 4)
    0.1846
    """
    if measure.statistic.name not in ("pearson", "spearman") or measure.grouping != "none":
        raise UsageError(
            f"Williams's test requires one ungrouped Pearson or Spearman correlation, not {measure}; "
            "use the permutation test."
        )
    sums = moments if measure.statistic.name == "pearson" else rank_moments
    one, two = (measure.arrange(measure.scores(panel, name))[0] for name in (first, second))
    human = measure.arrange(panel.human)[0]
    members = int(np.count_nonzero(~np.isnan(human)))
    test = f"Williams, two-sided, {members - 3} degrees of freedom"
    r12, r13, r23 = (float(pearson(sums(a, b))) for a, b in ((human, one), (human, two), (one, two)))
    if math.isnan(r12) or math.isnan(r13):
        return Comparison(first, second, None, None, test, NULLS["williams"])
    t, p = williams(r12, r13, r23, members)
    better = p / 2 if t > 0 else 1 - p / 2
    return Comparison(first, second, r12 - r13, p, test, NULLS["williams"], better, t, members - 3)


def compare_permuted(
    panel: Panel,
    first: str,
    second: str,
    measure: Measure,
    *,
    swapped: Swapped,
    permutations: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two metrics by random swaps of their standardized scores, Deutsch, Dror and Roth (2021).

    Parameters
    ----------
    panel, first, second, measure
        The agreements to compare.
    swapped : {"systems", "cells", "items", "pairs"}
        The unit that is swapped between the metrics: all scores of a system, single cells, all scores of an item, or
        the outcomes of pairs (see `compare_outcomes`). For the system level, "systems" standardizes and swaps scores
        of whole systems, as the tool of the WMT metrics task does.
    permutations : int
        The number of random swaps, at least 1. If there are no more different swaps of systems, all of them are made.
    seed : int
        The random seed.
    progress : callable, optional
        Called with the numbers of finished and of all permutations.

    Returns
    -------
    Comparison
        p = (1 + number of swaps with a difference at least as large) / (1 + swaps), or the share among all swaps.

    Raises
    ------
    UsageError
        If a parameter has an invalid value, the statistic has a tie threshold in the units of a metric, or cells of
        corpus scores are to be swapped.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> scores = [[1, 2, 3, 5, 4, 6]]
    >>> panel = Panel("demo", ["A"], list("123456"), [[1, 2, 3, 4, 5, 6]], {"a": scores, "b": scores})
    >>> compare_permuted(panel, "a", "b", Measure(Statistic("pearson")), swapped="cells").p_value
    1.0
    """
    if swapped not in get_args(Swapped):
        raise UsageError(f"swapped is {swapped!r}; one of {', '.join(get_args(Swapped))} was expected.")
    if permutations < 1:
        raise UsageError(f"permutations is {permutations}; at least 1 was expected.")
    if swapped == "pairs":
        return compare_outcomes(panel, first, second, measure, permutations=permutations, seed=seed)
    if measure.statistic.epsilon:
        raise UsageError(
            f"the permutation test swaps standardized scores, but the tie threshold {measure.statistic.epsilon:g} is "
            "in the units of a metric; use the bootstrap, or swap pairs."
        )
    human, one, two = panel.human, measure.scores(panel, first), measure.scores(panel, second)
    if one.shape != human.shape and swapped != "systems":
        raise UsageError(f"{panel.name}: corpus scores have no {swapped} to swap; swap systems, or use mean scores.")
    observed = float(measure.values(human, one) - measure.values(human, two))
    if swapped == "systems" and measure.level == "system" and measure.statistic.name != "soft-accuracy":
        human, one, two = (mean_of_items(cells)[:, None] for cells in (human, one, two))
    systems, items = human.shape
    shape = {"cells": (systems, items), "systems": (systems, 1), "items": (1, items)}[swapped]
    every = swapped == "systems" and 1 << (systems - 1) <= permutations
    number = 1 << (systems - 1) if every else permutations
    test = f"permutation of {swapped}, two-sided, " + (
        f"all {2 * number:,} swaps" if every else f"{permutations:,} permutations, seed {seed}"
    )
    if math.isnan(observed):
        return Comparison(first, second, None, None, test, NULLS[swapped])
    one, two = _standardised(one), _standardised(two)
    by_row = swapped == "systems" and measure.statistic.name == "soft-accuracy"
    differences = _row_differences(human, one, two) if by_row else _cell_differences(measure, human, one, two)
    generator = np.random.default_rng(seed)
    batch = max(1, _BATCH // human.size)
    parts = []
    for start in range(0, number, batch):
        size = min(batch, number - start)
        flips = exchanges(systems)[start : start + size, :, None] if every else coins(generator, (size, *shape))
        parts.append(differences(flips))
        if progress:
            progress(start + size, number)
    draws = np.concatenate(parts)
    if every:  # swapping the complement changes the sign of a difference
        draws = np.concatenate([draws, -draws])
    p_value, one_sided = _shares(draws, observed, 0 if every else 1)
    return Comparison(first, second, observed, p_value, test, NULLS[swapped], one_sided, draws=draws)


def _shares(draws: Floats, observed: float, added: int) -> tuple[float, float]:
    """Return the shares of draws that are at least as large as the observed difference, two-sided and one-sided."""
    beyond = int(np.count_nonzero(np.abs(draws) >= abs(observed) - _SLACK))
    above = int(np.count_nonzero(draws >= observed - _SLACK))
    return (added + beyond) / (added + len(draws)), (added + above) / (added + len(draws))


def compare_outcomes(
    panel: Panel, first: str, second: str, measure: Measure, *, permutations: int = 1000, seed: int = 12345
) -> Comparison:
    """Compare two metrics by swapping which of them orders a pair correctly, as WMT does since 2023.

    Parameters
    ----------
    panel, first, second
        The agreements to compare.
    measure : Measure
        With "accuracy", or with "accuracy-calibrated", whose thresholds are calibrated once for each metric.
    permutations, seed : int
        The number of random swaps and the random seed.

    Raises
    ------
    UsageError
        If the statistic is not a pairwise accuracy.

    Notes
    -----
    Swapping the outcomes of a pair that both or neither of the metrics order correctly has no effect. So a group is
    represented by the number n of its other pairs, and a swap by a binomial random number with n trials.
    """
    if measure.statistic.name not in ("accuracy", "accuracy-calibrated"):
        raise UsageError(f"only accuracy and accuracy-calibrated have pairs to swap, not {measure.statistic.name}.")
    test = f"permutation of pairs, two-sided, {permutations:,} permutations, seed {seed}"
    human = measure.arrange(panel.human)
    sides = [measure.arrange(measure.scores(panel, name)) for name in (first, second)]
    margin, epsilons = measure.statistic.margin, [measure.statistic.epsilon] * 2
    if measure.statistic.name == "accuracy-calibrated":
        epsilons = [calibrate(human, side, average=measure.average, margin=margin).epsilon for side in sides]
    wins, losses, pairs = outcomes(human, sides[0], sides[1], margin, epsilons[0], epsilons[1])
    if not pairs.any():
        return Comparison(first, second, None, None, test, NULLS["pairs"])
    if measure.average == "macro":
        weights = np.where(pairs > 0, 1 / np.maximum(pairs, 1), 0.0) / np.count_nonzero(pairs)
    else:
        weights = np.full(pairs.shape, 1 / pairs.sum())
    observed = float(weights @ (wins - losses))
    apart = wins + losses
    draws = np.random.default_rng(seed).binomial(apart, 0.5, (permutations, len(apart)))
    differences = (2 * draws - apart) @ weights
    p_value, one_sided = _shares(differences, observed, 1)
    return Comparison(first, second, observed, p_value, test, NULLS["pairs"], one_sided, draws=differences)


def compare_bootstrapped(
    panel: Panel,
    first: str,
    second: str,
    measure: Measure,
    *,
    resampled: Resampled,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two metrics on the same resamples of systems, items or both.

    Parameters
    ----------
    panel, first, second, measure
        The agreements to compare.
    resampled : {"systems", "items", "both"}
        The resampled unit, to which the result generalizes.
    resamples, seed : int
        The number of resamples and the random seed.
    progress : callable, optional
        Called with the numbers of finished and of all resamples.

    Returns
    -------
    Comparison
        The one-sided p-value is (1 + resamples where the first metric does not agree better) / (1 + resamples). The
        two-sided p-value is twice the smaller of both sides, at most 1.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> scores = [[1, 2, 3, 5, 4, 6]]
    >>> panel = Panel("demo", ["A"], list("123456"), [[1, 2, 3, 4, 5, 6]], {"a": scores, "b": scores})
    >>> compare_bootstrapped(panel, "a", "b", Measure(Statistic("pearson")), resampled="items").p_value
    1.0
    """
    test = f"paired bootstrap over {DRAWN.get(resampled, resampled)}, two-sided, {resamples:,} resamples, seed {seed}"
    null = NULLS["bootstrap"].replace("what is drawn", DRAWN.get(resampled, resampled))
    observed = float(
        measure.values(panel.human, measure.scores(panel, first))
        - measure.values(panel.human, measure.scores(panel, second))
    )
    if math.isnan(observed):
        return Comparison(first, second, None, None, test, null)
    one, two = resampled_values(
        panel, (first, second), measure, resampled=resampled, resamples=resamples, seed=seed, progress=progress
    )
    differences = (one - two)[~np.isnan(one - two)]
    if not len(differences):
        return Comparison(first, second, observed, None, test, null)
    sides = [(1 + int(np.count_nonzero(side * differences <= _SLACK))) / (1 + len(differences)) for side in (1, -1)]
    draws = observed - differences
    return Comparison(first, second, observed, min(1.0, 2 * min(sides)), test, null, sides[0], draws=draws)


def _cell_differences(measure: Measure, human: Floats, one: Floats, two: Floats) -> Callable[[Flips], Floats]:
    """Return the function from cells to swap to the differences in agreement after these swaps."""

    def differences(flips: Flips) -> Floats:
        first, second = _swap(one, two, flips)
        return measure.values(human, first) - measure.values(human, second)

    return differences


def _row_differences(human: Floats, one: Floats, two: Floats) -> Callable[[Flips], Floats]:
    """Return the same for soft pairwise accuracy and swaps of systems, which need no p-values but those of all rows."""
    systems = np.arange(len(human))
    human_p, metric_p = better_p_values(human), better_p_values(np.concatenate([one, two]))

    def differences(flips: Flips) -> Floats:
        first, second = (systems + len(systems) * taken[..., 0] for taken in (flips, ~flips))
        before = soft_accuracy_of_rows(human_p, metric_p, systems, first)
        return before - soft_accuracy_of_rows(human_p, metric_p, systems, second)

    return differences


def _swap(one: Floats, two: Floats, coins: Flips) -> tuple[Floats, Floats]:
    """Exchange the cells for which a coin is true, by bitwise operations, which are exact and fast."""
    bits_one, bits_two = one.view(np.int64), two.view(np.int64)
    moved = (bits_one ^ bits_two) & -coins.astype(np.int64)
    return (bits_one ^ moved).view(np.float64), (bits_two ^ moved).view(np.float64)


def _standardised(cells: Floats) -> Floats:
    """Return scores with mean 0 and standard deviation 1, so that a swap preserves the scale."""
    cells = scaled(cells)
    deviation = np.nanstd(cells)
    centred: Floats = cells - np.nanmean(cells)
    return centred / deviation if deviation > 0 else centred
