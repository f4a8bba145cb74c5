"""A drop-in replacement for the Python interface of sacreBLEU 2.6.0.

``from chrfect.compat import sacrebleu`` returns the same scores, strings and warnings. If sacreBLEU would silently
score only a part of its input, an error is raised instead. ``python -m chrfect.compat.sacrebleu`` runs an unchanged
script.
"""

from typing import Any

from chrfect.compat.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from chrfect.compat.sacrebleu.metrics import BLEU, CHRF, TER
from chrfect.compat.sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from chrfect.compat.sacrebleu.utils import SACREBLEU_DIR, smart_open
from chrfect.compat.sacrebleu.version import __version__

__all__ = [
    "BLEU",
    "CHRF",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]


def __getattr__(name: str) -> Any:
    from chrfect.compat.sacrebleu import utils
    from chrfect.foreign_names import DOWNLOADS

    if name == "DATASETS" or name in DOWNLOADS:
        return getattr(utils, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
