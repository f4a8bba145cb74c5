"""The statistics by name. Each computes sums for every group, and a value from the sums.

A micro average is the value of the sums over groups, and a macro average is the mean of the values of groups. All
functions work along the last axes, so that thousands of resampled tables can be computed together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.errors import UsageError
from chrfect.meta.correlation import moments, pearson, rank_moments
from chrfect.meta.pairs import PAIR_STATISTICS, TIED_BOTH, classes, copies, pair_sums
from chrfect.meta.soft import PERMUTATIONS, SEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Sums = NDArray[Any]
    Integers = NDArray[np.int64]

DARR_MARGIN = 25.0

STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho (average ranks)",
    "kendall-a": "Kendall's tau-a: ties count only in the denominator",
    "kendall-b": "Kendall's tau-b: corrected for the ties of both sides",
    "kendall-c": "Stuart's tau-c",
    "wmt12": "WMT 2012 relative ranking: human ties ignored, metric ties count as discordant",
    "wmt13": "WMT 2013 relative ranking: ties of either side ignored",
    "wmt14": "WMT 2014 relative ranking: human ties ignored, metric ties count only in the denominator",
    "darr": "WMT 2017-2020 daRR: human ties ignored, metric ties count as discordant",
    "accuracy": "pairwise accuracy with ties: a metric tie is correct for a human tie",
    "accuracy-calibrated": "pairwise accuracy with ties at the tie threshold with the highest accuracy",
    "soft-accuracy": "soft pairwise accuracy: 1 - mean |p(human) - p(metric)| over pairs of systems, each p from "
    f"{PERMUTATIONS:,} sign vectors, seed {SEED}",
}


@dataclass(frozen=True)
class Statistic:
    """A statistic for the agreement of a metric with humans.

    Parameters
    ----------
    name : str
        One of `STATISTICS`.
    margin : float
        Statistics of pairs: human scores that differ by less are ties; at least 0. By default 25 for "darr", else 0.
    epsilon : float
        Statistics of pairs: metric scores that differ by at most this are ties; at least 0.

    Raises
    ------
    UsageError
        If the name is unknown, a threshold is negative, or the statistic does not have this threshold.

    Examples
    --------
    >>> print(Statistic("accuracy", epsilon=0.5))
    accuracy (metric differences up to 0.5 tied)
    """

    name: str
    margin: float = math.nan
    epsilon: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in STATISTICS:
            raise UsageError(f"statistic is {self.name!r}; one of {', '.join(STATISTICS)} was expected.")
        if math.isnan(self.margin):
            object.__setattr__(self, "margin", DARR_MARGIN if self.name == "darr" else 0.0)
        if not (self.margin >= 0 and self.epsilon >= 0):
            raise UsageError(f"margin and epsilon are {self.margin!r} and {self.epsilon!r}; at least 0 was expected.")
        if self.margin and not self.uses_margin:
            raise UsageError(f"{self.name} does not compare pairs and has no margin; margin {self.margin:g} was given.")
        if self.epsilon and not self.counts_pairs:
            raise UsageError(f"{self.name} has no tie threshold to set; epsilon {self.epsilon:g} was given.")

    def __str__(self) -> str:
        rules = [f"human differences below {self.margin:g} tied"] if self.margin else []
        rules += [f"metric differences up to {self.epsilon:g} tied"] if self.epsilon else []
        return self.name + (f" ({', '.join(rules)})" if rules else "")

    @property
    def tie_rule(self) -> str:
        """A description of the ties on both sides; empty if pairs are not compared."""
        if not self.uses_margin:
            return ""
        human = f"human differences below {self.margin:g}" if self.margin else "equal human ratings"
        if self.name == "accuracy-calibrated":
            return f"{human}; metric differences up to the calibrated threshold"
        return f"{human}; " + (f"metric differences up to {self.epsilon:g}" if self.epsilon else "equal metric scores")

    @property
    def counts_pairs(self) -> bool:
        """Whether the sums are the counts of the five kinds of pairs."""
        return self.name in PAIR_STATISTICS

    @property
    def uses_margin(self) -> bool:
        """Whether the margin between human ratings affects the statistic."""
        return self.counts_pairs or self.name == "accuracy-calibrated"

    @property
    def summable(self) -> bool:
        """Whether the sums of groups can be added."""
        return self.name not in ("accuracy-calibrated", "soft-accuracy")

    def sums(self, human: Floats, metric: Floats, identities: Integers | None = None) -> Sums:
        """Return the sums of each group: (..., groups, members) to (..., groups, k).

        Members with equal non-negative `identities` are copies and are not compared.
        """
        if not self.counts_pairs:
            return (moments if self.name == "pearson" else rank_moments)(human, metric)
        counts = pair_sums(human, metric, margin=self.margin, epsilon=self.epsilon)
        if identities is not None:
            missing = np.isnan(human) | np.isnan(metric)
            counts[..., TIED_BOTH] -= copies(np.where(missing, -1, identities))
        if self.name == "kendall-c":
            counts = np.concatenate([counts, classes(human, metric)], axis=-1)
        return counts

    @property
    def value(self) -> Callable[[Sums], Floats]:
        """A function from sums (..., k) to values (...); NaN if undefined."""
        return PAIR_STATISTICS[self.name] if self.counts_pairs else pearson

    def average(self, sums: Sums, average: str) -> Floats:
        """Return the average over groups: (..., groups, k) to (...); a macro average ignores undefined groups."""
        if sums.shape[-2] == 1:
            return self.value(sums[..., 0, :])
        if average == "micro":
            if self.name == "kendall-c":
                raise UsageError(
                    "kendall-c depends on the number of distinct scores in a group and has no micro average; "
                    "use the macro average or kendall-b"
                )
            return self.value(sums.sum(axis=-2))
        values = self.value(sums)
        defined = ~np.isnan(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1)
            return means
