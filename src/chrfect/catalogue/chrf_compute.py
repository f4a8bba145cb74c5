"""chrf-compute 1.0.0: exact chrF (Popović 2015), corpus and segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from chrfect import kernels
from chrfect.catalogue import validate
from chrfect.formulas import fscore
from chrfect.formulas.decimals import ratio_text, six_decimals
from chrfect.kernels import Plan
from chrfect.text.preparation import Preparation

KEYS = ("hypotheses", "references", "beta", "lowercase")
CHAR_ORDER = 6
_PREPARATIONS = Preparation(), Preparation(lowercase=True)


class Input(NamedTuple):
    """A validated input; the texts are lower-cased if requested."""

    hypotheses: Sequence[str]
    references: Sequence[str]
    beta: int
    lowercase: bool


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    return report("chrF", 0, read(value))


def read(value: Any) -> Input:
    """Validate the input of chrf-compute and chrf-plus-plus-compute."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypotheses, references = validate.check_segments(value)
    beta = validate.integer(value, "beta", 1, 16, 2)
    lowercase = validate.boolean(value, "lowercase", False)
    preparation = _PREPARATIONS[lowercase]
    return Input(preparation.cased(hypotheses), preparation.cased(references), beta, lowercase)


def report(name: str, word_order: int, given: Input) -> dict[str, Any]:
    """Return the common results of the two tools, in the order of their output schemas."""
    plan = Plan(CHAR_ORDER, word_order)
    rows = kernels.rows(given.hypotheses, given.references, plan, 1)
    score = fscore.ratio(kernels.column_sums(rows, plan.width), given.beta, "mean_precision_recall")
    return {
        "metric": name,
        "char_order": CHAR_ORDER,
        "word_order": word_order,
        "beta": given.beta,
        "lowercase": given.lowercase,
        "segment_count": len(given.hypotheses),
        "score": six_decimals(*score),
        "score_fraction": ratio_text(*score),
        "segment_scores": fscore.texts(rows, plan.width, given.beta, "mean_precision_recall"),
    }
