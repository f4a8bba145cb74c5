"""Corrected p-values equal SciPy's where it has them."""

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from chrfect.errors import UsageError
from chrfect.inference.corrections import adjust

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(p_values)
def test_false_discovery_rates_equal_scipy(values):
    for ours, theirs in (("benjamini-hochberg", "bh"), ("benjamini-yekutieli", "by")):
        expected = scipy.stats.false_discovery_control(values, method=theirs)
        assert adjust(values, ours) == pytest.approx(expected.tolist())


@given(p_values)
def test_holm_equals_its_definition(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    expected, running = [0.0] * len(values), 0.0
    for step, index in enumerate(order):
        running = max(running, (len(values) - step) * values[index])
        expected[index] = min(1.0, running)
    assert adjust(values, "holm") == pytest.approx(expected)
    assert all(h <= b + 1e-15 for h, b in zip(adjust(values, "holm"), adjust(values, "bonferroni"), strict=True))


def test_undefined_tests_do_not_count_in_corrections():
    assert adjust([None, 0.02, None], "bonferroni") == [None, 0.02, None]
    assert adjust([0.2, 0.1], "none") == [0.2, 0.1]
    assert adjust([], "holm") == []


def test_rejects_an_unknown_correction():
    with pytest.raises(UsageError, match="correction is 'fdr'"):
        adjust([0.1], "fdr")


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan")])
def test_rejects_values_that_are_not_probabilities(p):
    with pytest.raises(UsageError, match=r"numbers from 0 to 1"):
        adjust([0.02, None, p], "holm")
