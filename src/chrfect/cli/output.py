"""What commands that print or write files share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
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


def print_json(document: Any) -> None:
    """Print a document as indented JSON, in UTF-8 whatever the terminal speaks."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.flush()
    sys.stdout.buffer.write(without_surrogates(text).encode() + b"\n")
