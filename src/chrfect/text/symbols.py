"""The symbols of n-grams, with their positions in the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chrfect.text.units import grapheme_clusters
from chrfect.text.whitespace import WHITESPACE

if TYPE_CHECKING:
    from chrfect.text.preparation import Preparation

Ints = NDArray[np.int64]

_PIECE_MARK = "\u2581"
"""The character that SentencePiece writes for a space."""
_WINDOW = 20
"""The largest number of code points that a tokenizer is expected to drop between two tokens."""
_WHITESPACE = np.zeros(2 + max(map(ord, WHITESPACE)), np.bool_)
_WHITESPACE[[ord(character) for character in WHITESPACE]] = True
"""Whether a code point is whitespace; the last entry stands for all larger code points."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """The symbols of one text, and the code points of the text that each covers.

    Parameters
    ----------
    symbols : int64 array
        Equal numbers are equal symbols, in all texts that were prepared with the same ids.
    starts, ends : int64 array
        Offsets into the original text, in code points; a byte has those of its code point.
    """

    symbols: Ints
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.symbols)


def locate_characters(text: str, preparation: Preparation, ids: dict[str, int]) -> Symbols:
    """Return the characters of a text; see :meth:`chrfect.text.preparation.Preparation.characters`."""
    cased, origin = _cased(text, preparation)
    codes = np.frombuffer(cased.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
    if preparation.whitespace == "remove":
        kept = ~_WHITESPACE[np.minimum(codes, len(_WHITESPACE) - 1)]
        codes, origin = codes[kept], origin[kept]
    if preparation.unit == "grapheme":
        clusters = grapheme_clusters(_string(codes))
        ends = np.cumsum([len(cluster) for cluster in clusters], dtype=np.int64)
        starts = np.append(0, ends)[:-1]
        return Symbols(_numbers(clusters, ids), origin[starts], origin[ends - 1] + 1)
    if preparation.unit == "byte":
        lengths = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF)
        data = _string(codes).encode("utf-8", "surrogatepass")
        codes, origin = np.frombuffer(data, np.uint8).astype(np.int64), np.repeat(origin, lengths)
    return Symbols(codes, origin, origin + 1)


def locate_tokens(
    text: str,
    preparation: Preparation,
    ids: dict[str, int],
    split: Callable[[str], list[str]],
    rewritten: Mapping[str, str],
) -> Symbols:
    """Return the tokens of a text; see :meth:`chrfect.text.preparation.Preparation.tokens`."""
    cased, origin = _cased(text, preparation)
    tokens = split(cased)
    starts, ends = _positions(cased, tokens, rewritten)
    origin = np.append(origin, len(text))
    ends = np.where(starts < ends, origin[ends - 1] + 1, origin[starts])
    return Symbols(_numbers(tokens, ids), origin[starts], ends)


def _positions(text: str, tokens: Sequence[str], rewritten: Mapping[str, str]) -> tuple[Ints, Ints]:
    """Return the start and the end of each token in the text; a rewritten token has those of the text it replaces.

    A token that is not found gets an empty span after the token before it.
    """
    starts, ends = [], []
    at = 0
    for token in tokens:
        piece = token.lstrip(_PIECE_MARK)
        while text[at : at + 1].isspace():
            at += 1
        start = text.find(piece, at, at + len(piece) + _WINDOW)
        if original := rewritten.get(piece):
            there = text.find(original, at, at + len(original) + _WINDOW)
            if there >= 0 and not 0 <= start < there:
                piece, start = original, there
        if start >= 0:
            starts.append(start)
            at = start + len(piece)
        else:
            starts.append(at)
        ends.append(at)
    return np.array(starts, np.int64), np.array(ends, np.int64)


def _cased(text: str, preparation: Preparation) -> tuple[str, Ints]:
    """Return the text, lower-cased if requested, and the original position of each of its code points."""
    (cased,) = preparation.cased((text,))
    if len(cased) == len(text):
        return cased, np.arange(len(text))
    return cased, np.repeat(np.arange(len(text)), [len(character.lower()) for character in text])


def _numbers(symbols: Sequence[str], ids: dict[str, int]) -> Ints:
    return np.array([ids.setdefault(symbol, len(ids)) for symbol in symbols], np.int64)


def _string(codes: Ints) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
