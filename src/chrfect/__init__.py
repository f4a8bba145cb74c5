"""chrfect: exact, fast, explained n-gram metrics for machine translation."""

from chrfect._version import __version__
from chrfect.catalogue import run
from chrfect.counts import Counts
from chrfect.errors import ChrfectError, ChrfectWarning, ContractError, InputFileError, UsageError, WorkError
from chrfect.explanation import explain, explain_corpus
from chrfect.metrics import Bleu, ChrF, Order, Result, Segments, parse
from chrfect.pairwise import pairwise

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
