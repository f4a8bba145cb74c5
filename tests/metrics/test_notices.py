"""The library warns about misleading scores once for every kind of call, and never in `sentence`."""

import warnings

import pytest

from chrfect import Bleu, ChrF, ChrfectWarning, parse
from chrfect.metrics import score_corpus

CALLS = ["corpus", "segments", "both", "count"]


def warned(call, *arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments, **options)
    assert all(issubclass(warning.category, ChrfectWarning) for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["BLEU", "BLEU(tokenize=intl)", "BLEU(tokenize=none)", "chrF++", "wordF", "TER"])
@pytest.mark.parametrize("text", ["これは文です。", "这是一个句子。", "នេះជាប្រយោគ", "นี่คือประโยค"])
def test_warns_about_a_script_without_spaces_under_a_word_metric(text, name, call):
    (message,) = warned(getattr(parse(name), call), [text] * 3, [text] * 3)
    assert "without spaces" in message


@pytest.mark.parametrize("call", CALLS)
def test_no_warning_for_texts_with_words(call):
    spaced = [
        "これ は 文 です 。",
        "这 是 一个 很 短 的 句子 。",
        "это просто предложение с пробелами .",
        "한국어 문장은 띄어 쓴다 .",
    ]
    for name in ("BLEU(tokenize=none)", "chrF++", "TER"):
        assert warned(getattr(parse(name), call), spaced, spaced) == []
    assert warned(getattr(Bleu(tokenize="char"), call), ["これは文です。"], ["これは文です。"]) == []
    assert warned(getattr(ChrF(), call), ["これは文です。"], ["これは文です。"]) == []


@pytest.mark.parametrize(("call", "number"), [("corpus", 1), ("both", 1), ("count", 1), ("segments", 0)])
def test_warns_about_texts_shorter_than_the_longest_order(call, number):
    """The scores of segments leave such orders out, so they do not mislead."""
    texts = ["the cat sat", "on it"]
    found = warned(getattr(Bleu(), call), texts, texts)
    assert len(found) == number
    assert all(message.startswith("BLEU is 0 because no hypothesis is as long as 4 tokens") for message in found)
    assert len(warned(getattr(Bleu(effective_order="never"), call), texts, texts)) == 1
    assert warned(getattr(Bleu(max_order=2), call), texts, texts) == []
    assert warned(getattr(Bleu(), call), ["a b c d"], ["e f g h"]) == []


@pytest.mark.parametrize("call", CALLS)
def test_empty_references_that_are_dropped_are_counted(call):
    hypotheses, references = ["x", "the cat", "", "y"], ["", "the cat", "", " "]
    (message,) = warned(getattr(ChrF(), call), hypotheses, references)
    assert message.startswith("chrF: references are empty in 2 of 4 segments, whose hypotheses are not counted")
    assert warned(getattr(ChrF(unreferenced="count"), call), hypotheses, references) == []
    assert warned(getattr(ChrF(), call), ["", "a"], ["", "a"]) == []
    assert warned(getattr(ChrF(), call), ["x"], {"a": [""], "b": ["y"]}) == []
    assert len(warned(getattr(ChrF(), call), ["x", "y"], references_per_segment=[["", ""], ["y"]])) == 1


def test_warns_once_for_each_metric():
    texts = ["これは文です。"] * 3
    found = warned(score_corpus, ["chrF", "chrF++", "BLEU", "BLEU(smoothing=floor)"], texts, texts)
    assert [message.split(" counts")[0] for message in found] == ["chrF++", "BLEU", "BLEU(smoothing=floor)"]


def test_no_warning_for_a_single_sentence():
    for name in ("BLEU", "chrF", "chrF++", "TER"):
        for hypothesis, reference in (("x", ""), ("これは文です。", "これは文です。"), ("a b", "a b")):
            assert warned(parse(name).sentence, hypothesis, reference) == []
            assert warned(parse(name).sentence, hypothesis, [reference, reference]) == []
