"""The word tokens of chrF++."""

from __future__ import annotations

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""The 32 ASCII punctuation characters that chrF++ splits off words."""


def split_words(text: str) -> list[str]:
    """Return the word tokens of chrF++: split on whitespace, then split at most one punctuation mark off each word.

    A mark at the end is split off, or else a mark at the start. A word of one character is not split (Popović 2017,
    ``separate_punctuation`` of the original tool).

    Examples
    --------
    >>> split_words('He said "(hi)".')
    ['He', 'said', '"(hi)"', '.']
    >>> split_words("... (a b")
    ['..', '.', '(', 'a', 'b']
    """
    tokens: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            tokens += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in PUNCTUATION:
            tokens += (word[0], word[1:])
        else:
            tokens.append(word)
    return tokens
