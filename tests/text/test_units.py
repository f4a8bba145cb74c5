import sys
import unicodedata

import pytest
from hypothesis import given

import oracle
from chrfect import UsageError
from chrfect.text import units, whitespace, words
from strategies import texts


def test_whitespace_is_the_29_code_points_on_which_python_splits():
    assert len(whitespace.WHITESPACE) == 29
    assert set(map(ord, whitespace.WHITESPACE)) == oracle.WHITESPACE
    assert {c for c in map(chr, range(sys.maxunicode + 1)) if not c.split()} == set(whitespace.WHITESPACE)


def test_punctuation_is_all_of_ascii():
    assert list(words.PUNCTUATION) == oracle.PUNCTUATION
    assert len(words.PUNCTUATION) == 32


@given(texts(surrogates=True))
def test_removing_whitespace_keeps_everything_else(value):
    assert whitespace.remove_whitespace(value) == "".join(oracle.characters(value))


@given(texts(surrogates=True))
def test_words_equal_the_naive_oracle(value):
    assert words.split_words(value) == oracle.words(value)


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        ("(hi)", ["(hi", ")"]),
        ("...", ["..", "."]),
        (".", ["."]),
        ("don't", ["don't"]),
        ("¿qué?", ["¿qué", "?"]),
        ("語。", ["語。"]),
        ("a\u2028b\x85c", ["a", "b", "c"]),
        ("", []),
    ],
)
def test_words_equal_manual_results(value, tokens):
    assert words.split_words(value) == tokens


def test_words_equal_sacrebleu():
    from sacrebleu.metrics import CHRF

    peer = CHRF(word_order=2)

    @given(texts())
    def same(value):
        assert words.split_words(value) == peer._remove_punctuation(value)

    same()


def test_bytes_are_utf8_with_surrogates_passed():
    assert [ord(c) for c in units.byte_string("aé語😀")] == list("aé語😀".encode())
    assert [ord(c) for c in units.byte_string("\ud83d")] == [0xED, 0xA0, 0xBD]


def test_graphemes_are_counted_whole():
    family, flag, accent = "👩‍👩‍👧", "🇩🇪", "e\u0301"
    first, second = units.grapheme_strings([family + flag + accent, accent + "e"])
    assert len(first) == 3
    assert len(second) == 2
    assert first[2] == second[0] != second[1]


def test_the_grapheme_version_is_a_unicode_version():
    major, *_ = units.grapheme_version().split(".")
    assert int(major) >= int(unicodedata.unidata_version.split(".")[0])


def test_rejects_more_distinct_clusters_than_symbols(monkeypatch):
    monkeypatch.setattr(sys, "maxunicode", 1)
    with pytest.raises(UsageError, match="over 2 distinct grapheme clusters"):
        units.grapheme_strings(["abc"])


def test_graphemes_without_the_extra_name_it_in_the_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(UsageError, match=r"pip install regex"):
        units.grapheme_strings(["a"])
