"""How a metric and its parameters are written: in names, which parse back, and in signatures."""

from __future__ import annotations

import re
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_RESERVED = re.compile(r"[%,()|\s]")


def canonical(base: str, metric: DataclassInstance, default: DataclassInstance) -> str:
    """Return the name of a metric: its base, and in brackets what differs from the base's default value."""
    changed = [
        f"{field.name}={_in_a_name(getattr(metric, field.name))}"
        for field in fields(metric)
        if field.init and getattr(metric, field.name) != getattr(default, field.name)
    ]
    return base + (f"({','.join(changed)})" if changed else "")


def as_number(value: int | Fraction) -> int | float | str:
    """Return an exact number as it is written in JSON and names: a number where a float says it exactly, else "n/d".

    Examples
    --------
    >>> as_number(Fraction(2, 5)), as_number(Fraction(1, 3))
    (0.4, '1/3')
    """
    if isinstance(value, int):
        return value
    return float(value) if Fraction(str(float(value))) == value else str(value)


def as_stated(value: Any) -> str:
    """Return a parameter as a signature states it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _in_a_name(value: Any) -> str:
    if isinstance(value, str):
        return _RESERVED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), value)
    return as_stated(as_number(value) if isinstance(value, Fraction) else value)
