"""From a text to the symbols that n-grams are made of.

Characters are the symbols of a *unit string*: a ``str`` in which each symbol stands for one unit (a code point, a
byte, a grapheme cluster). Kernels see nothing else, so they never need to know what a symbol stands for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from chrfect.errors import UsageError

Unit = Literal["codepoint", "byte", "grapheme"]

WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The 29 whitespace code points, the set on which ``str.split`` splits."""

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""The 32 ASCII punctuation characters that the chrF++ word split knows."""

_NO_REGEX = "unit='grapheme' needs the regex module: pip install 'chrfect[grapheme]'."


def remove_whitespace(text: str) -> str:
    """Return the text without its whitespace code points.

    Examples
    --------
    >>> remove_whitespace(" a\\u3000b\\u200bc ")
    'ab\\u200bc'
    """
    return "".join(text.split())


def words(text: str) -> list[str]:
    """Return the word tokens of chrF++: split on whitespace, then at most one punctuation mark off each word.

    The mark at the end goes first, else the one at the start; a word of one character stays whole
    (Popović 2017, ``separate_punctuation`` of the original tool).

    Examples
    --------
    >>> words('He said "(hi)".')
    ['He', 'said', '"(hi)"', '.']
    >>> words("... (a b")
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


def byte_string(text: str) -> str:
    """Return the UTF-8 bytes of a text as a unit string; a lone surrogate is three bytes.

    Examples
    --------
    >>> byte_string("é")
    'Ã©'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def grapheme_strings(texts: Sequence[str]) -> list[str]:
    """Return texts as unit strings over grapheme clusters (``\\X`` of the ``regex`` module), with one table for all.

    Raises
    ------
    UsageError
        If the extra ``grapheme`` is not installed.
    """
    try:
        import regex
    except ModuleNotFoundError:
        raise UsageError(_NO_REGEX) from None
    clusters = regex.compile(r"\X")
    ids: dict[str, str] = {}
    strings = []
    for text in texts:
        symbols = []
        for cluster in clusters.findall(text):
            symbol = ids.get(cluster)
            if symbol is None:
                if len(ids) > sys.maxunicode:
                    raise UsageError(f"A pair has over {sys.maxunicode + 1:,} distinct grapheme clusters.")
                symbol = ids[cluster] = chr(len(ids))
            symbols.append(symbol)
        strings.append("".join(symbols))
    return strings


def grapheme_version() -> str:
    """Return the Unicode version whose grapheme clusters ``unit="grapheme"`` counts, as ``regex`` states it.

    Raises
    ------
    UsageError
        If the extra ``grapheme`` is not installed.
    """
    import re
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        described = metadata("regex")
    except PackageNotFoundError:
        raise UsageError(_NO_REGEX) from None
    stated = re.search(r"supports Unicode (\d+(?:\.\d+)*)", described["Description"] or "")
    return stated.group(1) if stated else f"of regex {described['Version']}"


def unit_strings(hypothesis: str, reference: str, unit: Unit, keep_whitespace: bool) -> tuple[str, str]:
    """Return one pair of texts as unit strings, whitespace code points removed first unless they are kept."""
    if not keep_whitespace:
        hypothesis, reference = remove_whitespace(hypothesis), remove_whitespace(reference)
    if unit == "byte":
        return byte_string(hypothesis), byte_string(reference)
    if unit == "grapheme":
        first, second = grapheme_strings((hypothesis, reference))
        return first, second
    return hypothesis, reference
