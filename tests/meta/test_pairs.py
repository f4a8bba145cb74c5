"""Pair comparisons are five integers, which are the same for all counting methods."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from chrfect.errors import UsageError
from chrfect.meta import PairCounts, compare_pairs
from chrfect.meta.pairs import (
    PAIR_STATISTICS,
    _by_blocks,
    _by_sorting,
    accuracy,
    classes,
    copies,
    kendall_a,
    kendall_b,
    kendall_c,
    pair_sums,
    wmt12,
    wmt13,
    wmt14,
)
from naive_meta import kinds

score = st.one_of(st.integers(-3, 3).map(float), st.just(math.nan), st.floats(-1e6, 1e6))
table = st.lists(st.tuples(score, score), max_size=90)


@given(table, st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.0, 1.0, 0.3]))
def test_counts_equal_a_loop_over_pairs(rows, margin, epsilon):
    human, metric = [h for h, _ in rows], [m for _, m in rows]
    counts = compare_pairs(human, metric, margin=margin, epsilon=epsilon)
    assert [*vars(counts).values()] == kinds(human, metric, margin, epsilon)
    present = sum(not (math.isnan(h) or math.isnan(m)) for h, m in rows)
    assert counts.pairs == present * (present - 1) // 2


@pytest.mark.parametrize("members", [0, 1, 2, 63, 64, 65, 500, 3000])
@pytest.mark.parametrize("levels", [1, 2, 7, 10**9])
def test_listing_blocks_and_sorting_agree(members, levels):
    generator = np.random.default_rng(members)
    human, metric = generator.integers(0, levels, (2, members)).astype(float)
    by_sorting = _by_sorting(human, metric, 0.0, 0.0)
    assert by_sorting.tolist() == _by_blocks(human, metric, 0.0, 0.0).tolist() == pair_sums(human, metric).tolist()


def test_a_batch_of_tables_is_counted_like_each_alone():
    generator = np.random.default_rng(1)
    human, metric = generator.integers(0, 4, (2, 3, 5, 7)).astype(float)
    batch = pair_sums(human, metric)
    assert batch.shape == (3, 5, 5)
    for index in np.ndindex(3, 5):
        assert batch[index].tolist() == kinds(human[index], metric[index])


@pytest.mark.parametrize("seed", range(12))
def test_the_kendall_family_equals_scipy(seed):
    generator = np.random.default_rng(seed)
    human, metric = generator.integers(0, 2 + seed, (2, 8 + 20 * seed)).astype(float)
    sums = np.concatenate([pair_sums(human, metric), classes(human, metric)])
    for ours, variant in ((kendall_b, "b"), (kendall_c, "c")):
        theirs = scipy.stats.kendalltau(human, metric, variant=variant).statistic
        assert ours(sums) == pytest.approx(theirs, abs=1e-14)
    distinct_human, distinct_metric = generator.permutation(9) / 2, generator.permutation(9) * 1.5
    no_ties = pair_sums(distinct_human, distinct_metric)
    assert kendall_a(no_ties) == pytest.approx(scipy.stats.kendalltau(distinct_human, distinct_metric).statistic)


def test_the_relative_ranking_variants_equal_manual_results():
    counts = np.array([6, 2, 1, 2, 3])
    assert kendall_a(counts) == 4 / 14
    assert wmt12(counts) == (6 - 2 - 2) / 10  # metric ties are errors, human ties do not exist
    assert wmt13(counts) == 4 / 8  # no tie exists
    assert wmt14(counts) == 4 / 10  # a metric tie is neither right nor wrong
    assert accuracy(counts) == 9 / 14  # a tie is right where humans tie
    assert kendall_b(counts) == pytest.approx(4 / math.sqrt(9 * 10))


@pytest.mark.parametrize("variant", ["wmt12", "wmt14"])
def test_the_asymmetric_variants_change_when_the_sides_are_swapped(variant):
    human, metric = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.0, 4.0]
    value = PAIR_STATISTICS[variant]
    assert value(pair_sums(human, metric)) != value(pair_sums(metric, human))


@pytest.mark.parametrize("members", [2, 3, 5, 50, 3001])
def test_perfect_agreement_is_exactly_one(members):
    sums = pair_sums(np.arange(members) / 3, np.arange(members) * 7.0)
    assert all(PAIR_STATISTICS[name](sums) == 1.0 for name in PAIR_STATISTICS if name != "kendall-c")


def test_value_without_pairs_is_undefined():
    assert all(np.isnan(value(np.zeros(7, int))) for value in PAIR_STATISTICS.values())
    assert compare_pairs([], []) == compare_pairs([1.0], [1.0]) == PairCounts(0, 0, 0, 0, 0)


def test_copies_are_the_pairs_of_equal_identities():
    assert copies(np.array([[3, 1, 3, 3, 1], [-1, -1, -1, 0, 1]])).tolist() == [4, 0]


def test_rejects_a_negative_threshold():
    with pytest.raises(UsageError, match=r"margin is 0\.0 and epsilon is -1"):
        compare_pairs([1, 2], [1, 2], epsilon=-1)
