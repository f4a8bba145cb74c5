"""The built-in tokenizers equal sacreBLEU's, in both kernels, on real texts and on code points of all planes."""

import random
import sys
from importlib.metadata import metadata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

import realdata
from chrfect.text import categories
from chrfect.text.tokens import BUILT_IN, CHINESE, split
from strategies import texts

fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

NEAR_RULES = st.text(st.sampled_from("aZ09.,-'$<>&; \n\t—“½٣。中∀\u2003\u3000\U0001f600"), max_size=24)
REPLACED = st.lists(
    st.sampled_from(
        [
            "&quot;",
            "&amp;",
            "&lt;",
            "&gt;",
            "<skipped>",
            "-\n",
            "\n",
            "lt;",
            "a",
            "1.",
            " ",
            "—",
            "\U0001f600",
            "abc " * 20,
        ]
    )
)


def peer(name):
    """Return sacreBLEU's tokenizer without its cache."""
    tokenizer = BLEU(tokenize=name).tokenizer
    call = type(tokenizer).__call__
    uncached = getattr(call, "__wrapped__", call)
    return lambda text: uncached(tokenizer, text.rstrip()).split()


def check(name, theirs, text):
    want = theirs(text)
    assert split(text, name) == want
    for level in fast.levels():
        fast.use_level(level)
        assert fast.split(text, name) == want, level


@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_of_any_text_equal_sacrebleu(name):
    theirs = peer(name)

    @settings(max_examples=600)
    @given(st.one_of(NEAR_RULES, REPLACED.map("".join), texts(max_size=200, surrogates=True)))
    def same(text):
        check(name, theirs, text)

    same()


@pytest.mark.parametrize("name", BUILT_IN)
def test_replacements_are_found_in_strings_of_every_width(name):
    theirs = peer(name)
    for wide in ("", "—", "\U0001f600"):
        for filled in ("", "a" * 70):
            check(name, theirs, f"{filled}{wide}-\n.{filled} 1-\n1 &lt;skipped>-&amp;\n{filled}")


@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_at_ends_of_texts_and_ranges_equal_sacrebleu(name):
    theirs = peer(name)
    for text in ("-5", "5-", "-", "5-5", ".5", "5.", ","):
        check(name, theirs, text)
    bounds = [chr(code) for first, last in CHINESE for code in (first - 1, first, last, last + 1)]
    check(name, theirs, " ".join(f"a{bound}b" for bound in bounds))


@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_of_every_code_point_equal_sacrebleu(name, whole):
    """Each stands alone, beside letters, beside digits, and between marks."""
    theirs = peer(name)
    codes = [code for code in range(sys.maxunicode + 1) if code < 0x30000 or code % 4_093 == 0 or code >= 0xE0000]
    random.Random(12).shuffle(codes)
    if not whole:
        del codes[12_000:]
    for at in range(0, len(codes), 400):
        part = [chr(code) for code in codes[at : at + 400]]
        check(name, theirs, " ".join(f"{c} a{c}b 1{c}2 .{c}, x{c}{c} 3.{c}" for c in part))
        check(name, theirs, "".join(part))


@pytest.fixture(scope="module")
def real_texts(data, whole):
    """One in 40, or in 400, of the real texts."""
    return realdata.texts(data)[:: 40 if whole else 400]


@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_of_real_texts_equal_sacrebleu(name, real_texts):
    theirs = peer(name)
    for text in real_texts:
        want = theirs(text)
        assert split(text, name) == want
        assert fast.split(text, name) == want


def test_character_categories_equal_regex_in_the_stated_version():
    if f"Unicode {categories.UNICODE_VERSION}" not in (metadata("regex").get_payload() or ""):
        pytest.skip(f"this regex is not of Unicode {categories.UNICODE_VERSION}")
    for letter, ranges in (("P", categories.PUNCTUATION), ("S", categories.SYMBOLS), ("N", categories.NUMBERS)):
        own = {code for first, last in ranges for code in range(first, last + 1)}
        found = regex.compile(rf"\p{{{letter}}}")
        assert own == {code for code in range(sys.maxunicode + 1) if found.match(chr(code))}
