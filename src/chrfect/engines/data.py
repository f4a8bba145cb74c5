"""Reading data sets in batches of rows: Parquet, JSONL, TSV and CSV, optionally compressed.

A unit is read by one thread: a row group of Parquet, or a whole text file.
"""

from __future__ import annotations

import csv
import glob
import json
import lzma
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from typing import Any, BinaryIO

from chrfect.errors import InputFileError, shown
from chrfect.files.compressed import open_expanded
from chrfect.files.lines import BOM
from chrfect.files.texts import PARQUET, only_column, unreadable_parquet

BATCH = 16_384
"""The number of rows in a batch."""

UNFINISHED = ".unfinished"
"""The suffix of the folder with the results of an unfinished run."""

ENDINGS = (".parquet", ".jsonl", ".ndjson", ".tsv", ".csv")
PACKED = ("", ".gz", ".zst", ".xz", ".bz2")


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the data that one thread reads.

    Parameters
    ----------
    path : str
        The file.
    group : int or None
        The row group of a Parquet file, from 0.
    bytes : int
        The approximate number of bytes of the unit.
    """

    path: str
    group: int | None
    bytes: int

    @property
    def name(self) -> str:
        """The name of the unit in messages."""
        return self.path if self.group is None else f"{self.path}: row group {self.group}"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a unit.

    Parameters
    ----------
    first : int
        The index of the first row in the unit, from 0.
    columns : dict of str to (sequence, or pyarrow array)
        The requested columns.
    share : float
        The approximate share of the unit that has been read, 0 to 1.
    """

    first: int
    columns: dict[str, Any]
    share: float


def find_files(sources: Iterable[str]) -> list[str]:
    """Return the data files in paths, folders and patterns, without repetitions.

    Raises
    ------
    InputFileError
        If a file does not exist, or a folder or a pattern matches no file.
    """
    found: dict[str, None] = {}
    for source in sources:
        if os.path.isdir(source):
            paths = sorted(_walk(source))
            expected = f"a file that ends in {', '.join(ENDINGS)} (or one of them and {', '.join(PACKED[1:])})"
        else:
            paths = [source] if os.path.exists(source) else sorted(glob.glob(source, recursive=True))
            expected = "a file, a folder, or a pattern such as 'data/*.parquet'"
        if not paths:
            raise InputFileError(f"{source}: no data file found; {expected} was expected.")
        found |= dict.fromkeys(paths)
    return list(found)


def _walk(folder: str) -> Iterator[str]:
    """Yield the data files in a folder, except hidden files and those of unfinished runs."""
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and not name.endswith(UNFINISHED)]
        yield from (os.path.join(at, name) for name in names if _is_data(name))


def _is_data(name: str) -> bool:
    return not os.path.basename(name).startswith(".") and name.lower().endswith(
        tuple(ending + packed for ending in ENDINGS for packed in PACKED)
    )


def units_of(path: str) -> list[Unit]:
    """Return the units of a file."""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
        size = os.path.getsize(path)
    except OSError as error:
        raise InputFileError(
            f"{path}: {(error.strerror or str(error)).lower()}; a readable file was expected."
        ) from None
    if start != PARQUET:
        return [Unit(path, None, size)]
    with _opened(path) as file:
        return [Unit(path, group, size // file.num_row_groups) for group in range(file.num_row_groups)]


def column_names(path: str) -> list[str]:
    """Return the names of the columns of a file; of JSONL, the keys of the first row."""
    with open(path, "rb") as file:
        if file.read(4) == PARQUET:
            with _opened(path) as parquet:
                return [field.name for field in parquet.schema_arrow]
    with open_expanded(path) as expanded:
        first = next(_lines(expanded, path), "")
    return list(_object(first, path, 0)) if first.startswith("{") else _header(first)


def _header(line: str) -> list[str]:
    return line.split("\t") if _has_tabs(line) else next(csv.reader([line]))


def _has_tabs(line: str) -> bool:
    return "\t" in line or "," not in line


def read_batches(unit: Unit, columns: Sequence[str], complete: bool = False) -> Iterator[Batch]:
    """Yield the rows of a unit in batches.

    If `complete` is true, a JSONL row with another key than `columns` is an error.

    Raises
    ------
    InputFileError
        If a column is missing, or the data cannot be read; the message names the file and the row or row group.
    """
    if unit.group is not None:
        return _parquet(unit, columns)
    return _text(unit, columns, complete)


def _opened(path: str) -> Any:
    try:
        parquet = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise InputFileError(f"{path} is Parquet; reading it needs pyarrow: pip install pyarrow.") from None
    try:
        return parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    except (OSError, ValueError) as error:
        raise unreadable_parquet(path, error) from None


def _parquet(unit: Unit, columns: Sequence[str]) -> Iterator[Batch]:
    first = 0
    with _opened(unit.path) as file:
        for column in columns:
            only_column([field.name for field in file.schema_arrow], unit.path, column)
        whole = file.metadata.row_group(unit.group).num_rows
        batches = file.iter_batches(BATCH, row_groups=[unit.group], columns=list(columns), use_threads=False)
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError) as error:
                raise unreadable_parquet(f"{unit.name}, after row {first}", error) from None
            if batch is None:
                return
            rows = first + batch.num_rows
            yield Batch(first, {column: batch.column(column) for column in columns}, rows / max(rows, whole))
            first = rows


def _text(unit: Unit, columns: Sequence[str], complete: bool) -> Iterator[Batch]:
    rows, first, size = _rows(unit.path, columns, complete), 0, 0
    while cells := list(islice(rows, BATCH)):
        size += sum(len(cell) for row in cells for cell in row if isinstance(cell, str))
        held = dict(zip(columns, map(list, zip(*cells, strict=True)), strict=True))
        yield Batch(first, held, min(1.0, size / max(1, unit.bytes)))
        first += len(cells)
    if not first:
        raise InputFileError(f"{unit.path}: there are no rows; a file with rows was expected.")


def _rows(path: str, columns: Sequence[str], complete: bool) -> Iterator[list[Any]]:
    """Yield the cells of the requested columns, row by row."""
    with open_expanded(path) as file:
        lines = _lines(file, path)
        first = next(lines, None)
        if first is None:
            raise InputFileError(f"{path}: the file is empty; rows with named columns were expected.")
        if first.startswith("{"):
            yield from _objects(first, lines, path, columns, complete)
            return
        header = _header(first)
        cells: Iterator[list[str]]
        cells = map(_tabs, lines) if _has_tabs(first) else csv.reader((line + "\n" for line in lines), strict=True)
        places = [header.index(only_column(header, path, column)) for column in columns]
        number = 0
        try:
            for number, row in enumerate(cells, 1):
                if len(row) != len(header):
                    raise InputFileError(
                        f"{path}: row {number - 1} (from 0) has {len(row)} cells, and the header has {len(header)}."
                    )
                yield [row[place] for place in places]
        except csv.Error as error:
            raise InputFileError(f"{path}: row {number} (from 0) is not CSV: {error}.") from None


def _tabs(line: str) -> list[str]:
    return line.split("\t")


def _objects(
    first: str, lines: Iterator[str], path: str, columns: Sequence[str], complete: bool
) -> Iterator[list[Any]]:
    for number, line in enumerate(chain([first], lines)):
        value = _object(line, path, number)
        for column in columns:
            if column not in value:
                only_column(list(value), f"{path}: row {number} (from 0)", column)
        if complete and len(value) > len(columns):
            extra = next(key for key in value if key not in columns)
            raise InputFileError(
                f"{path}: row {number} (from 0) has the key {shown(extra)}, which the first row does not have."
            )
        yield [value[column] for column in columns]


def _object(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputFileError(f"{path}: row {number} (from 0) is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputFileError(f"{path}: row {number} (from 0) is not a JSON object; {{…}} was expected.")
    return value


def _lines(file: BinaryIO, path: str) -> Iterator[str]:
    """Yield lines of UTF-8, split as in :mod:`chrfect.files.lines`."""
    number = 0
    try:
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix(BOM)
            yield (line[:-1].removesuffix(b"\r") if line.endswith(b"\n") else line).decode()
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{path}: line {number}, byte {error.start + 1} of the line is not UTF-8. Convert the file first."
        ) from None
    except (EOFError, lzma.LZMAError, OSError, zlib.error) as error:
        raise InputFileError(
            f"{path}: the data cannot be read after line {number}: {error}. Copy or download it again."
        ) from None
