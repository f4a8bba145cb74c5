"""Evaluation of systems: scores by system, document and bucket, confidence intervals, and significance tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chrfect.exports import first_use

if TYPE_CHECKING:
    from chrfect.evaluation.comparison import Comparison, Difference
    from chrfect.evaluation.contrast import Contrast
    from chrfect.evaluation.evaluator import Evaluator
    from chrfect.evaluation.human import human_agreement
    from chrfect.evaluation.runs import Runs
    from chrfect.evaluation.sets import TestSets, evaluate_sets
    from chrfect.evaluation.systems import evaluate
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

_MODULES = {
    "comparison": ["Comparison", "Difference"],
    "contrast": ["Contrast"],
    "evaluator": ["Evaluator"],
    "human": ["human_agreement"],
    "runs": ["Runs"],
    "sets": ["TestSets", "evaluate_sets"],
    "systems": ["evaluate"],
    "value": ["Evaluation", "GroupScore", "Interval", "SystemScore"],
}

if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> object:
        return first_use(globals(), _MODULES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
