"""Writing files so that an interrupted run leaves nothing half-written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from chrfect.errors import WorkError


def make_folder(path: str) -> None:
    """Make a folder and those above it; WorkError if that is refused."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise WorkError(
            f"{path}: {(error.strerror or str(error)).lower()}; a folder to write into was expected."
        ) from None


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """Yield a temporary name beside `path` with the same suffix, and move it there once it is written."""
    folder, suffix = os.path.dirname(path) or ".", os.path.splitext(path)[1]
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".chrfect-", suffix=suffix)
    except OSError as error:
        raise WorkError(f"{path}: {(error.strerror or str(error)).lower()}.") from None
    os.close(handle)
    try:
        yield temporary
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise WorkError(f"{path}: {(error.strerror or str(error)).lower()}.") from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def write_text(path: str, text: str) -> None:
    """Write a text file in UTF-8 with LF, whole or not at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
