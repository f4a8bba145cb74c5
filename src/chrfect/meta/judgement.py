"""Several metrics on several panels: agreement, intervals, tests, ranks; every number with its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

import numpy as np

from chrfect._version import __version__
from chrfect.errors import UsageError
from chrfect.inference.corrections import Correction, adjust, rank_clusters
from chrfect.meta.agreement import Agreement, correlate
from chrfect.meta.intervals import Interval, Progress, Resampled, bootstrap, check_confidence, fisher
from chrfect.meta.pairs import PairCounts
from chrfect.meta.panel import Panel
from chrfect.meta.recipe import Recipe
from chrfect.meta.significance import Comparison, Swapped, compare_permuted, compare_williams

FISHER = ("pearson", "spearman", "kendall-b")
WILLIAMS = ("pearson", "spearman")


@dataclass(frozen=True)
class Settings:
    """How sure the numbers are to be made.

    Parameters
    ----------
    interval : {"auto", "fisher", "bootstrap", "none"}
        "auto" is Fisher's z for one ungrouped correlation and the bootstrap for everything else.
    resampled : {"systems", "items", "both"}
        What the bootstrap draws; whole systems where there are no items.
    test : {"auto", "williams", "permutation", "none"}
        "auto" is Williams's for one ungrouped Pearson or Spearman correlation and permutation for everything else.
    swapped : {"cells", "systems", "items"}
        What the permutation test swaps between two metrics.
    resamples, permutations : int
        At least 1.
    confidence, alpha : float
        Of intervals and of tests, between 0 and 1.
    correction : str
        For the number of pairs of metrics.
    seed : int
        Of everything random.
    """

    interval: Literal["auto", "fisher", "bootstrap", "none"] = "auto"
    resampled: Resampled = "items"
    test: Literal["auto", "williams", "permutation", "none"] = "auto"
    swapped: Swapped = "cells"
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
    recipe : Recipe
        What was computed.
    agreements : tuple of Agreement
        One a metric.
    intervals : dict of str to (Interval or None)
        By metric.
    comparisons : tuple of Comparison
        Every two metrics, the better one first.
    corrected : tuple of (float or None)
        Corrected p-value of each comparison.
    ranks : dict of str to (int or None)
        By metric; empty without tests.
    """

    panel: str
    recipe: Recipe
    agreements: tuple[Agreement, ...]
    intervals: dict[str, Interval | None]
    comparisons: tuple[Comparison, ...]
    corrected: tuple[float | None, ...]
    ranks: dict[str, int | None]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "panel": self.panel,
            "recipe": str(self.recipe),
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
    """All panels and statistics.

    Parameters
    ----------
    judged : tuple of Judged
        A panel and a statistic each, in that order.
    settings : Settings
        How intervals and tests were made.
    """

    judged: tuple[Judged, ...]
    settings: Settings

    def over_panels(self, recipe: Recipe) -> dict[str, tuple[float | None, int]]:
        """Return each metric's mean over the panels where it is defined, and how many those are."""
        values: dict[str, list[float]] = {}
        for one in self.judged:
            if one.recipe == recipe:
                for agreement in one.agreements:
                    values.setdefault(agreement.metric, [])
                    if agreement.value is not None:
                        values[agreement.metric].append(agreement.value)
        return {metric: (fmean(some) if some else None, len(some)) for metric, some in values.items()}

    def pooled(self, recipe: Recipe) -> dict[str, float | None]:
        """Return each metric's value over the pairs of all panels together, for statistics made of pair counts.

        On the system level `accuracy` is then the pairwise accuracy of Kocmi et al. (2021) over language pairs.
        """
        sums: dict[str, PairCounts] = {}
        for one in self.judged:
            if one.recipe == recipe:
                for agreement in one.agreements:
                    if agreement.pairs is not None and recipe.statistic.name != "kendall-c":
                        sums[agreement.metric] = sums.get(agreement.metric, PairCounts(0, 0, 0, 0, 0)) + agreement.pairs
        values = {metric: float(recipe.statistic.value(np.array(astuple(pairs)))) for metric, pairs in sums.items()}
        return {metric: None if np.isnan(value) else value for metric, value in values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "version": __version__,
            "settings": vars(self.settings),
            "judged": [one.to_dict() for one in self.judged],
        }


def judge(
    panels: Sequence[Panel], recipes: Sequence[Recipe], settings: Settings, progress: Progress | None = None
) -> Judgement:
    """Compute every recipe on every panel for every metric.

    Parameters
    ----------
    panels : sequence of Panel
        What is judged on.
    recipes : sequence of Recipe
        What is computed.
    settings : Settings
        How sure.
    progress : callable, optional
        Called with the work done and the whole.

    Raises
    ------
    UsageError
        If an interval or test is asked for that the recipe does not allow, or there are too few systems.

    Examples
    --------
    >>> from chrfect.meta import Panel, Recipe, Statistic
    >>> metrics = {"a": [[1, 2, 3, 5, 4]], "b": [[5, 1, 4, 2, 3]]}
    >>> panel = Panel("demo", ["A"], list("12345"), [[1, 2, 3, 4, 5]], metrics)
    >>> judgement = judge([panel], [Recipe(Statistic("pearson"))], Settings())
    >>> [(one.metric, round(one.value, 2)) for one in judgement.judged[0].agreements]
    [('a', 0.9), ('b', -0.3)]
    """
    work = _Work(progress)
    for panel in panels:
        number = len(panel.metrics)
        work.whole += len(recipes) * (number + (number * (number - 1) // 2 if settings.test != "none" else 0))
    judged = []
    for panel in panels:
        for recipe in recipes:
            agreements, intervals = [], {}
            for metric in panel.metrics:
                agreement = correlate(panel, metric, recipe)
                agreements.append(agreement)
                intervals[metric] = _interval(panel, agreement, settings, work.part)
                work.step()
            agreements.sort(key=lambda a: (a.value is None, -(a.value or 0.0)))
            comparisons = []
            if settings.test != "none":
                for first, second in combinations([agreement.metric for agreement in agreements], 2):
                    comparisons.append(_compare(panel, first, second, recipe, settings, work.part))
                    work.step()
            corrected = adjust([one.p_value for one in comparisons], settings.correction)
            p_values = {(c.first, c.second): p for c, p in zip(comparisons, corrected, strict=True)}
            values = {agreement.metric: agreement.value for agreement in agreements}
            ranks = rank_clusters(values, p_values, settings.alpha) if comparisons else {}
            judged.append(
                Judged(panel.name, recipe, tuple(agreements), intervals, tuple(comparisons), tuple(corrected), ranks)
            )
    return Judgement(tuple(judged), settings)


class _Work:
    """How much is done, a thousand ticks an interval or comparison."""

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


def _interval(panel: Panel, agreement: Agreement, settings: Settings, progress: Progress) -> Interval | None:
    recipe, kind = agreement.recipe, settings.interval
    if kind == "none" or agreement.value is None:
        return None
    single = recipe.grouping == "none" and recipe.statistic.name in FISHER
    if kind == "auto":
        enough = agreement.members > (4 if recipe.statistic.name == "kendall-b" else 3)
        kind = "fisher" if single and enough else "bootstrap"
    if kind == "fisher":
        if not single:
            raise UsageError(f"Fisher's z gives no interval for {recipe}; use the bootstrap.")
        return fisher(recipe.statistic.name, agreement.value, agreement.members, settings.confidence)
    return bootstrap(
        panel,
        agreement.metric,
        recipe,
        resampled="systems" if len(panel.items) == 1 else settings.resampled,
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
        progress=progress,
    )


def _compare(
    panel: Panel, first: str, second: str, recipe: Recipe, settings: Settings, progress: Progress
) -> Comparison:
    kind = settings.test
    if kind == "auto":
        single = recipe.grouping == "none" and recipe.statistic.name in WILLIAMS
        enough = panel.cells > 3 and (recipe.level == "segment" or len(panel.systems) > 3)
        kind = "williams" if single and enough else "permutation"
    if kind == "williams":
        return compare_williams(panel, first, second, recipe)
    return compare_permuted(
        panel,
        first,
        second,
        recipe,
        swapped=settings.swapped,
        permutations=settings.permutations,
        seed=settings.seed,
        progress=progress,
    )
