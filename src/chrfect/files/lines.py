"""Plain text, one segment per line.

Only LF ends a line. One CR before LF is removed; any other CR, U+2028 and U+0085 are part of the text. A byte order
mark at the start of a file is removed with a warning. The rules are the same for files and standard input.
"""

from __future__ import annotations

import codecs
import sys
import warnings

from chrfect.errors import ChrfectWarning, InputFileError, WorkError

BOM = b"\xef\xbb\xbf"
STDIN = "-"

_OTHER_ENCODINGS = {
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


class EmptyFileError(InputFileError):
    """A file has no lines."""


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``.

    Raises
    ------
    InputFileError
        If the file does not exist or cannot be opened.
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
        The name of the file in messages.

    Raises
    ------
    InputFileError
        If there are no lines, or the bytes are not UTF-8; the message names the line and the byte, or UTF-16 or UTF-32.

    Examples
    --------
    >>> decode_lines(b"a\\r\\nb\\x0dc\\n", "example")
    ['a', 'b\\rc']
    """
    _refuse_other_encodings(data, name)
    mark = 0
    if data.startswith(BOM):
        warnings.warn(
            f"{name}: removed a byte order mark (U+FEFF) from the start of the file.", ChrfectWarning, stacklevel=2
        )
        data = data[len(BOM) :]
        mark = len(BOM)
    if not data:
        raise EmptyFileError(f"{name}: the file is empty; one segment per line was expected.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise InputFileError(
                f"{name}: the file is binary, or in another encoding than UTF-8 (byte {data.index(0) + mark + 1:,} is "
                "NUL); text in UTF-8 was expected."
            ) from None
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1 + (mark if line == 1 else 0)
        raise InputFileError(
            f"{name}: line {line}, byte {column} of the line is 0x{data[error.start]:02X}, which is not UTF-8. "
            f"Convert the file first, for instance: iconv -f LATIN1 -t UTF-8."
        ) from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
        return [line.removesuffix("\r") for line in lines] if "\r\n" in text else lines
    return [*(line.removesuffix("\r") for line in lines[:-1]), lines[-1]]


def _refuse_other_encodings(data: bytes, name: str) -> None:
    """Raise InputFileError if the data begin with the byte order mark of UTF-16 or UTF-32."""
    for encoding, marks in _OTHER_ENCODINGS.items():
        if data.startswith(marks):
            raise InputFileError(
                f"{name}: the file begins with the byte order mark of {encoding}; UTF-8 was expected. "
                f"Convert it first: iconv -f {encoding} -t UTF-8."
            )
