"""Atomic writing of files: an interrupted run leaves no partial files."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from chrfect.errors import WorkError


def make_folder(path: str) -> None:
    """Create a folder and its parents; raise WorkError if that fails."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise WorkError(
            f"{path}: {(error.strerror or str(error)).lower()}; a folder to write into was expected."
        ) from None


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """Yield a temporary path next to `path` with the same suffix, and rename it to `path` when it is written.

    A symbolic link is kept, and its target is replaced. The mode of a file is kept. For a device or a pipe, `path`
    itself is yielded.
    """
    special = os.path.exists(path) and not os.path.isfile(path)
    target = path if special else os.path.realpath(path)
    temporary = target if special else _beside(target)
    try:
        yield temporary
        if not special:
            if os.path.exists(target):
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WorkError(f"{path}: {(error.strerror or str(error)).lower()}.") from None
    finally:
        if not special and os.path.exists(temporary):
            os.unlink(temporary)


def _beside(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".chrfect-{secrets.token_hex(8)}{os.path.splitext(name)[1]}")


def write_text(path: str, text: str) -> None:
    """Write a text file in UTF-8 with LF, atomically."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
