"""Completion scripts complete commands, options, metrics and files in a real shell."""

import shutil
import subprocess
import sys

import pytest

from chrfect.cli import main
from chrfect.cli.completion import SHELLS

pytest.importorskip("shtab", reason="shtab is not installed: pip install shtab")


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_completes_commands_options_values_and_files(capsys, tmp_path):
    (tmp_path / "chrfect.bash").write_text(script("bash", capsys))
    (tmp_path / "reference.txt").touch()
    asked = {
        "chrfect expl": "explain",
        "chrfect score --seg": "--segments",
        "chrfect score ref": "reference.txt",
        "chrfect score reference.txt -m chrF+": "chrF+ chrF++",
        "chrfect score reference.txt --compat nl": "nltk",
        "chrfect compare reference.txt -i ref": "reference.txt",
        "chrfect describe bleu-c": "bleu-corpus-compute",
        "chrfect completion z": "zsh",
    }
    code = 'complete_() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_chrfect; echo "${COMPREPLY[*]}"; }\n'
    code += "".join(f"complete_ {words}\n" for words in asked)
    command = ["bash", "--norc", "-c", f"source ./chrfect.bash\n{code}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (dict(zip(asked, done.stdout.splitlines(), strict=True)), done.stderr) == (asked, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_valid_in_its_shell(shell, capsys, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    (tmp_path / "script").write_text(script(shell, capsys))
    done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_shtab_the_error_says_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install shtab" in capsys.readouterr().err
