"""Type checkers accept valid code and reject misspelt names."""

import json
import re
import runpy
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

TYPING = ROOT / "tests" / "typing"


def mypy(folder):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "--no-error-summary"]
    return [*command, *map(str, folder.glob("*.py"))]


def pyright(folder):
    settings = {"typeCheckingMode": "standard", "include": ["*.py"], "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(folder)]


@pytest.fixture(scope="module", params=[mypy, pyright], ids=["mypy", "pyright"])
def error_lines(request, tmp_path_factory):
    """Return a function that returns the lines of a file in which a type checker finds errors."""
    folder = tmp_path_factory.mktemp("typing")
    for name in ("accepted.py", "refused.py"):
        shutil.copy(TYPING / name, folder)
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (folder / "readme.py").write_text("\n".join(blocks))
    done = subprocess.run(request.param(folder), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^\s*(\S+?):(\d+)(?::\d+)?(?: -|:) error", done.stdout, re.MULTILINE)
    assert bool(found) == bool(done.returncode), done.stdout
    return lambda name: {int(line) for file, line in found if file.endswith(name)}


def test_types_accept_code_that_runs(error_lines):
    assert error_lines("accepted.py") == set()


def test_code_that_types_accept_runs():
    names = runpy.run_path(str(TYPING / "accepted.py"))
    assert names["corpus"].score == names["array"].score == 100.0
    assert (names["by_name"].reference, names["text"]) == ("refA", "100.00")


def test_types_reject_misspelt_names_and_wrong_arguments(error_lines):
    lines = (TYPING / "refused.py").read_text().splitlines()
    expected = {i for i, line in enumerate(lines, 1) if line.endswith("# error")}
    assert len(expected) == 7
    assert error_lines("refused.py") == expected


def test_types_accept_the_code_of_the_readme(error_lines):
    assert error_lines("readme.py") == set()
