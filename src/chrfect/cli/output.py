"""What commands that print or write files share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chrfect.errors import UsageError, shown, without_surrogates


def check_output(output: str, inputs: Iterable[str]) -> None:
    """Raise UsageError if writing a file would replace one of the files that are read.

    Paths are compared by the files they lead to, through links too. Devices and pipes are not replaced.
    """
    if not os.path.isfile(output):
        return
    for path in inputs:
        if path != "-" and os.path.exists(path) and os.path.samefile(output, path):
            raise UsageError(
                f"The output {shown(output)} is also the input {shown(path)}, which would be lost; choose another file."
            )


def json_text(document: Any) -> str:
    """Return a document as indented JSON with a line end."""
    return without_surrogates(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def print_json(document: Any) -> None:
    """Print a document as indented JSON, in UTF-8 whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(json_text(document).encode())


def delimited(records: Sequence[Mapping[str, Any]], form: str) -> str:
    """Return records as TSV or CSV with a header, numbers in full precision; None is an empty cell.

    A TAB or line end in a text is a space in TSV, which has no way to quote it.
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
    """Write a text to a file, whole or not at all, or print it without a path."""
    if path is None:
        print(text, end="")
        return
    from chrfect.files.save import write_text

    write_text(path, text)
