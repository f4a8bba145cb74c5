"""Safe display of texts: in whole grapheme clusters, with visible control characters.

Control characters can move the cursor of a terminal, and those that change the writing direction can misrepresent a
line. Each is replaced by a symbol or by its code point.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LONGEST = 64
"""The maximum number of code points of a displayed cluster; longer clusters are displayed in parts."""
_JOINERS = "\u200c\u200d"
_PLAIN = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0388-\u03ff\u0400-\u0482\u048a-\u052f\u05d0-\u05ea"
    "\u0621-\u063a\u0641-\u064a\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u3001-\u3029"
    "\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*"
)
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_ENCODING: ContextVar[str | None] = ContextVar("encoding", default=None)
"""The encoding of the output if it does not have every character."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """One grapheme cluster: its code points in the text, its displayed form, and the width of that form in cells."""

    start: int
    end: int
    shown: str
    width: int


@contextmanager
def encodable(encoding: str) -> Iterator[None]:
    """Make :func:`clusters` and :func:`visible` escape characters that an encoding lacks, so that widths are correct.

    Examples
    --------
    >>> with encodable("ascii"):
    ...     print(visible("2² × 3"))
    2\\xb2 \\xd7 3
    """
    token = _ENCODING.set(None if codecs.lookup(encoding).name.startswith("utf") else encoding)
    try:
        yield
    finally:
        _ENCODING.reset(token)


def clusters(text: str) -> Iterator[Cluster]:
    """Yield the grapheme clusters of a text.

    Examples
    --------
    >>> [(cluster.start, cluster.end, cluster.width) for cluster in clusters("e\\u0301\\x1b日")]
    [(0, 2, 1), (2, 3, 1), (3, 4, 2)]
    """
    from wcwidth import iter_graphemes, width

    at = 0
    for cluster in _pieces(iter_graphemes(text)):
        shown = cluster if cluster.isascii() and cluster.isprintable() else _shown(cluster)
        yield Cluster(at, at + len(cluster), shown, len(shown) if shown.isascii() else width(shown))
        at += len(cluster)


def _pieces(whole: Iterable[str]) -> Iterator[str]:
    for cluster in whole:
        for at in range(0, len(cluster), LONGEST):
            yield cluster[at : at + LONGEST]


def visible(text: str) -> str:
    """Return the text with its control characters replaced by symbols.

    Examples
    --------
    >>> visible("a\\tb\\u202e👩\\u200d🔬")
    'a␉b<U+202E>👩\u200d🔬'
    """
    if plain(text) and _ENCODING.get() is None:
        return text
    return "".join(cluster.shown for cluster in clusters(text))


def plain(text: str) -> bool:
    r"""Return whether each code point of the text is surely a visible grapheme cluster of its own, in one UTF-16 unit.

    Examples
    --------
    >>> plain("naïve 日本"), plain("nai\u0308ve"), plain("a\tb"), plain("👍")
    (True, False, False, False)
    """
    return (text.isascii() and text.isprintable()) or _PLAIN.fullmatch(text) is not None


def right_to_left(text: str) -> bool:
    """Return whether any part of the text is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)


def _shown(cluster: str) -> str:
    joined = len(cluster) > 1 and unicodedata.category(cluster[0])[0] != "C"
    shown = "".join(_symbol(character, joined) for character in cluster)
    if unicodedata.category(cluster[0])[0] == "M":
        shown = "\u25cc" + shown
    encoding = _ENCODING.get()
    return shown if encoding is None else shown.encode(encoding, "backslashreplace").decode(encoding)


def _symbol(character: str, joined: bool) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    category = unicodedata.category(character)
    if category == "Cf":
        tag = 0xE0020 <= code <= 0xE007F
        if unicodedata.bidirectional(character) in ("AN", "AL") or (joined and (tag or character in _JOINERS)):
            return character
    elif category not in ("Cc", "Cs", "Zl", "Zp") and code & 0xFFFE != 0xFFFE and not 0xFDD0 <= code <= 0xFDEF:
        return character
    return f"<U+{code:04X}>"
