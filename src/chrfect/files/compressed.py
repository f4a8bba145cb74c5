"""Compressed files, recognised by their first bytes: gzip, bzip2, xz and Zstandard."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from importlib import import_module
from typing import Any

from chrfect.errors import InputFileError

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def expand(data: bytes, name: str) -> bytes:
    """Return decompressed bytes; bytes that are not compressed are returned unchanged.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str
        The name of the file in messages.

    Raises
    ------
    InputFileError
        If the data are truncated or damaged, or Zstandard is not available.

    Examples
    --------
    >>> expand(gzip.compress(b"a"), "a.gz"), expand(b"a", "a.txt")
    (b'a', b'a')
    """
    try:
        if data.startswith(_GZIP):
            return gzip.decompress(data)
        if data.startswith(_BZIP2):
            return bz2.decompress(data)
        if data.startswith(_XZ):
            return lzma.decompress(data)
        if data.startswith(_ZSTD):
            return _zstandard(data, name)
    except InputFileError:
        raise
    except (EOFError, lzma.LZMAError, OSError, ValueError, zlib.error) as error:
        reason = str(error).rstrip(".").lower() or "damaged"
        raise InputFileError(
            f"{name}: the compressed data are incomplete or damaged ({reason}); the file may have been cut off. "
            "Copy or download it again."
        ) from None
    return data


def open_expanded(path: str) -> Any:
    """Return a file open for reading what it holds, compressed or not; InputFileError if it cannot be opened."""
    try:
        with open(path, "rb") as file:
            start = file.read(6)
        if start.startswith(_GZIP):
            return gzip.open(path)
        if start.startswith(_BZIP2):
            return bz2.open(path)
        if start.startswith(_XZ):
            return lzma.open(path)
        if not start.startswith(_ZSTD):
            return open(path, "rb")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputFileError(f"{path}: {reason}; a readable file was expected.") from None
    try:
        return import_module("compression.zstd").open(path)
    except ModuleNotFoundError:
        pass
    try:
        return io.BufferedReader(import_module("pyarrow").CompressedInputStream(path, "zstd"))
    except ModuleNotFoundError:
        raise InputFileError(
            f"{path} is compressed with Zstandard; reading it needs Python 3.14, or pyarrow: pip install pyarrow."
        ) from None


def _zstandard(data: bytes, name: str) -> bytes:
    try:
        expanded: bytes = import_module("compression.zstd").decompress(data)
    except ModuleNotFoundError:
        pass
    else:
        return expanded
    try:
        pyarrow = import_module("pyarrow")
    except ModuleNotFoundError:
        raise InputFileError(
            f"{name} is compressed with Zstandard; reading it needs Python 3.14, or pyarrow: pip install pyarrow."
        ) from None
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd") as stream:
        read: bytes = stream.read()
        return read
