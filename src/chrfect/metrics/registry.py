"""The text of a metric: one name on the command line, in JSON, in tables and in signatures, and it parses back."""

from __future__ import annotations

import re
from dataclasses import fields
from fractions import Fraction
from typing import Any

from chrfect.errors import UsageError, shown
from chrfect.metrics.bleu import Bleu
from chrfect.metrics.chrf import FAMILIES, ChrF, exact_beta
from chrfect.metrics.names import as_stated

_FAMILY = re.compile(r"(chrF|wordF)(\d+(?:\.\d+)?)?(\+{0,2})", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,400}(\.\d{0,400})?([eE][+-]?\d{1,3})?|\d{1,400}/0*[1-9]\d{0,400}", re.ASCII)
_ENVIRONMENT = ("version", "lowercase_unicode", "grapheme_unicode")


def parse(text: str) -> ChrF | Bleu:
    """Return the metric that a text names.

    Parameters
    ----------
    text : str
        ``chrF``, ``chrF+``, ``chrF++``, ``wordF`` or ``BLEU`` in any case, a beta behind the family name
        (``chrF3++``), parameters in brackets (``chrF(beta=3,lowercase=yes)``); or a whole signature.

    Raises
    ------
    UsageError
        If the text names no metric, or a parameter that the metric does not have.

    Examples
    --------
    >>> parse("chrF3++") == ChrF(word_order=2, beta=3)
    True
    >>> str(parse("chrf(word_order=2, beta=0.5)")), str(parse("bleu(max_order=2)"))
    ('chrF++(beta=0.5)', 'BLEU(max_order=2)')
    >>> parse(ChrF(unit="byte").signature)
    ChrF(char_order=6, word_order=0, beta=2, lowercase=False, whitespace='remove',
         averaging='mean_precision_recall', unreferenced='drop', unit='byte')
    """
    if not isinstance(text, str):
        raise UsageError(f"{shown(text)} names no metric; a text such as 'chrF++' was expected.")
    name, *stated = text.split("|")
    metric = _named(name.strip(), text)
    for part in stated:
        _check_stated(metric, part, text)
    return metric


def _check_stated(metric: ChrF | Bleu, part: str, text: str) -> None:
    """Refuse a part of a signature that says something else than the metric's text before it."""
    key, _, value = part.partition(":")
    if key in _ENVIRONMENT:
        return
    known = key in _parameters(type(metric))
    if not known or value.partition(" (")[0] != as_stated(metric.recipe[key]).partition(" (")[0]:
        raise UsageError(
            f"{shown(part)} in the signature {shown(text)} does not follow from its metric {metric}; "
            "a signature is read only whole and as chrfect writes it."
        )


def _named(written_name: str, text: str) -> ChrF | Bleu:
    name, bracket, rest = written_name.partition("(")
    name = name.strip()
    if bracket and not rest.endswith(")"):
        raise _no_metric(text)
    if name.lower() == "bleu":
        return Bleu(**_given(rest, Bleu, text))
    family = _FAMILY.fullmatch(name)
    bases = {known.lower(): known for known in FAMILIES}
    base = bases.get((family[1] + family[3]).lower()) if family else None
    if family is None or base is None:
        raise _no_metric(text)
    char_order, word_order = FAMILIES[base]
    given: dict[str, Any] = {"beta": _number(family[2], text)} if family[2] else {}
    for key, value in _given(rest, ChrF, text).items():
        if key in given:
            raise UsageError(f"{key} is given twice in {text!r}.")
        given[key] = value
    return ChrF(**{"char_order": char_order, "word_order": word_order, **given})


def _no_metric(text: str) -> UsageError:
    return UsageError(
        f"{shown(text)} names no metric; expected one of {', '.join(FAMILIES)}, BLEU, with a beta such as chrF3++ "
        "or parameters such as 'chrF++(beta=3,lowercase=yes)'."
    )


def _parameters(kind: type[ChrF] | type[Bleu]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


def _given(rest: str, kind: type[ChrF] | type[Bleu], text: str) -> dict[str, Any]:
    """Return the parameters in the brackets, read."""
    known = _parameters(kind)
    given: dict[str, Any] = {}
    for part in rest[:-1].split(",") if rest[:-1].strip() else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in known:
            raise UsageError(f"{part.strip()!r} in {text!r} is no parameter; expected name=value with one of {known}.")
        if key in given:
            raise UsageError(f"{key} is given twice in {text!r}.")
        given[key] = _read(key, value, text)
    return given


def _read(key: str, value: str, text: str) -> Any:
    if key == "lowercase":
        if value.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"lowercase is {value!r} in {text!r}; yes or no was expected.")
        return value.lower() in ("yes", "true")
    if key == "beta":
        return _number(value, text)
    if key == "smoothing_value":
        try:
            return float(value)
        except ValueError:
            raise UsageError(f"smoothing_value is {value!r} in {text!r}; a number was expected.") from None
    if key.endswith("_order") and key != "effective_order":
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise UsageError(f"{key} is {shown(value)} in {shown(text)}; a whole number was expected.")
        return int(value)
    if key == "spm_model":
        from urllib.parse import unquote

        return unquote(value)
    return value


def _number(value: str, text: str) -> int | Fraction:
    if not _NUMBER.fullmatch(value):
        raise UsageError(f"beta is {shown(value)} in {shown(text)}; a number such as 2, 0.5 or 1/3 was expected.")
    return exact_beta(Fraction(value))
