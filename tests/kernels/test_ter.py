"""Both kernels count TER's edits like sacreBLEU and the naive oracle, for all texts and lengths."""

import itertools
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import translation_edit_rate

import ter_oracle
from chrfect import UsageError
from chrfect.kernels import readable_ter
from chrfect.text.tercom import Tercom, reference_words, words
from conftest import in_long
from realdata import read_tsv
from strategies import pairs

PLAIN = Tercom()
CHOICES = [Tercom(*choice) for choice in itertools.product([False, True], repeat=4)]
LENGTHS = [0, 1, 2, 24, 25, 26, 27, 49, 50, 51, 63, 64, 65, 100, 127, 128, 129, 200]


@pytest.fixture
def fast():
    kernel = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    yield kernel
    kernel.use_level(kernel.levels()[-1])


def levels(kernel):
    """Use one vector level after another."""
    for level in kernel.levels():
        kernel.use_level(level)
        yield level


def shuffled(draw, left, steps):
    """Return words with blocks moved and single words replaced."""
    right = list(left)
    for _ in range(steps):
        start = draw.randrange(len(right) + 1)
        block = right[start : start + draw.randrange(1, 13)]
        del right[start : start + len(block)]
        target = min(len(right), max(0, start + draw.randrange(-60, 60)))
        right[target:target] = block
        if right and draw.random() < 0.4:
            right[draw.randrange(len(right))] = draw.choice(left or ["x"])
    return right


def random_pairs(seed, number, lengths):
    """Yield pairs of word sequences with many and with few repeats, related and not."""
    draw = random.Random(seed)
    for _ in range(number):
        number_left, number_right = draw.choice(lengths), draw.choice(lengths)
        few = [500] if number_left * number_right > 1_000 else [1, 2, 3, 5, 10, 40]  # or sacreBLEU takes minutes
        vocabulary = [f"w{i}" for i in range(draw.choice(few))]
        left = draw.choices(vocabulary, k=number_left)
        if draw.random() < 0.6:
            yield left, shuffled(draw, left, draw.randrange(6) if number_left < 80 else 1)
        else:
            yield left, draw.choices(vocabulary, k=number_right)


def row_of(left, right):
    return readable_ter.ter_row(" ".join(left), " ".join(right), PLAIN)


small = st.lists(st.sampled_from("abcd"), max_size=9)


@given(small, small)
def test_edits_of_short_texts_equal_the_naive_oracle(left, right):
    assert list(row_of(left, right)) == ter_oracle.row(left, right)


@pytest.mark.parametrize("seed", range(3))
def test_readable_kernel_equals_the_naive_oracle(seed):
    for left, right in random_pairs(seed, 8, [0, 1, 5, 12, 20]):
        assert list(row_of(left, right)) == ter_oracle.row(left, right)


@pytest.mark.parametrize("seed", [0, *in_long(1, 2, 3)])
def test_edits_equal_sacrebleu(fast, seed):
    for left, right in random_pairs(100 + seed, 25, LENGTHS):
        edits, length = translation_edit_rate(left, right)
        for level in levels(fast):
            row = fast.ter_row(" ".join(left), " ".join(right), PLAIN)
            assert (sum(row[:4]), row[4]) == (edits, length), level


@pytest.mark.parametrize("seed", [0, *in_long(1, 2, 3)])
def test_every_level_equals_the_readable_kernel(fast, seed):
    for left, right in random_pairs(200 + seed, 12, LENGTHS[:14]):
        want = row_of(left, right)
        for level in levels(fast):
            assert fast.ter_row(" ".join(left), " ".join(right), PLAIN) == want, level


@pytest.mark.parametrize("seed", range(2))
def test_edits_of_every_level_equal_the_readable_kernel(fast, seed):
    """In rows of bits and, where sides differ much in length, in cells."""
    draw = random.Random(seed)
    wide = [(draw.choices("abc", k=draw.randrange(1, 4)), draw.choices("abc", k=draw.randrange(41, 200)))]
    shifts = 0
    for left, right in [*random_pairs(300 + seed, 12, LENGTHS[:12]), *wide, ([], []), (["a"], []), ([], ["a"])]:
        want = readable_ter.ter_edits(left, right)
        shifts += len(want.shifts)
        for level in levels(fast):
            assert fast.ter_edits(left, right) == want, level
    assert shifts


def test_the_edits_of_long_texts_turn_the_hypothesis_into_the_reference(fast):
    """10,000 words in rows of bits, and 12,000, which need too many masks, in cells."""
    draw = random.Random(3)
    for number in (10_000, 12_000):
        reference = [str(draw.randrange(10**9)) for _ in range(number)]
        hypothesis = [*reference[5:30], *reference[:5], "x", *reference[31:9_000], *reference[9_002:], "y"]
        found = fast.ter_edits(hypothesis, reference)
        words = hypothesis
        for shift in found.shifts:
            words = shift.apply(words)
        made, left, right = [], iter(words), iter(reference)
        for operation in found.operations:
            word = next(left) if operation != "i" else None
            made += [next(right)] if operation in "si" else [word] if operation == "=" else []
            assert operation != "=" or word == next(right)
        assert made == reference
        assert len(found.shifts) == 1
        assert {kind: found.operations.count(kind) for kind in "sdi"} == {"s": 1, "d": 1, "i": 2}


@pytest.mark.parametrize("left", [1, 2, 3, 7, 20, 300])
@pytest.mark.parametrize("right", [1, 25, 39, 40, 41, 51, 52, 79, 81, 101, 280])
def test_texts_of_very_different_length_equal_sacrebleu(fast, left, right):
    draw = random.Random(left * right)
    for vocabulary in (3, 5_000):
        if vocabulary == 3 and left * right > 1_500:
            continue  # sacreBLEU would take minutes
        hypothesis = [str(draw.randrange(vocabulary)) for _ in range(left)]
        reference = [str(draw.randrange(vocabulary)) for _ in range(right)]
        row = fast.ter_row(" ".join(hypothesis), " ".join(reference), PLAIN)
        assert (sum(row[:4]), row[4]) == translation_edit_rate(hypothesis, reference)


@pytest.mark.parametrize("left", [0, 1, 700, *in_long(1_999, 2_000)])
@pytest.mark.parametrize("right", [0, 3, 1_000, *in_long(2_000)])
def test_long_texts_equal_sacrebleu(fast, left, right):
    """Texts that share few words, two of them swapped, so that sacreBLEU tries few shifts."""
    hypothesis, reference = [f"h{i}" for i in range(left)], [f"r{i}" for i in range(right)]
    for at in range(20, min(left, right) - 1, 450):
        hypothesis[at], hypothesis[at + 1] = "x", f"y{at}"
        reference[at], reference[at + 1] = f"y{at}", "x"
    row = fast.ter_row(" ".join(hypothesis), " ".join(reference), PLAIN)
    assert (sum(row[:4]), row[4]) == translation_edit_rate(hypothesis, reference)


def test_search_stops_after_a_thousand_candidate_shifts(fast):
    """Texts of two repeated words: words of short texts are shifted, those of the longest text are not."""
    draw = random.Random(1)
    shifts = []
    for number in (6, 8, 10, 12, 16, 20, 24, 30, 40, 60):
        left, right = draw.choices("ab", k=number), draw.choices("ab", k=number)
        row = fast.ter_row(" ".join(left), " ".join(right), PLAIN)
        assert sum(row[:4]) == translation_edit_rate(left, right)[0]
        shifts.append(row[3])
    assert row == row_of(left, right)
    assert all(shifts[:-1])
    assert not shifts[-1]


def test_references_too_long_for_masks_are_computed_cell_by_cell(fast):
    """More than 2²¹ mask words: 12,000 words, all different."""
    reference = [str(i) for i in range(12_000)]
    hypothesis = reference[:5_000] + reference[5_003:5_030] + reference[5_000:5_003] + ["x"] + reference[5_030:]
    assert fast.ter_row(" ".join(hypothesis), " ".join(reference), PLAIN) == (0, 1, 0, 1, 12_000)
    short = reference[:9_000]
    hypothesis = [*short[5:30], *short[:5], *short[30:]]
    assert fast.ter_row(" ".join(hypothesis), " ".join(short), PLAIN) == (0, 0, 0, 1, 9_000)


@settings(max_examples=300)
@given(pairs(surrogates=True), st.sampled_from(CHOICES))
def test_texts_of_any_script_equal_the_readable_kernel(pair, choices):
    kernel = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    want = readable_ter.ter_row(*pair, choices)
    for level in levels(kernel):
        assert kernel.ter_row(*pair, choices) == want, level


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_every_code_point_equals_the_readable_kernel(fast, choices, whole):
    """The compiled kernel reads a text as the words that the readable one makes of it, whatever the width."""
    kept = Tercom(case_sensitive=True)
    for wide, begin, end in (("", 0, 0x100), ("\u4e00", 0, 0x10000), ("\U0001f600", 0xF800, 0x20000)):
        for first in range(begin, end, 0x800 if whole else 0x7800):
            text = " ".join([wide, *(f"a{chr(c)}B" for c in range(first, min(first + 0x800, end)))])
            as_words = words(text, choices)
            if not choices.normalized and not choices.no_punct:
                assert fast.ter_row(text, " ".join(as_words), choices)[:4] == (0, 0, 0, 0), hex(first)
                assert fast.ter_row(" ".join(as_words), text, choices)[4] == len(as_words), hex(first)
            else:
                number = len(reference_words(text, choices))
                assert fast.ter_row("", text, choices) == (number, 0, 0, 0, number), hex(first)
                assert fast.ter_row(text, "", choices) == (0, len(as_words), 0, 0, 0), hex(first)
            assert fast.ter_row(" ".join(as_words), " ".join(as_words), kept)[:4] == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "choices", "row"),
    [
        ("", "", PLAIN, (0, 0, 0, 0, 0)),
        ("a b", "", PLAIN, (0, 2, 0, 0, 0)),
        ("", "a b c", PLAIN, (3, 0, 0, 0, 3)),
        (" \u3000\n", "a", PLAIN, (1, 0, 0, 0, 1)),
        ("?!...", "( )", Tercom(no_punct=True), (0, 0, 0, 0, 0)),
        ("?!...", "a", Tercom(no_punct=True), (1, 0, 0, 0, 1)),
        ("。、", "漢字", Tercom(no_punct=True, asian_support=True), (1, 0, 0, 0, 1)),
        ("。、", "漢字", Tercom(no_punct=True), (0, 0, 1, 0, 1)),
        ("ΟΔΟΣ İ", "οδος i\u0307", PLAIN, (0, 0, 0, 0, 2)),
        ("THE CAT", "the cat", PLAIN, (0, 0, 0, 0, 2)),
        ("THE CAT", "the cat", Tercom(case_sensitive=True), (0, 0, 2, 0, 2)),
    ],
)
def test_edge_cases(fast, hypothesis, reference, choices, row):
    assert readable_ter.ter_row(hypothesis, reference, choices) == row
    assert fast.ter_row(hypothesis, reference, choices) == row


@pytest.mark.parametrize("choices", [PLAIN, Tercom(True, False, True, True), Tercom(True, True), Tercom(False, True)])
def test_real_segments_equal_sacrebleu(fast, data, choices):
    metric = TER(*choices)
    for path in sorted(data.glob("wmt23/generaltest2023.*.tsv")):
        rows = read_tsv(path)
        reference = next(name for name in rows[0] if name.startswith("ref"))
        system = next(name for name in rows[0] if name.startswith("hyp"))
        hypotheses, references = [row[system] for row in rows], [row[reference] for row in rows]
        short = [i for i, text in enumerate(references) if len(text) < 200][:40]
        hypotheses, references = [hypotheses[i] for i in short], [references[i] for i in short]
        counted = fast.ter_rows(hypotheses, references, choices)
        statistics = metric._extract_corpus_statistics(hypotheses, [references])
        assert [sum(counted[at : at + 4]) for at in range(0, len(counted), 5)] == [edits for edits, _ in statistics]
        assert list(counted[4::5]) == [length for _, length in statistics]


MARKS = ["'s", "’s", ",", ".", "-", "!", "(", "。", "&quot;", "&amp;", "lt;", " ", "\n", "\t", "\u2028"]
PIECES = ["a", "St.", "1", "3", "猫", "Σ", *MARKS]


@settings(max_examples=400)
@given(*[st.lists(st.sampled_from(PIECES), max_size=14).map("".join)] * 2, st.sampled_from(CHOICES))
def test_marks_and_entities_are_prepared_like_in_sacrebleu(hypothesis, reference, choices):
    """sacreBLEU prepares a reference twice and a hypothesis once."""
    kernel = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")
    [(edits, length)] = TER(*choices)._extract_corpus_statistics([hypothesis], [[reference]])
    for row in (readable_ter.ter_row(hypothesis, reference, choices), kernel.ter_row(hypothesis, reference, choices)):
        assert (sum(row[:4]), row[4]) == (edits, length)


def test_threads_do_not_change_the_counts(fast):
    sides = [(" ".join(left), " ".join(right)) for left, right in random_pairs(7, 3_000, [0, 3, 10, 25])]
    hypotheses, references = zip(*sides, strict=True)
    one = fast.ter_rows(hypotheses, references, PLAIN)
    assert one[:50] == readable_ter.ter_rows(hypotheses[:10], references[:10], PLAIN)
    assert fast.ter_rows(hypotheses, references, PLAIN, 2) == one
    assert fast.ter_rows(hypotheses, references, PLAIN, 7) == one


def test_threads_count_texts_that_python_lower_cases(fast):
    hypotheses, references = ["ΟΔΟΣ the CAT"] * 9_000, ["οδος THE cap"] * 9_000
    assert fast.ter_rows(hypotheses, references, PLAIN, 4).tolist() == [0, 0, 1, 0, 3] * 9_000


def test_arrow_texts_are_counted_without_a_copy(fast):
    pyarrow = pytest.importorskip("pyarrow")
    texts, others = ["the cat", "", "Ä Σ 漢"], ["THE CAP", "x", "ä ς 漢"]
    arrays = fast.ArrowTexts(pyarrow.array(texts)), fast.ArrowTexts(pyarrow.array(others))
    assert fast.ter_rows(*arrays, PLAIN) == readable_ter.ter_rows(texts, others, PLAIN)


def test_rejects_different_numbers_of_texts(fast):
    for kernel in (fast, readable_ter):
        with pytest.raises(UsageError, match="2 hypotheses and 1 references"):
            kernel.ter_rows(["a", "b"], ["a"], PLAIN)


SLOW = {
    "many shifts": "('a b c d e ' * 40_000, 'e d c b a ' * 40_000)",
    "all different": "(' '.join(map(str, range(300_000))), ' '.join(map(str, range(299_999, -1, -1))))",
    "a wide beam": "('a b', 'b a ' * 400_000)",
    "many segments": "('a b c d e f g h i j ' * 20, 'j b i c h d g e f a ' * 20)",
}


CALLS = {
    "one thread": "_fast.ter_rows([h] * 2_000, [r] * 2_000, Tercom(), 1)",
    "two threads": "_fast.ter_rows([h] * 2_000, [r] * 2_000, Tercom(), 2)",
    "edits": "_fast.ter_edits(left, right)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT of one's own there")
@pytest.mark.parametrize("call", [*in_long("one thread"), "two threads", "edits"])
@pytest.mark.parametrize("pair", SLOW.values(), ids=SLOW)
def test_ctrl_c_ends_the_count_within_half_a_second(fast, pair, call):
    """Of processor time in each thread, so that a busy machine does not matter."""
    code = f"""
import signal, sys, threading, time
from chrfect.kernels import _fast
from chrfect.text.tercom import Tercom

sent = []

def interrupt():
    sent.append(time.process_time())
    signal.raise_signal(signal.SIGINT)

h, r = {pair}
left, right = h.split(), r.split()
threading.Timer(0.7, interrupt).start()
try:
    while True:
        {CALLS[call]}
except KeyboardInterrupt:
    time.sleep(0.2)  # threads that did not stop use up processor time meanwhile
    print(time.process_time() - sent[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert float(done.stdout) < 0.5 * (2 if call == "two threads" else 1)
