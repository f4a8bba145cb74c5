"""chrf-compute 1.0.0: exact chrF (Popović 2015), corpus and segments."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue import validate
from chrfect.formulas.decimals import fraction_text
from chrfect.metrics import ChrF

KEYS = ("hypotheses", "references", "beta", "lowercase")


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; ContractError if the input breaks the contract."""
    metric, hypotheses, references = read(value, word_order=0)
    return report("chrF", metric, hypotheses, references)


def read(value: Any, word_order: int) -> tuple[ChrF, list[str], list[str]]:
    """Check the input that the two founding tools share; return the metric and the texts to count."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypotheses, references = validate.check_segments(value)
    beta = validate.integer(value, "beta", 1, 16, 2)
    lowercase = validate.boolean(value, "lowercase", False)
    return ChrF(word_order=word_order, beta=beta, lowercase=lowercase, unreferenced="count"), hypotheses, references


def report(name: str, metric: ChrF, hypotheses: list[str], references: list[str]) -> dict[str, Any]:
    """Return what the two founding tools have in common, in the order of their output schemas."""
    result = metric.both(hypotheses, references, threads=1)
    return {
        "metric": name,
        "char_order": metric.char_order,
        "word_order": metric.word_order,
        "beta": metric.beta,
        "lowercase": metric.lowercase,
        "segment_count": result.segment_count,
        "score": result.score_text,
        "score_fraction": fraction_text(metric.exact_score(result.values)),
        "segment_scores": result.segments.score_texts,
    }
