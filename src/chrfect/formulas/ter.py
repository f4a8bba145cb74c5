"""TER from counts: edits divided by the mean length of the references (Snover et al. 2006).

A row has the number of edits of each kind, then one column for each number *k* of references, in ascending order. The
column is the total length of all references of the segments with *k* references. The reference length of the row is the
sum over these columns, each divided by its *k*.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32, float64, int64
    from numpy.typing import NDArray

EDITS = ("insertions", "deletions", "substitutions", "shifts")
KINDS = len(EDITS)

_PREFIX = "reference_length."


def columns(numbers: Sequence[int]) -> tuple[str, ...]:
    """Return the names of a row's columns, given the numbers of references that segments have.

    Examples
    --------
    >>> columns([1, 4])
    ('insertions', 'deletions', 'substitutions', 'shifts', 'reference_length.1', 'reference_length.4')
    """
    return (*EDITS, *(f"{_PREFIX}{number}" for number in numbers))


def numbers_of(names: Sequence[str]) -> tuple[int, ...] | None:
    """Return the numbers of references for which there are columns; None if they are not columns of TER.

    Examples
    --------
    >>> numbers_of(columns([1, 4])), numbers_of(["matches"])
    ((1, 4), None)
    """
    ends = [name.removeprefix(_PREFIX) for name in names[KINDS:]]
    numbers = tuple(int(end) for end in ends if end.isascii() and end.isdecimal() and len(end) < 10)
    known = 0 not in numbers and list(numbers) == sorted(set(numbers)) and columns(numbers) == tuple(names)
    return numbers if known else None


def edits(row: Sequence[int]) -> int:
    """Return the number of edits.

    Examples
    --------
    >>> edits((1, 0, 2, 1, 12))
    4
    """
    return sum(row[:KINDS])


def length(row: Sequence[int], numbers: Sequence[int]) -> Fraction:
    """Return the reference length, a sum of means.

    Examples
    --------
    >>> length((1, 0, 2, 1, 12, 11), (1, 3))
    Fraction(47, 3)
    """
    return sum((Fraction(total, number) for total, number in zip(row[KINDS:], numbers, strict=True)), Fraction(0))


def fraction(row: Sequence[int], numbers: Sequence[int]) -> Fraction:
    """Return the exact score: 100 × edits ÷ reference length. If the length is 0, it is 100, or 0 without edits.

    Examples
    --------
    >>> fraction((1, 0, 2, 1, 12), (1,)), fraction((0, 2, 0, 0, 0), (1,)), fraction((0, 0, 0, 0, 0), (1,))
    (Fraction(100, 3), Fraction(100, 1), Fraction(0, 1))
    """
    number, words = edits(row), length(row, numbers)
    if words:
        return 100 * number / words
    return Fraction(100 if number else 0)


def score(row: Sequence[int], numbers: Sequence[int], added: float | None = None) -> float:
    """Return the score as sacreBLEU's float.

    Parameters
    ----------
    row, numbers
        The counts, and the numbers of references in them.
    added : float, optional
        The reference length from :func:`added_length`; by default the exact length, rounded once.

    Examples
    --------
    >>> score((1, 0, 2, 1, 12), (1,))
    33.33333333333333
    """
    number, words = edits(row), float(length(row, numbers)) if added is None else added
    if words > 0:
        return 100 * (number / words)
    return 100.0 if number else 0.0


def added_length(rows: Sequence[int], numbers: Sequence[int]) -> float:
    """Return the reference length of many rows as sacreBLEU computes it: a running sum of floats.

    Examples
    --------
    >>> added_length([0, 0, 0, 0, 11] * 10, (3,)), float(length([0, 0, 0, 0, 110], (3,)))
    (36.666666666666664, 36.666666666666664)
    """
    total = 0.0
    for value in _lengths(_table(rows, len(numbers)), numbers).tolist():
        total += value
    return total


def scores(rows: Sequence[int], numbers: Sequence[int]) -> NDArray[float64]:
    """Return the score of each of many rows as sacreBLEU's float.

    Examples
    --------
    >>> scores([1, 0, 2, 1, 12, 0, 1, 0, 0, 0], (1,)).tolist()
    [33.33333333333333, 100.0]
    """
    import numpy as np

    table = _table(rows, len(numbers))
    number, words = table[:, :KINDS].sum(axis=1), _lengths(table, numbers)
    empty = words == 0
    found = np.asarray(100 * np.where(empty, number > 0, number / np.where(empty, 1.0, words)))
    for i in np.flatnonzero(np.count_nonzero(table[:, KINDS:], axis=1) > 1):  # sums of segments, not of floats
        found[i] = score(table[i].tolist(), numbers)
    return found


def single_precision(rows: Sequence[int], numbers: Sequence[int]) -> NDArray[float32]:
    """Return the score of each of many rows as sacreBLEU's bootstrap computes it, in float32.

    Examples
    --------
    >>> single_precision([1, 0, 2, 1, 12, 0, 1, 0, 0, 0], (1,)).tolist()
    [33.333335876464844, 100.0]
    """
    import numpy as np

    table = _table(rows, len(numbers))
    number = table[:, :KINDS].sum(axis=1).astype(np.float32)
    words = _lengths(table, numbers).astype(np.float32)
    empty = words == 0
    shares = np.where(empty, (number > 0).astype(np.float32), number / np.where(empty, np.float32(1), words))
    return np.asarray(np.float32(100) * shares, np.float32)


def _table(rows: Sequence[int], numbers: int) -> NDArray[int64]:
    import numpy as np

    return np.asarray(rows, np.int64).reshape(-1, KINDS + numbers)


def _lengths(table: NDArray[int64], numbers: Sequence[int]) -> NDArray[float64]:
    """Return the reference length of each row, as a float."""
    import numpy as np

    return np.asarray((table[:, KINDS:] / np.array(numbers, np.int64)).sum(axis=1))
