"""The commands and the code of the README and the guides run and have the results shown."""

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import chrfect
from chrfect.cli import main
from conftest import ROOT

PAGES = ["README.md", *(f"docs/{name}.md" for name in ("tutorial", "score", "explain", "evaluation", "mbr", "index"))]
README = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
SCRIPTS = ("scripts/demo", "scripts/test")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    """A folder with all that the repository has, into which commands may write."""
    for entry in ROOT.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def shell(command, folder=ROOT):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("block", blocks("console"))
def test_a_session_gives_the_output_that_is_shown(block):
    command, _, output = block.removeprefix("$ ").partition("\n")
    done = shell(command)
    assert (done.stdout, done.stderr) == (output, "")


@pytest.mark.parametrize("line", [line for block in blocks("sh") for line in block.splitlines()])
def test_every_command_runs(line, folder, monkeypatch, capsys):
    if line.startswith(SCRIPTS):
        assert os.access(ROOT / line.split()[0], os.X_OK)
        return
    before = set(folder.iterdir())
    if re.search(r"[|]|--help", line):
        done = shell(line, folder)
        status, output, errors = done.returncode, done.stdout, done.stderr
    else:
        monkeypatch.chdir(folder)
        status = main(shlex.split(line, comments=True)[1:])
        output, errors = capsys.readouterr()
    assert (status, errors) == (0, "")
    assert output or set(folder.iterdir()) > before


@pytest.mark.parametrize("block", blocks("python"))
def test_the_code_gives_the_values_in_its_comments(block):
    names = {"chrfect": chrfect, **vars(chrfect)}
    for line, comment in statements(block):
        try:
            value = eval(compile(ast.parse(line, mode="eval"), "README.md", "eval"), names)
        except SyntaxError:
            exec(line, names)
            continue
        if comment:
            shown = re.match(r"(.+?)(, sacreBLEU's float|, exact.*)?$", comment)[1]
            assert repr(value) == shown


def statements(block):
    """Yield each statement with the comment on its last line, or alone on the line after it."""
    lines = block.splitlines()
    for node in ast.parse(block).body:
        after = lines[node.end_lineno - 1].partition("  #")[2]
        if not after and node.end_lineno < len(lines) and lines[node.end_lineno].startswith("# "):
            after = lines[node.end_lineno][1:]
        yield ast.unparse(node), after.strip()


def test_the_demo_runs():
    done = subprocess.run([sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "chrF++     75.06" in done.stdout
