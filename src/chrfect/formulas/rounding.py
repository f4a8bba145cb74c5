"""Correct rounding of irrational numbers: roots with integers, exponentials with as many digits as necessary."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction


def nearest(scale: int, radicand: Fraction, degree: int, exponent: Fraction) -> int:
    """Return ``scale * radicand ** (1 / degree) * e ** exponent`` as the nearest integer, ties to even.

    If the exponent is 0, integers decide the rounding, so perfect powers and ties are rounded correctly. Otherwise the
    number is 0 or transcendental (Hermite, Lindemann) and never a tie. It is bounded from both sides, with twice as
    many digits each time, until both bounds round to the same integer.

    Parameters
    ----------
    scale, degree : int
        At least 1.
    radicand : Fraction
        0 or more.
    exponent : Fraction
        Any rational.

    Examples
    --------
    >>> nearest(100, Fraction(1, 4), 2, Fraction(0)), nearest(1000, Fraction(1), 1, Fraction(1))
    (50, 2718)
    """
    if not exponent:
        power = radicand * scale**degree
        floor = root(power.numerator // power.denominator, degree)
        half = Fraction(2 * floor + 1, 2) ** degree
        return floor + (power > half or (power == half and floor % 2 == 1))
    digits = 30
    while True:
        low, high = _bounds(scale, radicand, degree, exponent, digits)
        if low == high:
            return low
        digits *= 2


def _bounds(scale: int, radicand: Fraction, degree: int, exponent: Fraction, digits: int) -> tuple[int, int]:
    floor = root(radicand.numerator * 10 ** (digits * degree) // radicand.denominator, degree)
    down, up = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    over, under = Decimal(exponent.numerator), Decimal(exponent.denominator)
    # Decimal.exp is correctly rounded, so the next number on either side is a bound.
    least = down.next_minus(down.exp(down.divide(over, under)))
    most = up.next_plus(up.exp(up.divide(over, under)))
    low = down.scaleb(down.multiply(Decimal(scale * floor), least), -digits)
    high = up.scaleb(up.multiply(Decimal(scale * (floor + 1)), most), -digits)
    return _rounded(low), _rounded(high)


def _rounded(value: Decimal) -> int:
    return int(value.to_integral_value(rounding=ROUND_HALF_EVEN))


def root(value: int, degree: int) -> int:
    """Return the largest integer whose power does not exceed a value of 0 or more (Newton's iteration in integers).

    Examples
    --------
    >>> root(10**12 - 1, 3), root(10**12, 3)
    (9999, 10000)
    """
    if value < 2:
        return value
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        below = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if below >= guess:
            return guess
        guess = below
