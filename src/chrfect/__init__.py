"""chrfect: exact, fast, explained n-gram metrics for machine translation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chrfect._version import __version__

if TYPE_CHECKING:
    from chrfect.catalogue import run
    from chrfect.counts import Counts
    from chrfect.errors import ChrfectError, ChrfectWarning, ContractError, InputFileError, UsageError, WorkError
    from chrfect.explanation import explain, explain_corpus
    from chrfect.matrices.matrix import pairwise
    from chrfect.metrics import Bleu, ChrF, Order, Result, Segments, parse

__all__ = [
    "Bleu",
    "ChrF",
    "ChrfectError",
    "ChrfectWarning",
    "ContractError",
    "Counts",
    "InputFileError",
    "Order",
    "Result",
    "Segments",
    "UsageError",
    "WorkError",
    "__version__",
    "explain",
    "explain_corpus",
    "pairwise",
    "parse",
    "run",
]

_HOMES = {
    "catalogue": ["run"],
    "counts": ["Counts"],
    "errors": ["ChrfectError", "ChrfectWarning", "ContractError", "InputFileError", "UsageError", "WorkError"],
    "explanation": ["explain", "explain_corpus"],
    "metrics": ["Bleu", "ChrF", "Order", "Result", "Segments", "parse"],
    "matrices.matrix": ["pairwise"],
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import chrfect` costs next to nothing."""
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"chrfect.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'chrfect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
