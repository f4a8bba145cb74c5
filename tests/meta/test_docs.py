"""The sessions in the guide have the output shown, and its code the values in comments."""

import os
import re

import pytest

from conftest import ROOT
from test_readme import shell, statements

GUIDE = (ROOT / "docs" / "meta-evaluation.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.partition("\n")[0][-40:])
def test_a_session_gives_the_output_that_is_shown(block):
    command, _, output = block.removeprefix("$ ").partition("\n")
    if "$CHRFECT_DATA" in command and not os.environ.get("CHRFECT_DATA"):
        pytest.skip("CHRFECT_DATA is not set: the real texts are not shipped with the project")
    done = shell(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


def test_the_code_gives_the_values_in_its_comments():
    [block] = blocks("python")
    names = {}
    values = 0
    for line, comment in statements(block):
        if line.partition(" ")[0] in ("from", "human", "scores", "panel"):
            exec(line, names)
        else:
            assert repr(eval(line, names)) == comment
            values += 1
    assert values == 3
