"""Rounded roots and exponentials are correct to the last digit, even close to a tie."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect.formulas.rounding import nearest, root

mpmath.mp.dps = 200


@given(st.integers(0, 10**60), st.integers(1, 40))
def test_a_root_is_the_largest_integer_whose_power_fits(value, degree):
    found = root(value, degree)
    assert found**degree <= value < (found + 1) ** degree


@given(st.integers(1, 10**9), st.fractions(0, 1), st.integers(1, 9), st.fractions(-5, 5, max_denominator=10**5))
def test_rounding_equals_200_digits(scale, radicand, degree, exponent):
    exact = scale * mpmath.root(mpmath.mpf(radicand.numerator) / radicand.denominator, degree)
    exact *= mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
    assert abs(nearest(scale, radicand, degree, exponent) - exact) <= mpmath.mpf("0.5") + mpmath.mpf(10) ** -150


@pytest.mark.parametrize(("radicand", "expected"), [((1, 4), 0), ((9, 4), 2), ((25, 4), 2), ((49, 4), 4)])
def test_a_perfect_power_on_the_half_goes_to_the_even_side(radicand, expected):
    assert nearest(1, Fraction(*radicand), 2, Fraction(0)) == expected


@pytest.mark.parametrize("digits", [40, 100, 400])
def test_a_square_root_next_to_a_half_falls_on_its_own_side(digits):
    square = Fraction(25, 4)  # the root is 2.5
    near = Fraction(1, 10**digits)
    assert nearest(1, square - near, 2, Fraction(0)) == 2
    assert nearest(1, square + near, 2, Fraction(0)) == 3


@pytest.mark.parametrize("digits", [40, 100, 180])
def test_an_exponential_next_to_a_half_needs_and_gets_more_digits(digits):
    factor = int(mpmath.floor(mpmath.mpf(10) ** digits * mpmath.mpf("2.5") / mpmath.e))
    below, above = Fraction(factor, 10**digits), Fraction(factor + 1, 10**digits)
    assert nearest(1, below, 1, Fraction(1)) == 2
    assert nearest(1, above, 1, Fraction(1)) == 3


def test_a_vanishing_exponential_is_rounded_at_once():
    assert nearest(10**8, Fraction(1), 4, Fraction(-(10**9))) == 0


@pytest.mark.parametrize(
    ("value", "degree", "found"), [(0, 2, 0), (1, 3, 1), (2, 1, 2), (2, 2, 1), (3, 2, 1), (4, 2, 2)]
)
def test_roots_of_small_integers(value, degree, found):
    assert root(value, degree) == found
