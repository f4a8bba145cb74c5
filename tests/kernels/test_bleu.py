"""Both kernels count BLEU's integers like the naive oracle, for all lengths."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bleu_oracle
from chrfect import UsageError
from chrfect.kernels import readable
from chrfect.kernels.readable_bleu import clip, closest_length, segment
from chrfect.text.tokens import BUILT_IN, split
from conftest import in_long
from strategies import texts

tokens = st.lists(
    st.sampled_from(["a", "b", "c", "é", "e\u0301", "語", "\U0001f600", "\udc00", "", "AB", "\u4241"]), max_size=14
)
segments = st.lists(st.tuples(tokens, st.lists(tokens, min_size=1, max_size=4)), max_size=4)


@pytest.fixture(params=["readable", "fast"])
def kernel(request):
    return readable if request.param == "readable" else compiled()


def compiled():
    return pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")


def flat(corpus):
    """Return hypotheses, references one after another, and where those of each segment start."""
    references = [reference for _, of_segment in corpus for reference in of_segment]
    starts = [0]
    for _, of_segment in corpus:
        starts.append(starts[-1] + len(of_segment))
    return [hypothesis for hypothesis, _ in corpus], references, starts


def naive(corpus, max_order):
    return [n for hypothesis, references in corpus for n in bleu_oracle.row(hypothesis, references, max_order)]


def test_counts_of_tokens_equal_the_oracle(kernel):
    @settings(max_examples=400)
    @given(segments, st.sampled_from([1, 2, 3, 4, 9, 30]))
    def check(corpus, max_order):
        want = naive(corpus, max_order)
        assert kernel.bleu_rows(*flat(corpus), None, max_order).tolist() == want
        width = 2 + 2 * max_order
        assert kernel.bleu_total(*flat(corpus), None, max_order) == [sum(want[k::width]) for k in range(width)]

    check()


def naive_table(hypothesis, references, n):
    """Return the first position, the count, and the largest count in one reference of each n-gram, sorted."""
    places, *others = (
        [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)] for tokens in (hypothesis, *references)
    )
    return [
        number
        for ngram in sorted(set(places))
        for number in (places.index(ngram), places.count(ngram), max((o.count(ngram) for o in others), default=0))
    ]


def test_clipping_tables_are_the_oracles(kernel):
    @settings(max_examples=300)
    @given(tokens, st.lists(tokens, max_size=4), st.integers(1, 9))
    def check(hypothesis, references, max_order):
        found = [table.tolist() for table in kernel.clip_tables(hypothesis, references, max_order)]
        assert found == [naive_table(hypothesis, references, n) for n in range(1, max_order + 1)]

    check()
    draw = random.Random(3)
    long = draw.choices(["a", "b", "ab"], k=700)
    found = [table.tolist() for table in kernel.clip_tables(long, [long[300:], long[:350] * 2], 9)]
    assert found == [naive_table(long, [long[300:], long[:350] * 2], n) for n in range(1, 10)]


@pytest.mark.parametrize("tokenizer", BUILT_IN)
def test_counts_of_texts_equal_the_oracle(kernel, tokenizer):
    text = texts(max_size=150, surrogates=True)

    @settings(max_examples=150)
    @given(st.lists(st.tuples(text, st.lists(text, min_size=1, max_size=3)), max_size=3), st.integers(1, 5))
    def check(corpus, max_order):
        cut = [(split(h, tokenizer), [split(r, tokenizer) for r in references]) for h, references in corpus]
        assert kernel.bleu_rows(*flat(corpus), tokenizer, max_order).tolist() == naive(cut, max_order)

    check()


@pytest.mark.parametrize("vocabulary", [2, 5_000])
@pytest.mark.parametrize("length", [1, 63, 64, 65, 128, 129, 511, 512, 513, 4_097])
@pytest.mark.parametrize("number", [1, 3])
def test_lengths_around_every_algorithm_switch_equal_the_oracle(vocabulary, length, number):
    fast = compiled()
    draw = random.Random(length)
    words = [f"w{i}" for i in range(vocabulary)]
    hypothesis = draw.choices(words, k=length)
    references = [
        [word if draw.random() < 0.7 else draw.choice(words) for word in hypothesis[: length - k]]
        for k in range(number)
    ]
    turned = [hypothesis, *references[1:]]
    for max_order in (1, 4, 9):
        starts = [0, number]
        assert fast.bleu_rows([hypothesis], references, starts, None, max_order).tolist() == segment(
            hypothesis, references, max_order
        )
        assert fast.bleu_rows([references[0]], turned, starts, None, max_order).tolist() == segment(
            references[0], turned, max_order
        )


@given(tokens, st.lists(tokens, min_size=1, max_size=4), st.integers(1, 5))
def test_clip_lists_exactly_the_ngrams_of_the_hypothesis(hypothesis, references, n):
    table = clip(hypothesis, references, n)
    places = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    assert {ngram: count for ngram, (count, _) in table.items()} == {ngram: places.count(ngram) for ngram in places}
    assert sum(map(min, table.values())) == bleu_oracle.clipped(hypothesis, references, n)[1]


def test_equally_close_reference_lengths_give_the_shorter(kernel):
    assert closest_length(6, [8, 4]) == closest_length(6, [4, 8]) == 4
    for references in (["a " * 8, "a " * 4], ["a " * 4, "a " * 8]):
        assert kernel.bleu_rows(["b " * 6], references, [0, 2], "none", 1)[1] == 4
    assert kernel.bleu_rows(["b"], ["a a a", ""], [0, 2], "none", 1)[1] == 0


def test_hypothesis_longer_than_the_marks_is_counted():
    hypothesis = ["a", "b"] * 150_000
    counts = compiled().bleu_rows([hypothesis], [["a", "b"], ["b", "a", "b"]], [0, 2], None, 1_000)
    assert counts[:8].tolist() == [300_000, 3, 300_000, 3, 299_999, 2, 299_998, 1]
    assert set(counts[9::2]) == {0}


def test_a_million_references_of_one_segment_are_counted(kernel):
    number = 1_000_000 if kernel is not readable else 10_000
    references = ["the cat sat"] * (number - 1) + ["on the mat"]
    counts = kernel.bleu_rows(["the cat sat on the mat"], references, [0, number], "13a", 2)
    assert counts.tolist() == [6, 3, 6, 5, 5, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "b", "c"], ["a"], None, "13a", 4), "3 hypotheses and 1 references"),
        ((["a", "b"], ["a", "b"], [0, 1], "13a", 4), "2 hypotheses and 2 starts"),
        ((["a", "b"], ["a", "b"], [0, 0, 2], "13a", 4), "Segment 0 .* has no reference"),
        ((["a"], ["a"], [0, 2], "13a", 4), "1 references, and starts run from 0 to 2"),
        ((["a"], [1], None, "13a", 4), r"references\[0\] is a int"),
        ((["a"], [["a"]], None, None, 4), r"hypotheses\[0\] is a text"),
        (([["a"]], [["a", 1]], None, None, 4), r"references\[0\] has a int among its tokens"),
    ],
)
def test_rejects_inconsistent_arguments(kernel, arguments, message):
    with pytest.raises(UsageError, match=message):
        kernel.bleu_rows(*arguments)


def test_list_that_grows_while_it_is_read_is_safe(kernel):
    class Growing(list):
        def __iter__(self):
            yield from ("a", "b")
            self.extend(["x"] * 5_000)

    assert kernel.bleu_rows([["c"]], [Growing(), ["c"]], [0, 2], None, 1).tolist() == [1, 1, 1, 1]


def test_words_of_the_same_bytes_in_strings_of_different_widths_differ():
    fast = compiled()
    for one, other in (("AB\x00\x00", "\u4241\x00"), ("a\x00", "a"), ("\x00", "\x00\x00"), ("a" * 17, "a" * 16 + "b")):
        assert fast.bleu_rows([[one]], [[other]], None, None, 1).tolist() == [1, 1, 1, 0]
        assert fast.bleu_rows([[one]], [[one]], None, None, 1).tolist() == [1, 1, 1, 1]
    assert fast.bleu_rows(["a b"], ["a 語"], None, "none", 1).tolist() == [2, 2, 2, 1]


LINES = {
    "marks": "'!' * 10_000_000",
    "words": "'ab c ' * 2_000_000",
    "entities": "'&lt;skipped>' * 830_000",
    "ideographs": "'\\u4e00\\u4e8c \\u4e09\\u3002' * 2_000_000",
}


def run(code):
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="no module resource there")
@pytest.mark.parametrize(
    ("tokenizer", "line"), [("13a", "marks"), ("char", "marks"), ("intl", "entities"), ("zh", "ideographs")]
)
@pytest.mark.parametrize("number", [*in_long(1), 2])
def test_line_of_ten_million_symbols_needs_less_than_40_bytes_per_symbol(tokenizer, line, number):
    """Of either side; with several references the table of n-grams is what needs most."""
    compiled()
    peak = run(f"""
import resource
from chrfect.kernels import _fast

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if {sys.platform == "darwin"} else 1024)

line = {LINES[line]}
before = peak()
counts = _fast.bleu_rows([line], [line] * {number}, [0, {number}], {tokenizer!r}, 4)
assert counts[3::2] == counts[2::2] and counts[0] > 4_000_000, counts
print(peak() - before)
""")
    assert peak < 2 * 40 * 10_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of one's own there")
@pytest.mark.parametrize("number", [*in_long(1), 3])
@pytest.mark.parametrize(
    ("tokenizer", "line"),
    [
        ("13a", "marks"),
        ("13a", "entities"),
        ("intl", "entities"),
        ("char", "words"),
        ("zh", "ideographs"),
        ("none", "words"),
    ],
)
def test_ctrl_c_ends_the_count_of_a_long_line_within_half_a_second(tokenizer, line, number):
    check_ctrl_c(f"_fast.bleu_rows([line], [line] * {number}, [0, {number}], {tokenizer!r}, 4)", LINES[line])


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of one's own there")
@pytest.mark.parametrize(
    "call",
    [
        pytest.param("_fast.split(line, '13a')", id="a tokenizer alone"),
        pytest.param("_fast.bleu_rows([tokens], [tokens], None, None, 4)", id="lists of tokens"),
        pytest.param("_fast.bleu_rows([line] * 2, [line] * 2, None, '13a', 4, 2)", id="two threads"),
        pytest.param("_fast.bleu_rows(['ab'] * 10**6, ['a b'] * 10**6, None, 'none', 1_000)", id="many orders"),
        pytest.param(
            "_fast.bleu_rows([line[:60_000]], ['!'] * 10**6, [0, 10**6], '13a', 4)", id="many references of a long line"
        ),
    ],
)
def test_ctrl_c_ends_any_count_within_half_a_second(call):
    check_ctrl_c(call, LINES["marks"])


def check_ctrl_c(call, line):
    """Interrupt the call; measure processor time, so that a busy machine does not matter."""
    compiled()
    used = run(f"""
import signal, threading, time
from chrfect.kernels import _fast

sent = []

def interrupt():
    start = time.process_time()
    while time.process_time() < start + 0.4:
        time.sleep(0.01)
    sent.append(time.process_time())
    signal.raise_signal(signal.SIGINT)

line = {line}
tokens = ['a', 'b'] * 2_000_000
try:
    threading.Thread(target=interrupt).start()
    while True:
        {call}
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
""")
    assert used < 0.5 * (2 if "4, 2)" in call else 1)
