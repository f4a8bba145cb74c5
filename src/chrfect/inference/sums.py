"""Exact integer sums of randomly selected rows, with either kernel."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from chrfect import kernels
from chrfect.errors import UsageError
from chrfect.inference.stream import Stream, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[Any]

T = TypeVar("T")
S = TypeVar("S")

_INT16, _INT32 = 2**15 - 1, 2**31 - 1
_SHORT_ROWS = 32  # the minimum number of rows that int16 must be able to add
_LINE = 64
_BATCH = 1024
_EXACT_FLOAT = 2**53


class Rows:
    """Rows of integers, one for each segment, prepared for many sums.

    Parameters
    ----------
    table : array of int64, (segments, columns)
        At least one segment.

    Examples
    --------
    >>> rows = Rows(np.array([[1, 10], [2, 20], [3, 30]]))
    >>> rows.drawn(np.array([[0, 0, 2], [1, 1, 1]], np.int32)).tolist()
    [[5, 50], [6, 60]]
    """

    def __init__(self, table: Integers) -> None:
        self.table = np.ascontiguousarray(table, np.int64)
        segments, self._columns = self.table.shape
        most = int(np.abs(self.table).max(initial=0))
        self.largest_sum = most * max(segments, 1)
        """A bound of the absolute sums of as many rows as there are."""
        self._narrow: NDArray[np.int32] | None = None
        self._short: NDArray[np.int16] | None = None
        self._every = _INT16 // max(most, 1)
        if kernels.compiled is not None and sys.byteorder == "little" and self.largest_sum <= _INT32:
            group, chunk = kernels.compiled.PADDING
            self._narrow = self._padded(np.int32, group, chunk)
            if self._every >= _SHORT_ROWS:
                self._short = self._padded(np.int16, 1, chunk)

    def drawn(self, indices: NDArray[np.int32]) -> Integers:
        """Return the sums of the rows selected by each row of `indices`."""
        if self._narrow is None:
            return self._weighted(np.stack([np.bincount(row, minlength=len(self.table)) for row in indices]))
        out = np.empty((len(indices), self._columns), np.int64)
        assert kernels.compiled is not None
        if self._short is not None:
            kernels.compiled.sum_of_drawn_short(self._short, self._every, indices, out)
        else:
            kernels.compiled.sum_of_drawn(self._narrow, indices, out)
        return out

    def chosen(self, bits: NDArray[np.uint8], trials: int) -> Integers:
        """Return the sums of the rows whose coin is 1, for each trial of packed coins."""
        if self._narrow is None:
            return self._weighted(unpacked(bits, trials, len(self.table)))
        out = np.empty((trials, self._columns), np.int64)
        assert kernels.compiled is not None
        kernels.compiled.sum_of_chosen(self._narrow, bits, len(self.table), out)
        return out

    def _padded(self, kind: type[Any], group: int, chunk: int) -> NDArray[Any]:
        """Return the rows padded with zeros, from the start of a cache line on: a row across two lines costs twice."""
        rows, columns = -(-len(self.table) // group) * group, -(-self._columns // chunk) * chunk
        room = np.zeros(rows * columns * np.dtype(kind).itemsize + _LINE, np.uint8)
        first = -room.ctypes.data % _LINE
        padded: NDArray[Any] = room[first : first + len(room) - _LINE].view(kind).reshape(rows, columns)
        padded[: len(self.table), : self._columns] = self.table
        return padded

    def _weighted(self, weights: NDArray[np.integer]) -> Integers:
        """Return weights × rows, computed in floats, which are faster, if every sum is exact."""
        bound = int(np.abs(self.table).max(initial=0)) * int(weights.max(initial=0)) * len(self.table)
        if bound < _EXACT_FLOAT:
            product: Integers = (weights.astype(float) @ self.table.astype(float)).astype(np.int64)
            return product
        return weights.astype(np.int64) @ self.table


def resampled(
    tables: Sequence[Integers],
    stream: Stream,
    trials: int,
    threads: int,
    add: Callable[[Rows, NDArray[np.int32]], Integers] = Rows.drawn,
) -> Iterator[list[Integers]]:
    """Yield the sums of resamples of each table, (trials, columns), in batches of about a thousand trials.

    All tables are resampled with the same indices. Indices are generated in blocks that fit into the CPU cache,
    and sums are returned in batches, so that the overhead of scoring is small.
    """
    check(tables, trials)
    every = [Rows(table) for table in tables]
    batch: list[list[Integers]] = []
    number = 0
    blocks = stream.indices(trials, len(tables[0]))
    for sums in in_threads(lambda indices: [add(rows, indices) for rows in every], blocks, threads):
        batch.append(sums)
        number += len(sums[0])
        if number >= _BATCH:
            yield [np.concatenate(parts) for parts in zip(*batch, strict=True)]
            batch, number = [], 0
    if batch:
        yield [np.concatenate(parts) for parts in zip(*batch, strict=True)]


def check(tables: Sequence[Integers], trials: int) -> None:
    """Raise UsageError unless all tables have the same number of rows and there is at least one trial."""
    lengths = {len(table) for table in tables}
    if len(lengths) > 1:
        raise UsageError(f"The systems have {sorted(lengths)} segments; the same number was expected.")
    if lengths == {0}:
        raise UsageError("There are no segments to resample.")
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < 1:
        raise UsageError(f"trials is {trials!r}; a whole number of at least 1 was expected.")


def in_threads(function: Callable[[S], T], blocks: Iterator[S], threads: int) -> Iterator[T]:
    """Yield the results of a function in the order of its blocks, with at most two blocks per thread in memory."""
    if threads == 1:
        yield from map(function, blocks)
        return
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[T]] = deque()
        try:
            for block in blocks:
                waiting.append(pool.submit(function, block))
                if len(waiting) >= 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
