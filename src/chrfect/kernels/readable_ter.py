"""The edits of TER in the readable kernel: greedy shifts, then insertions, deletions and substitutions.

The search is that of sacreBLEU, which follows Tercom. A shift moves words of the hypothesis to where they occur in the
reference. The search repeatedly applies the shift that reduces the edit distance most, until no shift reduces it. It
is limited to shifts of at most ``LONGEST`` words over at most ``FARTHEST`` positions, to ``CANDIDATES`` tried shifts,
and to the cells of the edit distance matrix within ``BEAM`` columns of the diagonal.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from chrfect.errors import UsageError
from chrfect.text.tercom import Tercom, reference_words, words

LONGEST = 10
FARTHEST = 50
CANDIDATES = 1_000
BEAM = 25

COLUMNS = ("insertions", "deletions", "substitutions", "shifts", "reference_length")
"""The names of the counts of one hypothesis against one reference."""

KEEP, SUBSTITUTE, DELETE, INSERT = "=sdi"
_UNREACHED = (10**16, "")

_T = TypeVar("_T")
_Row = list[tuple[int, str]]


class Shift(NamedTuple):
    """A move of words of the hypothesis. Positions are those before the move."""

    start: int
    length: int
    target: int

    def apply(self, hypothesis: list[_T]) -> list[_T]:
        """Return the words after the move. A target inside the moved words is relative to their start."""
        start, end, target = self.start, self.start + self.length, self.target
        moved, rest = hypothesis[start:end], hypothesis[:start] + hypothesis[end:]
        if target > end:
            target -= self.length
        return rest[:target] + moved + rest[target:]


class Edits(NamedTuple):
    """The edits that turn a hypothesis into a reference: a sequence of shifts, then one operation for each word.

    Parameters
    ----------
    shifts : tuple of Shift
        The shifts in the order in which they are applied.
    operations : str
        One character for each operation: ``=`` keeps a word, ``s`` substitutes it, ``d`` deletes a word of the
        hypothesis, ``i`` inserts a word of the reference.
    """

    shifts: tuple[Shift, ...]
    operations: str


def ter_row(hypothesis: str, reference: str, choices: Tercom) -> tuple[int, ...]:
    """Return the counts of one pair of texts, in the order of ``COLUMNS``.

    Examples
    --------
    >>> ter_row("the mat the cat sat on", "the cat sat on the mat now", Tercom())
    (1, 0, 0, 1, 7)
    """
    right = reference_words(reference, choices)
    found = ter_edits(words(hypothesis, choices), right)
    kinds = (found.operations.count(kind) for kind in (INSERT, DELETE, SUBSTITUTE))
    return *kinds, len(found.shifts), len(right)


def ter_rows(hypotheses: Sequence[str], references: Sequence[str], choices: Tercom, threads: int = 1) -> array[int]:
    """Return the counts of each pair, flattened; only the compiled kernel uses ``threads``.

    Examples
    --------
    >>> ter_rows(["a b", "a"], ["a c", ""], Tercom()).tolist()
    [0, 0, 1, 0, 2, 0, 1, 0, 0, 0]
    """
    if len(hypotheses) != len(references):
        raise UsageError(f"There are {len(hypotheses)} hypotheses and {len(references)} references.")
    table = array("q")
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        table.extend(ter_row(hypothesis, reference, choices))
    return table


def ter_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> Edits:
    """Return the edits between two sequences of words.

    Examples
    --------
    >>> ter_edits("the mat the cat sat on".split(), "the cat sat on the mat now".split())
    Edits(shifts=(Shift(start=0, length=2, target=6),), operations='======i')
    """
    left, right = list(hypothesis), list(reference)
    if not left or not right:
        return Edits((), DELETE * len(left) + INSERT * len(right))
    shifts: list[Shift] = []
    tried = 0
    while True:
        rows = _rows(left, right)
        candidates: list[Shift] = []
        for group in _candidates(left, right, _operations(rows)):
            candidates += group
            if tried + len(candidates) >= CANDIDATES:
                return Edits(tuple(shifts), _operations(rows))
        tried += len(candidates)
        gains = {shift: rows[-1][-1][0] - _distance(shift, rows, left, right) for shift in candidates}
        best = max(gains, key=lambda shift: (gains[shift], shift.length, -shift.start, -shift.target), default=None)
        if best is None or gains[best] <= 0:
            return Edits(tuple(shifts), _operations(rows))
        shifts.append(best)
        left = best.apply(left)


def _rows(left: list[str], right: list[str], known: Sequence[_Row] = ()) -> list[_Row]:
    """Return the matrix of edit distances with the operation that leads to each cell; ``known`` has its first rows."""
    number, width = len(left), len(right) + 1
    ratio = len(right) / number
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    rows = list(known) or [[(j, INSERT) for j in range(width)]]
    for i in range(len(rows), number + 1):
        diagonal = math.floor(i * ratio)
        above, row = rows[-1], [_UNREACHED] * width
        for j in range(max(0, diagonal - beam), width if i == number else min(width, diagonal + beam)):
            best = _UNREACHED
            if j:
                same = left[i - 1] == right[j - 1]
                best = min(best, (above[j - 1][0] + (not same), KEEP if same else SUBSTITUTE), key=_cost)
            best = min(best, (above[j][0] + 1, DELETE), key=_cost)
            if j:
                best = min(best, (row[j - 1][0] + 1, INSERT), key=_cost)
            row[j] = best
        rows.append(row)
    return rows


def _cost(cell: tuple[int, str]) -> int:
    return cell[0]


def _operations(rows: list[_Row]) -> str:
    """Return the operations along the cheapest path, starting with the first words."""
    i, j = len(rows) - 1, len(rows[0]) - 1
    backwards = []
    while i or j:
        operation = rows[i][j][1]
        backwards.append(operation)
        i -= operation != INSERT
        j -= operation != DELETE
    return "".join(reversed(backwards))


def _distance(shift: Shift, rows: list[_Row], left: list[str], right: list[str]) -> int:
    """Return the edit distance after a shift, reusing the rows before the first moved word."""
    unmoved = min(shift.start, shift.target)
    return _rows(shift.apply(left), right, rows[: unmoved + 1])[-1][-1][0]


def _candidates(left: list[str], right: list[str], operations: str) -> Iterator[list[Shift]]:
    """Yield lists of shifts that may reduce the distance, one list for each matching word sequence."""
    aligned, left_wrong, right_wrong = _aligned(operations)
    for start in range(len(left)):
        for at in range(max(0, start - FARTHEST), min(len(right), start + FARTHEST + 1)):
            longest = min(LONGEST, len(left) - start, len(right) - at)
            for length in range(1, longest + 1):
                if left[start + length - 1] != right[at + length - 1]:
                    break
                if not any(left_wrong[start : start + length]) or not any(right_wrong[at : at + length]):
                    continue
                if start <= aligned[at] < start + length:
                    continue
                before = [aligned[at + k] + 1 if at + k >= 0 else 0 for k in range(-1, length)]
                yield [Shift(start, length, t) for k, t in enumerate(before) if not k or t != before[k - 1]]


def _aligned(operations: str) -> tuple[list[int], list[bool], list[bool]]:
    """Return the hypothesis position of each reference word, and for each side which words are wrong.

    An inserted word has the position of the last word before it, or -1 if there is none.
    """
    aligned: list[int] = []
    left_wrong: list[bool] = []
    right_wrong: list[bool] = []
    for operation in operations:
        if operation != INSERT:
            left_wrong.append(operation != KEEP)
        if operation != DELETE:
            aligned.append(len(left_wrong) - 1)
            right_wrong.append(operation != KEEP)
    return aligned, left_wrong, right_wrong
