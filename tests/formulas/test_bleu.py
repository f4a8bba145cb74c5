"""BLEU from counts: sacreBLEU's exact floats, NLTK's values, and decimals confirmed with 200 digits."""

import random
import warnings
from fractions import Fraction

import pytest
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from sacrebleu.metrics import BLEU

import bleu_oracle
from chrfect.formulas import bleu
from chrfect.kernels.readable_bleu import segment

SACREBLEU = [
    ("none", None),
    ("floor", None),
    ("floor", 0.37),
    ("floor", 0.0),
    ("add-k", None),
    ("add-k", 0.5),
    ("exp", None),
]


def drawn_rows(number, seed):
    """Counts as a corpus or a segment may have them, zeros and brevity included."""
    draw = random.Random(seed)
    for _ in range(number):
        length = draw.randint(0, draw.choice([0, 1, 3, 10, 50, 1_000, 60_000, 10_000_000]))
        row = [length, draw.choice([length, draw.randint(0, 2 * length + 3), draw.randint(0, 66_000)])]
        most = length
        for n in range(draw.randint(1, 9)):
            total = max(0, length - n)
            most = min(most, total)
            most = draw.choice([most, draw.randint(0, most), draw.randint(most // 2, most)])
            row += [total, most]
        yield row


def drawn_texts(number, seed):
    draw = random.Random(seed)
    vocabulary = ["the", "cat", "sat", "on", "a", "mat", ".", "語", "é"]
    for _ in range(number):
        hypothesis = draw.choices(vocabulary, k=draw.randint(0, 12))
        references = []
        for _ in range(draw.randint(1, 4)):
            kept = [token for token in hypothesis if draw.random() < 0.8]
            references.append(kept + draw.choices(vocabulary, k=draw.randint(0, 3)))
        yield hypothesis, references


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(("smoothing", "value"), SACREBLEU)
def test_float_equals_sacrebleu_bit_for_bit(smoothing, value, effective_order):
    for row in drawn_rows(2_000, seed=5):
        lengths, totals, matches = row[:2], row[2::2], row[3::2]
        expected = BLEU.compute_bleu(matches[:], totals[:], *lengths, smoothing, value, effective_order, len(totals))
        assert bleu.score(row, smoothing, value, effective_order) == expected.score
        assert bleu.brevity_penalty(row) == expected.bp


@pytest.mark.parametrize("method", ["none", "method1", "method2", "method3"])
def test_decimals_equal_200_digits_rounded(method):
    for row in drawn_rows(2_000, seed=7):
        assert bleu.text(row, method) == bleu_oracle.six_decimals(bleu_oracle.score(row, method)), row
        assert bleu.brevity_penalty_text(row) == bleu_oracle.six_decimals(bleu_oracle.penalty(row)), row
        assert bleu.precisions(row, method) == bleu_oracle.smoothed(row, method)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("smoothing", list(bleu.VALUES))
def test_decimals_and_float_are_the_same_number(smoothing, effective_order):
    for row in drawn_rows(1_000, seed=11):
        text = bleu.text(row, smoothing, None, effective_order)
        assert float(text) == pytest.approx(bleu.score(row, smoothing, None, effective_order), abs=5.1e-7)


@pytest.mark.parametrize("method", ["none", "method1", "method2", "method3"])
def test_sentences_agree_with_nltk(method):
    """Except where the contract says that NLTK differs: method2 without n-grams, and an unsmoothed zero."""
    smooth = getattr(SmoothingFunction(), method.replace("none", "method0"))
    compared = 0
    for hypothesis, references in drawn_texts(1_500, seed=13):
        for max_order in (1, 2, 4):
            row = segment(hypothesis, references, max_order)
            if not hypothesis or (method == "method2" and 0 in row[2::2]):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = sentence_bleu(references, hypothesis, [1 / max_order] * max_order, smooth)
            assert bleu.score(row, method) == pytest.approx(100 * expected, rel=1e-12, abs=1e-70)
            compared += 1
    assert compared > 2_000


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [None, None]),
        ("method1", [Fraction(1, 10), Fraction(1, 10)]),
        ("method2", [None, Fraction(1)]),
        ("method3", [Fraction(1, 2), Fraction(1, 4)]),
    ],
)
def test_precisions_of_an_empty_hypothesis_are_those_of_the_smoothing(method, expected):
    """method2 leaves unigrams as they are, so without any it puts nothing."""
    assert bleu.precisions((0, 3, 0, 0, 0, 0), method) == expected
    assert bleu.text((0, 3, 0, 0, 0, 0), method) == "0.000000"


def test_method2_without_ngrams_is_one_here_and_a_half_in_nltk():
    row = segment(["a"], [["a"]], 2)
    assert bleu.score(row, "method2") == pytest.approx(100.0)
    nltk = sentence_bleu([["a"]], ["a"], [0.5, 0.5], SmoothingFunction().method2)
    assert nltk == pytest.approx(0.5**0.5)


def test_a_corpus_agrees_with_nltk_where_no_hypothesis_is_shorter_than_the_order():
    compared = 0
    texts = [pair for pair in drawn_texts(2_000, seed=17) if len(pair[0]) >= 4]
    for start in range(0, len(texts) - 5, 5):
        hypotheses, references = zip(*texts[start : start + 5], strict=True)
        rows = [segment(h, r, 4) for h, r in texts[start : start + 5]]
        row = [sum(column) for column in zip(*rows, strict=True)]
        if row[-1]:
            expected = corpus_bleu(references, hypotheses)
            assert bleu.score(row) == pytest.approx(100 * expected, rel=1e-12)
            compared += 1
    assert compared > 100


def test_nltk_counts_a_total_of_one_where_a_hypothesis_is_too_short():
    texts = [(["a", "b", "c"], [["a", "b", "c"]]), (["d"], [["d"]])]
    row = [sum(column) for column in zip(*(segment(h, r, 2) for h, r in texts), strict=True)]
    assert bleu.text(row) == "100.000000"
    nltk = corpus_bleu([r for _, r in texts], [h for h, _ in texts], (0.5, 0.5))
    assert nltk == pytest.approx((2 / 3) ** 0.5)


def test_methods_equal_smoothings_of_sacrebleu_if_every_order_has_ngrams():
    for row in drawn_rows(1_000, seed=19):
        if row[-2]:
            assert bleu.score(row, "method1") == bleu.score(row, "floor")
            assert bleu.score(row, "method2") == bleu.score(row, "add-k")
            assert bleu.score(row, "method3") == bleu.score(row, "exp")
        assert bleu.score(row, "method1", None, True) == bleu.score(row, "floor", None, True)
        assert bleu.score(row, "method3", None, True) == bleu.score(row, "exp", None, True)


def test_a_rational_score_on_the_half_of_the_last_decimal_goes_to_even():
    # p1 = p2 = 1/(8 * 10**8): the score is 100/(8 * 10**8) = 0.000000125, no tie; with 2 * 10**8 it is 0.0000005.
    assert bleu.text((10**9, 0, 2 * 10**8, 1, 2 * 10**8, 1)) == "0.000000"
    assert bleu.text((10**9, 0, 2 * 10**8, 3, 2 * 10**8, 3)) == "0.000002"
    assert bleu.text((10**9, 0, 2 * 10**8 - 1, 1, 2 * 10**8 - 1, 1)) == "0.000001"


def test_score_without_a_match_is_zero_for_every_smoothing():
    row = segment(["a", "b"], [["c"]], 4)
    for smoothing in bleu.VALUES:
        assert bleu.score(row, smoothing) == 0.0
        assert bleu.text(row, smoothing) == "0.000000"


def test_effective_order_omits_orders_that_a_short_hypothesis_lacks():
    row = segment(["a", "b"], [["a", "b"]], 4)
    assert bleu.text(row) == "0.000000"
    assert bleu.text(row, "none", None, True) == "100.000000"
    assert bleu.precisions(row, "none", None, True) == [Fraction(1), Fraction(1)]


def test_penalty_is_written_in_terms_of_counts():
    assert bleu.brevity_penalty_exact((12, 16)) == "exp(1-16/12)"
    assert bleu.brevity_penalty_exact((0, 0)) == bleu.brevity_penalty_exact((3, 2)) == "1"
    assert bleu.brevity_penalty_exact((0, 2)) == "0"
