"""Explanations in all formats; printed numbers are parsed and the calculation is repeated."""

import re
from decimal import Decimal, getcontext
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from chrfect import Bleu, ChrF, explain, explain_corpus, parse
from chrfect.explanation.report import document, terminal
from chrfect.explanation.report.context import cut, in_context
from chrfect.explanation.report.shading import plain_lines
from chrfect.report.colour import Colours
from strategies import corpora, pairs

SGR = re.compile(r"\x1b\[[\d;]*m")
METRICS = [
    ChrF(),
    parse("chrF++"),
    parse("chrF(beta=1/3)"),
    parse("wordF"),
    parse("chrF++(averaging=per_order_f)"),
]
HYPOTHESIS = "The relationship between cats and dogs is not exactly friendly."
REFERENCE = "The relationship between dogs and cats isn't exactly friendly."


def order_rows(text):
    """Return the rows of the printed table of orders: counts as ints, the rest as the digits that stand there."""
    captions = (
        "What each order contributes to the score\n",
        "What the score would gain if all n-grams of an order matched\n",
    )
    caption = next(caption for caption in captions if caption in text)
    lines = text.split(caption)[1].split("\n\n")[0].splitlines()
    return [line.rsplit(maxsplit=len(lines[0].split()) - 1) for line in lines[2:]]


def recomputed(rows, metric):
    """Do the arithmetic of the formulas from the printed counts, with no code of the package."""
    square = Fraction(metric.exact_beta) ** 2
    counts = [tuple(map(int, row[1:4])) for row in rows[:-1]]
    if metric.averaging == "per_order_f":
        fs = [(1 + square) * Fraction(m, 1) / (square * r + h) if m else Fraction(0) for h, r, m in counts]
        return 100 * sum(fs) / len(fs)
    effective = [(h, r, m) for h, r, m in counts if h and r]
    if not effective:
        return Fraction(0)
    p = sum(Fraction(m, h) for h, _, m in effective) / len(effective)
    r = sum(Fraction(m, r) for _, r, m in effective) / len(effective)
    return 100 * (1 + square) * p * r / (square * p + r) if p else Fraction(0)


@settings(max_examples=60)
@given(metric=st.sampled_from(METRICS), pair=pairs())
def test_the_printed_counts_and_contributions_give_the_printed_score(metric, pair):
    why = explain(metric, *pair)
    printed = terminal(why)
    score = why.result.score_text
    rows = order_rows(printed)
    assert printed.startswith(f"{metric} {score}\n")
    assert f"{float(round(recomputed(rows, metric) * 10**6)) / 10**6:.6f}" == score
    assert sum(Decimal(row[-1]) for row in rows[:-1]) == Decimal(rows[-1][-1]) == Decimal(score)


@settings(max_examples=60)
@given(metric=st.sampled_from(METRICS[:4]), pair=pairs())
def test_the_printed_means_give_the_printed_score(metric, pair):
    why = explain(metric, *pair)
    printed = " ".join(terminal(why).split())
    found = re.search(r"P = [^=]+= (\S+) R = [^=]+= (\S+) score = [^=]+= (\S+)", printed)
    if not found:
        assert "because no order has n-grams on both sides" in printed
        return
    counts = [tuple(map(int, row[1:4])) for row in order_rows(terminal(why))[:-1]]
    effective = [(h, r, m) for h, r, m in counts if h and r]
    for printed_mean, side in zip(found.groups()[:2], (0, 1), strict=True):
        mean = sum(Fraction(100 * row[2], row[side]) for row in effective) / len(effective)
        scale = 10 ** len(printed_mean.partition(".")[2])
        assert round(Fraction(printed_mean) * scale) == round(mean * scale)
    p, r, score = map(Fraction, found.groups())
    square = Fraction(metric.exact_beta) ** 2
    again = (1 + square) * p * r / (square * p + r) if p or r else Fraction(0)
    assert round(again * 10**6) == score * 10**6 == Fraction(why.result.score_text) * 10**6


@pytest.mark.parametrize(
    ("smoothing", "said"),
    [
        ("exp", "precision ÷ 100 after exp smoothing: token 3 1/4, token 4 1/4"),
        ("add-k", "precision ÷ 100 after add-k smoothing: token 2 1/2, token 3 1/3, token 4 1/2"),
        ("floor", "precision ÷ 100 after floor smoothing: token 3 1/20, token 4 1/10"),
    ],
)
def test_smoothed_precisions_are_printed_exactly(smoothing, said):
    """By hand: of a b x y against a b c d 2 of 4, 1 of 3, 0 of 2 and 0 of 1 n-grams match."""
    printed = " ".join(terminal(explain(Bleu(tokenize="none", smoothing=smoothing), "a b x y", "a b c d")).split())
    assert f"{said} BP = " in printed
    same = terminal(explain(Bleu(tokenize="none", smoothing=smoothing), "a b c d", "a b c d"))
    assert "precision ÷ 100 after" not in same


@settings(max_examples=60)
@given(pair=pairs(), smoothing=st.sampled_from(["none", "exp", "floor", "add-k"]))
def test_the_printed_logarithms_give_the_printed_bleu(pair, smoothing):
    why = explain(Bleu(tokenize="none", smoothing=smoothing), *pair)
    printed = " ".join(terminal(why).split())
    found = re.search(r"precision ÷ 100\) = ([-+ .\d]+) score", printed)
    if not found:
        assert "score = 0" in printed
        return
    getcontext().prec = 40
    total = sum(Decimal(term.replace(" ", "")) for term in re.findall(r"[-+]? ?[\d.]+", found[1]))
    assert f"{100 * total.exp():.6f}" == why.result.score_text


@settings(max_examples=60)
@given(metric=st.sampled_from(METRICS), pair=pairs(), limit=st.integers(1, 4))
def test_the_printed_matched_runs_add_up_to_the_score_however_many_are_shown(metric, pair, limit):
    why = explain(metric, *pair, limit=limit)
    table = (
        next(b for b in document(why).blocks if getattr(b, "caption", "").startswith("Matched"))
        if (why.matched.total)
        else None
    )
    if table is None:
        assert why.result.score_text == "0.000000"
        return
    written = [Decimal(f"{row[0]:.6f}") for row in table.rows]
    assert sum(written[:-1]) == written[-1] == Decimal(why.result.score_text)
    assert sum(row[1] for row in table.rows[:-1] if row[1] is not None) == table.rows[-1][1]


@pytest.mark.parametrize(
    "pair", [(HYPOTHESIS, REFERENCE), ("我喜欢吃苹果和香蕉", "我爱吃苹果"), ("न क्षमा करें", "क्षमा कीजिए")]
)
def test_printed_gains_are_the_difference_of_printed_scores(pair):
    why = explain(ChrF(), *pair)
    tables = [b for b in document(why).blocks if getattr(b, "columns", [""])[0] == "gain"]
    assert len(tables) == 2
    for table in tables:
        for gain, after, *_ in table.rows:
            assert Decimal(f"{gain:.6f}") + Decimal(why.result.score_text) == Decimal(f"{after:.6f}")


@settings(max_examples=80)
@given(pair=pairs(surrogates=True), depth=st.sampled_from(list(Colours)), word_order=st.integers(0, 2))
def test_control_characters_of_texts_are_not_printed(pair, depth, word_order):
    printed = terminal(explain(ChrF(word_order=word_order), *pair), title="a\x1b]0;b\x07", colours=depth)
    plain = SGR.sub("", printed)
    assert all(character == "\n" or character.isprintable() or ord(character) >= 0xA0 for character in plain)
    assert "\x1b" not in plain
    if depth is Colours.NONE:
        assert printed == plain
    printed.encode()


@pytest.mark.parametrize(
    "text", ["the cat sat on the mat " * 12, "我喜欢吃苹果" * 20, "क्षमा करें नमस्ते " * 12, "👨‍👩‍👧🇩🇪" * 30]
)
def test_lines_fit_into_the_width_and_marks_are_below_their_characters(text):
    printed = terminal(explain(parse("chrF++"), text, text[::-1]), width=80).splitlines()
    end = next(i for i, line in enumerate(printed) if line.startswith("Below each"))
    assert max(wcswidth(line) for line in printed if "|" not in line) <= 80
    for above, below in pairwise(printed[:end]):
        if re.fullmatch(r"[ x=.\-]*[x=.\-][ x=.\-]*", below):
            assert wcswidth(below) <= wcswidth(above)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "lines"),
    [
        ("日a本", "a本x", ["日a本", "xx"]),
        ("a日\u0301b", "ab", ["a日\u0301b", " xx"]),
        ("a👩\u200d🔬b", "ab", ["a👩\u200d🔬b", " xx"]),
        ("a\x1bb", "ab", ["a␛b", " x"]),
        ("a\u200bb", "ab", ["a<U+200B>b", " xxxxxxxx"]),
        ("ab", "ab", ["ab"]),
    ],
)
def test_marks_are_as_wide_as_the_marked_text(hypothesis, reference, lines):
    assert plain_lines(explain(ChrF(char_order=1), hypothesis, reference).hypothesis, 76) == lines


def test_colours_shade_whole_clusters():
    text = "e\u0301\u0323👨‍👩‍👧क्षि"
    printed = terminal(explain(ChrF(), text, "ab"), colours=Colours.TRUE)
    assert text in SGR.sub("", printed)
    assert f"\x1b[48;2;165;15;21;38;2;255;255;255;4m{text}\x1b[0m" in printed


def test_right_to_left_words_stay_whole():
    printed = terminal(explain(ChrF(), "القطة جلست هنا", "القطة نامت هنا"))
    assert "⟨القطة⟩ ⟨جلست⟩ ⟨هنا⟩" in printed
    assert "In right-to-left texts" in printed


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.tags, self.said = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


@settings(max_examples=60)
@given(pair=pairs(surrogates=True))
def test_page_is_escaped_and_self_contained(pair):
    hypothesis = pair[0] + "<script>alert(1)</script>&amp;\"'"
    page = document(explain(parse("chrF++"), hypothesis, pair[1]), title="<b>").html()
    parsed = Page(page)
    assert parsed.stack == []
    tags = {tag for tag, _ in parsed.tags}
    assert tags <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "span", "div", "table", "caption",
        "thead", "tbody", "tr", "th", "td", "code",
    }  # fmt: skip
    assert not any({"src", "href"} & attributes.keys() for _, attributes in parsed.tags)
    assert "url(" not in page
    assert "<script>alert(1)</script>&amp;\"'" in "".join(parsed.said)
    page.encode()


def test_a_page_has_the_shades_in_light_and_dark_and_a_legend_with_other_signs():
    page = document(explain(ChrF(), HYPOTHESIS, REFERENCE)).html()
    assert "@media screen and (prefers-color-scheme: dark)" in page
    assert page.count("--s0: #") == 2
    legend = page.split('class="legend"')[1].split("</p>")[0]
    signs = []
    for level, name in enumerate(["none", "under 1/3", "under 2/3", "more"]):
        assert f'<span class="s{level}">{name}</span>' in legend
        signs.append(re.search(rf"\.s{level} {{[^}}]*text-decoration-style: ([^;]+);", page)[1])
    assert len(set(signs)) == 4


def test_a_page_shades_no_whitespace_that_is_not_counted():
    page = document(explain(ChrF(char_order=1), "ab c", "ab d")).html()
    [hypothesis, reference] = re.findall(r'<p class="text" dir="auto">(.*?)</p>', page)
    assert re.sub(r'<span class="s0">(.)</span>', r"[\1]", hypothesis) == "ab [c]"
    assert re.sub(r'<span class="s0">(.)</span>', r"[\1]", reference) == "ab [d]"


def test_markdown_is_fenced_and_escaped():
    text = document(explain(ChrF(), "a ```` b | c", "a ```` b * c")).markdown()
    assert "\n`````text\na ```` b | c" in text
    assert "\n```text\na cat" in document(explain(ChrF(), "a cat", "a cat")).markdown()
    assert r"\|" in text.split("Invented")[1]


def test_names_are_escaped_in_markdown():
    references = {"a`<b>`c`": "the cat", "other": "x"}
    text = document(explain(ChrF(), "a cat", references), title="<script>*_|").markdown()
    assert text.startswith(r"# chrF ")
    assert text.splitlines()[0].endswith(r": \<script\>\*\_\|")
    assert "`a\u02cb<b>\u02cbc\u02cb` counts" in text


def test_examples_have_separate_lines_with_their_own_direction():
    why = explain_corpus(parse("wordF"), ["a 12", "b 12"], ["הרכבת עוזבת 7", "the train 7"])
    assert '<div dir="auto">1: הרכבת עוזבת ⟦7⟧</div><div dir="auto">2: the train ⟦7⟧</div>' in (document(why).html())
    assert "| 1: הרכבת עוזבת ⟦7⟧<br>2: the train ⟦7⟧ |" in document(why).markdown()


def test_wrapped_lines_do_not_begin_with_a_space():
    why = explain(ChrF(), "aaaa bbbb cccc", "x")
    assert [line for line in plain_lines(why.hypothesis, 9) if "x" not in line] == ["aaaa bbbb", "cccc"]
    kept = explain(ChrF(whitespace="keep"), "aaaa bbbb cccc", "x")
    assert "".join(plain_lines(kept.hypothesis, 9)).count("x") == 14


def test_an_empty_text_is_marked_as_empty():
    why = explain(ChrF(), "", "x")
    assert "Hypothesis (empty)\nReference\n  x\n" in terminal(why)
    assert "Hypothesis (empty)" in document(why).html()
    assert "with 1 n-gram)" in terminal(why)


def test_captions_fit_into_the_width():
    words = " ".join(f"word{i}" for i in range(400))
    printed = terminal(explain(parse("chrF++"), words, words.replace("3", "x").replace("7", "yz"), limit=3))
    assert "missed runs (the first 3 of" in " ".join(printed.split())
    assert max(map(len, printed.splitlines()[:-1])) <= 80


@pytest.mark.parametrize("depth", [Colours.NONE, Colours.MANY])
def test_texts_and_legend_fit_into_a_narrow_terminal(depth):
    printed = SGR.sub("", terminal(explain(parse("chrF++"), HYPOTHESIS, "قطة"), width=50, colours=depth))
    assert max(map(wcswidth, printed.split("What each order")[0].splitlines())) <= 50


@pytest.mark.parametrize("text", ["a" + "\u0301" * 50_000, "👩" + "\u200d👩" * 25_000, "\u0301" * 50_000])
def test_very_long_cluster_is_cut(text):
    why = explain(parse("chrF++"), text, text[:-7] + "b", text_limit=2_000)
    assert len(terminal(why)) < 20_000
    assert len(document(why).html()) < 40_000


@settings(max_examples=30)
@given(pairs=corpora(surrogates=True), metric=st.sampled_from(METRICS))
def test_corpus_is_written_in_every_format(pairs, metric):
    why = explain_corpus(metric, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    printed = terminal(why)
    rows = order_rows(printed)
    assert sum(Decimal(row[-1]) for row in rows[:-1]) == Decimal(why.result.score_text)
    assert Page(document(why).html()).stack == []
    document(why).markdown().encode()


@given(pairs(), st.text("ab ", max_size=30), st.integers(5, 40))
def test_runs_in_context_fit_into_their_width(pair, after, width):
    assert wcswidth(cut(pair[0], width)) <= width
    assert wcswidth(in_context(pair[0], pair[1], after, width)) <= width


@pytest.mark.parametrize(("width", "shown"), [(9, "⟦kittens⟧"), (8, "⟦kit…ns⟧"), (7, "⟦ki…s⟧")])
def test_a_run_is_shortened_as_soon_as_it_does_not_fit(width, shown):
    assert in_context("three ", "kittens", " sat", width) == shown


def test_logarithms_have_no_more_digits_than_repeating_the_arithmetic_needs():
    why = explain(Bleu(tokenize="none"), "a b c d", "a b c d")
    assert why.arithmetic[0] == "BP = the brevity penalty = 1 (4 >= 4 tokens); ln BP = 0.000000"


@pytest.mark.parametrize("pair", [("the cat", "the cat sat"), ("the cat sat", "the cat")])
def test_legend_of_gains_is_shown_only_with_missed_or_invented_runs(pair):
    assert "The gain of a missed run" in terminal(explain(parse("wordF(word_order=1)"), *pair))
    assert "The gain of a missed run" not in terminal(explain(parse("wordF(word_order=1)"), "a", "a"))
