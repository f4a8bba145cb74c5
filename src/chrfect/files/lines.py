"""Reading what people have: plain text, one segment a line.

Only LF ends a line, and exactly one CR before it is taken off; every other CR, U+2028 and U+0085 stays inside. A byte
order mark at the start of a file is taken off with a warning. Files and standard input are read alike.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from chrfect.errors import ChrfectWarning, InputFileError, WorkError

BOM = b"\xef\xbb\xbf"
STDIN = "-"


class EmptyFileError(InputFileError):
    """A file holds no line."""


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``.

    Raises
    ------
    InputFileError
        If there is no such file, or it may not be read.
    WorkError
        If reading it failed.
    """
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise InputFileError("- (standard input) is closed; name a file, or pipe the text in.")
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError):
            raise InputFileError(f"{path}: {reason}; a readable file was expected.") from None
        raise WorkError(f"{path}: {reason} while reading.") from None


def decode_lines(data: bytes, name: str) -> list[str]:
    """Return the lines of UTF-8 bytes.

    Parameters
    ----------
    data : bytes
        The whole file; a last line without LF counts as a line.
    name : str
        What to call the file in messages.

    Raises
    ------
    InputFileError
        If there are no lines, or bytes are no UTF-8 (named by line and byte).

    Examples
    --------
    >>> decode_lines(b"a\\r\\nb\\x0dc\\n", "example")
    ['a', 'b\\rc']
    """
    mark = 0
    if data.startswith(BOM):
        warnings.warn(
            f"{name}: took a byte order mark (U+FEFF) off the start of the file.", ChrfectWarning, stacklevel=2
        )
        data = data[len(BOM) :]
        mark = len(BOM)
    if not data:
        raise EmptyFileError(f"{name}: the file is empty; one segment a line was expected.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1 + (mark if line == 1 else 0)
        raise InputFileError(
            f"{name}: line {line}, byte {column} of the line is 0x{data[error.start]:02X}, which is no UTF-8. "
            f"Convert the file first, for instance: iconv -f LATIN1 -t UTF-8."
        ) from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
        return [line.removesuffix("\r") for line in lines] if "\r\n" in text else lines
    return [*(line.removesuffix("\r") for line in lines[:-1]), lines[-1]]


def read_lines(path: str) -> list[str]:
    """Return the lines of a plain text file, or of standard input for ``-``; errors as in :func:`decode_lines`."""
    return decode_lines(read_bytes(path), "standard input" if path == STDIN else path)


def read_aligned(paths: Sequence[str]) -> list[list[str]]:
    """Return the lines of each file; InputFileError naming both files where their numbers of lines differ.

    Standard input may stand among them once.
    """
    if list(paths).count(STDIN) > 1:
        raise InputFileError("- (standard input) is given more than once; it can be read only once.")
    texts: list[list[str]] = []
    empty = None
    for path in paths:
        try:
            texts.append(read_lines(path))
        except EmptyFileError:
            empty = path
            texts.append([])
    if empty is not None:
        others = next((i for i, lines in enumerate(texts) if lines), None)
        beside = "" if others is None else f", and {paths[others]} has {_lines(len(texts[others]))}"
        raise EmptyFileError(f"{empty}: the file is empty{beside}; one segment a line was expected.")
    for path, lines in zip(paths, texts, strict=True):
        if len(lines) != len(texts[0]):
            raise InputFileError(
                f"{paths[0]} has {_lines(len(texts[0]))} and {path} has {_lines(len(lines))}; as many are needed, "
                "line i of each file being segment i."
            )
    return texts


def _lines(number: int) -> str:
    return f"{number:,} line" if number == 1 else f"{number:,} lines"
