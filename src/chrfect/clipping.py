"""What BLEU counts: n-grams of tokens, clipped over all references of a segment.

A segment's row is ``hypothesis length, reference length`` and then, for each order, ``hypothesis n-grams, matches``;
rows add up, so a corpus is the sum of its segments (Papineni et al. 2002, section 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

Tokens = Sequence[str]
Ngram = tuple[str, ...]


def columns(max_order: int) -> tuple[str, ...]:
    """Return the names of a row's columns.

    Examples
    --------
    >>> columns(1)
    ('hypothesis_length', 'reference_length', 'token-1.hypothesis', 'token-1.matches')
    """
    orders = (f"token-{n}.{side}" for n in range(1, max_order + 1) for side in ("hypothesis", "matches"))
    return "hypothesis_length", "reference_length", *orders


def ngrams(tokens: Tokens, n: int) -> Counter[Ngram]:
    """Return how often each n-gram stands in a token sequence.

    Examples
    --------
    >>> ngrams(["a", "b", "a", "b"], 2)
    Counter({('a', 'b'): 2, ('b', 'a'): 1})
    """
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def clip(hypothesis: Tokens, references: Iterable[Tokens], n: int) -> dict[Ngram, tuple[int, int]]:
    """Return for each n-gram of the hypothesis its count there and its largest count in any one reference.

    The smaller of the two is what the n-gram adds to the matches.

    Examples
    --------
    >>> clip(["the", "the", "cat"], [["the", "cat"], ["the", "the"]], 1)
    {('the',): (2, 2), ('cat',): (1, 1)}
    """
    counts = ngrams(hypothesis, n)
    largest = dict.fromkeys(counts, 0)
    for reference in references:
        held = ngrams(reference, n)
        for ngram in counts.keys() & held.keys():
            largest[ngram] = max(largest[ngram], held[ngram])
    return {ngram: (count, largest[ngram]) for ngram, count in counts.items()}


def closest_length(length: int, reference_lengths: Iterable[int]) -> int:
    """Return the reference length nearest to a hypothesis length, the shorter of two as near.

    Examples
    --------
    >>> closest_length(6, [8, 4, 1])
    4
    """
    return min(reference_lengths, key=lambda other: (abs(other - length), other))


def row(hypothesis: Tokens, references: Sequence[Tokens], max_order: int) -> list[int]:
    """Return the counts of one segment.

    Parameters
    ----------
    hypothesis : sequence of str
        Its tokens; none is legal.
    references : sequence of sequences of str
        One or more; an empty one competes for the closest length too.
    max_order : int
        The longest n-grams counted, at least 1.

    Returns
    -------
    list of int
        In the order of :func:`columns`.

    Examples
    --------
    >>> row(["the", "cat"], [["the", "cat", "sat"], ["a", "cat"]], 3)
    [2, 2, 2, 2, 1, 1, 0, 0]
    """
    length = len(hypothesis)
    counts = [length, closest_length(length, map(len, references))]
    matches = length
    for n in range(1, max_order + 1):
        if matches:  # where no shorter n-gram matches, no longer one can
            matches = sum(map(min, clip(hypothesis, references, n).values()))
        counts += (max(0, length - n + 1), matches)
    return counts
