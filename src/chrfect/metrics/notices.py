"""What misleads in texts that a metric is asked to score."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chrfect.text.tercom import is_unspaced

TEXTS, CHARACTERS = 20, 40
"""How many texts, and how much of each, are looked at; a look has to cost little beside counting."""


def are_unspaced(texts: Sequence[str]) -> bool:
    """Return whether most of the texts are in a script without spaces, and have none between their words.

    Examples
    --------
    >>> are_unspaced(["これは文です。"]), are_unspaced(["これ は 文 です 。"]), are_unspaced(["a cat"])
    (True, False, False)
    """
    step = max(1, len(texts) // TEXTS)
    looked_at = [text[:CHARACTERS] for text in (texts[place] for place in range(0, len(texts), step)) if text]
    unspaced = sum(is_unspaced(text) and 5 * text.strip().count(" ") < len(text) for text in looked_at)
    return 2 * unspaced > len(looked_at)


def dropped(hypotheses: Sequence[str], references: Sequence[str], starts: Sequence[int] | None) -> int:
    """Return how many hypotheses have no reference but blank ones, if any reference is the empty text."""
    if all(references):
        return 0
    bounds = pairwise(range(len(hypotheses) + 1) if starts is None else starts)
    return sum(
        bool(hypothesis.strip()) and not any(map(str.strip, references[start:stop]))
        for hypothesis, (start, stop) in zip(hypotheses, bounds, strict=True)
    )
