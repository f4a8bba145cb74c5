"""bleu-corpus-compute 1.0.0: exact corpus BLEU (Papineni et al. 2002)."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue import tokens, validate
from chrfect.catalogue.numbers import percentage
from chrfect.formulas import bleu
from chrfect.kernels import column_sums

KEYS = ("hypotheses", "references", "max_order")


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    segments = tokens.check_corpus(value)
    max_order = tokens.max_order(value)
    row = column_sums(tokens.rows(segments, max_order), 2 + 2 * max_order)
    return {
        "metric": "BLEU",
        "max_order": max_order,
        "segment_count": len(segments),
        "score": bleu.text(row),
        "brevity_penalty": bleu.brevity_penalty_text(row),
        "brevity_penalty_exact": bleu.brevity_penalty_exact(row),
        "hypothesis_length": row[0],
        "reference_length": row[1],
        "matches": row[3::2],
        "totals": row[2::2],
        "precisions": [
            {"n": n, **percentage("precision", precision)} for n, precision in enumerate(bleu.precisions(row), 1)
        ],
    }
