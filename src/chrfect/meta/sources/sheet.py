"""Tables with named columns: TSV, CSV, JSONL, Parquet.

Cells of a TSV file are literal, unless every column name is quoted: then all cells may be quoted. If the header of a
TSV or CSV file lacks its delimiter, the file is read with another one that splits every line into as many cells.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from chrfect.errors import InputFileError, UsageError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.files.texts import unreadable_parquet
from chrfect.meta.sources.comments import numbered_lines

SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Sheet:
    """The rows of a table.

    Parameters
    ----------
    path : str
        The file, for error messages.
    columns : list of str
        The column names.
    rows : list of list
        The cells of each row: text, number, or None.
    lines : list of int
        The last line of each row in the file (Parquet: the row number, from 1).
    """

    path: str
    columns: list[str]
    rows: list[list[object]]
    lines: list[int]

    def column(self, name: str) -> int:
        """Return the index of a column; raise UsageError with the names of all columns if it does not exist."""
        if name not in self.columns:
            raise UsageError(f"{self.path}: there is no column {name!r}. The columns are {', '.join(self.columns)}.")
        return self.columns.index(name)

    def cells(self, name: str) -> list[object]:
        """Return the cells of a column."""
        at = self.column(name)
        return [row[at] for row in self.rows]

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column as stripped names; raise InputFileError if one is empty."""
        result = []
        for line, cell in zip(self.lines, self.cells(name), strict=True):
            if cell is None or (isinstance(cell, str) and not cell.strip()):
                raise InputFileError(
                    f"{self.path}: line {line}, column {name}: the cell is empty; a name was expected."
                )
            result.append(str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip())
        return result


def read_sheet(path: str) -> Sheet:
    """Read a table whose suffix is .tsv, .csv, .jsonl or .parquet.

    Raises
    ------
    InputFileError
        If the file cannot be read, or a row does not match the header.
    UsageError
        If the suffix is not supported, or pyarrow is missing for Parquet.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: the suffix is not that of a table; one of {', '.join(SUFFIXES)} was expected.")
    readers = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    sheet = readers[suffix](path)
    twice = [name for at, name in enumerate(sheet.columns) if name in sheet.columns[:at]]
    if twice:
        raise InputFileError(f"{path}: the column {twice[0]!r} is repeated.")
    if not sheet.columns:
        raise InputFileError(f"{path}: there is no header.")
    if not sheet.rows:
        raise InputFileError(f"{path}: there are no rows below the header.")
    return sheet


def _tsv(path: str) -> Sheet:
    lines = numbered_lines(path, "\t")
    delimiter = _delimiter("\t", [text for _, text in lines])
    rows = _split([text for _, text in lines], delimiter)
    if all(len(name) > 1 and name[0] == name[-1] == '"' for name in rows[0]):
        return _quoted(path, lines, delimiter)
    return _checked(path, rows[0], rows[1:], [line for line, _ in lines[1:]])


def _csv(path: str) -> Sheet:
    lines = numbered_lines(path, ",")
    return _quoted(path, lines, _delimiter(",", [text for _, text in lines]))


def _delimiter(usual: str, lines: Sequence[str]) -> str:
    """Return the delimiter of the cells: another one than the usual if only that one fits every line.

    Examples
    --------
    >>> _delimiter("\\t", ["LP SYSTEM HUMAN", "gu-en NICT 0.1"])
    ' '
    """
    if usual in lines[0]:
        return usual
    for other in "\t;, ":
        columns = {len(cells) for cells in _split(lines, other)}
        if len(columns) == 1 and max(columns) > 1:
            return other
    return usual


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    return [line.split() if delimiter == " " else line.split(delimiter) for line in lines]


def _quoted(path: str, lines: Sequence[tuple[int, str]], delimiter: str) -> Sheet:
    """Read rows whose cells may be quoted and contain delimiters and line breaks."""
    first = lines[0][0]
    text = io.StringIO("\n".join(text for _, text in lines))
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=delimiter == " ", strict=True)
    rows: list[list[str]] = []
    ends: list[int] = []
    try:
        for row in reader:
            rows.append(row)
            ends.append(first + reader.line_num - 1)
    except csv.Error as error:
        raise InputFileError(f"{path}: line {first + reader.line_num - 1}: {error}.") from None
    return _checked(path, rows[0] if rows else [], rows[1:], ends[1:])


def _checked(path: str, columns: Sequence[str], rows: Sequence[Sequence[object]], lines: list[int]) -> Sheet:
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(columns):
            comment = str(row[0]).startswith("#") if row else False
            hint = " Comments are possible only at the start and the end." if comment else ""
            raise InputFileError(f"{path}: line {line} has {len(row)} cells; the header has {len(columns)}.{hint}")
    return Sheet(path, [column.strip() for column in columns], [list(row) for row in rows], lines)


def _jsonl(path: str) -> Sheet:
    columns: dict[str, None] = {}
    records: list[dict[str, object]] = []
    for line, text in enumerate(decode_lines(read_bytes(path), path), 1):
        try:
            record = json.loads(text)
        except ValueError as error:
            raise InputFileError(f"{path}: line {line} is not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise InputFileError(f"{path}: line {line} is not a JSON object.")
        columns |= dict.fromkeys(record)
        records.append(record)
    rows = [[record.get(name) for name in columns] for record in records]
    return Sheet(path, list(columns), rows, list(range(1, len(rows) + 1)))


def _parquet(path: str) -> Sheet:
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"{path}: Parquet needs pyarrow: pip install pyarrow.") from None
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(read_bytes(path)))
    except pyarrow.ArrowInvalid as error:
        raise unreadable_parquet(path, error) from None
    columns = [column.to_pylist() for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Sheet(path, list(table.column_names), rows, list(range(1, len(rows) + 1)))
