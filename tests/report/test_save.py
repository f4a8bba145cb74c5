"""A file is written whole or not at all."""

import pytest

from chrfect.errors import WorkError
from chrfect.report.save import make_folder, replacing, write_text


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    write_text(str(path), "old")

    def interrupted():
        with replacing(str(path)) as temporary:
            with open(temporary, "w") as file:
                file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_text_is_utf8_with_lf(tmp_path):
    write_text(str(tmp_path / "a.txt"), "ž\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc5\xbe\n"


def test_a_missing_folder_is_a_failure_in_words(tmp_path):
    with pytest.raises(WorkError, match="no such file or directory"):
        write_text(str(tmp_path / "none" / "a.txt"), "x")
    make_folder(str(tmp_path / "none" / "deeper"))
    assert (tmp_path / "none" / "deeper").is_dir()
