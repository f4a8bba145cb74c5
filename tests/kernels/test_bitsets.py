"""Bitsets of matrices compared with scores of single pairs, and with cell by cell computation."""

import random
import signal
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrfect import ChrF, kernels
from chrfect.matrices.matrix import pairwise
from strategies import texts

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel was not built here")

METRICS = [
    ChrF(),
    ChrF(word_order=2),
    ChrF(char_order=0, word_order=3, unreferenced="count"),
    ChrF(char_order=12, word_order=9, beta=3, whitespace="keep"),
    ChrF(word_order=1, averaging="per_order_f"),
    ChrF(char_order=3, averaging="per_order_f", unreferenced="count"),
]


@contextmanager
def bitsets(which, level=None):
    before = kernels.compiled.level()
    kernels.compiled.use_bitsets(which)
    kernels.compiled.use_level(level or before)
    try:
        yield
    finally:
        kernels.compiled.use_bitsets(None)
        kernels.compiled.use_level(before)


def one_by_one(metric, hypotheses, columns):
    return np.array([[metric.sentence(h, column).score for column in columns] for h in hypotheses])


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_each_cell_is_the_sentence_score(data):
    metric = data.draw(st.sampled_from(METRICS))
    hypotheses = data.draw(st.lists(texts(), min_size=1, max_size=10))
    column = st.one_of(st.sampled_from(hypotheses), texts(), st.lists(texts(), min_size=1, max_size=3))
    columns = data.draw(st.one_of(st.just(hypotheses), st.lists(column, min_size=1, max_size=10)))
    with bitsets(True, data.draw(st.sampled_from(kernels.compiled.levels()))):
        assert np.array_equal(pairwise(metric, hypotheses, columns), one_by_one(metric, hypotheses, columns))


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_candidates_that_are_the_references_fill_both_halves(metric):
    draw = random.Random(1)
    pool = ["".join(draw.choices("aab cd.", k=draw.choice([0, 1, 5, 64, 65, 130]))) for _ in range(21)]
    pool += pool[:3]
    want = one_by_one(metric, pool, pool)
    for which in (True, False):
        with bitsets(which):
            assert np.array_equal(pairwise(metric, pool, list(pool)), want)


@pytest.mark.parametrize("threads", [1, 3])
def test_tiles_of_a_large_matrix_equal_its_cells(threads):
    draw = random.Random(2)
    words = ["the", "cat", "sat", "on", "a", "mat", "日本", "x."]
    pool = [" ".join(draw.choices(words, k=draw.randrange(8))) for _ in range(600)]
    columns = [pool[:300], *pool[:150], *([a, b] for a, b in zip(pool[200:400], pool[400:600], strict=True))]
    for metric in METRICS[1:5:3]:
        for hypotheses, references in ((pool, pool), (pool[:280], columns)):
            with bitsets(False):
                walked = pairwise(metric, hypotheses, references, threads=threads)
            with bitsets(True):
                assert np.array_equal(pairwise(metric, hypotheses, references, threads=threads), walked)
            rows = draw.sample(range(len(hypotheses)), 5)
            chosen = draw.sample(range(len(references)), 20)
            want = one_by_one(metric, [hypotheses[i] for i in rows], [references[j] for j in chosen])
            assert np.array_equal(walked[np.ix_(rows, chosen)], want)


def test_bitsets_that_would_be_too_large_are_not_created():
    draw = random.Random(3)
    pool = ["".join(chr(0x20000 + draw.randrange(20_000)) for _ in range(4_000)) for _ in range(32)]
    metric = ChrF(char_order=80)
    with bitsets(False):
        walked = pairwise(metric, pool, pool[::-1])
    with bitsets(True):
        assert np.array_equal(pairwise(metric, pool, pool[::-1]), walked)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")
@pytest.mark.parametrize("which", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_matrix_of_many_orders_at_once(which, threads):
    struck = []

    def interrupt(*_):
        struck.append(time.process_time())
        raise KeyboardInterrupt

    draw = random.Random(4)
    pool = ["".join(draw.choices("ab", k=2_000)) for _ in range(300)]
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with bitsets(which), pytest.raises(KeyboardInterrupt):
            pairwise(ChrF(char_order=500), pool, pool, threads=threads)
        ended = time.process_time()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ended - struck[0] < 0.5
