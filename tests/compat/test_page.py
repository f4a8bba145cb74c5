"""The scripts in docs/from-sacrebleu.md print the same with both packages."""

import contextlib
import io
import re

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "from-sacrebleu.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def printed(script):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(script, {})
    return out.getvalue()


def test_the_page_has_five_scripts():
    assert len(SCRIPTS) == 5


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_prints_the_same_with_either_import(script):
    before = script.replace("from chrfect.compat import sacrebleu", "import sacrebleu").replace(
        "chrfect.compat.sacrebleu", "sacrebleu"
    )
    assert "chrfect" in script
    assert "chrfect" not in before
    assert printed(script) == printed(before) != ""


def test_every_option_on_the_page_exists():
    import argparse

    from chrfect.cli import sacrebleu

    parser = argparse.ArgumentParser()
    sacrebleu.add(parser)
    options = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert named - options <= {
        "--reference-separator", "--segments", "--format", "--decimals", "--intervals", "--trials", "--threads",
    }  # fmt: skip
