"""Exact numbers as contracts write them: six decimals, and the reduced fraction."""

from __future__ import annotations

from fractions import Fraction

from chrfect.formulas.decimals import fraction_text, six_decimals


def fraction_or_null(value: Fraction | None) -> str | None:
    """Return a fraction as contracts write it, None as None.

    Examples
    --------
    >>> fraction_or_null(Fraction(250, 3)), fraction_or_null(Fraction(0))
    ('250/3', '0/1')
    """
    return None if value is None else fraction_text(value)


def percentage(name: str, share: Fraction | None) -> dict[str, str | None]:
    """Return a share, 0 to 1, on the scale 0 to 100, as two keys: its decimals and its fraction.

    Examples
    --------
    >>> percentage("precision", Fraction(5, 6))
    {'precision': '83.333333', 'precision_fraction': '250/3'}
    """
    return exact(name, None if share is None else 100 * share)


def exact(name: str, value: Fraction | None) -> dict[str, str | None]:
    """Return a number as two keys: its decimals and its fraction.

    Examples
    --------
    >>> exact("f", None)
    {'f': None, 'f_fraction': None}
    """
    text = None if value is None else six_decimals(value.numerator, value.denominator)
    return {name: text, f"{name}_fraction": fraction_or_null(value)}
