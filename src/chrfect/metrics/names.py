"""The text of a metric: one name on the command line, in JSON, in tables and in signatures, and it parses back."""

from __future__ import annotations

import re
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

from chrfect.errors import UsageError
from chrfect.metrics.chrf import ChrF, written_beta

_BASES = {"chrF": (6, 0), "chrF+": (6, 1), "chrF++": (6, 2), "wordF": (0, 4)}
_FAMILY = re.compile(r"(chrF|wordF)(\d+(?:\.\d+)?)?(\+{0,2})", re.IGNORECASE)
_PARAMETERS = tuple(field.name for field in fields(ChrF))


def canonical(metric: ChrF) -> str:
    """Return the shortest text that :func:`parse` reads back as the metric."""
    base = "wordF" if not metric.char_order else {1: "chrF+", 2: "chrF++"}.get(metric.word_order, "chrF")
    default = _base(base)
    changed = [
        f"{name}={_written(getattr(metric, name))}"
        for name in _PARAMETERS
        if getattr(metric, name) != getattr(default, name)
    ]
    return base + (f"({','.join(changed)})" if changed else "")


def parse(text: str) -> ChrF:
    """Return the metric that a text names.

    Parameters
    ----------
    text : str
        ``chrF``, ``chrF+``, ``chrF++`` or ``wordF`` in any case, a beta behind the family name (``chrF3++``),
        parameters in brackets (``chrF(beta=3,lowercase=yes)``); or a whole signature.

    Raises
    ------
    UsageError
        If the text names no metric, or a parameter that the metric does not have.

    Examples
    --------
    >>> parse("chrF3++") == ChrF(word_order=2, beta=3)
    True
    >>> str(parse("chrf(word_order=2, beta=0.5)"))
    'chrF++(beta=0.5)'
    >>> parse(ChrF(unit="byte").signature)
    ChrF(char_order=6, word_order=0, beta=2, lowercase=False, whitespace='remove',
         averaging='mean_precision_recall', unreferenced='drop', unit='byte')
    """
    name, _, rest = text.split("|")[0].strip().partition("(")
    family = _FAMILY.fullmatch(name.strip())
    bases = {known.lower(): known for known in _BASES}
    base = bases.get((family[1] + family[3]).lower()) if family else None
    if family is None or base is None or (rest and not rest.endswith(")")):
        raise UsageError(
            f"{text!r} names no metric; expected one of {', '.join(_BASES)}, with a beta such as chrF3++ "
            "or parameters such as 'chrF++(beta=3,lowercase=yes)'."
        )
    given: dict[str, Any] = {"beta": _number(family[2], text)} if family[2] else {}
    for part in filter(None, (part.strip() for part in rest[:-1].split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in _PARAMETERS:
            raise UsageError(f"{part!r} in {text!r} is no parameter; expected name=value with one of {_PARAMETERS}.")
        if key in given:
            raise UsageError(f"{key} is given twice in {text!r}.")
        given[key] = _read(key, value, text)
    char_order, word_order = _BASES[base]
    return ChrF(**{"char_order": char_order, "word_order": word_order, **given})


def _base(name: str) -> ChrF:
    char_order, word_order = _BASES[name]
    return ChrF(char_order=char_order, word_order=word_order)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(written_beta(value)) if isinstance(value, Fraction) else str(value)


def _read(key: str, value: str, text: str) -> Any:
    if key == "lowercase":
        if value.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"lowercase is {value!r} in {text!r}; yes or no was expected.")
        return value.lower() in ("yes", "true")
    if key == "beta":
        return _number(value, text)
    if key.endswith("_order"):
        if not value.isdecimal():
            raise UsageError(f"{key} is {value!r} in {text!r}; a whole number was expected.")
        return int(value)
    return value


def _number(value: str, text: str) -> int | Fraction:
    try:
        return Fraction(Decimal(value)) if "/" not in value else Fraction(value)
    except (ArithmeticError, ValueError):
        raise UsageError(f"beta is {value!r} in {text!r}; a number such as 2, 0.5 or 1/3 was expected.") from None
