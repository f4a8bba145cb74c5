from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import ChrF, UsageError, parse

metrics = st.builds(
    ChrF,
    char_order=st.integers(0, 9),
    word_order=st.integers(1, 9),
    beta=st.one_of(st.integers(1, 99), st.fractions(Fraction(1, 99), 99), st.floats(0.01, 99)),
    lowercase=st.booleans(),
    whitespace=st.sampled_from(["remove", "keep"]),
    averaging=st.sampled_from(["mean_precision_recall", "per_order_f"]),
    unreferenced=st.sampled_from(["drop", "count"]),
    unit=st.sampled_from(["codepoint", "byte", "grapheme"]),
)


@given(metrics)
def test_the_text_and_the_signature_of_a_metric_parse_back(metric):
    assert parse(str(metric)) == metric
    assert parse(metric.signature) == metric


@pytest.mark.parametrize(
    ("text", "metric", "canonical"),
    [
        ("chrF", ChrF(), "chrF"),
        ("chrf", ChrF(), "chrF"),
        ("chrF+", ChrF(word_order=1), "chrF+"),
        ("chrf++", ChrF(word_order=2), "chrF++"),
        ("wordF", ChrF(char_order=0, word_order=4), "wordF"),
        ("chrF2", ChrF(), "chrF"),
        ("chrF3", ChrF(beta=3), "chrF(beta=3)"),
        ("chrF3++", ChrF(beta=3, word_order=2), "chrF++(beta=3)"),
        ("chrF0.5+", ChrF(beta=0.5, word_order=1), "chrF+(beta=0.5)"),
        ("wordF1", ChrF(0, 4, 1), "wordF(beta=1)"),
        ("chrF(word_order=2)", ChrF(word_order=2), "chrF++"),
        ("chrF++(char_order=4)", ChrF(4, 2), "chrF++(char_order=4)"),
        ("chrF(word_order=3)", ChrF(6, 3), "chrF(word_order=3)"),
        ("wordF(word_order=2)", ChrF(0, 2), "wordF(word_order=2)"),
        (" chrF( beta = 3 , lowercase = true ) ", ChrF(beta=3, lowercase=True), "chrF(beta=3,lowercase=yes)"),
        ("chrF()", ChrF(), "chrF"),
    ],
)
def test_names_and_aliases(text, metric, canonical):
    assert parse(text) == metric
    assert str(metric) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not the name of a metric"),
        ("chr", "is not the name of a metric"),
        ("chrF+++", "is not the name of a metric"),
        ("wordF++", "is not the name of a metric"),
        ("chrF(beta=3", "is not the name of a metric"),
        ("METEOR", "expected one of chrF, chrF"),
        ("chrF(beta)", "'beta' in .* is not a parameter"),
        ("chrF(smoothing=exp)", "not a parameter of chrF; expected name=value with one of"),
        ("chrF3(beta=2)", "beta is given twice"),
        ("chrF(beta=two)", "beta is 'two'"),
        ("chrF(beta=1/0)", "beta is '1/0'"),
        ("chrF(beta=nan)", "beta is 'nan'"),
        ("chrF(beta=inf)", "beta is 'inf'"),
        ("chrF(char_order=6.0)", "a whole number was expected"),
        ("chrF(lowercase=maybe)", "yes or no was expected"),
        ("chrF(unit=word)", "unit is 'word'"),
        ("chrF(", "is not the name of a metric"),
        ("chrF(,)", "'' in .* is not a parameter"),
        ("chrF(beta=1_0)", "beta is '1_0'"),
        ("chrF(beta=1e999999999)", "beta is '1e999999999'"),
        ("chrF(beta=1e-999)", "beta is 1/1"),
        ("chrF(beta=" + "9" * 5000 + ")", "beta is '999"),
        ("chrF" + "9" * 5000, "beta is '999"),
        ("chrF(char_order=" + "9" * 5000 + ")", "char_order is '999"),
        (None, "None is not the name of a metric"),
        (b"chrF", "b'chrF' is not the name of a metric"),
        ("chrF|lowercase:yes", "'lowercase:yes' in the signature .* contradicts"),
        (
            "chrF2|nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
            "is a signature of sacreBLEU; its metric is 'chrF\\(char_order=6,word_order=0,lowercase=yes\\)'",
        ),
        ("BLEU|smoothing:floor", "'smoothing:floor' in the signature"),
    ],
)
def test_an_unknown_name_is_rejected_with_the_known_names(text, message):
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_a_signature_names_every_parameter_and_the_version():
    from chrfect import __version__

    assert ChrF(word_order=2, beta=0.5).signature == (
        "chrF++(beta=0.5)|char_order:6|word_order:2|beta:0.5|lowercase:no|whitespace:remove"
        f"|averaging:mean_precision_recall|unreferenced:drop|unit:codepoint|version:chrfect {__version__}"
    )


def test_a_signature_names_the_unicode_versions_that_matter():
    import unicodedata

    signature = ChrF(lowercase=True, unit="grapheme").signature
    assert f"|lowercase_unicode:{unicodedata.unidata_version}|" in signature
    assert "|grapheme_unicode:" in signature
