"""Random numbers for resampling: indices with replacement, coin flips, and exchanges of pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw(generator: np.random.Generator, number: int, size: int, resample: bool = True) -> NDArray[np.int64]:
    """Return indices of shape (number, size): drawn with replacement, or 0 to size - 1 in order.

    Examples
    --------
    >>> draw(np.random.default_rng(0), 1, 3, resample=False).tolist()
    [[0, 1, 2]]
    """
    if resample:
        return generator.integers(0, size, (number, size))
    return np.broadcast_to(np.arange(size), (number, size))


def coins(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return random bits, eight from each random byte."""
    number = math.prod(shape)
    return np.unpackbits(generator.integers(0, 256, -(-number // 8), np.uint8), count=number).view(bool).reshape(shape)


def exchanges(pairs: int) -> NDArray[np.bool_]:
    """Return all exchanges of the members of some pairs, of shape (2 ** (pairs - 1), pairs).

    The first pair is never exchanged: exchanging the complement gives the same absolute difference.

    Examples
    --------
    >>> exchanges(2).tolist()
    [[False, False], [False, True]]
    """
    numbers = np.arange(1 << (pairs - 1))[:, None]
    flips: NDArray[np.bool_] = (numbers >> np.arange(pairs - 1, -1, -1)) & 1 == 1
    return flips
