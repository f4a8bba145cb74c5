"""The symbols that a metric counts in a text, and where each stands in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chrfect.metrics import Bleu, ChrF, Metric
from chrfect.text.tokenizers import tokenizer
from chrfect.text.whitespace import WHITESPACE
from chrfect.text.words import split_words

Ints = NDArray[np.int64]

_PIECE_MARK = "\u2581"
"""What SentencePiece writes for a space."""
_WINDOW = 20
"""How many code points, at most, a tokenizer leaves out between two tokens."""
_ENTITIES = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""What the tokenizer 13a takes for a character."""
_WHITESPACE = np.zeros(2 + max(map(ord, WHITESPACE)), np.bool_)
_WHITESPACE[[ord(character) for character in WHITESPACE]] = True
"""Whether a code point is whitespace; the last stands for all beyond."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Symbols, and for each the code points of the text that it covers.

    Parameters
    ----------
    symbols : int64 array
        Equal numbers are equal symbols, across all texts that were prepared together.
    starts, ends : int64 array
        Offsets into the text as it was passed, in code points; of a byte, those of its code point.
    """

    symbols: Ints
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.symbols)


class Reader:
    """Takes texts apart as a metric counts them; equal symbols get equal numbers in all texts it reads."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._clusters: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._split = tokenizer(metric.tokenize, metric.spm_model) if isinstance(metric, Bleu) else split_words

    def characters(self, text: str) -> Units:
        """Return the units that character n-grams are made of; of a metric that counts them."""
        metric = self.metric
        assert isinstance(metric, ChrF)
        cased, origin = _cased(metric, text)
        codes = np.frombuffer(cased.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
        if metric.whitespace == "remove":
            kept = ~_WHITESPACE[np.minimum(codes, len(_WHITESPACE) - 1)]
            codes, origin = codes[kept], origin[kept]
        if metric.unit == "grapheme":
            return self._graphemes(codes, origin)
        if metric.unit == "byte":
            lengths = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF)
            data = _string(codes).encode("utf-8", "surrogatepass")
            codes, origin = np.frombuffer(data, np.uint8).astype(np.int64), np.repeat(origin, lengths)
        return Units(codes, origin, origin + 1)

    def tokens(self, text: str) -> Units:
        """Return the tokens that word n-grams, or BLEU's, are made of."""
        cased, origin = _cased(self.metric, text)
        found = self._split(cased)
        entities = _ENTITIES if isinstance(self.metric, Bleu) and self.metric.tokenize == "13a" else {}
        starts, ends = _placed(cased, found, entities)
        symbols = np.array([self._tokens.setdefault(token, len(self._tokens)) for token in found], np.int64)
        origin = np.append(origin, len(text))
        return Units(symbols, origin[starts], np.where(starts < ends, origin[ends - 1] + 1, origin[starts]))

    def _graphemes(self, codes: Ints, origin: Ints) -> Units:
        import regex

        clusters = regex.findall(r"\X", _string(codes))
        ends = np.cumsum([len(cluster) for cluster in clusters], dtype=np.int64)
        starts = np.append(0, ends)[:-1]
        symbols = [self._clusters.setdefault(cluster, len(self._clusters)) for cluster in clusters]
        return Units(np.array(symbols, np.int64), origin[starts], origin[ends - 1] + 1)


def _placed(text: str, found: Sequence[str], entities: Mapping[str, str]) -> tuple[Ints, Ints]:
    """Return where each token, or the entity that was read as it, stands.

    A token that its tokenizer wrote otherwise stands, empty, after the one before.
    """
    starts, ends = [], []
    at = 0
    for token in found:
        piece = token.lstrip(_PIECE_MARK)
        while text[at : at + 1].isspace():
            at += 1
        start = text.find(piece, at, at + len(piece) + _WINDOW)
        if entity := entities.get(piece):
            there = text.find(entity, at, at + len(entity) + _WINDOW)
            if there >= 0 and not 0 <= start < there:
                piece, start = entity, there
        if start >= 0:
            starts.append(start)
            at = start + len(piece)
        else:
            starts.append(at)
        ends.append(at)
    return np.array(starts, np.int64), np.array(ends, np.int64)


def _cased(metric: Metric, text: str) -> tuple[str, Ints]:
    """Return the text as it is counted, and for each of its code points the place it comes from."""
    if not (isinstance(metric, ChrF | Bleu) and metric.lowercase):
        return text, np.arange(len(text))
    lower = text.lower()
    if len(lower) == len(text):
        return lower, np.arange(len(text))
    return lower, np.repeat(np.arange(len(text)), [len(character.lower()) for character in text])


def _string(codes: Ints) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
