"""A progress bar is shown on a terminal and nowhere else."""

import io
import sys

from chrfect.cli import progress
from chrfect.cli.progress import bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_long_work_shows_and_removes_a_progress_bar_on_a_terminal(monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with bar("judging") as draw:
        draw(1, 4)
        draw(4, 4)
    written = sys.stderr.getvalue()
    assert "judging [######..................] 1/4" in written
    assert "[########################] 4/4" in written
    assert written.endswith("\r\x1b[K")


def test_no_progress_bar_for_short_work(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with bar("judging") as draw:
        draw(1, 1)
    assert sys.stderr.getvalue() == ""


def test_no_progress_bar_in_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with bar("judging") as draw:
        assert draw is None
