"""Minimum Bayes risk decoding compared with sacreBLEU, fastchrf, and sums of fractions."""

import random
import signal
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import ChrF, UsageError, mbr, parse
from chrfect.matrices import mbr as module
from strategies import texts

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dogs", "ran", "日本", "off"]


def samples(sources, candidates, seed=1, length=8):
    draw = random.Random(seed)
    return [[" ".join(draw.choices(WORDS, k=length)) for _ in range(candidates)] for _ in range(sources)]


def exact_utilities(metric, candidates, references, weights):
    """Return utilities as fractions, one call for each pair; a float where the score is irrational."""
    whole = sum(map(Fraction, weights))

    def score(hypothesis, reference):
        result = metric.sentence(hypothesis, reference)
        return Fraction(result.score) if result.score_fraction is None else result.score_fraction

    return [
        sum(Fraction(w) * score(c, r) for r, w in zip(references, weights, strict=True)) / whole for c in candidates
    ]


def peer(name):
    from sacrebleu.metrics import BLEU, CHRF, TER

    return {
        "chrF": lambda: CHRF(),
        "chrF++": lambda: CHRF(word_order=2),
        "wordF": lambda: CHRF(char_order=0, word_order=4),
        "BLEU": lambda: BLEU(effective_order=True),
        "TER": lambda: TER(),
    }[name]()


@pytest.mark.parametrize("name", ["chrF", "chrF++", "wordF", "BLEU", "TER"])
def test_utilities_and_selection_equal_a_loop_over_sacrebleu(name):
    scorer, given = peer(name), samples(3, 12)
    given[0][5] = given[0][2]
    found, selected = mbr.utilities(name, given, threads=2), mbr.select(name, given)
    for candidates, values, choice in zip(given, found, selected, strict=True):
        loop = [sum(scorer.sentence_score(h, [r]).score for r in candidates) / len(candidates) for h in candidates]
        assert np.allclose(values, loop, rtol=1e-12, atol=1e-10)
        best = min(loop) if name == "TER" else max(loop)
        assert choice.index == next(i for i, value in enumerate(loop) if abs(value - best) < 1e-9)
        assert choice.text == candidates[choice.index]
        assert choice.utility == pytest.approx(best)


def test_utilities_and_aggregate_equal_fastchrf():
    fastchrf = pytest.importorskip("fastchrf")
    given = [*samples(4, 20), ["", "a", "ab c"], ["", ""]]
    matrices = fastchrf.pairwise_chrf(given, given)
    for values, matrix in zip(mbr.utilities("chrF", given), matrices, strict=True):
        assert np.allclose(values, np.mean(matrix, axis=1), rtol=1e-12, atol=1e-10)
    aggregated = fastchrf.aggregate_chrf(given, given)
    for values, theirs in zip(mbr.utilities("chrF", given, method="aggregate"), aggregated, strict=True):
        assert np.allclose(values, theirs, rtol=1e-12, atol=1e-10)


METRICS = ["chrF", "chrF++(averaging=per_order_f)", "chrF(char_order=2,unreferenced=count)", "BLEU(tokenize=none)"]
short = st.sampled_from(["", "a", "b", "ab", "ba", "a b", "b a", "c", "日"])


@settings(max_examples=60)
@given(st.data(), st.sampled_from([*METRICS, "TER"]))
def test_candidates_are_ordered_by_exact_utility_and_ties_go_to_the_first(data, name):
    metric = parse(name)
    candidates = data.draw(st.lists(st.one_of(short, texts()), min_size=1, max_size=6))
    references = data.draw(st.one_of(st.none(), st.lists(short, min_size=1, max_size=5)))
    pseudo = candidates if references is None else references
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(pseudo), max_size=len(pseudo)).filter(any))
    want = exact_utilities(metric, candidates, pseudo, weights)
    sign = 1 if metric.lower_is_better else -1
    places = sorted(range(len(candidates)), key=lambda i: (sign * want[i], i))
    distinct = [(candidates[i], i) for i in places if candidates.index(candidates[i]) == i]
    chosen = mbr.select(metric, [candidates], None if references is None else [references], weights=[weights], top=10)[
        0
    ]
    assert [(choice.text, choice.index) for choice in chosen] == distinct
    assert [choice.utility for choice in chosen] == pytest.approx([float(want[i]) for _, i in distinct], abs=1e-9)


def test_scores_that_differ_only_in_the_last_bit_of_their_floats_are_a_tie():
    candidates = ["ab cd ef", "cd ab ef", "ef ab cd", "xyz", "uvw"]
    exact = exact_utilities(parse("wordF(word_order=1)"), candidates, candidates, [1] * 5)
    assert exact[0] == exact[1] == exact[2] > exact[3]
    weights = [[0.1, 0.2, 0.3, 0.2, 0.2]]
    chosen = mbr.select("wordF(word_order=1)", [candidates], weights=weights, top=3)[0]
    assert [choice.index for choice in chosen] == [0, 1, 2]


def test_float_weight_has_the_value_of_its_decimal_notation():
    # 0.1 + 0.2 as floats is more than 0.3; as written it is a tie, which the first candidate wins
    selected = mbr.select("chrF", [["aa", "bb"]], [["aa", "bb", "bb"]], weights=[[0.3, 0.1, 0.2]])[0]
    assert selected.index == 0


def test_identical_candidates_are_listed_once_with_summed_weights():
    candidates = ["a b", "c", "a b", "c", "c"]
    values = mbr.utilities("chrF", [candidates])[0]
    assert values.tolist() == pytest.approx([40, 60, 40, 60, 60])
    chosen = mbr.select("chrF", [candidates], top=9)[0]
    assert [(choice.text, choice.index) for choice in chosen] == [("c", 1), ("a b", 0)]


@pytest.mark.parametrize("block", [1, 3, 7])
def test_blocks_do_not_change_the_result(monkeypatch, block):
    given = samples(2, 10)
    want = [(choice.text, choice.index) for choice in mbr.select("chrF++", given)]
    values = mbr.utilities("chrF++", given)
    monkeypatch.setattr(module, "BLOCK", block)
    assert [(choice.text, choice.index) for choice in mbr.select("chrF++", given)] == want
    assert np.allclose(mbr.utilities("chrF++", given), values, rtol=1e-13)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_result(threads):
    given = samples(7, 12)
    assert mbr.select("chrF", given, threads=threads) == mbr.select("chrF", given, threads=1)
    assert mbr.select("chrF", given[:1], threads=threads) == mbr.select("chrF", given[:1], threads=1)


def test_memory_does_not_grow_with_the_square_of_the_candidates():
    import tracemalloc

    given = [[f"{i:05d}" for i in range(4_500)]]
    tracemalloc.start()
    try:
        mbr.utilities(ChrF(char_order=1), given, threads=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 4_500**2 / 2  # NumPy reports its arrays; the whole matrix would be 162 MB


def test_progress_counts_sources():
    calls = []
    mbr.select("chrF", samples(3, 2), threads=2, progress=lambda done, whole: calls.append((done, whole)))
    assert calls == [(1, 3), (2, 3), (3, 3)]


def naive_aggregate(hypothesis, references, order=3):
    """Return chrF of mean counts as fractions, following the definition."""

    def grams(text, n):
        text = "".join(text.split())
        return Counter(text[i : i + n] for i in range(len(text) - n + 1))

    precisions, recalls = [], []
    for n in range(1, order + 1):
        own, mean = grams(hypothesis, n), Counter()
        for reference in references:
            for gram, count in grams(reference, n).items():
                mean[gram] += Fraction(count, len(references))
        if own and mean:
            matches = sum(min(count, mean[gram]) for gram, count in own.items())
            precisions.append(Fraction(matches) / sum(own.values()))
            recalls.append(matches / sum(mean.values()))
    if not precisions or not sum(precisions):
        return Fraction(0)
    p, r = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * 5 * p * r / (4 * p + r)


@settings(max_examples=80)
@given(st.lists(st.text("ab c", max_size=6), min_size=1, max_size=5))
def test_the_aggregate_follows_its_definition(candidates):
    values = mbr.utilities("chrF(char_order=3)", [candidates], method="aggregate")[0]
    assert values.tolist() == [float(naive_aggregate(c, candidates)) for c in candidates]


def test_weights_of_the_aggregate_are_repetitions():
    candidates = ["a cat sat", "the cat", "a mat"]
    weighted = mbr.utilities("chrF++", [candidates], weights=[[0.5, 1.5, 1]], method="aggregate")[0]
    repeated = ["a cat sat", "the cat", "the cat", "the cat", "a mat", "a mat"]
    assert weighted.tolist() == mbr.utilities("chrF++", [candidates], [repeated], method="aggregate")[0].tolist()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {"top": 0}, "top is 0; a whole number of at least 1"),
        ((["ab"],), {}, r"candidates\[0\] is a str; a list was expected"),
        (("ab",), {}, "candidates is a str; a list was expected"),
        (([["a"], []],), {}, r"candidates\[1\] is empty; at least one text"),
        (([["a", None]],), {}, r"candidates\[0\]\[1\] is a NoneType; a text"),
        (([["a"]], [["a"], ["b"]]), {}, "1 lists of candidates and 2 lists of references"),
        (([["a"]],), {"weights": [[1, 2]]}, r"weights\[0\] has 2 entries for 1 pseudo-references"),
        (([["a"]],), {"weights": [[-1]]}, r"weights\[0\] has -1; a finite number of at least 0"),
        (([["a"]],), {"weights": [[float("nan")]]}, r"weights\[0\] has nan"),
        (([["a"]],), {"weights": [["1"]]}, r"weights\[0\] has '1'"),
        (([["a"]],), {"weights": [[0]]}, r"weights\[0\] are all 0"),
        (([["a"]],), {"method": "fast"}, "method is 'fast'; 'exact' or 'aggregate' was expected"),
    ],
)
def test_invalid_arguments_are_rejected_with_their_position(arguments, options, message):
    with pytest.raises(UsageError, match=message):
        mbr.select("chrF", *arguments, **options)


@pytest.mark.parametrize("name", ["BLEU", "TER"])
def test_rejects_the_aggregate_for_metrics_other_than_f_scores(name):
    with pytest.raises(UsageError, match=f"{name} has no aggregated reference"):
        mbr.utilities(name, [["a"]], method="aggregate")


def test_ctrl_c_ends_the_work_of_all_threads():
    def interrupt(*_):
        raise KeyboardInterrupt

    given = [["".join(random.Random(i).choices("abcdefgh", k=2_000)) for i in range(700)]] * 2
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            mbr.select(ChrF(), given, threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - start < 10


def test_the_aggregate_of_real_outputs_errs_by_half_a_point_and_mostly_selects_the_same(data):
    import lzma

    lines = lzma.decompress((data / "wmt-systems" / "newstest2019.de-en.tsv.xz").read_bytes()).decode().split("\n")
    head, *rows = [line.split("\t") for line in lines if line]
    outputs = [row[head.index("reference") + 1 :] for row in rows[:100]]
    pairs = zip(mbr.utilities("chrF", outputs), mbr.utilities("chrF", outputs, method="aggregate"), strict=True)
    assert 0.2 < np.mean([abs(one - other).mean() for one, other in pairs]) < 1
    selected = zip(mbr.select("chrF", outputs), mbr.select("chrF", outputs, method="aggregate"), strict=True)
    assert 0.9 < np.mean([one.index == other.index for one, other in selected]) < 1
