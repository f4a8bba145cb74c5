"""Evaluation of systems: scores by system, document and bucket, confidence intervals, and significance tests."""

from chrfect.evaluation.comparison import Comparison, Difference
from chrfect.evaluation.contrast import Contrast
from chrfect.evaluation.evaluator import Evaluator
from chrfect.evaluation.human import human_agreement
from chrfect.evaluation.sets import TestSets, evaluate_sets
from chrfect.evaluation.systems import Runs, evaluate
from chrfect.evaluation.value import Evaluation, GroupScore, SystemScore
from chrfect.inference.interval import Interval

__all__ = [
    "Comparison",
    "Contrast",
    "Difference",
    "Evaluation",
    "Evaluator",
    "GroupScore",
    "Interval",
    "Runs",
    "SystemScore",
    "TestSets",
    "evaluate",
    "evaluate_sets",
    "human_agreement",
]
