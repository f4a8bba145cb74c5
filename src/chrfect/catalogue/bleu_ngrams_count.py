"""bleu-ngrams-count 1.0.0: totals and clipped matches for each order, optionally with the n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from chrfect.catalogue import tokens, validate
from chrfect.errors import ContractError

KEYS = ("hypotheses", "references", "max_order", "clipping_tables")
MAX_TABLE_ROWS = 20_000
SHORT = 32
"""References with fewer tokens are counted without a Counter."""


def execute(value: Any) -> dict[str, Any]:
    """Return the tool's result for an input; raise ContractError if the input violates the contract."""
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
        _add_tables(counted, segments)
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


def _add_tables(counted: list[list[dict[str, Any]]], segments: list[tokens.Segment]) -> None:
    """Add a table to every order of every segment; raise ContractError if they are too large in total."""
    rows = 0
    for orders, (hypothesis, references) in zip(counted, segments, strict=True):
        for order in orders:
            clipped = _clip(hypothesis, references, order["n"])
            rows += len(clipped)
            if rows > MAX_TABLE_ROWS:
                raise _too_large()
            order["table"] = [
                {
                    "ngram": list(ngram),
                    "hypothesis_count": count,
                    "max_reference_count": largest,
                    "clipped": min(count, largest),
                }
                for ngram, (count, largest) in sorted(clipped.items())
            ]


def _clip(hypothesis: list[str], references: list[list[str]], n: int) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return the same as :func:`chrfect.kernels.readable.clip`, but skip references without n-grams of the order.

    Short references are counted without a Counter, whose creation would take longer.
    """
    counts = Counter(_ngrams(hypothesis, n))
    largest = dict.fromkeys(counts, 0)
    if counts:
        for reference in references:
            if len(reference) < n:
                continue
            matching = filter(largest.__contains__, _ngrams(reference, n))
            if len(reference) < SHORT:
                held: dict[tuple[str, ...], int] = {}
                for ngram in matching:
                    held[ngram] = held.get(ngram, 0) + 1
            else:
                held = Counter(matching)
            for ngram, count in held.items():
                if count > largest[ngram]:
                    largest[ngram] = count
    return {ngram: (count, largest[ngram]) for ngram, count in counts.items()}


def _ngrams(tokens: list[str], n: int) -> Iterator[tuple[str, ...]]:
    return zip(*[tokens[start:] for start in range(n)], strict=False) if n > 1 else zip(tokens, strict=False)


def _too_large() -> ContractError:
    return ContractError(
        "table_too_large",
        f"The clipping tables would have more than {MAX_TABLE_ROWS} rows together. "
        "Send fewer segments, lower max_order, or omit clipping_tables.",
        validate.pointer("clipping_tables"),
    )
