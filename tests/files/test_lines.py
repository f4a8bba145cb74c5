import io
import sys

import pytest

from chrfect import ChrfectWarning, InputFileError
from chrfect.files.lines import read_bytes
from chrfect.files.texts import read_aligned, read_texts


def write(tmp_path, data, name="file.txt"):
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"\n", [""]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\n", ["a\r"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r", ["a\r"]),
        ("a\u2028b\x85c\x0bd\n".encode(), ["a\u2028b\x85c\x0bd"]),
        (b" a\tb \n", [" a\tb "]),
    ],
)
@pytest.mark.parametrize("source", ["file", "stdin"])
def test_lines_end_with_lf_or_crlf_only(tmp_path, monkeypatch, data, lines, source):
    if source == "file":
        assert read_texts(write(tmp_path, data)) == lines
    else:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_texts("-") == lines


def test_byte_order_mark_is_removed_with_a_warning(tmp_path):
    path = write(tmp_path, "\ufeffa\n\ufeffb\n".encode())
    with pytest.warns(ChrfectWarning, match=r"file\.txt: removed a byte order mark"):
        assert read_texts(path) == ["a", "\ufeffb"]


def test_invalid_utf8_names_file_line_and_byte(tmp_path):
    path = write(tmp_path, b"fine\ncaf\xe9\n")
    with pytest.raises(InputFileError, match=r"file\.txt: line 2, byte 4 of the line is 0xE9"):
        read_texts(path)


def test_the_byte_of_invalid_utf8_is_counted_with_the_mark_before_it(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfa\xe9\n")
    with (
        pytest.warns(ChrfectWarning, match="byte order mark"),
        pytest.raises(InputFileError, match="line 1, byte 5 of the line is 0xE9"),
    ):
        read_texts(path)


def test_error_for_an_empty_file_names_both_files(tmp_path):
    full, empty = write(tmp_path, b"a\nb\n", "full.txt"), write(tmp_path, b"", "empty.txt")
    with pytest.raises(InputFileError, match=r"empty\.txt: the file is empty, and .*full\.txt has 2 lines"):
        read_aligned([full, empty])


def test_closed_standard_input_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputFileError, match=r"standard input.* is closed"):
        read_texts("-")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads a file of /proc that refuses to be read")
def test_disk_failure_is_a_work_error():
    from chrfect import WorkError

    with pytest.raises(WorkError, match="while reading"):
        read_bytes("/proc/self/mem")


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
@pytest.mark.filterwarnings("ignore::chrfect.ChrfectWarning")
def test_an_empty_file_is_an_error(tmp_path, data):
    with pytest.raises(InputFileError, match=r"file\.txt: the file is empty"):
        read_texts(write(tmp_path, data))


def test_different_numbers_of_lines_name_both_files(tmp_path):
    one, two = write(tmp_path, b"a\n", "one.txt"), write(tmp_path, b"a\nb\n", "two.txt")
    with pytest.raises(InputFileError, match=r"one\.txt has 1 line and .*two\.txt has 2 lines"):
        read_aligned([one, two])


def test_error_names_a_missing_file(tmp_path):
    with pytest.raises(InputFileError, match=r"nowhere\.txt: no such file"):
        read_texts(str(tmp_path / "nowhere.txt"))


def test_standard_input_can_be_used_once():
    with pytest.raises(InputFileError, match="more than once"):
        read_aligned(["-", "-"])
