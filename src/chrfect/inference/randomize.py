"""Approximate randomization: the share of random exchanges with a difference at least as large as the observed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chrfect.inference.stream import Stream
from chrfect.inference.sums import Rows, check, in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.inference.bootstrap import Score
    from chrfect.inference.sums import Integers

SLACK = 1e-10
"""The tolerance for equal differences, which is larger than rounding errors and smaller than reported digits."""

_BLOCK_BYTES = 1 << 22


def randomize(
    tables: Sequence[Integers],
    score: Score,
    pairs: Sequence[tuple[int, int]],
    *,
    trials: int = 10_000,
    seed: int | None = 12345,
    threads: int = 1,
    ties: bool = True,
) -> list[float]:
    """Test pairs of systems by paired approximate randomization, two-sided (Noreen 1989; Riezler and Maxwell 2005).

    Each trial exchanges the two outputs of a segment with probability 1/2, and scores both sides. All pairs share
    the same exchanges.

    Parameters
    ----------
    tables : sequence of int64 arrays, (segments, columns)
        The counts of each system.
    score : callable
        From sums of counts (trials, columns) to scores.
    pairs : sequence of (int, int)
        The pairs of systems to compare, by index in `tables`.
    trials : int
        At least 1.
    seed : int or None
        The random seed.
    threads : int
        At least 1; the results do not depend on it.
    ties : bool
        Whether a trial with a difference equal to the observed one is counted, as a valid test requires. sacreBLEU
        does not count it.

    Returns
    -------
    list of float
        (1 + trials with a difference at least as large) / (1 + trials); 1 for equal outputs.

    Raises
    ------
    UsageError
        If the tables differ in length, or there are no segments or no trials.

    Examples
    --------
    >>> better, worse = np.array([[9], [8], [9], [7]]), np.array([[1], [2], [0], [1]])
    >>> randomize([better, worse, better], lambda sums: sums[:, 0] / 10, [(0, 1), (0, 2)], trials=999)
    [0.113, 1.0]
    """
    check(tables, trials)
    totals = [table.sum(axis=0) for table in tables]
    scores = score(np.array(totals))
    observed = [abs(float(scores[i]) - float(scores[j])) for i, j in pairs]
    width = tables[0].shape[1]
    others = Rows(np.concatenate([table - tables[0] for table in tables[1:]] or [tables[0][:, :0]], axis=1))

    def beyond(block: tuple[int, NDArray[np.uint8]]) -> NDArray[np.int64]:
        number, bits = block
        moved = np.zeros((len(tables), number, width), np.int64)
        moved[1:] = others.chosen(bits, number).reshape(number, len(tables) - 1, width).swapaxes(0, 1)
        counts = []
        for (i, j), difference in zip(pairs, observed, strict=True):
            exchanged = moved[i] - moved[j]
            drawn = np.abs(score(totals[j] + exchanged) - score(totals[i] - exchanged))
            counts.append(np.count_nonzero(drawn >= difference - SLACK if ties else drawn > difference))
        return np.array(counts)

    block = _BLOCK_BYTES // (8 * width * len(tables))
    blocks = Stream(seed).coins(trials, len(tables[0]), block)
    total = sum(in_threads(beyond, blocks, threads), np.zeros(len(pairs), np.int64))
    return [(1 + int(count)) / (1 + trials) for count in total]
