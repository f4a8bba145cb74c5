"""Many threads have the same results as one, with the interpreter's lock and without it."""

import gc
import random
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest

from chrfect import ChrF, pairwise
from chrfect.formulas import fscore
from chrfect.kernels import Plan, readable

fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

ALPHABETS = ["abcdefg .", "aé語\U0001f600 ,"]
THREADS = 8
ROUNDS = 6


def text(random_):
    return "".join(random_.choices(random_.choice(ALPHABETS), k=random_.choice([0, 5, 60, 300, 600])))


@pytest.fixture
def hurried():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    fast.use_level(fast.levels()[-1])


def together(*tasks):
    """Run tasks at the same time, each in a thread of its own; raise the first error."""
    errors = []
    start = threading.Barrier(len(tasks))

    def run(task):
        try:
            start.wait(60)
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_with_shared_inputs_equal_the_readable_kernel(hurried):
    random_ = random.Random(11)
    texts, others = [text(random_) for _ in range(400)], [text(random_) for _ in range(400)]
    tokens = [one.split() for one in texts]
    lists = [[one.split(), two.split()] for one, two in zip(others, reversed(others), strict=True)]
    metric = ChrF(word_order=2)
    plan = Plan(6, 2, drop_unreferenced=True)
    table = readable.rows(texts, others, plan)
    total = readable.total(texts, others, plan)
    flat, starts = [one for of_segment in lists for one in of_segment], range(0, 2 * len(lists) + 1, 2)
    joined = [" ".join(one) for one in flat]
    clipped = readable.bleu_rows(tokens, flat, starts, None, 4)
    cut = readable.bleu_rows(texts, joined, starts, "13a", 4)
    few, columns = texts[:12], others[:12]
    scores = [[fscore.score(readable.row(h, r, plan), 2.0, metric.averaging) for r in columns] for h in few]
    width = len(metric.columns)
    done = threading.Event()

    def work(number):
        draw = random.Random(number)
        for _ in range(ROUNDS):
            threads = draw.randint(1, 8)
            assert fast.rows(texts, others, plan, threads) == table
            assert fast.total(texts, others, plan, threads) == total
            assert fast.bleu_rows(tokens, flat, starts, None, 4, threads) == clipped
            assert fast.bleu_rows(texts, joined, starts, "13a", 4, threads) == cut
            assert np.array_equal(pairwise(metric, few, columns, threads=threads), scores)
            for _ in range(50):
                at = draw.randrange(len(texts))
                assert metric.sentence(texts[at], others[at]).values == tuple(table[at * width : (at + 1) * width])

    def disturb():
        while not done.wait(0.0005):
            fast.use_level(random.choice(fast.levels()))
            loop = [bytearray(1_000)]
            loop.append(loop)
            gc.collect(0)

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    try:
        together(*(lambda number=number: work(number) for number in range(THREADS)))
    finally:
        done.set()
        disturbing.join()


def test_threads_that_compute_a_cached_result_together_get_the_same_one(hurried):
    hypotheses, references = ["the cat", "a dog", "é 語"] * 300, ["the cap", "a dog", "é 話"] * 300
    want = [ChrF().sentence(*pair) for pair in zip(hypotheses, references, strict=True)]
    segments = ChrF().segments(hypotheses, references)

    def ask():
        assert segments.scores == [result.score for result in want]
        assert segments.score_texts == [result.score_text for result in want]
        assert segments.score_array.tolist() == segments.scores

    together(*[ask] * THREADS)


def test_texts_stay_alive_until_they_are_counted(hurried):
    texts = [f"the cat sat{'.' * 500}" for _ in range(2_000)]
    others = list(texts)
    done = threading.Event()

    def replace():
        while not done.is_set():
            for i in range(len(texts)):
                texts[i] = f"the cat sat{'.' * 500}"

    replacing = threading.Thread(target=replace)
    replacing.start()
    try:
        for _ in range(20):
            assert fast.total(texts, others, Plan(1, 0), 4) == [509 * 2_000] * 3
            assert fast.only_texts(texts)
    finally:
        done.set()
        replacing.join()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has the lock always")
def test_importing_the_kernel_does_not_enable_the_gil():
    code = "import sys, chrfect.kernels._fast; print(sys._is_gil_enabled())"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
