"""Ranks by both rules."""

import numpy as np
import pytest

from chrfect.errors import UsageError
from chrfect.inference.clusters import rank_clusters


def test_a_rank_is_compared_with_the_first_of_its_cluster():
    values = {"low": 0.1, "best": 0.9, "near": 0.88, "none": None, "far": 0.5}
    p = dict.fromkeys([("best", "near"), ("near", "far"), ("far", "low")], 0.5) | {
        ("best", "far"): 0.01,
        ("low", "best"): 0.001,
    }
    assert rank_clusters(values, p) == {"best": 1, "near": 1, "far": 2, "low": 2, "none": None}
    assert list(rank_clusters(values, p)) == ["best", "near", "far", "low", "none"]
    assert np.unique([*rank_clusters({"a": 1.0, "b": 0.5}, {("a", "b"): None}).values()]).tolist() == [1]


VALUES = {"A": 0.9, "B": 0.8, "C": 0.7}


def test_wmt_compares_with_every_member_of_the_cluster_and_the_corrected_rule_with_the_first():
    p = {("A", "B"): 0.4, ("A", "C"): 0.2, ("B", "C"): 0.01}
    assert list(rank_clusters(VALUES, p).values()) == [1, 1, 1]
    assert list(rank_clusters(VALUES, p, rule="wmt").values()) == [1, 1, 2]


def test_wmt_compares_with_the_current_cluster_alone():
    p = {("A", "B"): 0.01, ("A", "C"): 0.01, ("B", "C"): 0.5}
    assert list(rank_clusters(VALUES, p, rule="wmt").values()) == [1, 2, 2]


def test_a_p_value_equal_to_the_level_separates_by_the_rule_of_wmt_alone():
    p = {("A", "B"): 0.05, ("A", "C"): 0.05, ("B", "C"): 0.05}
    assert list(rank_clusters(VALUES, p, 0.05).values()) == [1, 1, 1]
    assert list(rank_clusters(VALUES, p, 0.05, "wmt").values()) == [1, 2, 3]


def test_rejects_an_unknown_rule():
    with pytest.raises(UsageError, match="rule is 'first'; one of corrected, wmt was expected"):
        rank_clusters(VALUES, {}, rule="first")
