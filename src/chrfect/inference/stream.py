"""The random numbers of all tests, which are those of sacreBLEU, generated in blocks.

sacreBLEU uses ``numpy.random.default_rng(seed)``: coins with ``integers(2, dtype=bool)``, which is the lowest bit of
each 32-bit word, and indices with ``choice``, which is Lemire's reduction (2019) of 32-bit words. A stream returns
the same numbers without storing all trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from chrfect import kernels
from chrfect.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INDICES = 1 << 15  # a block fits into the CPU cache
_COINS = 1 << 24
_SPARE = 64  # words after the last coin, for kernels that read beyond it


class Stream:
    """The 32-bit words of PCG64 (O'Neill 2014), the low half of each 64-bit output first.

    Parameters
    ----------
    seed : int or None
        0 or more; None to let the operating system select one.

    Examples
    --------
    >>> [indices.tolist() for indices in Stream(12345).indices(2, 4)]
    [[[2, 0, 3, 1], [0, 3, 2, 2]]]
    >>> np.random.default_rng(12345).choice(4, (2, 4)).tolist()
    [[2, 0, 3, 1], [0, 3, 2, 2]]
    """

    def __init__(self, seed: int | None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
            raise UsageError(f"seed is {seed!r}; a whole number of at least 0, or None, was expected.")
        self._generator = np.random.PCG64(seed)
        self._words = np.empty(0, np.uint32)

    def indices(self, trials: int, size: int, block: int | None = None) -> Iterator[NDArray[np.int32]]:
        """Yield blocks (trials, size) of indices below `size`, drawn with replacement."""
        block = block or max(1, _INDICES // size)
        for start in range(0, trials, block):
            out = np.empty((min(block, trials - start), size), np.int32)
            self._fill(out.reshape(-1), size)
            yield out

    def coins(self, trials: int, size: int, block: int | None = None) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield blocks (number of trials, packed bits) with `size` adjacent coins per trial, the lowest bit first.

        The bits are followed by others, with which the next coins begin. Every block has a multiple of 32 trials,
        except the last.
        """
        block = max(32, (block or _COINS // size) // 32 * 32)
        for start in range(0, trials, block):
            number = min(block, trials - start)
            words = self._take(-(-number * size // 32), _SPARE)
            yield number, words.astype("<u4", copy=False).view(np.uint8)

    def _fill(self, out: NDArray[np.int32], size: int) -> None:
        if size == 1:  # NumPy uses no random numbers here
            out[:] = 0
            return
        done = 0
        while done < len(out):
            words = self._take(len(out) - done)
            used, drawn = _indices(words, size, out[done:])
            self._words = np.concatenate([words[used:], self._words])
            done += drawn

    def _take(self, number: int, spare: int = 0) -> NDArray[np.uint32]:
        """Return the next words, and after them `spare` words that stay in the stream."""
        missing = number + spare - len(self._words)
        if missing > 0:
            outputs = np.atleast_1d(self._generator.random_raw((missing + 1) // 2))
            words = outputs.astype("<u8", copy=False).view("<u4")
            self._words = np.concatenate([self._words, words]) if len(self._words) else words
        words, self._words = self._words[: number + spare], self._words[number:]
        return words


def _indices(words: NDArray[np.uint32], size: int, out: NDArray[np.int32]) -> tuple[int, int]:
    if kernels.compiled is not None:
        used, drawn = kernels.compiled.indices(words, size, out)
        return used, drawn
    return readable_indices(words, size, out)


def readable_indices(words: NDArray[np.uint32], size: int, out: NDArray[np.int32]) -> tuple[int, int]:
    """Fill `out` with indices below `size`; return the number of used words and of generated indices.

    The compiled kernel must return the same.
    """
    products = words.astype(np.uint64) * np.uint64(size)
    accepted = np.flatnonzero((products & np.uint64(0xFFFFFFFF)) >= (2**32 - size) % size)[: len(out)]
    out[: len(accepted)] = (products[accepted] >> np.uint64(32)).astype(np.int32)
    return int(accepted[-1]) + 1 if len(accepted) == len(out) else len(words), len(accepted)


def unpacked(bits: NDArray[np.uint8], trials: int, size: int) -> NDArray[np.uint8]:
    """Return packed coins as 0 and 1, (trials, size)."""
    return np.unpackbits(bits, count=trials * size, bitorder="little").reshape(trials, size)
