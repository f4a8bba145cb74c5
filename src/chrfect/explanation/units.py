"""The symbols of texts as a metric counts them, with equal numbers for equal symbols in all texts."""

from __future__ import annotations

from chrfect.metrics import Bleu, ChrF, Metric
from chrfect.text.symbols import Symbols
from chrfect.text.tokenizers import tokenizer
from chrfect.text.words import split_words

_ENTITIES = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""The characters that the tokenizer 13a writes for entities."""


class Reader:
    """Prepares texts as a metric counts them; equal symbols get equal numbers in all texts that one reader prepares."""

    def __init__(self, metric: Metric) -> None:
        assert isinstance(metric, ChrF | Bleu)
        self.metric = metric
        self._clusters: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._split = tokenizer(metric.tokenize, metric.spm_model) if isinstance(metric, Bleu) else split_words
        self._rewritten = _ENTITIES if isinstance(metric, Bleu) and metric.tokenize == "13a" else {}

    def characters(self, text: str) -> Symbols:
        """Return the characters of a text."""
        return self.metric.preparation.characters(text, self._clusters)

    def tokens(self, text: str) -> Symbols:
        """Return the word tokens, or the tokens of BLEU, of a text."""
        return self.metric.preparation.tokens(text, self._tokens, self._split, self._rewritten)
