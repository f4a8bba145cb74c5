"""Names of sacreBLEU's interface, and what to write here."""

from __future__ import annotations

from typing import Any

ATTRIBUTES = {
    "corpus_score": "corpus(hypotheses, references)",
    "sentence_score": "sentence(hypothesis, references)",
    "get_signature": "the attribute signature",
}
PARAMETERS = {
    "eps_smoothing": "averaging='per_order_f'",
    "smooth_method": "smoothing",
    "smooth_value": "smoothing_value",
    "max_ngram_order": "max_order",
    "trg_lang": "tokenize, such as 'zh'",
}
PUBLIC = {
    "CHRF": "ChrF",
    "BLEU": "Bleu",
    "TER": "Ter",
    "corpus_chrf": "ChrF().corpus",
    "corpus_bleu": "Bleu().corpus",
    "corpus_ter": "Ter().corpus",
    "sentence_chrf": "ChrF().sentence",
    "sentence_bleu": "Bleu().sentence",
    "sentence_ter": "Ter().sentence",
    "corpus_score": "ChrF().corpus",
}


def hint(names: dict[str, str], name: str) -> str:
    """Return a sentence about a name of sacreBLEU; empty for other names."""
    if name not in names:
        return ""
    return f" sacreBLEU's {name} is {names[name]} here; chrfect.compat.sacrebleu has sacreBLEU's own names."


class ForeignName:
    """An attribute of sacreBLEU's classes; reading it raises AttributeError with what to write instead.

    A ``__getattr__`` could do this as well, but makes every other attribute of the class slower.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> None:
        message = f"{owner.__name__!r} has no attribute {self._name!r}.{hint(ATTRIBUTES, self._name)}"
        raise AttributeError(message, name=self._name, obj=instance)


def check_parameters(kind: type, given: dict[str, Any]) -> None:
    """Raise TypeError for a parameter of sacreBLEU that the metric does not have."""
    for name in given:
        if name in PARAMETERS and name not in getattr(kind, "__dataclass_fields__", ()):
            raise TypeError(f"{kind.__name__} has no parameter {name!r}.{hint(PARAMETERS, name)}")
