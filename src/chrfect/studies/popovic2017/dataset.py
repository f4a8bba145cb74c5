"""The twelve texts with direct assessments that the paper uses, and seven that it does not use."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chrfect.errors import InputFileError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.studies.popovic2017.published import TEXTS, UNSEEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = ("reference", "hypothesis", "da")

FOLDERS = {"2015": "wmt-da", "2016": "wmt-da", "2017": "wmt17-da"}

LAYOUT = (
    "The folder holds newstest2015.LP.tsv for cs-en, de-en, fi-en, ru-en and en-ru, newstest2016.LP.tsv for these, "
    "ro-en and tr-en (or both years in its subfolder wmt-da), and newstest2017.LP.tsv for cs-en, de-en, fi-en, lv-en, "
    "ru-en, tr-en and zh-en (or in wmt17-da): UTF-8, a heading, and tab-separated columns "
    "that include reference, hypothesis and da."
)


@dataclass(frozen=True, eq=False)
class Text:
    """The segments of one language pair and year.

    Parameters
    ----------
    name : str
        A name such as ``"ru-en.2016"``.
    hypotheses, references : list of str
        One text for each segment.
    human : array of shape (segments,)
        Direct assessments, standardised per rater, higher is better.
    """

    name: str
    hypotheses: list[str]
    references: list[str]
    human: NDArray[np.float64]


def read_texts(folder: str) -> list[Text]:
    """Return the twelve texts of the paper and the seven unseen ones, from a folder or its subfolders.

    Raises
    ------
    InputFileError
        If a file is missing, a line has other columns, or a rating is not a finite number.
    """
    return [_read(folder, name) for name in (*TEXTS, *UNSEEN)]


def _read(folder: str, name: str) -> Text:
    pair, year = name.split(".")
    if os.path.isdir(below := os.path.join(folder, FOLDERS[year])):
        folder = below
    path = os.path.join(folder, f"newstest{year}.{pair}.tsv")
    if not os.path.isfile(path):
        raise InputFileError(f"{path}: no such file. {LAYOUT}")
    heading, *lines = decode_lines(read_bytes(path), path)
    columns = heading.split("\t")
    if missing := [name for name in COLUMNS if name not in columns]:
        raise InputFileError(f"{path}: line 1 has no column {' '.join(missing)}, tab-separated. {LAYOUT}")
    reference, hypothesis, da = map(columns.index, COLUMNS)
    hypotheses, references, human = [], [], []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputFileError(f"{path}: line {number} has {len(cells)} columns; {len(columns)} were expected.")
        rating = _rating(cells[da])
        if rating is None:
            raise InputFileError(f"{path}: line {number}, column da: {cells[da]!r} is not a finite number.")
        hypotheses.append(cells[hypothesis])
        references.append(cells[reference])
        human.append(rating)
    return Text(name, hypotheses, references, np.array(human))


def _rating(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
