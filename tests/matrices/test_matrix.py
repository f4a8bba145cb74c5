import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import ChrF, UsageError, kernels, parse
from chrfect.matrices.matrix import pairwise
from chrfect.metrics.base import MAX_THREADS, thread_number
from chrfect.metrics.registry import metric_names
from strategies import texts

METRICS = [
    ChrF(),
    ChrF(word_order=2),
    ChrF(char_order=0, word_order=4),
    ChrF(char_order=12, word_order=9, beta=3),
    ChrF(whitespace="keep", lowercase=True),
    ChrF(word_order=1, unit="byte", unreferenced="count"),
    ChrF(word_order=1, unit="grapheme", whitespace="keep"),
    ChrF(unit="grapheme", averaging="per_order_f"),
]


def one_by_one(metric, hypotheses, columns):
    return np.array([[metric.sentence(h, column).score for column in columns] for h in hypotheses])


@settings(max_examples=150)
@given(
    st.sampled_from(METRICS),
    st.lists(texts(), min_size=1, max_size=5),
    st.lists(st.one_of(texts(), st.lists(texts(), min_size=1, max_size=3)), min_size=1, max_size=5),
)
def test_each_cell_is_the_sentence_score(metric, hypotheses, columns):
    assert np.array_equal(pairwise(metric, hypotheses, columns), one_by_one(metric, hypotheses, columns))


@pytest.mark.parametrize("metric", METRICS[:4], ids=str)
def test_texts_of_every_length(metric):
    random_ = random.Random(5)
    pool = ["".join(random_.choices("abcde fg.\u4e00", k=length)) for length in (0, 1, 5, 63, 64, 65, 300, 600, 2_000)]
    assert np.array_equal(pairwise(metric, pool, pool), one_by_one(metric, pool, pool))


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel was not built here")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_levels_and_threads_do_not_change_the_result(threads):
    random_ = random.Random(6)
    pool = ["".join(random_.choices("abcde fg.", k=90)) for _ in range(40)]
    want = one_by_one(METRICS[1], pool, pool[:30])
    try:
        for level in kernels.compiled.levels():
            kernels.compiled.use_level(level)
            assert np.array_equal(pairwise(METRICS[1], pool, pool[:30], threads=threads), want)
            batch = pairwise(METRICS[1], [pool, pool[:3]], [pool[:30], pool], by_source=True, threads=threads)
            assert np.array_equal(batch[0], want)
            assert np.array_equal(batch[1], one_by_one(METRICS[1], pool[:3], pool))
    finally:
        kernels.compiled.use_level(kernels.compiled.levels()[-1])


def test_the_readable_kernel_gives_the_same_matrix():
    code = """
from chrfect import ChrF
from chrfect.matrices.matrix import pairwise
from chrfect.metrics.base import MAX_THREADS, thread_number
print(pairwise(ChrF(word_order=2), ["a cat", "the dog"], ["the cat", ["a dog", "dogs"]]).tolist())
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "CHRFECT_KERNEL": kernel},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernel in ("reference", "")
    }
    assert len(printed) == 1


def test_sacrebleu_gives_the_same_floats():
    from sacrebleu.metrics import CHRF

    peer = CHRF(word_order=2)
    hypotheses = ["the cat sat on the mat", "", "A cat, sat!"]
    references = ["the cat sat", "on the mat", "the mat (sat)"]
    want = [
        [peer.sentence_score(hypothesis, [reference]).score for reference in references] for hypothesis in hypotheses
    ]
    assert pairwise(ChrF(word_order=2), hypotheses, references).tolist() == want


def test_empty_input_gives_an_empty_matrix():
    assert pairwise(ChrF(), [], ["a"]).shape == (0, 1)
    assert pairwise(ChrF(), ["a"], []).shape == (1, 0)


@pytest.mark.parametrize(
    ("metric", "hypotheses", "references", "message"),
    [
        (3, ["a"], ["a"], "metric is 3; a metric was expected"),
        (ChrF(), "a", ["a"], "hypotheses is a str"),
        (ChrF(), ["a"], "a", "references is a str"),
        (ChrF(), ["a"], [["a"], []], r"references\[1\] is empty"),
        (ChrF(), ["a", 1], ["a"], "A text of hypotheses is a int"),
        (ChrF(), ["a"], [["a", None]], "A text of references is a NoneType"),
        (ChrF(), [["a"], ["b"]], [["a"]], "A text of hypotheses is a list.* Pass by_source=True"),
    ],
)
def test_invalid_arguments_are_rejected_by_name(metric, hypotheses, references, message):
    with pytest.raises(UsageError, match=message):
        pairwise(metric, hypotheses, references)


def test_rejects_different_numbers_of_lists_for_each_source():
    with pytest.raises(UsageError, match="2 lists of hypotheses and 1 lists of references"):
        pairwise(ChrF(), [["a"], ["b"]], [["a"]], by_source=True)


@pytest.mark.parametrize("name", [*metric_names(), "BLEU(tokenize=none)", "TER(normalized=yes)"])
def test_every_registered_metric_has_matrices_and_may_be_given_by_its_name(name):
    hypotheses, columns = ["the cat sat", "a dog sat"], ["the cat", ["a dog", "a cat sat"]]
    assert np.array_equal(pairwise(name, hypotheses, columns), one_by_one(parse(name), hypotheses, columns))


@pytest.mark.parametrize("threads", [0, -1, True, 2.0, "2"])
def test_rejects_a_fractional_number_of_threads(threads):
    with pytest.raises(UsageError, match=r"threads is .*; a whole number of at least 1 was expected"):
        pairwise(ChrF(), ["a"], ["a"], threads=threads)


def test_the_limit_of_threads_also_applies_to_the_environment(monkeypatch):
    monkeypatch.setenv("CHRFECT_THREADS", "1000000000")
    assert thread_number(None) == thread_number(10**9) == MAX_THREADS


@pytest.mark.skipif(kernels.compiled is None, reason="the readable kernel has no long work without Python")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")
def test_ctrl_c_ends_the_matrices_of_every_source():
    def interrupt(*_):
        raise KeyboardInterrupt

    pool = ["".join(random.Random(i).choices("abcdefgh", k=2_000)) for i in range(700)]
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            pairwise(ChrF(), [pool] * 2, [pool] * 2, by_source=True, threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - start < 10  # all of it takes more than a minute


@pytest.mark.parametrize("metric", [ChrF(), ChrF(word_order=2), ChrF(char_order=12, word_order=9)], ids=str)
def test_buffers_of_long_texts_do_not_affect_short_ones(metric):
    draw = random.Random(2)
    lengths = [3, 700, 0, 130, 600, 1, 513, 64, 512, 65]
    texts = ["".join(draw.choices("ab c日", k=length)) for length in lengths]
    want = [[metric.sentence(h, r).score for r in texts] for h in texts]
    assert pairwise(metric, texts, texts, threads=1).tolist() == want
    assert pairwise(metric, texts, texts[::-1], threads=2).tolist() == [row[::-1] for row in want]
