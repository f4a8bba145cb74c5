"""The word tokens of chrF++."""

from __future__ import annotations

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""The 32 ASCII punctuation characters that the chrF++ word split knows."""


def split_words(text: str) -> list[str]:
    """Return the word tokens of chrF++: split on whitespace, then at most one punctuation mark off each word.

    The mark at the end goes first, else the one at the start; a word of one character stays whole
    (Popović 2017, ``separate_punctuation`` of the original tool).

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
