"""Approximate randomization equals a naive loop over exact fractions, counts ties, and does not depend on threads."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_inference as naive
from chrfect.formulas import fscore
from chrfect.inference.randomize import randomize

counts = st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=9)


def table(rows):
    return np.array([(h, r, min(m, h, r)) for h, r, m in rows], np.int64)


@settings(max_examples=60, deadline=None)
@given(counts, st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_p_values_equal_exact_naive_ones(rows, random, seed):
    first = table(rows)
    second = table([(h + random.randint(0, 2), r, m + random.randint(0, 1)) for h, r, m in rows])
    expected = naive.randomization(first, second, 64, seed)
    assert randomize([first, second], naive.ratios, [(0, 1)], trials=64, seed=seed) == [expected]


def test_p_value_of_identical_systems_is_one():
    same = table([(5, 5, 3), (9, 8, 4), (2, 2, 0)])
    other = table([(5, 5, 4), (9, 8, 4), (2, 2, 0)])
    assert randomize([same, same.copy(), other], naive.ratios, [(0, 1)], trials=500) == [1.0]


def test_one_differing_segment_is_always_a_tie():
    first, second = table([(5, 5, 3), (9, 8, 4)]), table([(5, 5, 3), (9, 8, 7)])
    assert randomize([first, second], naive.ratios, [(0, 1)], trials=500) == [1.0]
    assert randomize([first, second], naive.ratios, [(0, 1)], trials=499, ties=False) == [1 / 500]


def test_p_value_of_a_pair_does_not_depend_on_order_other_systems_or_threads():
    generator = np.random.default_rng(5)
    tables = [
        np.sort(generator.integers(0, 40, (2_500, 24)).reshape(-1, 8, 3), axis=2)[:, :, ::-1].reshape(-1, 24).copy()
        for _ in range(4)
    ]

    def score(sums):
        return fscore.score_array(np.ascontiguousarray(sums).reshape(-1), 24, 2.0, "mean_precision_recall")

    pairs = list(combinations(range(4), 2))
    together = dict(zip(pairs, randomize(tables, score, pairs, trials=3_000), strict=True))
    assert len(set(together.values())) > 1
    assert randomize(tables, score, pairs, trials=3_000, threads=3) == list(together.values())
    for i, j in pairs:
        assert randomize([tables[j], tables[i]], score, [(0, 1)], trials=3_000) == [together[i, j]]


def test_seed_determines_the_result_and_none_draws_a_random_seed():
    first, second = table([(9, 9, i % 5) for i in range(40)]), table([(9, 9, (i + 1) % 6) for i in range(40)])
    found = {randomize([first, second], naive.ratios, [(0, 1)], trials=300, seed=seed)[0] for seed in range(6)}
    assert len(found) > 1
    assert randomize([first, second], naive.ratios, [(0, 1)], trials=300, seed=None)[0] == pytest.approx(
        naive.randomization(first, second, 3_000, 1), abs=0.12
    )
