"""Tables with named columns: TSV (no quoting), CSV, JSONL, Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from chrfect.errors import InputFileError, UsageError
from chrfect.files.lines import decode_lines, read_bytes

SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Sheet:
    """The rows of a table.

    Parameters
    ----------
    path : str
        The file, for messages.
    columns : list of str
        The headings.
    rows : list of list
        A cell a column: text, number, or None.
    lines : list of int
        The line of the file that each row ends on (Parquet: the row, from 1).
    """

    path: str
    columns: list[str]
    rows: list[list[object]]
    lines: list[int]

    def column(self, name: str) -> int:
        """Return the index of a column; UsageError naming those that there are."""
        if name not in self.columns:
            raise UsageError(f"{self.path}: there is no column {name!r}; there are: {', '.join(self.columns)}.")
        return self.columns.index(name)

    def cells(self, name: str) -> list[object]:
        """Return the cells of a column."""
        at = self.column(name)
        return [row[at] for row in self.rows]

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column as text, whole numbers without a point; InputFileError where one is empty."""
        result = []
        for line, cell in zip(self.lines, self.cells(name), strict=True):
            if cell is None or cell == "":
                raise InputFileError(
                    f"{self.path}: line {line}, column {name}: the cell is empty; a name was expected."
                )
            result.append(str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell))
        return result


def read_sheet(path: str) -> Sheet:
    """Read a table by its suffix: .tsv, .csv, .jsonl or .parquet.

    Raises
    ------
    InputFileError
        If the file cannot be read, or a row has other columns than the heading (named by line).
    UsageError
        If the suffix is another, or Parquet is asked for without pyarrow.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: the suffix tells what a table is; one of {', '.join(SUFFIXES)} was expected.")
    readers = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    sheet = readers[suffix](path)
    twice = [name for at, name in enumerate(sheet.columns) if name in sheet.columns[:at]]
    if twice:
        raise InputFileError(f"{path}: the column {twice[0]!r} stands more than once.")
    if not sheet.columns:
        raise InputFileError(f"{path}: there is no heading.")
    if not sheet.rows:
        raise InputFileError(f"{path}: there are no rows under the heading.")
    return sheet


def _tsv(path: str) -> Sheet:
    heading, *lines = decode_lines(read_bytes(path), path)
    rows = [line.split("\t") for line in lines]
    return _checked(path, heading.split("\t"), rows, list(range(2, len(rows) + 2)))


def _csv(path: str) -> Sheet:
    text = "\n".join(decode_lines(read_bytes(path), path))
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputFileError(f"{path}: line {reader.line_num}: {error}.") from None
    return _checked(path, rows[0] if rows else [], rows[1:], lines[1:])


def _checked(path: str, columns: list[str], rows: Sequence[Sequence[object]], lines: list[int]) -> Sheet:
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(columns):
            raise InputFileError(f"{path}: line {line} has {len(row)} cells; the heading has {len(columns)}.")
    return Sheet(path, columns, [list(row) for row in rows], lines)


def _jsonl(path: str) -> Sheet:
    columns: dict[str, None] = {}
    records: list[dict[str, object]] = []
    for line, text in enumerate(decode_lines(read_bytes(path), path), 1):
        try:
            record = json.loads(text)
        except ValueError as error:
            raise InputFileError(f"{path}: line {line} is no JSON: {error}.") from None
        if not isinstance(record, dict):
            raise InputFileError(f"{path}: line {line} is no JSON object.")
        columns |= dict.fromkeys(record)
        records.append(record)
    rows = [[record.get(name) for name in columns] for record in records]
    return Sheet(path, list(columns), rows, list(range(1, len(rows) + 1)))


def _parquet(path: str) -> Sheet:
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"{path}: Parquet needs pyarrow: pip install 'chrfect[meta]'.") from None
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(read_bytes(path)))
    except pyarrow.ArrowInvalid as error:
        raise InputFileError(f"{path}: this is no Parquet file: {error}.") from None
    columns = [column.to_pylist() for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Sheet(path, list(table.column_names), rows, list(range(1, len(rows) + 1)))
