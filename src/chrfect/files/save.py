"""Writing files so that an interrupted run leaves nothing half-written."""

from __future__ import annotations

import os
import secrets
import shutil
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
    """Yield a temporary name beside `path` with the same suffix, and move it there once it is written.

    A link stays, and what it leads to is replaced; a file's mode stays. A device or a pipe is no file to replace: its
    own name is yielded.
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
    """Write a text file in UTF-8 with LF, whole or not at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
