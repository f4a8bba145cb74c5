"""Compressed files are recognised by their first bytes, whatever their names."""

import bz2
import gzip
import lzma
import sys

import pytest

from chrfect import InputFileError
from chrfect.files.compressed import expand
from chrfect.files.texts import read_texts

TEXT = b"ein Satz\nnoch einer\n" * 50


def zstd(data):
    return bytes(pytest.importorskip("pyarrow").compress(data, codec="zstd", asbytes=True))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_a_compressed_file_is_read_under_any_name(tmp_path, compress):
    path = tmp_path / "plain.txt"
    path.write_bytes(compress(TEXT))
    assert read_texts(str(path)) == ["ein Satz", "noch einer"] * 50


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_concatenated_streams_are_read(compress):
    assert expand(compress(b"a\n") + compress(b"b\n"), "x") == b"a\nb\n"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_rejects_a_truncated_file(compress):
    data = compress(TEXT)
    for length in (len(data) // 2, len(data) - 1):
        with pytest.raises(InputFileError, match=r"x\.gz: the compressed data are incomplete or damaged"):
            expand(data[:length], "x.gz")


def test_error_without_zstandard_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(
        InputFileError, match=r"^f is compressed with Zstandard; reading it needs .*pip install pyarrow"
    ):
        expand(b"\x28\xb5\x2f\xfd\x00", "f")
