"""The agreement of a metric with human ratings, together with its measure."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.errors import ChrfectWarning, UsageError, quantity
from chrfect.inference.outliers import outliers
from chrfect.meta.calibration import Calibration, calibrate
from chrfect.meta.measure import mean_of_items
from chrfect.meta.pairs import PairCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.meta.measure import Measure
    from chrfect.meta.panel import Panel

LEAST_SYSTEMS = 3


@dataclass(frozen=True)
class Agreement:
    """The agreement of one metric with human ratings.

    Parameters
    ----------
    panel, metric : str
        The names of the panel and the metric.
    value : float or None
        The statistic; None if it is undefined.
    measure : Measure
        Statistic, level, grouping and average.
    mask : str
        The number of cells used.
    systems : tuple of str
        The systems used.
    groups, undefined_groups : int
        The number of groups, and of those without a value (constant ratings or scores, or fewer than two).
    members : int
        The number of scores in the largest group.
    items : int
        The number of items in the panel; 1 if whole systems are rated.
    corpus : bool
        Whether the scores of systems are corpus scores.
    segments, rated : int
        The number of segments in a system's corpus score, and the number of rated items.
    outliers : tuple of str
        System level: the systems whose human scores are outliers, see `outliers`.
    calibration : Calibration or None
        The calibrated tie threshold with the curve of accuracies, if the statistic calibrates one.
    pairs : PairCounts or None
        The sums of the five kinds of pairs over all groups, if the statistic counts pairs.
    """

    panel: str
    metric: str
    value: float | None
    measure: Measure
    mask: str
    systems: tuple[str, ...]
    groups: int
    undefined_groups: int
    members: int
    items: int
    corpus: bool = False
    segments: int = 0
    rated: int = 0
    outliers: tuple[str, ...] = ()
    calibration: Calibration | None = None
    pairs: PairCounts | None = None

    @property
    def epsilon(self) -> float | None:
        """The calibrated tie threshold, or None."""
        return None if self.calibration is None else self.calibration.epsilon

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return {
            "panel": self.panel,
            "metric": self.metric,
            "value": self.value,
            "statistic": self.measure.statistic.name,
            "level": self.measure.level,
            "grouping": self.measure.grouping,
            "average": self.measure.average,
            "margin": self.measure.statistic.margin,
            "epsilon": self.measure.statistic.epsilon if self.epsilon is None else self.epsilon,
            "measure": str(self.measure),
            "mask": self.mask,
            "systems": list(self.systems),
            "groups": self.groups,
            "undefined_groups": self.undefined_groups,
            "members": self.members,
            "items": self.items,
            "system_scores": ("corpus" if self.corpus else "mean") if self.measure.level == "system" else None,
            "corpus_segments": self.segments if self.corpus else None,
            "rated_items": self.rated,
            "outliers": list(self.outliers),
            "pairs": None if self.pairs is None else asdict(self.pairs),
        }


def correlate(panel: Panel, metric: str, measure: Measure) -> Agreement:
    """Return the agreement of one metric of a panel with human ratings.

    Parameters
    ----------
    panel : Panel
        Ratings and scores.
    metric : str
        One of the panel's metrics.
    measure : Measure
        The statistic to compute.

    Returns
    -------
    Agreement
        If the statistic is undefined, its value is None, and a warning is issued.

    Raises
    ------
    UsageError
        If the metric does not exist, or the system level has fewer than three systems.

    Examples
    --------
    >>> from chrfect.meta import Measure, Panel, Statistic
    >>> panel = Panel("demo", ["A"], ["1", "2", "3"], [[1, 2, 3]], {"chrF": [[40, 60, 50]]})
    >>> correlate(panel, "chrF", Measure(Statistic("pearson"))).value
    0.5
    """
    scores = measure.scores(panel, metric)
    if reason := too_few_systems(panel, measure):
        raise UsageError(reason)
    value = float(measure.values(panel.human, scores))
    groups = measure.arrange(panel.human)
    present = (~np.isnan(groups)).sum(axis=-1)
    compared = present > 0
    undefined, pairs = 0, None
    if measure.statistic.summable:
        sums = measure.sums(groups, measure.arrange(scores))
        undefined = int(np.count_nonzero(np.isnan(measure.statistic.value(sums)) & compared))
        if measure.statistic.counts_pairs:
            pairs = PairCounts(*(int(count) for count in sums[..., :5].sum(axis=-2)))
    if np.isnan(value):
        warnings.warn(f"{panel.name}: {why_undefined(panel, metric, measure)}", ChrfectWarning, stacklevel=2)
    elif undefined:
        how = "excluded from the macro average" if measure.average == "macro" else "not counted in the micro average"
        warnings.warn(
            f"{panel.name}: {measure.statistic.name} of {metric} is undefined in {undefined:,} of "
            f"{int(compared.sum()):,} groups (constant ratings or scores, or fewer than two), {how}.",
            ChrfectWarning,
            stacklevel=2,
        )
    calibration = None
    if measure.statistic.name == "accuracy-calibrated" and not np.isnan(value):
        calibration = calibrate(
            groups, measure.arrange(scores), average=measure.average, margin=measure.statistic.margin
        )
    return Agreement(
        panel=panel.name,
        metric=metric,
        value=None if np.isnan(value) else value,
        measure=measure,
        mask=panel.mask,
        systems=used_systems(panel),
        groups=int(compared.sum()),
        undefined_groups=undefined,
        members=int(present.max()),
        items=len(panel.items),
        corpus=scores.shape != panel.human.shape,
        segments=panel.segments,
        rated=int(np.any(~np.isnan(panel.human), axis=0).sum()),
        outliers=_outlying(panel) if measure.level == "system" else (),
        calibration=calibration,
        pairs=pairs,
    )


def used_systems(panel: Panel) -> tuple[str, ...]:
    """Return the systems with at least one cell that is used."""
    used = np.any(~np.isnan(panel.human), axis=1).tolist()
    return tuple(system for system, one in zip(panel.systems, used, strict=True) if one)


def _outlying(panel: Panel) -> tuple[str, ...]:
    """Return the systems whose mean human score is an outlier."""
    means = dict(zip(panel.systems, mean_of_items(panel.human).tolist(), strict=True))
    used = used_systems(panel)
    return tuple(used[at] for at in outliers([means[system] for system in used]))


def too_few_systems(panel: Panel, measure: Measure) -> str:
    """Return an error message if there are too few systems to compare, and an empty string otherwise."""
    compares_systems = measure.level == "system" or measure.grouping == "item"
    if compares_systems and (number := len(used_systems(panel))) < LEAST_SYSTEMS:
        return (
            f"{panel.name}: {quantity(number, 'system')} with ratings and scores; comparing systems needs at least "
            f"{LEAST_SYSTEMS}. With fewer systems, compare segments without grouping."
        )
    return ""


def why_undefined(panel: Panel, metric: str, measure: Measure) -> str:
    """Return the reason why a statistic has no value."""
    label = f"{measure.statistic.name} of {metric} is undefined: "
    ratings, scores = measure.arrange(panel.human), measure.arrange(measure.scores(panel, metric))
    if np.nanmin(ratings) == np.nanmax(ratings):
        return f"{label}all human ratings are equal ({np.nanmin(ratings):g})."
    if (margin := measure.statistic.margin) and (widest := _widest(ratings)) < margin:
        return f"{label}no human ratings differ by the margin of {margin:g}; the largest difference is {widest:g}."
    if np.nanmin(scores) == np.nanmax(scores):
        return f"{label}all scores of the metric are equal ({np.nanmin(scores):g})."
    return f"{label}every group has constant ratings or scores, or fewer than two."


def _widest(groups: NDArray[np.float64]) -> float:
    """Return the largest difference within a group of shape (groups, members)."""
    present = groups[(~np.isnan(groups)).any(axis=-1)]
    return float(np.max(np.nanmax(present, axis=-1) - np.nanmin(present, axis=-1)))
