"""Agreement of metrics with human judgments, with intervals, tests and ranks."""

from chrfect.inference.clusters import rank_clusters
from chrfect.inference.corrections import adjust
from chrfect.meta.agreement import Agreement, correlate
from chrfect.meta.calibration import Calibration, calibrate
from chrfect.meta.intervals import Interval, bootstrap, fisher
from chrfect.meta.measure import Measure
from chrfect.meta.pairs import PairCounts, compare_pairs
from chrfect.meta.panel import Panel
from chrfect.meta.significance import (
    NULLS,
    Comparison,
    compare_bootstrapped,
    compare_outcomes,
    compare_permuted,
    compare_williams,
    williams,
)
from chrfect.meta.soft import better_p_values, soft_accuracy
from chrfect.meta.statistics import STATISTICS, Statistic

__all__ = [
    "NULLS",
    "STATISTICS",
    "Agreement",
    "Calibration",
    "Comparison",
    "Interval",
    "Measure",
    "PairCounts",
    "Panel",
    "Statistic",
    "adjust",
    "better_p_values",
    "bootstrap",
    "calibrate",
    "compare_bootstrapped",
    "compare_outcomes",
    "compare_pairs",
    "compare_permuted",
    "compare_williams",
    "correlate",
    "fisher",
    "rank_clusters",
    "soft_accuracy",
    "williams",
]
