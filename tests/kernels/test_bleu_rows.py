"""Counts of BLEU: the naive oracle agrees on every input."""

from hypothesis import given
from hypothesis import strategies as st

import bleu_oracle
from chrfect.kernels import clipping

tokens = st.lists(st.sampled_from(["a", "b", "c", "é", "e\u0301", "語", "\U0001f600"]), max_size=12)


@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(1, 9))
def test_rows_equal_the_naive_ones(hypothesis, references, max_order):
    assert clipping.row(hypothesis, references, max_order) == bleu_oracle.row(hypothesis, references, max_order)


@given(st.lists(st.tuples(tokens, st.lists(tokens, min_size=1, max_size=4)), max_size=5), st.integers(1, 9))
def test_segments_are_counted_each_on_its_own(segments, max_order):
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    each = [clipping.row(h, r, max_order) for h, r in segments]
    assert clipping.rows(hypotheses, references, max_order).tolist() == [n for row in each for n in row]


def test_two_lengths_as_near_give_the_shorter():
    assert clipping.closest_length(6, [8, 4]) == 4
    assert clipping.closest_length(6, [4, 8]) == 4
    assert clipping.closest_length(1, [3, 0]) == 0


def test_columns_name_every_number_of_a_row():
    assert len(clipping.columns(3)) == len(clipping.row(["a"], [["a"]], 3))
