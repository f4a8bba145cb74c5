"""bleu-ngrams-count 1.0.0: totals and clipped matches for each order, optionally with the n-grams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chrfect import kernels
from chrfect.catalogue import tokens, validate
from chrfect.catalogue.jsontext import once_escaped
from chrfect.errors import ContractError

KEYS = ("hypotheses", "references", "max_order", "clipping_tables")
MAX_TABLE_ROWS = 20_000


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
    return _count(value, list)


def execute_to_encode(value: Any) -> dict[str, Any]:
    """Return the result for ``jsontext.encode``, which escapes each token once instead of in up to 45 n-grams."""
    return _count(value, once_escaped)


def _count(value: Any, shown: Callable[[list[str]], list[Any]]) -> dict[str, Any]:
    validate.check_object(value, KEYS, KEYS[:2])
    segments = tokens.check_corpus(value)
    max_order = tokens.max_order(value)
    with_tables = validate.boolean(value, "clipping_tables", False)
    rows = tokens.rows(segments, max_order)
    width = 2 + 2 * max_order
    counted = [
        [{"n": n, "total": rows[at + 2 * n], "matches": rows[at + 2 * n + 1]} for n in range(1, max_order + 1)]
        for at in range(0, len(rows), width)
    ]
    if with_tables:
        _add_tables(counted, segments, shown)
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


def _add_tables(
    counted: list[list[dict[str, Any]]], segments: list[tokens.Segment], shown: Callable[[list[str]], list[Any]]
) -> None:
    """Add a table to every order of every segment; raise ContractError if they are too large in total."""
    rows = 0
    for orders, (hypothesis, references) in zip(counted, segments, strict=True):
        listed = shown(hypothesis)
        for order, table in zip(orders, kernels.clip_tables(hypothesis, references, len(orders)), strict=True):
            n = order["n"]
            rows += len(table) // 3
            if rows > MAX_TABLE_ROWS:
                raise _too_large()
            order["table"] = [
                {
                    "ngram": listed[at : at + n],
                    "hypothesis_count": count,
                    "max_reference_count": largest,
                    "clipped": count if count < largest else largest,
                }
                for at, count, largest in zip(*[iter(table)] * 3, strict=True)
            ]


def _too_large() -> ContractError:
    return ContractError(
        "table_too_large",
        f"The clipping tables would have more than {MAX_TABLE_ROWS} rows together. "
        "Send fewer segments, lower max_order, or omit clipping_tables.",
        validate.pointer("clipping_tables"),
    )
