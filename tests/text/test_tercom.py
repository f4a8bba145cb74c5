"""Words equal those of sacreBLEU's tokenizer for TER, for all combinations of its options."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from chrfect.text.tercom import Tercom, words
from strategies import texts

CHOICES = [Tercom(*choice) for choice in itertools.product([False, True], repeat=4)]

PIECES = [
    "&quot;", "&amp;", "&lt;", "&amp;lt;",
    "'s", "'s ", "\n-", "\n", "1.", ".1", "1-", "-1", "..", ",,", "İ", "ΑΣ", "は", "漢。"
]  # fmt: skip


def peer(text, choices):
    """Return sacreBLEU's words, without its cache."""
    tokenizer = TercomTokenizer(*choices)
    return TercomTokenizer.__call__.__wrapped__(tokenizer, text.rstrip()).split()


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_words_of_any_text_equal_sacrebleu(choices):
    joined = st.lists(st.sampled_from([*PIECES, *"a 1.,'s-&;"]), max_size=12).map("".join)

    @given(st.one_of(texts(surrogates=True), joined))
    def check(text):
        assert words(text, choices) == peer(text, choices)

    check()


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_every_code_point_is_treated_like_in_sacrebleu(choices, whole):
    """Blocks of symbols, each between two letters, as words of their own."""
    for first in range(0, 0x110000, 0x1000) if whole else (0, 0x1000, 0x2000, 0x3000, 0xF000, 0x1F000):
        text = " ".join(f"a{chr(c)}a" for c in range(first, first + 0x1000))
        assert words(text, choices) == peer(text, choices), hex(first)
