"""A drop-in replacement for the Python interface of sacreBLEU 2.6.0.

``from chrfect.compat import sacrebleu`` gives the same scores, strings and warnings. Where sacreBLEU silently scores
only a part of its input, an error says what was given and what was expected.
"""

from chrfect.compat.sacrebleu.functions import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from chrfect.compat.sacrebleu.metrics import BLEU, CHRF, TER
from chrfect.compat.sacrebleu.metrics.base import VERSION

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

__version__ = VERSION
