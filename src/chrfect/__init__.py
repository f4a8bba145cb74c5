"""chrfect: exact, fast, explained n-gram metrics for machine translation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chrfect._version import __version__
from chrfect.exports import first_use as _first_use

if TYPE_CHECKING:
    from chrfect.catalogue import run
    from chrfect.counts import CountRecipe, Counts, CountTable
    from chrfect.errors import ChrfectError, ChrfectWarning, ContractError, InputFileError, UsageError, WorkError
    from chrfect.evaluation import (
        Comparison,
        Contrast,
        Difference,
        Evaluation,
        Evaluator,
        GroupScore,
        Interval,
        Runs,
        SystemScore,
        TestSets,
        evaluate,
        evaluate_sets,
        human_agreement,
    )
    from chrfect.explanation import CorpusExplanation, Explanation, explain, explain_corpus
    from chrfect.matrices import mbr
    from chrfect.matrices.matrix import pairwise
    from chrfect.metrics import Bleu, ChrF, CorpusResult, Metric, Order, Result, Scoring, Segments, Ter, parse, register
    from chrfect.text.tokenizers import register_tokenizer

__all__ = [
    "Bleu",
    "ChrF",
    "ChrfectError",
    "ChrfectWarning",
    "Comparison",
    "ContractError",
    "Contrast",
    "CorpusExplanation",
    "CorpusResult",
    "CountRecipe",
    "CountTable",
    "Counts",
    "Difference",
    "Evaluation",
    "Evaluator",
    "Explanation",
    "GroupScore",
    "InputFileError",
    "Interval",
    "Metric",
    "Order",
    "Result",
    "Runs",
    "Scoring",
    "Segments",
    "SystemScore",
    "Ter",
    "TestSets",
    "UsageError",
    "WorkError",
    "__version__",
    "evaluate",
    "evaluate_sets",
    "explain",
    "explain_corpus",
    "human_agreement",
    "mbr",
    "pairwise",
    "parse",
    "register",
    "register_tokenizer",
    "run",
]

_MODULES = {
    "catalogue": ["run"],
    "counts": ["CountRecipe", "CountTable", "Counts"],
    "errors": ["ChrfectError", "ChrfectWarning", "ContractError", "InputFileError", "UsageError", "WorkError"],
    "evaluation": [
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
    ],
    "explanation": ["CorpusExplanation", "Explanation", "explain", "explain_corpus"],
    "matrices": ["mbr"],
    "matrices.matrix": ["pairwise"],
    "metrics": [
        "Bleu",
        "ChrF",
        "CorpusResult",
        "Metric",
        "Order",
        "Result",
        "Scoring",
        "Segments",
        "Ter",
        "parse",
        "register",
    ],
    "text.tokenizers": ["register_tokenizer"],
}

if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> object:
        return _first_use(globals(), _MODULES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
