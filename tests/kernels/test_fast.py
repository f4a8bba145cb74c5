"""The compiled kernel returns the integers of the readable kernel for every text and vector level."""

import itertools
import os
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from chrfect import UsageError
from chrfect.kernels import Plan, readable
from conftest import in_long
from strategies import pairs, texts

fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

LEVELS = fast.levels()


def assert_equal(pair, plan):
    """Compare a row at every level with that of the readable kernel."""
    want = readable.row(*pair, plan)
    for name in LEVELS:
        fast.use_level(name)
        assert fast.row(*pair, plan) == want, name


@pytest.fixture(autouse=True)
def best_level():
    """Leave the kernel at its best level."""
    yield
    fast.use_level(LEVELS[-1])


def noisy(random_, alphabet, length):
    text = random_.choices(alphabet, k=length)
    other = [random_.choice(alphabet) if random_.random() < 0.1 else symbol for symbol in text]
    return "".join(other), "".join(text)


@settings(max_examples=400)
@given(pairs(surrogates=True), st.integers(0, 10), st.integers(0, 4), st.booleans(), st.booleans())
def test_every_level_equals_the_naive_oracle(pair, char_order, word_order, keep, drop):
    plan = Plan(char_order, word_order, keep, drop)
    want = oracle.row(*pair, *plan)
    for name in LEVELS:
        fast.use_level(name)
        assert list(fast.row(*pair, plan)) == want, name
        assert fast.rows([pair[0]], [pair[1]], plan).tolist() == want, name
        assert fast.total([pair[0]], [pair[1]], plan) == want, name


@settings(max_examples=100)
@given(pairs(max_size=600, surrogates=True), st.sampled_from([(6, 2), (8, 8), (12, 9)]), st.booleans())
def test_every_level_equals_the_readable_kernel_on_longer_texts(pair, orders, keep):
    assert_equal(pair, Plan(*orders, keep))


@pytest.mark.parametrize("length", [1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 448, 449, 511, 512, 513, 2_000])
@pytest.mark.parametrize("alphabet", ["ab", "abcdefghijklmnopqrstuvwxyz .", "".join(map(chr, range(0x4E00, 0x5800)))])
@pytest.mark.parametrize("orders", [(6, 0), (8, 8), (20, 2)])
def test_lengths_around_every_algorithm_switch_equal_the_oracle(length, alphabet, orders):
    assert_equal(noisy(random.Random(length), alphabet, length), Plan(*orders, True))


@pytest.mark.parametrize("symbols", [2, 30, 1_000, 3_000, 20_000])
@pytest.mark.parametrize("char_order", [1, 6, 9, 17])
def test_long_texts_of_few_and_of_many_symbols(symbols, char_order):
    pair = noisy(random.Random(symbols), "".join(map(chr, range(0x4E00, 0x4E00 + symbols))), 8_000)
    assert_equal(pair, Plan(char_order, 0, True))


@pytest.mark.parametrize("char_order", [2, 6, 7, 9, 12])
def test_frequent_ngrams_among_many_symbols(char_order):
    many = "".join(map(chr, range(0x4E00, 0x4E00 + 6_000)))
    pair = many + "abcde" * 90 + "xyz" * 70, "abcde" * 80 + many + "yzx" * 100
    assert_equal(pair, Plan(char_order, 0, True))


@pytest.mark.parametrize("sides", [(1, 3_000), (3_000, 1), (40, 3_000), (3_000, 40), (0, 3_000), (3_000, 0), (0, 0)])
def test_sides_of_very_different_length(sides):
    text = "".join(random.Random(1).choices("abcd\u4e00 ", k=3_000))
    assert_equal((text[: sides[0]], text[-sides[1] :] if sides[1] else ""), Plan(6, 2))


@pytest.mark.parametrize("letter", ["a", "\u4e00", "\U0001f600"])
def test_whitespace_is_found_at_every_place_of_texts_of_every_length(letter):
    random_ = random.Random(letter)
    spaces = [chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()]
    beside = [chr(ord(c) + step) for c in spaces for step in (-1, 1)]  # not all of them letters
    usable = [c for c in spaces + beside if ord(c) <= max(ord(letter), 0xFF)]
    for length in range(150):
        pair = [
            "".join(letter if random_.random() < 0.6 else random_.choice(usable) for _ in range(length)) for _ in "hr"
        ]
        assert_equal(pair, Plan(2, 2))


@pytest.mark.parametrize("letters", ["abcdefghij", "абвгдежзий", "😀😁😂😃😄😅😆😇😈😉"], ids=["one", "two", "four"])
@pytest.mark.parametrize("form", ["{}", *in_long("xyz{}", "xyzxyzxyz{}xyzxyzxyz")])
def test_words_whose_hashes_collide_are_different_words(form, letters):
    number = 200_000  # of either side: some 9 words of one side have the 32-bit hash of a word of the other
    digits = str.maketrans("0123456789", letters)
    words = [form.format(f"{i:06}").translate(digits) for i in range(2 * number)]
    hypothesis, reference = " ".join(words[::2]), " ".join(words[1::2])
    assert fast.row(hypothesis, reference, Plan(0, 1)) == (number, number, 0)
    assert fast.row(hypothesis, hypothesis, Plan(0, 1)) == (number, number, number)


def test_a_hundred_thousand_distinct_characters():
    symbols = [chr(c) for c in range(0x100, 0x18C00)]
    assert len(symbols) > 100_000
    forwards, shuffled = "".join(symbols), "".join(random.Random(2).sample(symbols, len(symbols)))
    assert fast.row(forwards, forwards, Plan(6, 0, True)) == readable.row(forwards, forwards, Plan(6, 0, True))
    assert fast.row(forwards, shuffled, Plan(6, 2)) == readable.row(forwards, shuffled, Plan(6, 2))


def test_ten_megabytes_in_one_segment():
    text, length = "abcdefghij" * 1_000_000, 10_000_000
    row = fast.row(text, text[5:] + text[:5], Plan(6, 0))
    # a text cut at a place loses n - 1 n-grams; cut five places apart, neither loses what the other does
    assert row == tuple(value for lost in range(6) for value in (length - lost, length - lost, length - 2 * lost))


def test_the_number_of_threads_changes_nothing():
    random_ = random.Random(3)
    made = [noisy(random_, "abcdefg .", random_.randrange(400)) for _ in range(2_000)]
    hypotheses, references = [h for h, _ in made], [r for _, r in made]
    plan = Plan(6, 2, drop_unreferenced=True)
    rows = readable.rows(hypotheses, references, plan)
    total = np.reshape(rows, (len(made), -1)).sum(axis=0).tolist()
    for threads in (1, 2, 3, 7, 64):
        assert fast.rows(hypotheses, references, plan, threads) == rows, threads
        assert fast.total(hypotheses, references, plan, threads) == total, threads


def test_started_threads_do_the_work_if_no_more_can_be_started(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    texts = ["".join(random.Random(9).choices("abcdefgh", k=2_000))] * 400
    want = fast.total(texts, texts, Plan(6, 0), 1)
    monkeypatch.setattr(fast, "start_new_thread", refuse)
    assert fast.total(texts, texts, Plan(6, 0), 4) == want


MANY = "".join(random.Random(7).choices("abcdefgh", k=5_000))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("hypotheses", "references", "char_order"),
    [
        pytest.param([MANY] * 400_000, [MANY] * 400_000, 6, id="many segments"),
        pytest.param([MANY] * 4_000, [MANY] * 4_000, 1_000, id="many orders"),
        pytest.param(["ab" * 1_000_000], ["ab" * 1_000_000], 1_000, id="one long segment"),
        pytest.param(["ab" * 1_000_000] * 2, ["ab" * 1_000_000] * 2, 1_000, id="one long segment for each thread"),
        pytest.param(["ab" * 5_000_000], ["ab" * 120], 1_000, id="one segment that is long on one side"),
    ],
)
def test_ctrl_c_ends_the_work_of_every_thread(hypotheses, references, char_order, threads):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            fast.total(hypotheses, references, Plan(char_order, 0), threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - start < 5  # all of it takes some twenty seconds


def long_texts(kind, number, length):
    random_ = np.random.default_rng(5)
    if kind == "ascii":
        drawn = random_.choice(np.frombuffer(b"abcdefghijklmnop    ", np.uint8), (number, length))
        return [text.tobytes().decode("ascii") for text in drawn]
    drawn = random_.integers(0x4E00, 0x5400, (number, length), np.uint16)
    drawn[:, ::7] = 0x20
    return [text.tobytes().decode("utf-16-le") for text in drawn]


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process of Windows")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("delay", [0.1, *in_long(0.4, 0.8)])
@pytest.mark.parametrize(("kind", "plan"), [("ascii", Plan(6, 2)), ("han", Plan(6, 2)), ("han", Plan(30, 0))])
def test_ctrl_c_ends_long_segments_in_less_than_half_a_second(kind, plan, delay, threads):
    texts = long_texts(kind, 4, 6_000_000)
    sent = []

    def interrupt():
        time.sleep(delay)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def count_forever():
        while True:  # a fast machine has counted once before the signal comes
            fast.total(texts[:2], texts[2:], plan, threads)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupting = threading.Thread(target=interrupt)
    try:
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            count_forever()
        time.sleep(0.2)  # threads that did not stop use up processor time meanwhile
        assert time.process_time() - sent[0] < 0.5 * threads
    finally:
        interrupting.join()
        signal.signal(signal.SIGINT, before)


def test_no_pairs_give_an_empty_table_and_a_zero_sum():
    assert fast.rows([], [], Plan(6, 0)) == readable.rows([], [], Plan(6, 0))
    assert fast.total([], [], Plan(1, 1)) == [0] * 6


def test_a_row_owns_its_integers():
    row = fast.row("a" * 1_000, "a" * 900, Plan(6, 0))
    others = [int(str(10**6 + i)) for i in range(1_000)]
    assert row == tuple(value for lost in range(6) for value in (1_000 - lost, 900 - lost, 900 - lost))
    assert len(others) == 1_000


def test_a_subclass_of_str_is_a_text():
    class Text(str):
        __slots__ = ()

    assert fast.row(Text("ab"), Text("abc"), Plan(2, 1)) == readable.row("ab", "abc", Plan(2, 1))
    assert fast.total([Text("ab")], [Text("abc")], Plan(2, 1)) == [2, 3, 2, 1, 2, 1, 1, 1, 0]


def test_error_names_a_value_that_is_not_a_text():
    with pytest.raises(UsageError, match=r"texts\[1\] is a bytes"):
        fast.row("a", b"a", Plan(6, 0))
    with pytest.raises(UsageError, match=r"references\[1\] is a int"):
        fast.rows(["a", "b"], ["a", 1], Plan(6, 0))
    with pytest.raises(UsageError, match="1 hypotheses and 2 references"):
        fast.rows(["a"], ["a", "b"], Plan(6, 0))
    with pytest.raises(TypeError, match=r"plan is \(6, 2\); a Plan was expected"):
        fast.row("a", "b", (6, 2))


def test_every_real_text_gives_the_readable_kernels_integers_at_every_level(data, whole):
    for path in sorted(path for path in data.rglob("*") if path.suffix == ".tsv" or path.name.startswith("example.")):
        table = [line.split("\t") for line in path.read_bytes().decode("utf-8").split("\n") if line]
        columns = list(zip(*table[:: 1 if whole else 20], strict=True))
        for hypotheses, references in itertools.pairwise([*columns, columns[0]]):
            want = readable.rows(hypotheses, references, Plan(6, 2))
            for name in LEVELS:
                fast.use_level(name)
                assert fast.rows(hypotheses, references, Plan(6, 2)) == want, (path.name, name)


@settings(max_examples=200)
@given(texts())
def test_words_equal_the_readable_kernel(text):
    want = readable.split_words(text)
    for name in LEVELS:
        fast.use_level(name)
        assert fast.split_words(text) == want, name
