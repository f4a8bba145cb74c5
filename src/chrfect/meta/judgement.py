"""The agreement of several metrics on several panels, with intervals, tests and ranks."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

import numpy as np

from chrfect._version import __version__
from chrfect.errors import ChrfectWarning, UsageError
from chrfect.inference.clusters import Rule, rank_clusters
from chrfect.inference.corrections import Correction, adjust
from chrfect.inference.intervals import check_confidence
from chrfect.meta.agreement import Agreement, correlate, too_few_systems, used_systems
from chrfect.meta.intervals import Interval, Progress, Resampled, bootstrap, fisher
from chrfect.meta.measure import Measure
from chrfect.meta.pairs import PairCounts
from chrfect.meta.panel import Panel
from chrfect.meta.significance import (
    Comparison,
    Swapped,
    compare_bootstrapped,
    compare_permuted,
    compare_williams,
)

FISHER = ("pearson", "spearman", "kendall-b")
WILLIAMS = ("pearson", "spearman")


@dataclass(frozen=True)
class Settings:
    """The methods of intervals, tests and ranks.

    Parameters
    ----------
    interval : {"auto", "fisher", "bootstrap", "none"}
        "auto" is Fisher's z for one ungrouped correlation of independent scores, and the bootstrap otherwise.
    resampled : {"systems", "items", "both"} or None
        The unit that the bootstrap resamples; by default systems for the system level, and both for the segment level.
    test : {"auto", "permutation", "bootstrap", "williams", "none"}
        "auto" permutes systems for the system level. For the segment level it is the bootstrap over systems and items.
        For a single system, whose scores are independent, it is Williams's test for an ungrouped Pearson or Spearman
        correlation, and the permutation of cells otherwise.
    swapped : {"systems", "cells", "items", "pairs"} or None
        The unit that the permutation test swaps; by default systems for the system level, and cells otherwise.
    ranks : {"corrected", "wmt"}
        The ranking rule, see `rank_clusters`.
    resamples, permutations : int
        At least 1.
    confidence, alpha : float
        The confidence level and the significance level, between 0 and 1.
    correction : str
        The correction for the number of pairs of metrics.
    seed : int
        The random seed.
    """

    interval: Literal["auto", "fisher", "bootstrap", "none"] = "auto"
    resampled: Resampled | None = None
    test: Literal["auto", "permutation", "bootstrap", "williams", "none"] = "auto"
    swapped: Swapped | None = None
    ranks: Rule = "corrected"
    resamples: int = 1000
    permutations: int = 1000
    confidence: float = 0.95
    alpha: float = 0.05
    correction: Correction = "holm"
    seed: int = 12345

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha is {self.alpha!r}; a number between 0 and 1 was expected.")
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}; at least 0 was expected.")


@dataclass(frozen=True)
class Judged:
    """One statistic of all metrics on one panel, best first.

    Parameters
    ----------
    panel : str
        The panel.
    measure : Measure
        The statistic that was computed.
    agreements : tuple of Agreement
        One for each metric.
    intervals : dict of str to (Interval or None)
        By metric.
    comparisons : tuple of Comparison
        Every pair of metrics, the better one first.
    corrected : tuple of (float or None)
        The corrected p-value of each comparison.
    ranks : dict of str to (int or None)
        By metric; empty without tests.
    """

    panel: str
    measure: Measure
    agreements: tuple[Agreement, ...]
    intervals: dict[str, Interval | None]
    comparisons: tuple[Comparison, ...]
    corrected: tuple[float | None, ...]
    ranks: dict[str, int | None]

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {
            "panel": self.panel,
            "measure": str(self.measure),
            "metrics": [
                agreement.to_dict()
                | {"interval": interval.to_dict() if (interval := self.intervals[agreement.metric]) else None}
                | {"rank": self.ranks.get(agreement.metric)}
                for agreement in self.agreements
            ],
            "comparisons": [
                comparison.to_dict() | {"corrected": corrected}
                for comparison, corrected in zip(self.comparisons, self.corrected, strict=True)
            ],
        }


@dataclass(frozen=True)
class Judgement:
    """The results for all panels and statistics.

    Parameters
    ----------
    judged : tuple of Judged
        The results by panel and then by statistic.
    settings : Settings
        The methods of intervals, tests and ranks.
    """

    judged: tuple[Judged, ...]
    settings: Settings

    def over_panels(self, measure: Measure) -> dict[str, tuple[float | None, int]]:
        """Return the mean of each metric over the panels where it is defined, and the number of these panels."""
        values: dict[str, list[float]] = {}
        for one in self.judged:
            if one.measure == measure:
                for agreement in one.agreements:
                    values.setdefault(agreement.metric, [])
                    if agreement.value is not None:
                        values[agreement.metric].append(agreement.value)
        return {metric: (fmean(some) if some else None, len(some)) for metric, some in values.items()}

    def pooled(self, measure: Measure) -> dict[str, float | None]:
        """Return the value of each metric over the pairs of all panels, for statistics that count pairs.

        For the system level, `accuracy` is the pairwise accuracy of Kocmi et al. (2021) over language pairs.
        """
        sums: dict[str, PairCounts] = {}
        for one in self.judged:
            if one.measure == measure:
                for agreement in one.agreements:
                    if agreement.pairs is not None and measure.statistic.name != "kendall-c":
                        sums[agreement.metric] = sums.get(agreement.metric, PairCounts(0, 0, 0, 0, 0)) + agreement.pairs
        values = {metric: float(measure.statistic.value(np.array(astuple(pairs)))) for metric, pairs in sums.items()}
        return {metric: None if np.isnan(value) else value for metric, value in values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {
            "version": __version__,
            "settings": vars(self.settings),
            "judged": [one.to_dict() for one in self.judged],
        }


def judge(
    panels: Sequence[Panel], measures: Sequence[Measure], settings: Settings, progress: Progress | None = None
) -> Judgement:
    """Compute every statistic for every panel and metric.

    Parameters
    ----------
    panels : sequence of Panel
        The ratings and scores.
    measures : sequence of Measure
        The statistics to compute.
    settings : Settings
        The methods of intervals, tests and ranks.
    progress : callable, optional
        Called with the finished and the total work.

    Raises
    ------
    UsageError
        If a measure does not support the interval or the test, or there are too few systems. If there are several
        panels, those with too few systems are excluded with a warning.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> metrics = {"a": [[1, 2, 3, 5, 4]], "b": [[5, 1, 4, 2, 3]]}
    >>> panel = Panel("demo", ["A"], list("12345"), [[1, 2, 3, 4, 5]], metrics)
    >>> judgement = judge([panel], [Measure(Statistic("pearson"))], Settings())
    >>> [(one.metric, round(one.value, 2)) for one in judgement.judged[0].agreements]
    [('a', 0.9), ('b', -0.3)]
    """
    work = _Work(progress)
    for panel in panels:
        number = len(panel.metrics)
        work.whole += len(measures) * (number + (number * (number - 1) // 2 if settings.test != "none" else 0))
    judged = []
    for panel in panels:
        for measure in measures:
            if len(panels) > 1 and (reason := too_few_systems(panel, measure)):
                warnings.warn(f"{reason} It is excluded.", ChrfectWarning, stacklevel=2)
                continue
            agreements, intervals = [], {}
            for metric in panel.metrics:
                agreement = correlate(panel, metric, measure)
                agreements.append(agreement)
                intervals[metric] = _interval(panel, agreement, settings, work.part)
                work.step()
            agreements.sort(key=lambda a: (a.value is None, -(a.value or 0.0)))
            comparisons = []
            if settings.test != "none":
                for first, second in combinations([agreement.metric for agreement in agreements], 2):
                    comparisons.append(_compare(panel, first, second, measure, settings, work.part))
                    work.step()
            corrected = adjust([one.p_value for one in comparisons], settings.correction)
            ranks = _ranks(agreements, comparisons, corrected, settings) if comparisons else {}
            judged.append(
                Judged(panel.name, measure, tuple(agreements), intervals, tuple(comparisons), tuple(corrected), ranks)
            )
    if not judged:
        raise UsageError(f"none of the {len(panels)} panels has enough systems.")
    return Judgement(tuple(judged), settings)


class _Work:
    """Reports progress in units of a thousandth of an interval or comparison."""

    def __init__(self, progress: Progress | None) -> None:
        self.whole = 0
        self._done = 0
        self._progress = progress

    def step(self) -> None:
        self._done += 1
        self.part(0, 1)

    def part(self, done: int, whole: int) -> None:
        if self._progress:
            self._progress(self._done * 1000 + 1000 * done // whole, self.whole * 1000)


def _ranks(
    agreements: Sequence[Agreement],
    comparisons: Sequence[Comparison],
    corrected: Sequence[float | None],
    settings: Settings,
) -> dict[str, int | None]:
    """Return the ranks by the rule of the settings."""
    used = corrected if settings.ranks == "corrected" else [comparison.one_sided for comparison in comparisons]
    p_values = {(c.first, c.second): p for c, p in zip(comparisons, used, strict=True)}
    values = {agreement.metric: agreement.value for agreement in agreements}
    return rank_clusters(values, p_values, settings.alpha, settings.ranks)


def _independent(panel: Panel, measure: Measure) -> bool:
    """Return whether the scores are independent: one for each system, or all of one system or item."""
    return measure.level == "system" or min(len(used_systems(panel)), len(panel.items)) == 1


def _drawn(panel: Panel, measure: Measure) -> Resampled:
    """Return the unit that the bootstrap resamples by default."""
    if measure.level == "system" or len(panel.items) == 1:
        return "systems"
    return "items" if len(used_systems(panel)) == 1 else "both"


def _interval(panel: Panel, agreement: Agreement, settings: Settings, progress: Progress) -> Interval | None:
    measure, kind = agreement.measure, settings.interval
    if kind == "none" or agreement.value is None:
        return None
    single = measure.grouping == "none" and measure.statistic.name in FISHER
    if kind == "auto":
        enough = agreement.members > (4 if measure.statistic.name == "kendall-b" else 3)
        kind = "fisher" if single and enough and _independent(panel, measure) else "bootstrap"
    if kind == "fisher":
        if not single:
            raise UsageError(f"Fisher's z gives no interval for {measure}; use the bootstrap.")
        if not _independent(panel, measure):
            _warn_of_dependence(panel, "Fisher's z")
        return fisher(measure.statistic.name, agreement.value, agreement.members, settings.confidence)
    return bootstrap(
        panel,
        agreement.metric,
        measure,
        resampled="systems" if len(panel.items) == 1 else settings.resampled or _drawn(panel, measure),
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
        progress=progress,
    )


def _compare(
    panel: Panel, first: str, second: str, measure: Measure, settings: Settings, progress: Progress
) -> Comparison:
    kind = settings.test
    if kind == "auto":
        single = measure.grouping == "none" and measure.statistic.name in WILLIAMS
        if measure.level == "system":
            kind = "permutation"
        elif not _independent(panel, measure):
            kind = "bootstrap"
        else:
            kind = "williams" if single and panel.cells > 3 else "permutation"
    if kind == "williams":
        comparison = compare_williams(panel, first, second, measure)
        if not _independent(panel, measure):
            _warn_of_dependence(panel, "Williams's test")
        return comparison
    if kind == "bootstrap":
        return compare_bootstrapped(
            panel,
            first,
            second,
            measure,
            resampled=settings.resampled or _drawn(panel, measure),
            resamples=settings.resamples,
            seed=settings.seed,
            progress=progress,
        )
    return compare_permuted(
        panel,
        first,
        second,
        measure,
        swapped=settings.swapped or ("systems" if measure.level == "system" else "cells"),
        permutations=settings.permutations,
        seed=settings.seed,
        progress=progress,
    )


def _warn_of_dependence(panel: Panel, method: str) -> None:
    warnings.warn(
        f"{panel.name}: {method} treats the scores of one system, and of one item, as independent. If they are not, "
        "its result is too certain. The bootstrap over systems and items does not assume independence.",
        ChrfectWarning,
        stacklevel=4,
    )
