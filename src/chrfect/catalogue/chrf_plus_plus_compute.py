"""chrf-plus-plus-compute 1.0.0: exact chrF++ (Popović 2017), with the word tokens that were counted."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue.chrf_compute import read, report


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; ContractError if the input breaks the contract."""
    metric, hypotheses, references = read(value, word_order=2)
    scores = report("chrF++", metric, hypotheses, references)
    words = metric.preparation.words
    tokens = [
        {"hypothesis": words(hypothesis), "reference": words(reference)}
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    return {**scores, "word_tokens": tokens}
