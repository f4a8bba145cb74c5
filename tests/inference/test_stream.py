"""A stream has the same numbers as NumPy's generator, for any block size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import kernels
from chrfect.errors import UsageError
from chrfect.inference.stream import Stream, readable_indices, unpacked

seeds = st.integers(0, 2**64)


@given(seeds, st.integers(1, 40), st.integers(1, 300), st.none() | st.integers(1, 50))
def test_indices_equal_numpy_choice(seed, trials, size, block):
    drawn = np.concatenate(list(Stream(seed).indices(trials, size, block)))
    assert np.array_equal(drawn, np.random.default_rng(seed).choice(size, (trials, size), replace=True))


@given(seeds, st.integers(1, 100), st.integers(1, 70), st.none() | st.integers(1, 70))
def test_coins_equal_numpy_integers(seed, trials, size, block):
    blocks = Stream(seed).coins(trials, size, block)
    drawn = np.concatenate([unpacked(bits, number, size) for number, bits in blocks])
    assert np.array_equal(drawn, np.random.default_rng(seed).integers(2, size=(trials, size), dtype=bool))


@given(seeds, st.integers(1, 70), st.integers(1, 70))
def test_indices_continue_the_stream_of_the_coins(seed, trials, size):
    stream, generator = Stream(seed), np.random.default_rng(seed)
    list(stream.coins(trials, size, 32))
    generator.integers(2, size=(trials, size), dtype=bool)
    drawn = np.concatenate(list(stream.indices(5, size, 2)))
    assert np.array_equal(drawn, generator.choice(size, (5, size)))


@pytest.mark.skipif(kernels.compiled is None, reason="the compiled kernel is not installed")
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=60), st.integers(2, 2**31 - 1), st.integers(1, 60))
def test_the_compiled_reduction_equals_the_readable_one(words, size, wanted):
    words = np.array(words, np.uint32)
    ours, readable = np.zeros(wanted, np.int32), np.zeros(wanted, np.int32)
    used, drawn = kernels.compiled.indices(words, size, ours)
    assert (used, drawn) == readable_indices(words, size, readable)
    assert np.array_equal(ours[:drawn], readable[:drawn])


def test_biased_random_words_are_rejected():
    size = 2**31 - 2**20  # rejects about one word in 2,048
    words = np.random.PCG64(7).random_raw(50_000).view(np.uint32)
    out = np.zeros(100_000, np.int32)
    used, number = readable_indices(words, size, out)
    expected = np.random.default_rng(7).integers(0, size, number)
    assert used > number
    assert np.array_equal(out[:number], expected)


@pytest.mark.parametrize("seed", [-1, True, 1.5, "1"])
def test_rejects_values_that_are_not_seeds(seed):
    with pytest.raises(UsageError, match="a whole number of at least 0"):
        Stream(seed)
