"""bleu-ngrams-count 1.0.0: totals and clipped matches per order, and which n-grams they are."""

from __future__ import annotations

from typing import Any

from chrfect.catalogue import tokens, validate
from chrfect.clipping import Ngram, clip
from chrfect.errors import ContractError

KEYS = ("hypotheses", "references", "max_order", "clipping_tables")
MAX_TABLE_ROWS = 20_000

Clipped = dict[Ngram, tuple[int, int]]


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; ContractError if the input breaks the contract."""
    validate.check_object(value, KEYS, KEYS[:2])
    segments = tokens.check_corpus(value)
    max_order = tokens.max_order(value)
    with_tables = validate.boolean(value, "clipping_tables", False)
    counted: list[list[dict[str, Any]]] = []
    table_rows = 0
    for hypothesis, references in segments:
        counted.append([])
        for n in range(1, max_order + 1):
            clipped = clip(hypothesis, references, n)
            table_rows += len(clipped)
            if with_tables and table_rows > MAX_TABLE_ROWS:
                raise _too_large()
            counted[-1].append(_order(n, clipped, with_tables))
    return {
        "max_order": max_order,
        "clipping_tables": with_tables,
        "segment_count": len(segments),
        "orders": [
            {"n": n, "total": sum(o["total"] for o in same), "matches": sum(o["matches"] for o in same)}
            for n, same in enumerate(zip(*counted, strict=True), 1)
        ],
        "segments": [{"orders": orders} for orders in counted],
    }


def _order(n: int, clipped: Clipped, with_table: bool) -> dict[str, Any]:
    order: dict[str, Any] = {
        "n": n,
        "total": sum(count for count, _ in clipped.values()),
        "matches": sum(map(min, clipped.values())),
    }
    if with_table:
        order["table"] = [
            {
                "ngram": list(ngram),
                "hypothesis_count": count,
                "max_reference_count": largest,
                "clipped": min(count, largest),
            }
            for ngram, (count, largest) in sorted(clipped.items())
        ]
    return order


def _too_large() -> ContractError:
    return ContractError(
        "table_too_large",
        f"The clipping tables would have more than {MAX_TABLE_ROWS} rows together. "
        "Send fewer segments, lower max_order, or leave out clipping_tables.",
        validate.pointer("clipping_tables"),
    )
