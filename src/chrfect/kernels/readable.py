"""The readable kernel, in pure Python. The compiled kernel must return the same integers.

A character n-gram is a slice of a unit string; a word n-gram is a tuple of tokens. Each order has three counts: the
n-grams of the hypothesis, the n-grams of the reference, and the clipped matches. The clipped matches are the sum, over
distinct n-grams, of the smaller of the two counts.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from chrfect.errors import UsageError
from chrfect.kernels.plan import Plan
from chrfect.kernels.readable_bleu import bleu_row, bleu_rows, bleu_total, clip_tables
from chrfect.text.tokens import split
from chrfect.text.whitespace import remove_whitespace
from chrfect.text.words import split_words

__all__ = [
    "NAME",
    "bleu_row",
    "bleu_rows",
    "bleu_total",
    "clip_tables",
    "column_sums",
    "group_sums",
    "only_texts",
    "row",
    "rows",
    "split",
    "split_words",
    "total",
]

NAME = "readable"


def row(hypothesis: str, reference: str, plan: Plan) -> tuple[int, ...]:
    """Return the counts of one pair; the parameters are those of :func:`rows`.

    Examples
    --------
    >>> row("ab a", "ab", Plan(2, 0))
    (3, 2, 2, 2, 1, 1)
    """
    return tuple(_pair(hypothesis, reference, plan))


def rows(hypotheses: Sequence[str], references: Sequence[str], plan: Plan, threads: int = 1) -> array[int]:
    """Return the counts of each pair, flattened: ``plan.width`` integers for each pair.

    Parameters
    ----------
    hypotheses, references : sequence of str
        Sequences of equal length. Word n-grams are taken from the same texts.
    plan : Plan
        Which n-grams are counted.
    threads : int
        The number of threads of the compiled kernel; this one runs in the calling thread.

    Examples
    --------
    >>> rows(["ab a"], ["ab"], Plan(2, 1)).tolist()
    [3, 2, 2, 2, 1, 1, 2, 1, 1]
    """
    table = array("q")
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        table.extend(_pair(hypothesis, reference, plan))
    return table


def total(hypotheses: Sequence[str], references: Sequence[str], plan: Plan, threads: int = 1) -> list[int]:
    """Return the sum of the rows. Memory use does not grow with the corpus.

    Examples
    --------
    >>> total(["ab", "xyz"], ["ab", ""], Plan(1, 0))
    [5, 2, 2]
    >>> total(["ab", "xyz"], ["ab", ""], Plan(1, 0, drop_unreferenced=True))
    [2, 2, 2]
    """
    sums = [0] * plan.width
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        sums = [a + b for a, b in zip(sums, _pair(hypothesis, reference, plan), strict=True)]
    return sums


def column_sums(rows: Sequence[int], width: int) -> list[int]:
    """Return the exact sum of each column of a flattened table of any size.

    Parameters
    ----------
    rows : buffer of 64-bit integers
        The concatenated rows.
    width : int
        The number of columns, at least 1.

    Examples
    --------
    >>> column_sums(array("q", [1, 2, 3, 4]), 2)
    [4, 6]
    """
    _check_rows(rows, width)
    return [sum(rows[column::width]) for column in range(width)]


def group_sums(rows: Sequence[int], width: int, groups: Sequence[int], number: int) -> array[int]:
    """Return the sum of the rows of each group, flattened.

    Parameters
    ----------
    rows : buffer of 64-bit integers
        The concatenated rows.
    width : int
        The number of columns, at least 1.
    groups : buffer of 64-bit integers
        For each row its group, from 0 to ``number`` - 1.
    number : int
        The number of groups. The sum of a group without rows is 0.

    Raises
    ------
    UsageError
        If there is not one group for each row, or a group is out of range.
    OverflowError
        If the sum of a group, or of its first rows, does not fit in 64 bits.

    Examples
    --------
    >>> group_sums(array("q", [1, 2, 3, 4, 5, 6]), 2, array("q", [1, 0, 1]), 2).tolist()
    [3, 4, 6, 8]
    """
    _check_rows(rows, width)
    if len(rows) != width * len(groups):
        raise UsageError(f"There are {len(rows) // width} rows and {len(groups)} groups; each row needs one group.")
    sums = array("q", bytes(8 * number * width))
    for i, group in enumerate(groups):
        if not 0 <= group < number:
            raise UsageError(f"groups[{i}] is {group}; a number from 0 to {number - 1} was expected.")
        for column in range(width):
            sums[group * width + column] += rows[i * width + column]
    return sums


def _check_rows(rows: Sequence[int], width: int) -> None:
    if width < 1 or len(rows) % width:
        raise UsageError(f"{len(rows)} integers cannot be divided into rows of {width} columns.")


def only_texts(sequence: Sequence[object]) -> bool:
    """Return whether the type of every element is exactly str."""
    return set(map(type, sequence)) <= {str}


def _pair(hypothesis: str, reference: str, plan: Plan) -> Iterator[int]:
    if plan.word_order:
        hypothesis_words, reference_words = tuple(split_words(hypothesis)), tuple(split_words(reference))
    if not plan.keep_whitespace:
        hypothesis, reference = remove_whitespace(hypothesis), remove_whitespace(reference)
    for n in range(1, plan.char_order + 1):
        yield from _order(hypothesis, reference, n, plan.drop_unreferenced)
    for n in range(1, plan.word_order + 1):
        yield from _order(hypothesis_words, reference_words, n, plan.drop_unreferenced)


def _order(
    hypothesis: str | tuple[str, ...], reference: str | tuple[str, ...], n: int, drop_unreferenced: bool
) -> tuple[int, int, int]:
    in_hypothesis = Counter(hypothesis[i : i + n] for i in range(len(hypothesis) - n + 1))
    in_reference = Counter(reference[i : i + n] for i in range(len(reference) - n + 1))
    matches = (in_hypothesis & in_reference).total()
    if drop_unreferenced and not in_reference:
        return 0, 0, 0
    return in_hypothesis.total(), in_reference.total(), matches
