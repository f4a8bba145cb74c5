"""Metrics against human judgments: how well they agree, how sure that is, and which metric to believe."""

from chrfect.inference.corrections import adjust, rank_clusters
from chrfect.meta.agreement import Agreement, correlate
from chrfect.meta.calibration import Calibration, calibrate
from chrfect.meta.intervals import Interval, bootstrap, fisher
from chrfect.meta.pairs import PairCounts, compare_pairs
from chrfect.meta.panel import Panel
from chrfect.meta.recipe import Recipe
from chrfect.meta.significance import Comparison, compare_all, compare_permuted, compare_williams, williams
from chrfect.meta.soft import better_p_values, soft_accuracy
from chrfect.meta.statistics import RECIPES, Statistic

__all__ = [
    "RECIPES",
    "Agreement",
    "Calibration",
    "Comparison",
    "Interval",
    "PairCounts",
    "Panel",
    "Recipe",
    "Statistic",
    "adjust",
    "better_p_values",
    "bootstrap",
    "calibrate",
    "compare_all",
    "compare_pairs",
    "compare_permuted",
    "compare_williams",
    "correlate",
    "fisher",
    "rank_clusters",
    "soft_accuracy",
    "williams",
]
