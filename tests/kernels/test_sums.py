"""Sums over tables of counts are exact in both kernels, or raise an error."""

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import UsageError
from chrfect.kernels import readable

fast = pytest.importorskip("chrfect.kernels._fast", reason="the compiled kernel was not built here")

LARGEST = 2**63 - 1
INTEGERS = st.one_of(st.integers(-9, 9), st.integers(-LARGEST - 1, LARGEST), st.sampled_from([LARGEST, -LARGEST - 1]))


@pytest.fixture(params=[readable, fast], ids=["readable", "fast"])
def kernel(request):
    return request.param


@st.composite
def tables(draw):
    width, number = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    values = draw(st.lists(INTEGERS, min_size=width * number, max_size=width * number))
    return array("q", values), width


@given(tables())
def test_column_sums_are_the_sums_of_pythons_integers(table):
    rows, width = table
    want = [0] * width
    for i, value in enumerate(rows):
        want[i % width] += value
    assert readable.column_sums(rows, width) == fast.column_sums(rows, width) == want


@given(tables(), st.integers(1, 3), st.data())
def test_group_sums_are_the_sums_of_pythons_integers_or_an_error(table, number, data):
    rows, width = table
    groups = array("q", data.draw(st.lists(st.integers(0, number - 1), min_size=len(rows) // width, max_size=6)))
    groups = groups[: len(rows) // width]
    want = {(group, column): 0 for group in range(number) for column in range(width)}
    within = True
    for i, value in enumerate(rows):
        want[groups[i // width], i % width] += value
        within &= -LARGEST - 1 <= want[groups[i // width], i % width] <= LARGEST
    if within:
        want = array("q", want.values())
        assert readable.group_sums(rows, width, groups, number) == fast.group_sums(rows, width, groups, number) == want
        return
    for kernel in (readable, fast):
        with pytest.raises(OverflowError):
            kernel.group_sums(rows, width, groups, number)


def test_more_rows_than_are_summed_at_a_time(kernel):
    rows = np.arange(3_000_000, dtype=np.int64) * 2**40
    table, groups = memoryview(rows), memoryview(np.arange(1_000_000) % 7)
    assert kernel.column_sums(table, 3) == [int(rows[c::3].astype(object).sum()) for c in range(3)]
    rows //= 2**40
    want = [[int(rows.reshape(-1, 3)[group::7, c].sum()) for c in range(3)] for group in range(7)]
    assert np.array_equal(np.reshape(kernel.group_sums(table, 3, groups, 7), (7, 3)), want)


def test_a_sum_that_leaves_64_bits_is_exact_by_column_and_an_error_by_group(kernel):
    rows = array("q", [LARGEST, 1, LARGEST, 1])
    assert kernel.column_sums(rows, 2) == [2 * LARGEST, 2]
    with pytest.raises(OverflowError):
        kernel.group_sums(rows, 2, array("q", [0, 0]), 1)
    assert kernel.group_sums(rows, 2, array("q", [1, 0]), 3).tolist() == [LARGEST, 1, LARGEST, 1, 0, 0]


def test_rejects_values_that_are_not_tables(kernel):
    rows, groups = array("q", [1, 2, 3, 4]), array("q", [0, 1])
    for width in (0, -1, 3):
        with pytest.raises(UsageError, match=f"4 integers cannot be divided into rows of {width} columns"):
            kernel.column_sums(rows, width)
        with pytest.raises(UsageError, match=f"4 integers cannot be divided into rows of {width} columns"):
            kernel.group_sums(rows, width, groups, 2)
    with pytest.raises(UsageError, match="2 rows and 1 groups"):
        kernel.group_sums(rows, 2, groups[:1], 2)
    for wrong in (2, -1):
        with pytest.raises(UsageError, match=rf"groups\[1\] is {wrong}; a number from 0 to 1"):
            kernel.group_sums(rows, 2, array("q", [0, wrong]), 2)


def test_no_rows_sum_to_zeros(kernel):
    assert kernel.column_sums(array("q"), 2) == [0, 0]
    assert kernel.group_sums(array("q"), 2, array("q"), 2).tolist() == [0, 0, 0, 0]
