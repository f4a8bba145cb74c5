"""Sums of selected rows equal naive loops, in both kernels and for all integer sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import kernels
from chrfect.errors import UsageError
from chrfect.inference.stream import Stream, unpacked
from chrfect.inference.sums import Rows, check, in_threads, resampled


@pytest.fixture(params=[*(kernels.compiled.levels() if kernels.compiled else []), "readable"])
def kernel(request, monkeypatch):
    """Use one vector level of the compiled kernel, or the readable kernel."""
    if request.param == "readable":
        monkeypatch.setattr(kernels, "compiled", None)
        yield
        return
    before = kernels.compiled.level()
    kernels.compiled.use_level(request.param)
    yield
    kernels.compiled.use_level(before)


@pytest.mark.parametrize("most", [3, 300, 1_023, 1_024, 40_000, 2**31, 2**55])
@pytest.mark.parametrize(("segments", "columns"), [(1, 1), (5, 24), (128, 32), (131, 33), (700, 70)])
def test_sums_equal_naive_loops(kernel, segments, columns, most):
    generator = np.random.default_rng(segments * columns)
    table = generator.integers(-most, most + 1, (segments, columns))
    rows, numbers = Rows(table), table.tolist()

    def naive(chosen):
        return [sum(numbers[i][c] for i in chosen) for c in range(columns)]

    indices = next(Stream(1).indices(7, segments))
    for trial, sums in zip(indices.tolist(), rows.drawn(indices), strict=True):
        assert sums.tolist() == naive(trial)
    number, bits = next(Stream(2).coins(37, segments, 64))
    for coins, sums in zip(unpacked(bits, number, segments), rows.chosen(bits, number), strict=True):
        assert sums.tolist() == naive(np.flatnonzero(coins).tolist())


def test_one_outlier_does_not_overflow_the_sums_of_its_group(kernel):
    table = np.ones((300, 3), np.int64)
    table[200] = 2**22
    number, bits = next(Stream(3).coins(50, 300))
    assert np.array_equal(Rows(table).chosen(bits, number), unpacked(bits, number, 300).astype(np.int64) @ table)


@pytest.mark.parametrize("value", [1, 32, 992, 1_023, 1_024, 32_767])
def test_sums_of_equal_rows_do_not_overflow(kernel, value):
    indices = next(Stream(1).indices(3, 5_000))
    assert Rows(np.full((5_000, 3), value)).drawn(indices).tolist() == [[5_000 * value] * 3] * len(indices)
    assert Rows(np.full((5_000, 3), -value)).drawn(indices).tolist() == [[-5_000 * value] * 3] * len(indices)


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel is not installed")
def test_rejects_tables_of_wrong_shape():
    rows, out = np.zeros((128, 32), np.int32), np.zeros((40, 32), np.int64)
    with pytest.raises(ValueError, match="too few bits"):
        kernels.compiled.sum_of_chosen(rows, np.zeros(100, np.uint8), 128, out)
    with pytest.raises(ValueError, match="shapes of the tables do not match"):
        kernels.compiled.sum_of_chosen(rows, np.zeros(10_000, np.uint8), 129, out)
    with pytest.raises(ValueError, match="shapes of the tables do not match"):
        kernels.compiled.sum_of_drawn(rows, np.zeros((39, 2), np.int32), out)
    with pytest.raises(ValueError, match="shapes of the tables do not match"):
        kernels.compiled.sum_of_drawn_short(rows.astype(np.int16), 0, np.zeros((40, 2), np.int32), out)


@given(st.integers(1, 5), st.integers(0, 30))
def test_threads_keep_the_order_of_blocks(threads, blocks):
    assert list(in_threads(lambda value: value * value, iter(range(blocks)), threads)) == [i * i for i in range(blocks)]


def test_an_error_in_a_thread_is_raised():
    def fail(value):
        if value == 3:
            raise RuntimeError("three")
        return value

    with pytest.raises(RuntimeError, match="three"):
        list(in_threads(fail, iter(range(100)), 2))


@pytest.mark.parametrize(
    ("lengths", "trials", "message"),
    [((2, 3), 10, r"\[2, 3\] segments"), ((0, 0), 10, "no segment"), ((2, 2), 0, "trials is 0"), ((2,), 1.5, "trials")],
)
def test_rejects_input_that_cannot_be_resampled(lengths, trials, message):
    with pytest.raises(UsageError, match=message):
        check([np.zeros((length, 2), np.int64) for length in lengths], trials)


def test_resamples_arrive_in_batches_whose_size_does_not_grow_with_the_trials():
    table = np.arange(300).reshape(100, 3)
    sizes = [len(sums) for (sums,) in resampled([table], Stream(1), 10_000, 1)]
    assert sum(sizes) == 10_000
    assert max(sizes) < 2_000
