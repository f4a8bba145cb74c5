"""Counts of BLEU: the readable way, the kernel's, and the naive one agree on every input."""

from hypothesis import given
from hypothesis import strategies as st

import bleu_oracle
from chrfect import clipping
from chrfect.metrics.bleu import one_reference

tokens = st.lists(st.sampled_from(["a", "b", "c", "é", "e\u0301", "語", "\U0001f600"]), max_size=12)


@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(1, 9))
def test_rows_equal_the_naive_ones(hypothesis, references, max_order):
    assert clipping.row(hypothesis, references, max_order) == bleu_oracle.row(hypothesis, references, max_order)


@given(st.lists(st.tuples(tokens, tokens), min_size=1, max_size=5), st.integers(1, 9))
def test_the_kernel_gives_the_same_rows_for_one_reference(pairs, max_order):
    hypotheses, references = zip(*pairs, strict=True)
    expected = [n for h, r in pairs for n in clipping.row(h, [r], max_order)]
    assert one_reference(hypotheses, references, max_order, 1).tolist() == expected


@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(1, 5))
def test_clip_lists_exactly_the_ngrams_of_the_hypothesis(hypothesis, references, n):
    table = clipping.clip(hypothesis, references, n)
    assert sum(count for count, _ in table.values()) == max(0, len(hypothesis) - n + 1)
    assert sum(map(min, table.values())) == bleu_oracle.clipped(hypothesis, references, n)[1]


def test_two_lengths_as_near_give_the_shorter():
    assert clipping.closest_length(6, [8, 4]) == 4
    assert clipping.closest_length(6, [4, 8]) == 4
    assert clipping.closest_length(1, [3, 0]) == 0


def test_columns_name_every_number_of_a_row():
    assert len(clipping.columns(3)) == len(clipping.row(["a"], [["a"]], 3))
