"""Signatures of sacreBLEU, read as metrics of this package."""

from __future__ import annotations

import re

_SHORT = {
    "c": "case",
    "e": "eff",
    "s": "space",
    "#": "nrefs",
    "v": "version",
    "nr": "norm",
    "pn": "punct",
    "as": "asian",
}
_NAME = re.compile(r"(chrF\d*\+*|BLEU|TER)", re.IGNORECASE)


def from_sacrebleu(text: str) -> str | None:
    """Return the name of the metric that a signature of sacreBLEU describes; None for any other text.

    Parameters
    ----------
    text : str
        Such as ``BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0``, long or short.

    Examples
    --------
    >>> from_sacrebleu("chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0")
    'chrF(char_order=6,word_order=2,lowercase=yes)'
    >>> from_sacrebleu("BLEU|#:1|c:mixed|e:no|tok:zh|s:floor[0.10]|v:2.6.0")
    'BLEU(smoothing=floor,smoothing_value=0.10,tokenize=zh)'
    >>> from_sacrebleu("chrF++") is None
    True
    """
    name, *parts = text.split("|")
    keys = dict(part.partition(":")[::2] for part in parts)
    if not {"nrefs", "#"} & set(keys) or not _NAME.fullmatch(name):
        return None
    known = {_SHORT.get(key, key): value for key, value in keys.items()}
    base = name.upper() if name.upper() in ("BLEU", "TER") else "chrF"
    found = {"BLEU": _bleu, "TER": _ter, "chrF": _chrf}[base](known)
    beta = re.sub(r"\D", "", name)
    if beta not in ("", "2"):
        found["beta"] = beta
    if known.get("case") == "lc" and base != "TER":
        found["lowercase"] = "yes"
    return f"{base}({','.join(f'{key}={value}' for key, value in found.items())})" if found else base


def _ter(known: dict[str, str]) -> dict[str, str]:
    found = {"case_sensitive": "yes"} if known.get("case") == "mixed" else {}
    for key, value, parameter in (
        ("norm", "yes", "normalized"),
        ("punct", "no", "no_punct"),
        ("asian", "yes", "asian_support"),
    ):
        if known.get(key) == value:
            found[parameter] = "yes"
    return found


def _chrf(known: dict[str, str]) -> dict[str, str]:
    found = {"char_order": known.get("nc", "6"), "word_order": known.get("nw", "0")}
    if known.get("space") == "yes":
        found["whitespace"] = "keep"
    if known.get("eff") == "no":
        found["averaging"] = "per_order_f"
    return found


def _bleu(known: dict[str, str]) -> dict[str, str]:
    smoothing, _, value = known.get("smooth", known.get("space", "exp")).rstrip("]").partition("[")
    found = {} if smoothing == "exp" else {"smoothing": smoothing}
    if value:
        found["smoothing_value"] = value
    if known.get("eff") == "yes":
        found["effective_order"] = "always"
    if known.get("tok", "13a") != "13a":
        found["tokenize"] = known["tok"]
    return found
