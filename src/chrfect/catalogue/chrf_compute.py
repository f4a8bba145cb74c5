"""chrf-compute 1.0.0: exact chrF (Popović 2015), corpus and segments."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue import validate
from chrfect.metrics import ChrF, Result

KEYS = ("hypotheses", "references", "beta", "lowercase")


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; ContractError if the input breaks the contract."""
    return report("chrF", measure(value, word_order=0)[0])


def measure(value: Any, word_order: int) -> tuple[Result, list[str], list[str]]:
    """Check the input that the two founding tools share; return the result and the texts that were counted."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypotheses, references = validate.check_segments(value)
    beta = validate.integer(value, "beta", 1, 16, 2)
    lowercase = validate.boolean(value, "lowercase", False)
    metric = ChrF(word_order=word_order, beta=beta, lowercase=lowercase, unreferenced="count")
    return metric.both(hypotheses, references, threads=1), hypotheses, references


def report(name: str, result: Result) -> dict[str, Any]:
    """Return what the two founding tools have in common, in the order of their output schemas."""
    metric = result.metric
    assert result.segments is not None
    return {
        "metric": name,
        "char_order": metric.char_order,
        "word_order": metric.word_order,
        "beta": metric.beta,
        "lowercase": metric.lowercase,
        "segment_count": result.segment_count,
        "score": result.score_text,
        "score_fraction": "{}/{}".format(*result.score_fraction.as_integer_ratio()),
        "segment_scores": result.segments.score_texts,
    }
