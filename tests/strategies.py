"""Hypothesis strategies for texts in all scripts."""

from hypothesis import strategies as st

ALPHABETS = [
    "ab",
    "ab .,!()\"'",
    "abcABC áéß ıİẞΣσς",
    "абвгд еёж",
    "अआइकखग ्ाि",
    "سلام عليكم ‌‍",
    "的一是不了 。，",
    "가각간 한글",
    "e\u0301o\u0308n\u0303 ",
    "😀👩‍👩‍👧🇩🇪 ☃\ufe0f",
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000a",
    "\u200b\ufeff\u180e\u2060\x00\x1ba",
]


def texts(max_size=40, surrogates=False):
    """Return texts in which n-grams repeat, from small alphabets, and texts of any code points."""
    categories = () if surrogates else ("Cs",)
    anything = st.text(st.characters(exclude_categories=categories), max_size=max_size)
    kinds = [st.text(st.sampled_from(alphabet), max_size=max_size) for alphabet in ALPHABETS]
    if surrogates:
        kinds.append(st.text(st.sampled_from("a\ud83d\ude00\udfffb"), max_size=max_size))
    return st.one_of(*kinds, anything)


def pairs(max_size=40, surrogates=False):
    """Return (hypothesis, reference), often sharing pieces."""
    text = texts(max_size, surrogates)
    pieces = st.lists(texts(6, surrogates), min_size=1, max_size=5)

    def shuffled(parts):
        return st.tuples(
            st.lists(st.sampled_from(parts), max_size=8).map("".join),
            st.lists(st.sampled_from(parts), max_size=8).map("".join),
        )

    return st.one_of(st.tuples(text, text), text.map(lambda t: (t, t)), pieces.flatmap(shuffled))


def corpora(max_segments=6, **options):
    """Return lists of pairs, many of them empty or very short."""
    short = st.tuples(st.text("ab ", max_size=3), st.text("ab ", max_size=3))
    return st.lists(st.one_of(short, pairs(**options)), min_size=1, max_size=max_segments)
