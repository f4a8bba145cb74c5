"""Text preparation has the same result for kernels, which need strings, and explanations, which need positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chrfect import UsageError
from chrfect.text.preparation import Preparation
from strategies import texts

PREPARATIONS = st.builds(
    Preparation,
    lowercase=st.booleans(),
    whitespace=st.sampled_from(["remove", "keep"]),
    unit=st.sampled_from(["codepoint", "byte", "grapheme"]),
)


def kernel_characters(preparation, pair):
    """Return the unit strings of a pair as a kernel counts them: it removes whitespace that it is not told to keep."""
    strings = preparation.unit_strings(preparation.cased(pair))
    return strings if preparation.kernel_keeps_whitespace else ["".join(string.split()) for string in strings]


@given(preparation=PREPARATIONS, hypothesis=texts(surrogates=True), reference=texts(surrogates=True))
def test_characters_with_positions_are_equal_where_the_characters_of_kernels_are(preparation, hypothesis, reference):
    ids = {}
    strings = kernel_characters(preparation, (hypothesis, reference))
    located = [preparation.characters(text, ids) for text in (hypothesis, reference)]
    symbols = [symbol for string in strings for symbol in string]
    numbers = [number for found in located for number in found.symbols.tolist()]
    assert list(map(len, located)) == list(map(len, strings))
    assert len(set(zip(symbols, numbers, strict=True))) == len(set(symbols)) == len(set(numbers))


@given(preparation=PREPARATIONS, text=texts(surrogates=True))
def test_positions_cover_every_code_point_that_is_counted(preparation, text):
    found = preparation.characters(text, {})
    covered = {at for start, end in zip(found.starts, found.ends, strict=True) for at in range(start, end)}
    counted = {at for at, c in enumerate(text) if preparation.whitespace == "keep" or ord(c) not in oracle.WHITESPACE}
    assert counted <= covered
    if preparation.unit != "grapheme":  # a cluster may form across whitespace that was removed
        assert counted == covered
    assert (found.starts[1:] >= found.starts[:-1]).all()


@given(text=texts(surrogates=True))
def test_words_have_their_positions_in_the_text(text):
    ids = {}
    found = Preparation().tokens(text, ids)
    names = {number: word for word, number in ids.items()}
    words = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert words == [names[number] for number in found.symbols] == Preparation().words(text) == oracle.words(text)


def test_graphemes_form_after_whitespace_is_removed():
    hypothesis, reference = Preparation(unit="grapheme").unit_strings(["e \u0301", "e\u0301"])
    assert hypothesis == reference
    assert len(hypothesis) == 1


def test_a_lower_case_that_is_longer_keeps_its_position():
    found = Preparation(lowercase=True).characters("İb", {})
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 0, 1], [1, 1, 2])


def test_a_rewritten_token_covers_the_text_that_it_replaces():
    found = Preparation().tokens("a &amp; b", {}, lambda text: ["a", "&", "b"], {"&": "&amp;"})
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 2, 8], [1, 7, 9])


@pytest.mark.parametrize(("dropped", "found"), [(20, (20, 26)), (21, (0, 0))])
def test_rewritten_token_is_found_after_dropped_code_points(dropped, found):
    for text, piece in (("-" * dropped + "&quot;", '"'), ("-" * dropped + "quotes", "quotes")):
        symbols = Preparation().tokens(text, {}, lambda text, piece=piece: [piece], {'"': "&quot;"})
        assert [(int(symbols.starts[0]), int(symbols.ends[0]))] == [found]


@pytest.mark.parametrize("space", [" ", "\u3000\n ", " " * 30])
def test_whitespace_between_tokens_does_not_count_as_dropped(space):
    symbols = Preparation().tokens(space + "-" * 20 + "x", {}, lambda text: ["x"])
    assert symbols.starts.tolist() == [len(space) + 20]


def test_graphemes_without_their_extra_are_an_error(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "regex", None)
    with pytest.raises(UsageError, match=r"unit='grapheme' needs the regex module: pip install regex"):
        Preparation(unit="grapheme").characters("a", {})
