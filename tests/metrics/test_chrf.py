import pickle
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect import ChrF, UsageError, parse
from strategies import corpora, pairs

EDGES = [
    ("", "", "0", "0"),
    ("", "a", "0", "0"),
    ("a", "", "0", "0"),
    ("a", "a", "100", "16.6667"),
    ("cat", "the cat sat on the mat", "14.8825", "7.4125"),
    ("the cat sat on the mat", "cat", "41.1552", "19.9511"),
    ("cafe\u0301 creme", "caf\u00e9 creme", "44.5324", "44.5286"),
    ("caf\u00e9 creme", "cafe\u0301 creme", "41.2946", "41.2916"),
]


@pytest.mark.parametrize(("hypothesis", "reference", "mean", "per_order"), EDGES)
def test_published_edge_values(hypothesis, reference, mean, per_order):
    for averaging, expected in [("mean_precision_recall", mean), ("per_order_f", per_order)]:
        result = ChrF(averaging=averaging).sentence(hypothesis, reference)
        assert round(Fraction(result.score_fraction), 4) == Fraction(expected)
        assert round(result.score, 4) == float(expected)


def test_a_leading_byte_order_mark_is_text():
    long = "the cat sat on the mat and looked at the dog"
    assert ChrF().sentence("\ufeff" + long, long).score < 100


@pytest.mark.parametrize(
    ("hypotheses", "references", "expected"),
    [
        (["", "the cat sat"], ["a dog ran", "the cat sat"], "65.3580"),
        (["zzzzzzzz", "the cat sat"], ["a dog ran", "the cat sat"], "58.9415"),
    ],
)
def test_published_corpus_edge_values(hypotheses, references, expected):
    assert f"{ChrF().corpus(hypotheses, references).score:.4f}" == expected


def test_the_two_corpus_rules_differ_where_a_reference_is_too_short():
    corpus = ["the cat sat on it", "abcdefg hi there"], ["the cat sat on it", "abc"]
    counted = ChrF(averaging="per_order_f", unreferenced="count").corpus(*corpus)
    dropped = ChrF(averaging="per_order_f").corpus(*corpus)
    assert (f"{counted.score:.4f}", f"{dropped.score:.4f}") == ("84.0428", "93.1398")


@given(corpora(), st.integers(0, 7), st.integers(0, 3), st.booleans())
def test_scores_equal_the_naive_oracle(pairs, char_order, word_order, count):
    if not char_order + word_order:
        char_order = 1
    hypotheses, references = map(list, zip(*pairs, strict=True))
    metric = ChrF(char_order, word_order, unreferenced="count" if count else "drop")
    rows = [oracle.row(h, r, char_order, word_order, drop=not count) for h, r in pairs]
    result = metric.both(hypotheses, references)
    assert result.score_fraction == oracle.score(oracle.total(rows))
    assert [segment.score_fraction for segment in result.segments] == [oracle.score(row) for row in rows]
    assert result.segments.score_texts == [oracle.six_decimals(oracle.score(row)) for row in rows]
    assert metric.corpus(hypotheses, references).values == oracle.total(rows)


@given(pairs(surrogates=True), st.sampled_from(["byte", "grapheme"]), st.sampled_from(["remove", "keep"]))
def test_other_units_equal_the_oracle(pair, unit, whitespace):
    import regex

    hypothesis, reference = pair
    stripped = ["".join(oracle.characters(text, whitespace == "keep")) for text in pair]
    if unit == "byte":
        units = [list(text.encode("utf-8", "surrogatepass")) for text in stripped]
    else:
        units = [regex.findall(r"\X", text) for text in stripped]
    expected = [value for n in (1, 2, 3) for value in oracle.order(*units, n)]
    expected += [value for n in (1, 2) for value in oracle.order(oracle.words(hypothesis), oracle.words(reference), n)]
    metric = ChrF(3, 2, unit=unit, whitespace=whitespace, unreferenced="count")
    assert list(metric.sentence(hypothesis, reference).values) == expected


def test_lowercase_is_full_unicode_lower_case():
    assert ChrF(lowercase=True).sentence("ΟΔΟΣ İ", "οδος i\u0307").score == 100
    assert ChrF(lowercase=False).sentence("ΟΔΟΣ İ", "οδος i\u0307").score < 100


def test_a_corpus_in_blocks_is_the_same_corpus(monkeypatch):
    from chrfect.metrics import references as texts

    hypotheses, references = ["a b", "b c", "c", "", "d e f"], ["a b", "c b", "c", "x", "d f e"]
    per_segment = [[reference, "b"] for reference in references]
    whole = ChrF().both(hypotheses, references_per_segment=per_segment)
    monkeypatch.setattr(texts, "BLOCK", 2)
    assert ChrF().both(hypotheses, references_per_segment=per_segment).to_dict() == whole.to_dict()
    assert ChrF().corpus(hypotheses, references_per_segment=per_segment).values == whole.values


@pytest.mark.parametrize("beta", [3, 3.0, Fraction(3), Decimal("3.0")])
def test_equal_betas_of_different_types_make_equal_metrics(beta):
    assert ChrF(beta=beta) == ChrF(beta=3)
    assert hash(ChrF(beta=beta)) == hash(ChrF(beta=3))
    assert str(ChrF(beta=beta)) == "chrF(beta=3)"


def test_float_beta_has_the_value_of_its_decimal_notation():
    assert ChrF(beta=0.4).beta == Fraction(2, 5)
    assert ChrF(beta=0.4) == ChrF(beta=Decimal("0.4"))
    assert parse(str(ChrF(beta=Fraction(1, 3)))) == ChrF(beta=Fraction(1, 3))


def test_a_metric_is_a_value():
    metric = ChrF(word_order=2, beta=3)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert len({metric, ChrF(word_order=2, beta=3)}) == 1
    with pytest.raises(AttributeError):
        metric.beta = 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"char_order": -1}, "char_order is -1"),
        ({"char_order": True}, "char_order is True"),
        ({"word_order": 2.0}, "word_order is 2.0"),
        ({"char_order": 0}, "both 0"),
        ({"beta": 0}, "beta is 0"),
        ({"beta": float("nan")}, "beta is nan"),
        ({"beta": "2"}, "beta is '2'"),
        ({"beta": True}, "beta is True"),
        ({"beta": 1e-200}, "beta is 1e-200"),
        ({"beta": Decimal("1e999999999")}, r"beta is 1E\+999999999;"),
        ({"beta": Decimal("NaN")}, "beta is NaN;"),
        ({"beta": Fraction(0)}, "beta is 0;"),
        ({"beta": Fraction(-1, 3)}, "beta is -1/3;"),
        ({"beta": Fraction(10**5000)}, "beta is a number of over 4,300 digits"),
        ({"beta": 10**5000}, "beta is a number of over 4,300 digits"),
        ({"char_order": 10**5000}, "char_order is a number of over 4,300 digits"),
        ({"lowercase": 1}, "lowercase is 1"),
        ({"whitespace": "strip"}, "'remove' or 'keep'"),
        ({"averaging": "macro"}, "averaging is 'macro'"),
        ({"unit": "word"}, "unit is 'word'"),
    ],
)
def test_error_names_the_wrong_parameter(parameters, message):
    with pytest.raises(UsageError, match=message):
        ChrF(**parameters)


def test_lower_casing_does_not_copy_the_corpus():
    texts = [f"{i} " + "The Cat Sat. " * 20 for i in range(40_000)]
    size = sum(map(len, texts))
    tracemalloc.start()
    try:
        ChrF(lowercase=True).corpus(texts, texts)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < size  # a copy of both sides would be twice as much


def test_the_chosen_reference_is_named_beyond_one_block_where_some_are_missing():
    from chrfect.metrics.references import BLOCK

    number = BLOCK + 3
    hypotheses = ["abc"] * number
    first = ["xyz"] * number
    second = ["abc"] * number
    third = ["abd"] * number
    first[-1] = second[0] = second[-2] = None
    segments = ChrF().segments(hypotheses, {"A": first, "B": second, "C": third})
    assert [segments[at].reference for at in (0, 1, -3, -2, -1)] == ["C", "B", "B", "C", "B"]
    indexed = ChrF().segments(hypotheses, references_per_segment=list(zip(first, second, third, strict=True)))
    assert [indexed[at].reference for at in (0, 1, -3, -2, -1)] == [2, 1, 1, 2, 1]


def test_hypothesis_n_grams_and_matches_are_added_to_each_order():
    changed = ChrF(char_order=2).changed_counts((9, 8, 5, 8, 7, 2), hypothesis=(1, 2), matches=(2, 1))
    assert changed == [10, 8, 7, 10, 7, 3]
