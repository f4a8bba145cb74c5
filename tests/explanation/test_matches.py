"""The positions of matching n-grams, compared with manual results."""

import numpy as np

from chrfect.explanation.matches import match
from chrfect.text.symbols import Symbols


def symbols(text):
    """Return a text of words separated by spaces as symbols."""
    numbers = np.array([sum(map(ord, word)) for word in text.split()], np.int64)
    return Symbols(numbers, np.arange(len(numbers)), np.arange(1, len(numbers) + 1))


def matched_unigrams(hypothesis, reference, order):
    """Return where the unigrams of the reference match."""
    _, side = match([[symbols(hypothesis)], [symbols(reference)]], order, drop=False)
    return side.matched[0].nonzero()[0].tolist()


def test_a_position_covered_by_a_longer_match_that_begins_before_it_comes_first():
    assert matched_unigrams("a b", "b c a b", 2) == [2, 3]


def test_a_position_covered_by_a_longer_match_that_begins_at_it_comes_first():
    assert matched_unigrams("b a", "b c b a", 2) == [2, 3]


def test_a_position_that_longer_matches_cover_on_both_sides_comes_before_one_covered_on_one_side():
    """Two of the three x may match: the third, within a x b, and the first, within b x; the second is within x c."""
    matched = matched_unigrams("a x b x c", "b x q x c r a x b", 2)
    assert [at for at in matched if at in (1, 3, 7)] == [1, 7]


def test_matches_are_clipped_by_the_largest_count_in_any_reference():
    sides = match([[symbols("a a a b")], [symbols("a b")], [symbols("a a")]], 1, drop=False)
    assert sides[0].matched[0].sum() == 3
    assert sides[1].matched[0].sum() == 2
