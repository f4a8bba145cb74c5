"""Shared functions of commands that print or write files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chrfect.errors import UsageError, shown, without_surrogates

FORMAT_BY_EXTENSION = {
    ".html": "html", ".htm": "html", ".json": "json", ".tsv": "tsv", ".csv": "csv", ".md": "markdown", ".tex": "latex"
}  # fmt: skip
"""The format that the extension of an output file names."""


def check_output(output: str, inputs: Iterable[str]) -> None:
    """Raise UsageError if the output would overwrite one of the input files.

    Paths are compared after resolving links. Devices and pipes are not overwritten.
    """
    if not os.path.isfile(output):
        return
    for path in inputs:
        if path != "-" and os.path.exists(path) and os.path.samefile(output, path):
            raise UsageError(
                f"The output {shown(output)} would overwrite the input {shown(path)}; choose another file."
            )


def json_text(document: Any) -> str:
    """Return a document as indented JSON with a line end."""
    return without_surrogates(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def print_json(document: Any) -> None:
    """Print a document as indented JSON in UTF-8, regardless of the encoding of the terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json_text(document).encode())


def delimited(records: Sequence[Mapping[str, Any]], form: str) -> str:
    """Return records as TSV or CSV with a header and numbers in full precision; None is an empty cell.

    In TSV, which has no quoting, a TAB or line end in a text is replaced by a space.
    """
    import csv
    import io

    rows = [list(records[0]), *(["" if cell is None else cell for cell in record.values()] for record in records)]
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()
    return "".join(
        "\t".join(" ".join(str(cell).splitlines()).replace("\t", " ") for cell in row) + "\n" for row in rows
    )


def write_output(path: str | None, text: str) -> None:
    """Write a text to a file atomically, or print it if there is no path."""
    if path is None:
        print(text, end="")
        return
    from chrfect.files.save import write_text

    write_text(path, text)
