"""Rank ranges and clusters from the pairs with significant differences."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from chrfect.inference.ranges import rank_ranges


@st.composite
def rankings(draw):
    scores = draw(st.lists(st.integers(0, 20).map(float), min_size=1, max_size=8))
    pairs = list(combinations(range(len(scores)), 2))
    return scores, set(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


@given(rankings())
def test_ranges_count_those_that_are_better_or_worse(ranking):
    scores, different = ranking
    ranks = rank_ranges(scores, different)
    for i, rank in enumerate(ranks):
        others = [j for j in range(len(scores)) if j != i and (min(i, j), max(i, j)) in different]
        assert rank.best == 1 + sum(scores[j] > scores[i] for j in others)
        assert rank.worst == len(scores) - sum(scores[j] < scores[i] for j in others)


@given(rankings())
def test_clusters_are_the_finest_that_significance_separates(ranking):
    """A cut is allowed where every system before it is significantly better than every system after it."""
    scores, different = ranking
    ranks = rank_ranges(scores, different)

    def better(i, j):
        return scores[i] > scores[j] and (min(i, j), max(i, j)) in different

    for i, j in combinations(range(len(scores)), 2):
        if ranks[i].cluster != ranks[j].cluster:
            first, second = (i, j) if ranks[i].cluster < ranks[j].cluster else (j, i)
            assert better(first, second)
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    cuts = sum(all(better(a, b) for a in order[:cut] for b in order[cut:]) for cut in range(1, len(scores)))
    assert max(rank.cluster for rank in ranks) == 1 + cuts
