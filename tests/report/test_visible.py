"""Invisible characters are displayed as symbols, and grapheme clusters are not split."""

import unicodedata

import pytest
from hypothesis import given

from chrfect.report.visible import clusters, right_to_left, visible
from strategies import texts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x00\t\n\x1b\x7f", "␀␉␊␛␡"),
        ("\r\n", "␍␊"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\u202eb\u2066c\u200fd", "a<U+202E>b<U+2066>c<U+200F>d"),
        ("\ufeffa\u200bb\u00ad", "<U+FEFF>a<U+200B>b<U+00AD>"),
        ("\u2028\u2029", "<U+2028><U+2029>"),
        ("\ud800\ufffe\ufdd0", "<U+D800><U+FFFE><U+FDD0>"),
        ("\u0301a", "◌\u0301a"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("می\u200cروم", "می\u200cروم"),
        ("\u200d", "<U+200D>"),
        ("क्\u200dष", "क्\u200dष"),
        (
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        ),
        ("日本 naïve ﷺ", "日本 naïve ﷺ"),
    ],
)
def test_control_characters_are_shown(text, shown):
    assert visible(text) == shown


@given(texts(surrogates=True))
def test_no_control_character_is_left(text):
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    shown.encode("utf-8")


@given(texts(surrogates=True))
def test_clusters_cover_the_text_and_have_widths(text):
    found = list(clusters(text))
    assert [c.start for c in found] == [0, *(c.end for c in found)][: len(found)]
    assert (found[-1].end if found else 0) == len(text)
    assert all(cluster.width >= 0 for cluster in found)


def test_direction_of_writing():
    assert right_to_left("abc שלום")
    assert right_to_left("مرحبا")
    assert not right_to_left("abc日本é")


def test_a_cluster_without_end_is_shown_in_pieces():
    text = "a" + "\u0301" * 1_000
    found = list(clusters(text))
    assert [cluster.end - cluster.start for cluster in found] == [64] * 15 + [41]
    assert [found[0].start, *(cluster.end for cluster in found)] == [*(cluster.start for cluster in found), 1_001]
