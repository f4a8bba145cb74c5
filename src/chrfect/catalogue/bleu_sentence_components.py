"""bleu-sentence-components 1.0.0: the integers from which sentence BLEU is computed."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue import tokens, validate

KEYS = ("hypothesis", "references", "max_order")


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    hypothesis, references = tokens.check_sentence(value)
    max_order = tokens.max_order(value)
    row = tokens.rows([(hypothesis, references)], max_order).tolist()
    return {
        "max_order": max_order,
        "matches": row[3::2],
        "totals": row[2::2],
        "hypothesis_length": row[0],
        "reference_lengths": [len(reference) for reference in references],
        "closest_reference_length": row[1],
    }
