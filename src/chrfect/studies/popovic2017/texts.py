"""The twelve texts with direct assessments that the paper measures on."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import InputFileError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.studies.popovic2017.published import TEXTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = ("source", "reference", "hypothesis", "da")

LAYOUT = (
    "The folder holds newstest2015.LP.tsv for cs-en, de-en, fi-en, ru-en and en-ru, and newstest2016.LP.tsv for these, "
    "ro-en and tr-en: UTF-8, a heading, and the tab-separated columns source, reference, hypothesis, da."
)


@dataclass(frozen=True, eq=False)
class Text:
    """The segments of one language pair and year.

    Parameters
    ----------
    name : str
        Such as ``"ru-en.2016"``.
    hypotheses, references : list of str
        One text a segment.
    human : array of shape (segments,)
        Direct assessments, standardised per rater, higher is better.
    """

    name: str
    hypotheses: list[str]
    references: list[str]
    human: NDArray[np.float64]


def read_texts(folder: str) -> list[Text]:
    """Return all twelve texts from a folder, or from its subfolder ``wmt-da``.

    Raises
    ------
    InputFileError
        If a file is missing, a line has other columns, or a rating is no finite number.
    """
    if os.path.isdir(os.path.join(folder, "wmt-da")):
        folder = os.path.join(folder, "wmt-da")
    return [_read(folder, name) for name in TEXTS]


def _read(folder: str, name: str) -> Text:
    pair, year = name.split(".")
    path = os.path.join(folder, f"newstest{year}.{pair}.tsv")
    if not os.path.isfile(path):
        raise InputFileError(f"{path}: there is no such file. {LAYOUT}")
    heading, *lines = decode_lines(read_bytes(path), path)
    if tuple(heading.split("\t")) != COLUMNS:
        raise InputFileError(f"{path}: line 1 is not the heading {' '.join(COLUMNS)}, tab-separated. {LAYOUT}")
    hypotheses, references, human = [], [], []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            raise InputFileError(f"{path}: line {number} has {len(cells)} columns; {len(COLUMNS)} were expected.")
        rating = _rating(cells[3])
        if rating is None:
            raise InputFileError(f"{path}: line {number}, column da: {cells[3]!r} is no finite number.")
        hypotheses.append(cells[2])
        references.append(cells[1])
        human.append(rating)
    return Text(name, hypotheses, references, np.array(human))


def _rating(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
