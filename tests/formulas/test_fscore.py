from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect.formulas import fscore
from chrfect.formulas.decimals import six_decimals

AVERAGINGS = ["mean_precision_recall", "per_order_f"]


@st.composite
def rows(draw, orders=None):
    row = []
    for _ in range(draw(st.integers(1, 8)) if orders is None else orders):
        h, r = draw(st.integers(0, 300)), draw(st.integers(0, 300))
        row += [h, r, draw(st.integers(0, min(h, r)))]
    return row


betas = st.one_of(st.integers(1, 16), st.fractions(Fraction(1, 20), 20, max_denominator=50))


@given(rows(), betas, st.sampled_from(AVERAGINGS))
def test_the_exact_score_equals_the_formulas_step_by_step(row, beta, averaging):
    assert fscore.fraction(row, beta, averaging) == oracle.score(row, beta, averaging)


@given(rows(), st.integers(1, 16), st.sampled_from(AVERAGINGS))
def test_float_is_close_to_the_exact_score(row, beta, averaging):
    exact = fscore.fraction(row, beta, averaging)
    assert abs(fscore.score(row, float(beta), averaging) - exact) <= Fraction(1, 10**12)


@given(rows(), st.sampled_from([1, 2, 3, 0.4, 2.5, 16]), st.booleans())
def test_float_equals_sacrebleu_bit_for_bit(row, beta, eps_smoothing):
    from sacrebleu.metrics import CHRF

    peer = CHRF(char_order=len(row) // 3, word_order=0, beta=beta, eps_smoothing=eps_smoothing)
    assert fscore.score(row, float(beta), AVERAGINGS[eps_smoothing]) == peer._compute_f_score(row)


@given(st.fractions(0, 100))
def test_six_decimals_are_the_nearest(value):
    assert six_decimals(value.numerator, value.denominator) == oracle.six_decimals(value)


@pytest.mark.parametrize(
    ("halves", "text"),
    [(1, "0.000000"), (3, "0.000002"), (5, "0.000002"), (7, "0.000004"), (200_000_000, "100.000000")],
)
def test_ties_go_to_the_even_digit(halves, text):
    assert six_decimals(halves, 2_000_000) == text


def test_an_empty_pair_scores_0_and_the_epsilon_rule_its_own_value():
    assert fscore.fraction([0] * 18, 2, "mean_precision_recall") == 0
    assert fscore.fraction([0] * 18, 2, "per_order_f") == Fraction(1, 10**14)
    assert six_decimals(*fscore.ratio([0] * 18, 2, "per_order_f")) == "0.000000"


@given(rows(), rows(), st.sampled_from(AVERAGINGS))
def test_bulk_scores_equal_single_scores(first, second, averaging):
    width = min(len(first), len(second))
    table = first[:width] + second[:width]
    halves = [first[:width], second[:width]]
    assert fscore.scores(table, width, 2.0, averaging) == [fscore.score(row, 2.0, averaging) for row in halves]
    exact = [oracle.six_decimals(oracle.score(row, 2, averaging)) for row in halves]
    assert fscore.texts(table, width, 2, averaging) == exact
