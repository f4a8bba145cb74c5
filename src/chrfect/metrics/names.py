"""How a metric and its parameters are written: in names, which parse back, and in signatures."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import DataclassInstance

_RESERVED = re.compile(r"[%,()|\s]")


def canonical_name(base: str, metric: DataclassInstance, defaults: Mapping[str, Any] | None = None) -> str:
    """Return the name of a metric: its base, then in parentheses each parameter that differs from its default.

    Parameters
    ----------
    base : str
        The name without parameters, such as ``"chrF++"``.
    metric : dataclass
        The metric.
    defaults : mapping, optional
        The defaults of the base that differ from those of the class.
    """
    changed = []
    for field in fields(metric):
        value = getattr(metric, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if field.init and value != (defaults or {}).get(field.name, default):
            changed.append(f"{field.name}={_in_name(value)}")
    return base + (f"({','.join(changed)})" if changed else "")


def json_number(value: int | Fraction) -> int | float | str:
    """Return an exact number for JSON and names: a number if a float represents it exactly, else ``"n/d"``.

    Examples
    --------
    >>> json_number(Fraction(2, 5)), json_number(Fraction(1, 3))
    (0.4, '1/3')
    """
    if isinstance(value, int):
        return value
    return float(value) if Fraction(str(float(value))) == value else str(value)


def signature_value(value: Any) -> str:
    """Return the value of a parameter as a signature writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _in_name(value: Any) -> str:
    if isinstance(value, str):
        return _RESERVED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), value)
    return signature_value(json_number(value) if isinstance(value, Fraction) else value)
