"""chrf-plus-plus-compute 1.0.0: exact chrF++ (Popović 2017), with the counted word tokens."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue.chrf_compute import read, report
from chrfect.kernels import split_words

WORD_ORDER = 2


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    given = read(value)
    tokens = [
        {"hypothesis": split_words(hypothesis), "reference": split_words(reference)}
        for hypothesis, reference in zip(given.hypotheses, given.references, strict=True)
    ]
    return {**report("chrF++", WORD_ORDER, given), "word_tokens": tokens}
