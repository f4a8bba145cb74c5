"""chrfect: exact, fast, explained n-gram metrics for machine translation."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from chrfect._version import __version__

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
        """Import a public name when it is first used, so that `import chrfect` is quick."""
        for module, names in _MODULES.items():
            if name in names:
                value = getattr(_import_module(f"chrfect.{module}"), name)
                globals()[name] = value
                return value
        meant = ""
        if not name.startswith("_"):
            foreign = _import_module("chrfect.foreign_names")
            meant = foreign.hint(foreign.PUBLIC, name)
        raise AttributeError(f"module 'chrfect' has no attribute {name!r}.{meant}", name=name)


def __dir__() -> list[str]:
    return sorted(__all__)
