"""Counts of the n-grams of a text, as scripts import them from ``sacrebleu.metrics.helpers``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Return how often each n-gram of words occurs, its words joined by spaces.

    Examples
    --------
    >>> extract_word_ngrams(["a", "b", "a", "b"], 2)
    Counter({'a b': 2, 'b a': 1})
    """
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """Return how often each n-gram of the orders occurs, and the number of words."""
    words = line.split()
    orders = range(min_order, max_order + 1)
    return Counter(tuple(words[i : i + n]) for n in orders for i in range(len(words) - n + 1)), len(words)


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Return how often each n-gram of characters occurs, without whitespace unless it is included.

    Examples
    --------
    >>> extract_char_ngrams("a ba", 2)
    Counter({'ab': 1, 'ba': 1})
    """
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """Return :func:`extract_char_ngrams` for every order from 1."""
    return [extract_char_ngrams(line, n, include_whitespace) for n in range(1, max_order + 1)]
