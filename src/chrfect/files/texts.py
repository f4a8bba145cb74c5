"""Texts from files: plain text, TSV and CSV with named columns, JSONL and Parquet, compressed or not.

The format is detected from the first bytes. ``FILE#COLUMN`` names a column of a table; TAB separates columns only in
tables. ``FILE#`` reads any file as plain text.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from chrfect.errors import InputFileError, quantity, shown
from chrfect.files.compressed import expand
from chrfect.files.lines import STDIN, EmptyFileError, decode_lines, read_bytes

Texts = list[str | None]
"""One text for each segment; None if it is missing."""

PARQUET = b"PAR1"
_BINARY = {b"PK\x03\x04": "a zip archive", b"%PDF": "a PDF document", b"\x7fELF": "a program", b"ARROW1": "Arrow IPC"}


def split_column(source: str) -> tuple[str, str | None]:
    """Return the path and the column of ``FILE#COLUMN``; the column is None without one.

    If a file with the whole name exists, ``#`` is part of its name.

    Examples
    --------
    >>> split_column("data.tsv#system A"), split_column("a.txt"), split_column("a.txt#")
    (('data.tsv', 'system A'), ('a.txt', None), ('a.txt', ''))
    """
    path, mark, column = source.rpartition("#")
    return (path, column) if mark and path and not os.path.exists(source) else (source, None)


def read_texts(source: str) -> Texts:
    """Return the texts of a file, one for each segment.

    Parameters
    ----------
    source : str
        A path, ``-`` for standard input, or either with ``#COLUMN``.

    Raises
    ------
    InputFileError
        If the file or the column does not exist, the format is not supported, or the content is invalid.
    WorkError
        If reading it failed.
    """
    path, column = split_column(source)
    name = "standard input" if path == STDIN else path
    data = expand(read_bytes(path), name)
    for start, kind in _BINARY.items():
        if data.startswith(start):
            raise InputFileError(f"{name} is {kind}; text, JSONL or Parquet was expected.")
    if data.startswith(PARQUET):
        return _from_parquet(data, name, column)
    if column == "":
        return list(decode_lines(data, name))
    lines = decode_lines(data, name)
    if lines[0].startswith(("{", '"')) and _is_json(lines[0]):
        return _from_json(lines, name, column)
    if column is None:
        _refuse_tables(lines, name)
        return list(lines)
    return _from_table(lines, name, column)


def read_aligned(sources: Sequence[str]) -> list[list[Any]]:
    """Return the texts of each file, None for a missing text; raise InputFileError if their numbers differ.

    Standard input can be given once.
    """
    paths = [split_column(source)[0] for source in sources]
    if paths.count(STDIN) > 1:
        raise InputFileError("- (standard input) is given more than once; it can be read only once.")
    texts: list[list[Any]] = []
    empty = None
    for source in sources:
        try:
            texts.append(read_texts(source))
        except EmptyFileError:
            empty = source
            texts.append([])
    if empty is not None:
        others = next((i for i, lines in enumerate(texts) if lines), None)
        beside = "" if others is None else f", and {sources[others]} has {quantity(len(texts[others]), 'line')}"
        raise EmptyFileError(f"{empty}: the file is empty{beside}; one segment per line was expected.")
    for source, lines in zip(sources, texts, strict=True):
        check_lengths(sources[0], texts[0], source, lines)
    return texts


def check_lengths(first: str, first_texts: Sequence[str | None], other: str, other_texts: Sequence[str | None]) -> None:
    """Raise InputFileError if two files have different numbers of segments."""
    if len(first_texts) == len(other_texts):
        return
    longer, texts = (first, first_texts) if len(first_texts) > len(other_texts) else (other, other_texts)
    unpaired = min(len(first_texts), len(other_texts)) + 1
    message = (
        f"{first} has {quantity(len(first_texts), 'line')} and {other} has {quantity(len(other_texts), 'line')}; "
        f"they need the same number, because line i of each file is segment i. The first line without a partner is "
        f"line {unpaired} of {longer}"
    )
    blank = f", and {longer} ends in an empty line" if texts[-1] == "" else ""
    raise InputFileError(f"{message}{blank}.")


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict | str)
    except ValueError:
        return False


def _from_json(lines: Sequence[str], name: str, column: str | None) -> Texts:
    """Return a column of JSON objects, one per line, or the JSON strings of the lines."""
    texts: Texts = []
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputFileError(f"{name}: line {number} is not JSON ({error}); the first line is.") from None
        if isinstance(value, dict):
            column = only_column(list(value), name, column) if number == 1 else column
            if column not in value:
                raise InputFileError(f"{name}: line {number} has no {shown(column)}; write null for a missing text.")
            value = value[column]
        if not isinstance(value, str | None):
            raise InputFileError(f"{name}: line {number} holds a {type(value).__name__}; a text or null was expected.")
        texts.append(value)
    return texts


def unreadable_parquet(name: str, error: Exception) -> InputFileError:
    """Return the error of a Parquet file that pyarrow cannot read."""
    reason = str(error).strip().partition("\n")[0]
    return InputFileError(
        f"{name}: the Parquet file cannot be read; a complete, undamaged file was expected. pyarrow reports: {reason}"
    )


def _from_parquet(data: bytes, name: str, column: str | None) -> Texts:
    try:
        parquet = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise InputFileError(f"{name} is Parquet; reading it needs pyarrow: pip install pyarrow.") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        column = only_column([field.name for field in file.schema_arrow], name, column)
        values: list[Any] = file.read([column]).column(0).to_pylist()
    except (OSError, ValueError) as error:
        if isinstance(error, InputFileError):
            raise
        raise unreadable_parquet(name, error) from None
    for number, value in enumerate(values, 1):
        if not isinstance(value, str | None):
            raise InputFileError(f"{name}: row {number} holds a {type(value).__name__}; a text or null was expected.")
    if not values:
        raise EmptyFileError(f"{name}: the file is empty; one segment per row was expected.")
    return values


def _from_table(lines: Sequence[str], name: str, column: str) -> Texts:
    """Return a column of a table with a header: CSV if the header has a comma and no TAB, else TSV."""
    tabs = "\t" in lines[0] or "," not in lines[0]
    header, *rows = [line.split("\t") for line in lines] if tabs else _split_commas(lines, name)
    place = header.index(only_column(header, name, column))
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InputFileError(f"{name}: row {number} has {len(row)} cells, and the header has {len(header)}.")
    if not rows:
        raise EmptyFileError(f"{name}: the table has a header and no row.")
    return [row[place] for row in rows]


def _split_commas(lines: Sequence[str], name: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO("\n".join(lines), newline=""), strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise InputFileError(
            f"{name}: line {reader.line_num} is not CSV ({error}). To read the file as plain text, write {name}#."
        ) from None


def only_column(columns: list[str], name: str, column: str | None) -> str:
    """Return the named column, or the only column."""
    listed = ", ".join(map(shown, columns))
    if column is None:
        if len(columns) == 1:
            return columns[0]
        raise InputFileError(f"{name} has the columns {listed}; name one of them: {name}#COLUMN.")
    if column not in columns:
        from difflib import get_close_matches

        near = get_close_matches(column, columns, 1)
        meant = f" Did you mean {shown(near[0])}?" if near else ""
        raise InputFileError(f"{name} has no column {shown(column)}; it has {listed}.{meant}")
    return column


def _refuse_tables(lines: Sequence[str], name: str) -> None:
    """Raise InputFileError if the name and the first line of a file are those of a table."""
    stem = name.lower()
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        stem = stem.removesuffix(ending)
    comma = stem.endswith(".csv") and "," in lines[0]
    if comma or (stem.endswith((".tsv", ".tab")) and "\t" in lines[0]):
        columns = _split_commas(lines[:1], name)[0] if comma else lines[0].split("\t")
        raise InputFileError(
            f"{name} looks like a table of {len(columns)} columns, the first of which is {shown(columns[0])}. Name the "
            f"column to read: {name}#COLUMN; or read it as plain text: {name}#."
        )
