"""Contributions and gains of orders, compared with another implementation and manual results."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from chrfect import Bleu
from chrfect.formulas import bleu_shares, fscore, fscore_shares

MILLIONTH = Fraction(1, 10**6)


@st.composite
def bleu_rows(draw):
    """Return counts of four orders as a corpus might have them."""
    length, reference = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    row = [length, reference]
    for n in range(1, 5):
        total = max(length - n + 1, 0)
        row += [total, draw(st.integers(0, total))]
    return row


def peer(row, smoothing, effective):
    score = BLEU.compute_bleu(
        row[3::2], row[2::2], row[0], row[1], smooth_method=smoothing, effective_order=effective, max_ngram_order=4
    )
    return Fraction(score.score)


@given(row=bleu_rows(), smoothing=st.sampled_from(["none", "exp", "floor", "add-k"]), effective=st.booleans())
def test_gain_of_an_order_equals_sacrebleu_with_all_its_ngrams_matched(row, smoothing, effective):
    gains = bleu_shares.gains(row, smoothing, None, effective)
    for at, gain in zip(range(2, 10, 2), gains, strict=True):
        perfect = [*row[: at + 1], row[at], *row[at + 2 :]]
        assert abs(peer(perfect, smoothing, effective) - peer(row, smoothing, effective) - gain) <= 2 * MILLIONTH


def test_gains_show_weak_orders_that_have_equal_contributions():
    """By hand: precisions 1, 1/2 and 1/4 of 5, 4 and 4 n-grams, without a brevity penalty."""
    row = (5, 5, 5, 5, 4, 2, 4, 1)
    shares = Bleu(max_order=3, tokenize="none").shares(row)
    assert len({share.contribution for share in shares}) == 1
    score = 100 * (1 / 8) ** (1 / 3)
    assert [float(share.gain) for share in shares] == pytest.approx(
        [0, 100 * (1 / 4) ** (1 / 3) - score, 100 * (1 / 2) ** (1 / 3) - score], abs=1e-6
    )


@pytest.mark.parametrize("averaging", ["mean_precision_recall", "per_order_f"])
def test_order_without_ngrams_on_one_side_contributes_nothing(averaging):
    row = (3, 2, 1, 2, 0, 0)
    worths = fscore_shares.worths(row, 2, averaging)
    assert worths[1] == 0 < worths[0]


@pytest.mark.parametrize("averaging", ["mean_precision_recall", "per_order_f"])
def test_matches_times_their_worth_add_up_to_the_score(averaging):
    row = (9, 8, 5, 8, 7, 3, 7, 6, 2)
    worths = fscore_shares.worths(row, 2, averaging)
    assert sum(m * worth for m, worth in zip(row[2::3], worths, strict=True)) == fscore.fraction(row, 2, averaging)


def test_contributions_include_matches_added_by_smoothing():
    """BLEU adds k to the matches of all orders but the first."""
    row = (5, 5, 5, 4, 4, 2)
    worths = bleu_shares.worths(row, "add-k", 3.0, False)
    assert [worths[0] * 4, worths[1] * (2 + 3)] == bleu_shares.contributions(row, "add-k", 3.0, False)
