"""Lists from files, one a line of JSONL or a row of Parquet, compressed or not."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

from chrfect.errors import InputFileError
from chrfect.files.compressed import expand
from chrfect.files.lines import STDIN, EmptyFileError, decode_lines, read_bytes
from chrfect.files.texts import PARQUET, only_column, split_column, unreadable_parquet


def read_lists(source: str) -> list[list[Any]]:
    """Return the lists of a file.

    Parameters
    ----------
    source : str
        A path, or ``-`` for standard input: JSONL whose lines are lists, or objects of which a key holds the list; or
        Parquet with a column of lists. ``FILE#COLUMN`` names the key or the column where there are several.

    Raises
    ------
    InputFileError
        If there is no such file or column, the file is of another kind, or something is not a list.
    WorkError
        If reading it failed.
    """
    path, column = split_column(source)
    name = "standard input" if path == STDIN else path
    data = expand(read_bytes(path), name)
    if data.startswith(PARQUET):
        return _from_parquet(data, name, column)
    lists = []
    for number, line in enumerate(decode_lines(data, name), 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputFileError(f"{name}: line {number} is not JSON ({error}); a list was expected.") from None
        if isinstance(value, dict):
            column = only_column(list(value), name, column) if number == 1 else column
            if column not in value:
                raise InputFileError(f"{name}: line {number} has no {column!r}; each line needs it.")
            value = value[column]
        lists.append(_checked(value, f"{name}: line {number}"))
    return lists


def _from_parquet(data: bytes, name: str, column: str | None) -> list[list[Any]]:
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
    if not values:
        raise EmptyFileError(f"{name}: the file is empty; one list a row was expected.")
    return [_checked(value, f"{name}: row {number}") for number, value in enumerate(values, 1)]


def _checked(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        kind = "null" if value is None else f"a {type(value).__name__}"
        raise InputFileError(f"{place} holds {kind}; a list was expected.")
    return value
