"""Hypotheses and references as a metric counts them, and where their n-grams match."""

from __future__ import annotations

from collections.abc import Sequence

from chrfect.explanation.match import Side, match
from chrfect.explanation.units import Reader
from chrfect.metrics import Bleu, ChrF
from chrfect.text.symbols import Symbols

Kind = tuple[tuple[Side, Side], list[list[Symbols]]]


class Counted:
    """The characters and the words of segments, as far as the metric counts them, and what matches.

    Parameters
    ----------
    reader : Reader
        Of the metric.
    texts : sequence of sequences of str
        The hypotheses, the references that are shown, and further references; one text a segment in each.
    """

    def __init__(self, reader: Reader, texts: Sequence[Sequence[str]]) -> None:
        metric = reader.metric
        self.characters: Kind | None = None
        self.words: Kind | None = None
        if isinstance(metric, ChrF):
            texts, word_order, drop = texts[:2], metric.word_order, metric.unreferenced == "drop"
            if metric.char_order:
                characters = [[reader.characters(text) for text in side] for side in texts]
                self.characters = match(characters, metric.char_order, drop), characters
        else:
            assert isinstance(metric, Bleu)
            word_order, drop = metric.max_order, False
        if word_order:
            words = [[reader.tokens(text) for text in side] for side in texts]
            self.words = match(words, word_order, drop), words

    def kinds(self) -> list[Kind]:
        """Return what is counted, characters first."""
        return [kind for kind in (self.characters, self.words) if kind is not None]
