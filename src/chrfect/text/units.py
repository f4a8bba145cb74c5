"""From a text to the symbols that n-grams are made of.

Characters are the symbols of a *unit string*: a ``str`` in which each symbol stands for one unit (a code point, a
byte, a grapheme cluster). Kernels see nothing else, so they never need to know what a symbol stands for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from chrfect.errors import UsageError
from chrfect.text.whitespace import remove_whitespace

Unit = Literal["codepoint", "byte", "grapheme"]

_NO_REGEX = "unit='grapheme' needs the regex module: pip install 'chrfect[grapheme]'."


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
