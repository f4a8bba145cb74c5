"""Exact numbers as text: with a fixed number of decimals, as fractions, and in columns whose printed values add up."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd
from typing import Any

SHORT = 10**600
"""Python converts every integer below this to a string; larger ones may exceed the limit of digits (640 or more)."""


def six_decimals(numerator: int, denominator: int) -> str:
    """Return a non-negative rational at six decimals, ties to even.

    Examples
    --------
    >>> six_decimals(250, 3), six_decimals(1, 2_000_000), six_decimals(3, 2_000_000)
    ('83.333333', '0.000000', '0.000002')
    """
    quotient, rest = divmod(numerator * 1_000_000, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and quotient & 1):
        quotient += 1
    whole, millionths = divmod(quotient, 1_000_000)
    return f"{whole}.{millionths:06d}"


def fraction_text(value: Fraction) -> str:
    """Return a fraction as ``n/d``, of any number of digits.

    Examples
    --------
    >>> fraction_text(Fraction(250, 3)), fraction_text(Fraction(0)), len(fraction_text(Fraction(10**9999)))
    ('250/3', '0/1', 10002)
    """
    return ratio_text(*value.as_integer_ratio())


def ratio_text(numerator: int, denominator: int) -> str:
    """Return a ratio in lowest terms as :func:`fraction_text` does, without creating a Fraction.

    Examples
    --------
    >>> ratio_text(500, 6), ratio_text(0, 7)
    ('250/3', '0/1')
    """
    shared = gcd(numerator, denominator)
    numerator, denominator = numerator // shared, denominator // shared
    if abs(numerator) < SHORT and denominator < SHORT:
        return f"{numerator}/{denominator}"
    return f"{Decimal(numerator):f}/{Decimal(denominator):f}"


def apportion(parts: Sequence[Fraction], decimals: int) -> list[str]:
    """Return parts as decimals whose printed values add up to the printed value of their sum.

    All parts are rounded down, then those with the largest remainders are rounded up until the sum is right. So every
    printed part differs from the exact value by less than one unit of the last decimal.

    Examples
    --------
    >>> apportion([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)], 2)
    ['0.34', '0.33', '0.33']
    """
    scale = 10**decimals
    floors = [part.numerator * scale // part.denominator for part in parts]
    remainders = [part * scale - floor for part, floor in zip(parts, floors, strict=True)]
    missing = round(sum(parts, Fraction(0)) * scale) - sum(floors)
    for i in sorted(range(len(parts)), key=lambda i: -remainders[i])[:missing]:
        floors[i] += 1
    return [fixed(Fraction(units, scale), decimals) for units in floors]


def fixed(value: Fraction, decimals: int = 6) -> str:
    """Return an exact number with `decimals` decimals, ties to even.

    Examples
    --------
    >>> fixed(Fraction(-1, 3)), fixed(Fraction(250, 3), 2)
    ('-0.333333', '83.33')
    """
    units = round(value * 10**decimals)
    whole, part = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{whole}" + (f".{part:0{decimals}d}" if decimals else "")


def numbers(**values: Fraction | None) -> dict[str, Any]:
    """Return each number as the nearest float and, under its name with the suffix ``_fraction``, exactly.

    Examples
    --------
    >>> numbers(f=Fraction(1, 3))
    {'f': 0.3333333333333333, 'f_fraction': '1/3'}
    """
    data: dict[str, Any] = {}
    for name, value in values.items():
        data[name] = None if value is None else float(value)
        data[f"{name}_fraction"] = None if value is None else fraction_text(value)
    return data
