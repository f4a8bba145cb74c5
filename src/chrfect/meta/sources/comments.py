"""Numbered lines of a file without comments."""

from __future__ import annotations

import warnings

from chrfect.errors import ChrfectWarning, quantity
from chrfect.files.lines import decode_lines, read_bytes


def numbered_lines(path: str, delimiter: str) -> list[tuple[int, str]]:
    """Read a file and return its lines with their numbers, without comments and without empty lines at the end.

    Comments are lines at the start and at the end that begin with ``#`` and do not contain the delimiter. They are
    ignored with a warning.
    """
    lines = list(enumerate(decode_lines(read_bytes(path), path), 1))

    def ignored(line: tuple[int, str]) -> bool:
        return line[1].startswith("#") and delimiter not in line[1]

    kept = list(lines)
    while len(kept) > 1 and ignored(kept[0]):
        kept.pop(0)
    while len(kept) > 1 and (ignored(kept[-1]) or (not kept[-1][1].strip() and kept[0][1].strip())):
        kept.pop()
    if comments := [number for number, _ in filter(ignored, lines) if not kept[0][0] <= number <= kept[-1][0]]:
        warnings.warn(
            f"{path}: comments are left out: {quantity(len(comments), 'line')} at the start or the end beginning with "
            f"#, the first being line {comments[0]}.",
            ChrfectWarning,
            stacklevel=4,
        )
    return kept
