"""Scores against the aggregated reference: the mean n-gram counts of many references.

Source: Jannis Vamvas and Rico Sennrich, Linear-time minimum Bayes risk decoding with reference aggregation, ACL 2024
(short papers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from chrfect.counts import order_columns
from chrfect.errors import UsageError
from chrfect.metrics import Metric

if TYPE_CHECKING:
    from chrfect.metrics.shares import Level

Grams = list[Counter[tuple[int, ...]]]
"""The n-grams of a text: a counter for each order."""


def check(metric: Metric) -> None:
    """Raise UsageError for a metric that is not an F-score of n-grams, which has no aggregated reference."""
    orders = {level.kind: level.max_order for level in metric.levels}
    if metric.columns != order_columns(orders.get("character", 0), orders.get("word", 0)):
        raise UsageError(f"{metric} has no aggregated reference; chrF, chrF++ or another n-gram F-score was expected.")


def aggregate_rows(
    metric: Metric, hypotheses: Sequence[str], references: Sequence[str], weights: Sequence[int]
) -> list[list[int]]:
    """Return a row of counts for each hypothesis against the aggregated reference.

    Counts are multiplied by the sum of the weights, so that they are integers; F does not depend on the factor. The
    sum of the weights must be above 0.

    Parameters
    ----------
    metric : Metric
        An n-gram F-score; see :func:`check`.
    hypotheses, references : sequence of str
    weights : sequence of int
        One for each reference, at least 0.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> aggregate_rows(ChrF(char_order=1), ["aab"], ["a", "ab"], [1, 1])
    [[6, 3, 3]]
    """
    total = sum(weights)
    numbers: list[dict[str, int]] = [{} for _ in metric.levels]
    sums: list[Grams] = []
    for level, seen in zip(metric.levels, numbers, strict=True):
        joint: Grams = [Counter() for _ in range(level.max_order)]
        for text, weight in zip(references, weights, strict=True):
            for grams, counted in zip(joint, _grams(level, text, seen), strict=True):
                for gram, count in counted.items():
                    grams[gram] += weight * count
        sums.append(joint)
    sizes = [[sum(grams.values()) for grams in joint] for joint in sums]
    rows = []
    for text in hypotheses:
        row: list[int] = []
        for level, seen, joint, of_level in zip(metric.levels, numbers, sums, sizes, strict=True):
            for grams, size, counted in zip(joint, of_level, _grams(level, text, seen), strict=True):
                own = 0 if level.unreferenced_dropped and not size else total * sum(counted.values())
                row += own, size, sum(min(total * count, grams[gram]) for gram, count in counted.items())
        rows.append(row)
    return rows


def aggregate_scores(
    metric: Metric, hypotheses: Sequence[str], references: Sequence[str], weights: Sequence[int]
) -> list[Fraction]:
    """Return the exact score of each hypothesis against the aggregated reference; see :func:`aggregate_rows`."""
    rows = aggregate_rows(metric, hypotheses, references, weights)
    return [metric.exact_score(row) or Fraction(0) for row in rows]


def _grams(level: Level, text: str, seen: dict[str, int]) -> Iterator[Counter[tuple[int, ...]]]:
    """Yield the n-grams of a text, a counter for each order."""
    symbols = tuple(level.locate(text, seen).symbols.tolist())
    for n in range(1, level.max_order + 1):
        yield Counter(zip(*(symbols[start:] for start in range(n)), strict=False))
