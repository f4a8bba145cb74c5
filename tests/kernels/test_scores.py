"""The compiled scores equal the readable ones: the same floats, and six decimals of the exact fraction."""

import random
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect import Bleu, ChrF
from chrfect.formulas import fscore
from chrfect.formulas.decimals import six_decimals

fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

AVERAGINGS = ["mean_precision_recall", "per_order_f"]


def random_rows(number, orders, most, seed=4):
    random_ = random.Random(seed)
    table = array("q")
    for _ in range(number * orders):
        h, r = random_.randint(0, most), random_.randint(0, most)
        table.extend((h, r, random_.randint(0, min(h, r))))
    return table


def fractions_route(table, width, beta, averaging):
    rows = (table[at : at + width] for at in range(0, len(table), width))
    return [six_decimals(*fscore.ratio(row, beta, averaging)) for row in rows]


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize("beta", [1, 2, 3, 0.4, 1e-90, 1_000_000])
def test_floats_equal_the_readable_function_bit_for_bit(averaging, beta):
    table = random_rows(3_000, 6, 150)
    rows = [table[at : at + 18] for at in range(0, len(table), 18)]
    want = [fscore.readable_score(row, float(beta), averaging) for row in rows]
    assert list(fast.scores(table, 18, float(beta), averaging == "per_order_f")) == want
    assert [fast.score(tuple(row), float(beta), averaging == "per_order_f") for row in rows] == want


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize("most", [5, 150, 2**40])
def test_six_decimals_equal_the_fraction(averaging, most):
    table = random_rows(5_000, 8, most)
    assert fscore.texts(table, 24, 2, averaging) == fractions_route(table, 24, 2, averaging)


def test_few_roundings_need_the_exact_fraction():
    decided = fast.texts(random_rows(50_000, 6, 150), 18, 2.0, False)
    assert decided.count(None) < 50


@given(st.integers(0, 9), st.integers(1, 99), st.integers(-1, 1), st.integers(1, 8))
def test_ties_and_their_neighbours_are_rounded_like_the_fraction(power, odd, beside, orders):
    # with as many n-grams on both sides F is their share that matches; odd 512ths of 10**8 millionths are ties
    ngrams = 2**9 * 2**power * 5**8
    matches = (2 * odd + 1) * 2**power * 5**8 + beside
    row = [ngrams, ngrams, min(matches, ngrams)] * orders
    (text,) = fscore.texts(row, len(row), 2, "mean_precision_recall")
    assert text == oracle.six_decimals(oracle.score(row, 2))


def test_ties_need_the_exact_fraction():
    assert fast.texts([512, 512, 1], 3, 2.0, False) == [None]
    assert fscore.texts([512, 512, 1, 512, 512, 3], 3, 2, "mean_precision_recall") == ["0.195312", "0.585938"]


@pytest.mark.parametrize("row", [(2**53 + 1, 2**53 + 1, 1), (2**70, 2**70, 2**69)])
def test_counts_too_large_for_floats_are_computed_by_the_readable_kernel(row):
    with pytest.raises(OverflowError):
        fast.score(row, 2.0, False)
    assert fscore.score(row, 2.0, "mean_precision_recall") == fscore.readable_score(row, 2.0, "mean_precision_recall")
    assert fscore.texts(row, 3, 2, "mean_precision_recall") == fractions_route(row, 3, 2, "mean_precision_recall")


@pytest.mark.parametrize("place", range(6))
def test_counts_too_large_for_floats_are_computed_by_the_readable_kernel_in_bulk(place):
    mean, kept, rows = AVERAGINGS[0], [2, 3, 1] * 2, [2, 3, 1] * 2
    rows[place], kept[place] = 2**53 + 1, 2**53
    for array_of in (array("q", rows), rows):
        with pytest.raises(OverflowError):
            fast.scores(array_of, 3, 2.0, False)
        with pytest.raises(OverflowError):
            fast.texts(array_of, 3, 2.0, False)
    assert list(fast.scores(array("q", kept), 3, 2.0, False)) == fscore.scores(kept, 3, 2.0, mean)


def test_counts_too_large_for_floats_are_not_rounded_before_division():
    rows = array("q", [2**53 + 1, 2**53 + 1, 1])
    want = fscore.readable_score(rows, 2.0, AVERAGINGS[0])
    assert want != fscore.readable_score([2**53, 2**53, 1], 2.0, AVERAGINGS[0])  # as floats they would be these
    assert fscore.scores(rows, 3, 2.0, AVERAGINGS[0]) == [want]
    assert fscore.score_array(rows, 3, 2.0, AVERAGINGS[0]).tolist() == [want]
    tie = array("q", [512 * 2**45 + 2, 512 * 2**45 + 2, 2**45])  # just below a tie, which a float would call one
    assert fscore.texts(tie, 3, 2, AVERAGINGS[0]) == fractions_route(tie, 3, 2, AVERAGINGS[0]) == ["0.195312"]


def test_orders_without_bound():
    row = random_rows(1, 40, 300)
    assert fast.score(row, 2.0, False) == fscore.readable_score(row, 2.0, "mean_precision_recall")
    assert fscore.texts(row, 120, 2, "per_order_f") == fractions_route(row, 120, 2, "per_order_f")


def test_every_text_from_zero_to_a_hundred_is_written_in_full():
    assert fscore.texts([1, 1, 0, 1, 1, 1, 1000, 1000, 99, 1000, 1000, 100], 3, 1, AVERAGINGS[0]) == [
        "0.000000",
        "100.000000",
        "9.900000",
        "10.000000",
    ]


@pytest.mark.parametrize("metric", [ChrF(word_order=2), ChrF(averaging="per_order_f"), Bleu()], ids=str)
def test_scores_in_bulk_are_a_numpy_array_of_the_same_floats(metric):
    segments = metric.segments(["the cat sat", "", "a dog"], ["the cat sat down", "x", "a dog"])
    assert segments.score_array.dtype == np.float64
    assert segments.score_array.tolist() == segments.scores == [segment.score for segment in segments]


def test_row_without_orders_does_not_crash():
    want = fscore.readable_score([], 2.0, "mean_precision_recall")
    assert fscore.score([], 2.0, "mean_precision_recall") == want == 0
