"""Units: what counts as a character.

A *unit string* is a ``str`` in which each symbol stands for one unit: a code point, a byte or a grapheme cluster.
Kernels read unit strings only, so they need not know what the unit is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from chrfect.errors import UsageError

Unit = Literal["codepoint", "byte", "grapheme"]

_NO_REGEX = "unit='grapheme' needs the regex module: pip install regex."


def byte_string(text: str) -> str:
    """Return the UTF-8 bytes of a text as a unit string; an unpaired surrogate is three bytes.

    Examples
    --------
    >>> byte_string("é")
    'Ã©'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def grapheme_clusters(text: str) -> list[str]:
    """Return the grapheme clusters of a text (``\\X`` of the ``regex`` module).

    Raises
    ------
    UsageError
        If the extra ``grapheme`` is not installed.
    """
    try:
        import regex
    except ModuleNotFoundError:
        raise UsageError(_NO_REGEX) from None
    clusters: list[str] = regex.findall(r"\X", text)
    return clusters


def grapheme_strings(texts: Sequence[str]) -> list[str]:
    """Return texts as unit strings over grapheme clusters; equal clusters have equal symbols in all of them.

    Raises
    ------
    UsageError
        If the extra ``grapheme`` is not installed.
    """
    ids: dict[str, str] = {}
    strings = []
    for text in texts:
        symbols = []
        for cluster in grapheme_clusters(text):
            symbol = ids.get(cluster)
            if symbol is None:
                if len(ids) > sys.maxunicode:
                    raise UsageError(
                        f"The texts have over {sys.maxunicode + 1:,} distinct grapheme clusters; compare fewer at once."
                    )
                symbol = ids[cluster] = chr(len(ids))
            symbols.append(symbol)
        strings.append("".join(symbols))
    return strings


def grapheme_version() -> str:
    """Return the Unicode version of the grapheme clusters, as stated by the ``regex`` package.

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
