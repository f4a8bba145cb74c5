"""What BLEU counts: n-grams of tokens, clipped over all references of a segment, and two lengths.

A segment's row is ``hypothesis length, reference length`` and then, for each order, ``hypothesis n-grams, matches``;
rows add up, so a corpus is the sum of its segments (Papineni et al. 2002, section 2).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from chrfect import kernels

Tokens = Sequence[str]


def columns(max_order: int) -> tuple[str, ...]:
    """Return the names of a row's columns.

    Examples
    --------
    >>> columns(1)
    ('hypothesis_length', 'reference_length', 'token-1.hypothesis', 'token-1.matches')
    """
    orders = (f"token-{n}.{side}" for n in range(1, max_order + 1) for side in ("hypothesis", "matches"))
    return "hypothesis_length", "reference_length", *orders


def closest_length(length: int, reference_lengths: Iterable[int]) -> int:
    """Return the reference length nearest to a hypothesis length, the shorter of two as near.

    Examples
    --------
    >>> closest_length(6, [8, 4, 1])
    4
    """
    return min(reference_lengths, key=lambda other: (abs(other - length), other))


def rows(hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], max_order: int) -> array[int]:
    """Return the counts of segments, flattened.

    Parameters
    ----------
    hypotheses : sequence of sequences of str
        The tokens of each hypothesis; none is legal.
    references : sequence of sequences of sequences of str
        One or more references a segment; one without tokens competes for the closest length too.
    max_order : int
        The longest n-grams counted, at least 1.

    Returns
    -------
    array of int
        For each segment a row in the order of :func:`columns`.

    Examples
    --------
    >>> rows([["the", "cat"]], [[["the", "cat", "sat"], ["a", "cat"]]], 3).tolist()
    [2, 2, 2, 2, 1, 1, 0, 0]
    """
    counted = kernels.clipped(hypotheses, references, max_order)
    table = array("q")
    for i, (hypothesis, of_segment) in enumerate(zip(hypotheses, references, strict=True)):
        length = len(hypothesis)
        table.extend((length, closest_length(length, map(len, of_segment))))
        table.extend(counted[2 * max_order * i : 2 * max_order * (i + 1)])
    return table


def row(hypothesis: Tokens, references: Sequence[Tokens], max_order: int) -> list[int]:
    """Return the counts of one segment; the parameters are those of :func:`rows`.

    Examples
    --------
    >>> row(["the", "cat"], [["the", "cat", "sat"], ["a", "cat"]], 1)
    [2, 2, 2, 2]
    """
    return rows([hypothesis], [references], max_order).tolist()
