"""Exact numbers in the format of contracts: six decimals, and the reduced fraction."""

from __future__ import annotations

from fractions import Fraction

from chrfect.formulas.decimals import ratio_text, six_decimals

Ratio = tuple[int, int]
"""A rational number as numerator and denominator, not necessarily in lowest terms."""


def percentage(name: str, share: Fraction | None) -> dict[str, str | None]:
    """Return a share from 0 to 1 as a percentage, with two keys: its decimals and its fraction.

    Examples
    --------
    >>> percentage("precision", Fraction(5, 6))
    {'precision': '83.333333', 'precision_fraction': '250/3'}
    """
    return exact(name, None if share is None else (100 * share.numerator, share.denominator))


def exact(name: str, value: Ratio | None) -> dict[str, str | None]:
    """Return a number with two keys: its decimals and its fraction.

    Examples
    --------
    >>> exact("f", (500, 6)), exact("f", None)
    ({'f': '83.333333', 'f_fraction': '250/3'}, {'f': None, 'f_fraction': None})
    """
    if value is None:
        return {name: None, f"{name}_fraction": None}
    return {name: six_decimals(*value), f"{name}_fraction": ratio_text(*value)}
