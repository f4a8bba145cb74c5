"""Progress is shown on a terminal and nowhere else."""

import io
import json
import sys
import threading
import time
import warnings
from contextlib import contextmanager

import pytest

from chrfect.cli import main, progress
from chrfect.cli.progress import bar
from chrfect.errors import ChrfectWarning
from conftest import ROOT

EXAMPLES = ROOT / "examples"
FILES = [EXAMPLES / "reference.txt", "-i", EXAMPLES / "systemA.txt"]


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


def test_work_without_steps_shows_the_seconds_that_it_has_taken(monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.001)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with bar("scoring"):
        wait_for(lambda: "scoring … 0 s" in sys.stderr.getvalue())
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_nothing_is_drawn_after_the_work(monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    before = set(threading.enumerate())
    with bar("scoring") as draw:
        draw(1, 2)
    wait_for(lambda: set(threading.enumerate()) <= before)
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


COMMANDS = {
    "score": (["score", *FILES], ["scoring"]),
    "score with intervals": (["score", *FILES, "--intervals"], ["scoring"]),
    "score of test sets": (["score", "--manifest", "sets.json"], ["scoring"]),
    "sacrebleu": (["sacrebleu", *FILES, "-m", "chrf"], ["scoring"]),
    "compare": (
        ["compare", *FILES, EXAMPLES / "systemB.txt", "--where", "1"],
        ["comparing", "locating the differences"],
    ),
    "compare to a page": (["compare", *FILES, EXAMPLES / "systemB.txt", "-o", "page.html"], ["comparing", "shading"]),
    "compare test sets": (["compare", "--manifest", "sets.json"], ["comparing"]),
    "explain a corpus": (["explain", *FILES], ["explaining"]),
    "explain segments": (["explain", *FILES, "--worst", "3"], ["scoring", "explaining"]),
    "correlate": (["correlate", EXAMPLES / "ratings.tsv", "--scores", "chrF"], ["reading and scoring", "judging"]),
    "mbr": (["mbr", EXAMPLES / "candidates.jsonl"], ["decoding"]),
    "merge": (["merge", "part.parquet"], ["reading parts", "scoring"]),
    "counts": (["counts", "data.jsonl", "-m", "chrF", "-o", "part.parquet"], ["counting bytes"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_can_take_long_shows_its_progress_and_prints_afterwards(name, monkeypatch, tmp_path, capsys):
    if name in ("counts", "merge"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    monkeypatch.chdir(tmp_path)
    systems = {name: str(EXAMPLES / f"{name}.txt") for name in ("systemA", "systemB")}
    sets = {"news": {"systems": systems, "references": {"ref": str(EXAMPLES / "reference.txt")}}}
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    (tmp_path / "data.jsonl").write_text('{"hypothesis": "a cat", "reference": "the cat"}\n')
    if name == "merge":
        assert main(["counts", "data.jsonl", "-m", "chrF", "-o", "part.parquet"]) == 0
    shown = []

    @contextmanager
    def record(label):
        shown.append(label)
        yield lambda done, total: None
        assert capsys.readouterr() == ("", "")

    monkeypatch.setattr(progress, "bar", record)
    arguments, labels = COMMANDS[name]
    assert main(list(map(str, arguments))) == 0
    assert shown == labels


def test_a_warning_replaces_the_line_of_progress(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("chrfect.cli._dispatch", lambda _: warnings.warn("short", ChrfectWarning, stacklevel=1) or 0)
    assert main([]) == 0
    assert sys.stderr.getvalue() == "\r\x1b[Kchrfect: warning: short\n"


def wait_for(condition):
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.001)
