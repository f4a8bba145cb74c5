"""The values that say where two systems differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from chrfect.evaluation.tabular import Tabular
from chrfect.metrics.base import Metric


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """The difference between two systems in a document, a bucket of lengths, or a label.

    Parameters
    ----------
    group, label : str
        The grouping, such as ``"reference-length"``, and the label in it.
    segments : int
        The number of segments.
    baseline, system : float
        The scores of the systems.
    difference, lower, upper : float
        System minus baseline, and its bootstrap interval. The intervals are not corrected for the number of groups.
    wins, losses : int
        The number of segments in which the system is better than the baseline, and worse.
    """

    group: str
    label: str
    segments: int
    baseline: float
    system: float
    difference: float
    lower: float
    upper: float
    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class SegmentDifference:
    """The difference between two systems in a segment.

    Parameters
    ----------
    segment : int
        The number of the segment, from 0.
    baseline, system, difference : float
        The scores, and system minus baseline.
    influence : float
        How much the segment adds to the difference of the corpus scores: that of all segments minus that of the others.
    """

    segment: int
    baseline: float
    system: float
    difference: float
    influence: float


@dataclass(frozen=True, slots=True)
class MatchedNgram:
    """An n-gram of the references, or a run of them, that one system matches more often than the other.

    Parameters
    ----------
    text : str
    count : int
        How often this system matches it where the other misses it.
    opposite : int
        How often the other system matches it where this one misses it.
    segments : tuple of int
        The segments, from 0, in which this system matches it more often.
    """

    text: str
    count: int
    opposite: int
    segments: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Contrast(Tabular):
    """Where two systems differ by a metric; made by :meth:`Evaluation.contrast`.

    Parameters
    ----------
    metric : Metric
    baseline, system : str
        Differences are system minus baseline.
    level : float
        The confidence of the intervals.
    identical : int
        The number of segments for which both systems have the same text.
    groups : tuple of GroupDifference
        By length of the references, and by document and label where the evaluation has them.
    influential : tuple of SegmentDifference
        The segments that change the difference of the corpus scores most, in either direction; look at these first.
    better, worse : tuple of SegmentDifference
        The segments in which the system is most ahead of the baseline, and most behind it.
    matched, missed : tuple of MatchedNgram
        What the system matches more often than the baseline, and the baseline more often than the system. Those come
        first whose balance is least like that of all n-grams.
    """

    metric: Metric
    baseline: str
    system: str
    level: float
    identical: int
    groups: tuple[GroupDifference, ...]
    influential: tuple[SegmentDifference, ...]
    better: tuple[SegmentDifference, ...]
    worse: tuple[SegmentDifference, ...]
    matched: tuple[MatchedNgram, ...]
    missed: tuple[MatchedNgram, ...]

    def __repr__(self) -> str:
        return f"<Contrast of {self.system} with the baseline {self.baseline} by {self.metric}>"

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each group."""
        return [asdict(found) for found in self.groups]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; segments are counted from 0."""
        return {
            "metric": str(self.metric),
            "baseline": self.baseline,
            "system": self.system,
            "level": self.level,
            "identical": self.identical,
            **{
                name: [asdict(found) for found in getattr(self, name)]
                for name in ("groups", "influential", "better", "worse", "matched", "missed")
            },
        }


@dataclass(frozen=True, slots=True)
class TextCounts:
    """What can be said of a system's texts without a metric.

    Parameters
    ----------
    system : str
    empty : int
        The number of hypotheses without a visible character.
    equal_to_reference : int
        The number of hypotheses that equal a reference of their segment.
    copies : int or None
        The number of hypotheses that equal their source; None without sources.
    length_ratio : float or None
        The code points of the hypotheses over those of the first references present; None if these are empty.
    """

    system: str
    empty: int
    equal_to_reference: int
    copies: int | None
    length_ratio: float | None
