"""Warnings about texts whose score may be misleading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chrfect.text.tercom import is_unspaced

TEXTS, CHARACTERS = 12, 40
"""The number of texts that are checked, and the length checked of each; a check must take little time."""

MANY = 100
"""The minimum number of texts for the warning about tokenized texts, as in sacreBLEU."""


def are_unspaced(texts: Sequence[str]) -> bool:
    """Return whether most of the texts are in a script without spaces, and have none between their words.

    Examples
    --------
    >>> are_unspaced(["これは文です。"]), are_unspaced(["これ は 文 です 。"]), are_unspaced(["a cat"])
    (True, False, False)
    """
    looked_at = [text for text in _sample(texts) if text]
    unspaced = 0
    for number, text in enumerate(looked_at, 1):
        start = text[:CHARACTERS]
        unspaced += is_unspaced(start) and 5 * start.strip().count(" ") < len(start)
        if 2 * unspaced > len(looked_at):
            return True
        if 2 * (number - unspaced) >= len(looked_at):
            return False  # the other conditions do not matter
    return False


def are_tokenized(texts: Sequence[str]) -> bool:
    """Return whether at least a quarter of many texts end in a full stop after a space.

    Examples
    --------
    >>> are_tokenized(["a cat ."] * 100), are_tokenized(["a cat."] * 100), are_tokenized(["a cat ."] * 99)
    (True, False, False)
    """
    if len(texts) < MANY:
        return False
    looked_at = _sample(texts)
    return 4 * sum(text.endswith(" .") for text in looked_at) >= len(looked_at)


def _sample(texts: Sequence[str]) -> list[str]:
    return [texts[place] for place in range(0, len(texts), max(1, len(texts) // TEXTS))]


def dropped(hypotheses: Sequence[str], references: Sequence[str], starts: Sequence[int] | None) -> int:
    """Return how many hypotheses have no reference but blank ones, if any reference is the empty text."""
    # all() is quicker for strings, and would decode every text of an Arrow array
    if all(references) if isinstance(references, list | tuple) else "" not in references:
        return 0
    bounds = pairwise(range(len(hypotheses) + 1) if starts is None else starts)
    return sum(
        bool(hypothesis.strip()) and not any(map(str.strip, references[start:stop]))
        for hypothesis, (start, stop) in zip(hypotheses, bounds, strict=True)
    )
