"""Files are written atomically."""

import os
import stat
import threading

import pytest

from chrfect.errors import WorkError
from chrfect.files.save import make_folder, replacing, write_text


def test_interrupted_write_keeps_only_the_old_file(tmp_path):
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


def test_missing_folder_is_a_work_error(tmp_path):
    with pytest.raises(WorkError, match="no such file or directory"):
        write_text(str(tmp_path / "none" / "a.txt"), "x")
    make_folder(str(tmp_path / "none" / "deeper"))
    assert (tmp_path / "none" / "deeper").is_dir()


def test_output_to_a_pipe_keeps_the_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said = []
    reader = threading.Thread(target=lambda: said.append(path.read_text()), daemon=True)
    reader.start()
    write_text(str(path), "x\n")
    reader.join(10)
    assert said == ["x\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_output_to_a_link_is_written_to_its_target(tmp_path):
    (tmp_path / "link").symlink_to("real")
    for text in ("first", "second"):
        write_text(str(tmp_path / "link"), text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == text


def test_a_new_file_has_the_mode_of_new_files_and_an_old_one_keeps_its_own(tmp_path):
    path = tmp_path / "a.txt"
    before = os.umask(0o077)
    try:
        write_text(str(path), "x")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o664)
        write_text(str(path), "y")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_rejects_a_folder_as_output(tmp_path):
    with pytest.raises(WorkError, match="is a directory"):
        write_text(str(tmp_path), "x")
    assert tmp_path.is_dir()
