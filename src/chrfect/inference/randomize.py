"""Approximate randomization: how often a random exchange of outputs gives as large a difference as observed."""

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
"""Differences of scores closer than this are ties: far above the rounding of floats, far below any that is reported."""

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

    A trial exchanges the two outputs of each segment with probability 1/2 and scores both sides. All pairs share the
    exchanges.

    Parameters
    ----------
    tables : sequence of int64 arrays, (segments, columns)
        The counts of each system.
    score : callable
        From sums of counts (trials, columns) to scores.
    pairs : sequence of (int, int)
        Which systems to compare, by their places in `tables`.
    trials : int
        At least 1.
    seed : int or None
        The seed of the exchanges.
    threads : int
        At least 1; the results do not depend on it.
    ties : bool
        Whether a trial whose difference equals the observed one counts against it, as it must for the test to be valid.
        sacreBLEU leaves it out.

    Returns
    -------
    list of float
        (1 + trials with a difference at least as large) / (1 + trials); 1 for equal outputs.

    Raises
    ------
    UsageError
        If the tables differ in length, or there is no segment or no trial.

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
