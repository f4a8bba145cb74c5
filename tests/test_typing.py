"""Type checkers accept valid code and reject misspelt names."""

import json
import re
import runpy
import subprocess
import sys

import pytest

from conftest import ROOT

TYPING = ROOT / "tests" / "typing"


def mypy(path, folder):
    cache = folder / "cache"
    return [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), "--no-error-summary", str(path)]


def pyright(path, folder):
    settings = {"typeCheckingMode": "standard", "include": [str(path)], "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(folder)]


def error_lines(checker, path, folder):
    """Return the lines of a file in which a type checker finds errors."""
    done = subprocess.run(checker(path, folder), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^\s*(\S+?):(\d+)(?::\d+)?(?: -|:) error", done.stdout, re.MULTILINE)
    assert bool(found) == bool(done.returncode), done.stdout
    return {int(line) for name, line in found if name.endswith(path.name)}


@pytest.fixture(params=[mypy, pyright], ids=["mypy", "pyright"])
def checker(request):
    return request.param


def test_types_accept_code_that_runs(checker, tmp_path):
    assert error_lines(checker, TYPING / "accepted.py", tmp_path) == set()


def test_code_that_types_accept_runs():
    names = runpy.run_path(str(TYPING / "accepted.py"))
    assert names["corpus"].score == names["array"].score == 100.0
    assert (names["by_name"].reference, names["text"]) == ("refA", "100.00")


def test_types_reject_misspelt_names_and_wrong_arguments(checker, tmp_path):
    lines = (TYPING / "refused.py").read_text().splitlines()
    expected = {i for i, line in enumerate(lines, 1) if line.endswith("# error")}
    assert len(expected) == 7
    assert error_lines(checker, TYPING / "refused.py", tmp_path) == expected


def test_types_accept_the_code_of_the_readme(checker, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path / "readme.py"
    path.write_text("\n".join(blocks))
    assert error_lines(checker, path, tmp_path) == set()
