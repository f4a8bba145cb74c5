"""Misleading inputs cause one warning with a location; ordinary texts in any script do not."""

import unicodedata
import warnings

import pytest

from chrfect import ChrfectWarning, UsageError, evaluate

PLAIN = [f"plain text number {i}" for i in range(12)]


def warned(*arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(*arguments, **options)
    assert all(issubclass(warning.category, ChrfectWarning) for warning in caught)
    return [str(warning.message) for warning in caught]


def test_no_warning_for_ordinary_texts():
    texts = [
        "Ein Satz mit Umlauten: äöü.",
        "и по-русски",
        "a\u200db",
        "emoji 👩\u200d👩\u200d👧",
        "می\u200cخواهم",
        "a\u2028b",
    ]
    assert warned({"A": texts, "B": [text + "." for text in texts]}, [text + "!" for text in texts], "chrF++") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\0b", "A: segment 3 has a NUL character"),
        ("a\rb", "A: segment 3 has a carriage return"),
        ("a\r", "A: segment 3 has a carriage return"),
        ("a\ufeffb", "A: segment 3 has a byte order mark"),
        ("\ufeffab", "A: segment 3 begins with U+FEFF, which counts as text."),
        ("a\u200bb", "A: segment 3 has a zero-width space"),
        ("a\ufffdb", "A: segment 3 has a replacement character"),
    ],
)
def test_warning_states_the_position_of_unusual_characters(text, message):
    texts = [*PLAIN[:2], text, *PLAIN[3:-1], text]
    (found,) = warned({"A": texts}, [line + "." for line in PLAIN])
    assert found.startswith(message)


def test_warns_about_texts_that_look_like_table_rows():
    rows = [f"{number}\t{line}" for number, line in enumerate(PLAIN)]
    (message,) = warned({"A": rows}, [line + "." for line in PLAIN])
    assert message.startswith("A: the number of TABs in every segment is 1, and they are text;")
    assert warned({"A": [PLAIN[0], *rows[1:]]}, [line + "." for line in PLAIN]) == []


def test_warns_about_mixed_normalization_forms_which_can_be_unified():
    composed = ["café", "crème"]
    decomposed = [unicodedata.normalize("NFD", text) for text in composed]
    (message,) = warned({"A": decomposed}, composed)
    assert "not in NFC: A, segment 1" in message
    assert warned({"A": decomposed}, decomposed) == []
    assert warned({"A": decomposed}, composed, normalize="NFC") == []
    found = evaluate({"A": decomposed}, {"r": composed}, normalize="NFC")
    assert found.score("A").score == 100
    assert found.signatures[0].split("|")[-2] == "normalize:NFC"
    assert found.to_dict()["scores"][0]["runs"][0]["signature"] == found.signatures[0]
    with pytest.raises(UsageError, match="normalize is 'NFD'; one of NFC, NFKC"):
        evaluate({"A": composed}, composed, normalize="NFD")


def test_warns_about_equal_systems_and_copies():
    references = [line.upper() for line in PLAIN]
    assert warned({"A": PLAIN, "B": list(PLAIN)}, references) == ["The systems A and B have the same outputs."]
    assert warned({"A": PLAIN}, {"refA": PLAIN}) == ["A: 12 of 12 hypotheses equal the reference refA."]
    assert warned({"A": PLAIN}, references, sources=PLAIN) == ["A: 12 of 12 hypotheses equal their source."]
    assert warned({"A": PLAIN[:9]}, PLAIN[:9]) == []


def test_empty_references_that_are_dropped_are_counted():
    (message,) = warned({"A": ["x", "the cat"]}, ["", "the cat"], "chrF")
    assert message.startswith("chrF: references are empty in 1 of 2 segments")
    assert warned({"A": ["x", "the cat"]}, ["", "the cat"], "chrF(unreferenced=count)") == []
    assert warned({"A": ["x"]}, {"a": [""], "b": ["y"]}, "chrF") == []


def test_a_zero_of_short_texts_is_explained():
    (message,) = warned({"A": ["the cat sat", "on it"]}, ["the cat sat", "on it"], "BLEU(tokenize=none)")
    assert message.startswith("BLEU(tokenize=none) is 0 because no hypothesis is as long as 4 tokens")
    assert warned({"A": ["a b c d"]}, ["e f g h"], "BLEU(tokenize=none)") == []


@pytest.mark.parametrize("text", ["これは文です。", "这是一个句子。", "นี่คือประโยค"])
def test_warns_about_scripts_without_spaces(text):
    (message,) = warned({"A": [text * 3]}, [text * 2 + "x"], "chrF++")
    assert "counts words between spaces" in message
    assert any("use tokenize=zh" in message for message in warned({"A": [text]}, [text], "BLEU(tokenize=none)"))
    assert warned({"A": [text]}, [text], "chrF") == []
