"""bleu-sentence-compute 1.0.0: exact sentence BLEU, unsmoothed or smoothed as by Chen and Cherry (2014)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from chrfect.catalogue import tokens, validate
from chrfect.catalogue.numbers import percentage
from chrfect.formulas import bleu

KEYS = ("hypothesis", "references", "max_order", "smoothing")
SMOOTHINGS = ("none", "method1", "method2", "method3")


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypothesis, references = tokens.check_sentence(value)
    max_order = tokens.max_order(value)
    smoothing = cast(bleu.Smoothing, validate.choice(value, "smoothing", SMOOTHINGS))
    row = tokens.rows([(hypothesis, references)], max_order).tolist()
    return {
        "metric": "BLEU",
        "max_order": max_order,
        "smoothing": smoothing,
        "score": bleu.text(row, smoothing),
        "brevity_penalty": bleu.brevity_penalty_text(row),
        "brevity_penalty_exact": bleu.brevity_penalty_exact(row),
        "hypothesis_length": row[0],
        "reference_lengths": [len(reference) for reference in references],
        "closest_reference_length": row[1],
        "orders": [
            {
                "n": n,
                "matches": matches,
                "total": total,
                **percentage("precision", Fraction(matches, total) if total else None),
                **percentage("smoothed", smoothed),
            }
            for n, (total, matches, smoothed) in enumerate(
                zip(row[2::2], row[3::2], bleu.precisions(row, smoothing), strict=True), 1
            )
        ],
    }
