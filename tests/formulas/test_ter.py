"""Scores of many rows of TER at once."""

from fractions import Fraction

from chrfect.formulas import ter


def test_the_reference_length_of_a_sum_is_rounded_once_in_bulk_too():
    row = (4, 1, 2, 1, 15, 30)  # 8 edits; lengths of 15 over 3 references and of 30 over 7 add up to 65 / 7
    expected = 100 * (8 / float(Fraction(65, 7)))
    assert expected != 100 * (8 / (15 / 3 + 30 / 7))
    assert ter.scores(row * 4, (3, 7)).tolist() == [expected] * 4
