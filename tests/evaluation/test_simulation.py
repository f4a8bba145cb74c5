"""The error rates and coverage in the guide are those that the script finds."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from conftest import ROOT

GUIDE = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_guide_has_the_shares_of_the_script_for_the_fewest_segments(monkeypatch):
    loader = SourceFileLoader("simulate_tests", str(ROOT / "scripts" / "simulate-tests"))
    script = module_from_spec(spec_from_loader("simulate_tests", loader))
    loader.exec_module(script)
    repeats, seed = map(int, re.search(r"--repeats (\d+) --seed (\d+)", GUIDE).groups())
    monkeypatch.setattr(script, "SIZES", script.SIZES[:1])

    columns = {"equal": 1, "wider": 4, "better": 7}
    rows = dict(re.findall(r"^\| ([a-z-]+) \| (.*) \|$", GUIDE, re.MULTILINE))
    for (test, case, _), share in script.rejections(repeats, seed).items():
        assert f"{share:.3f}" == rows[test].split(" | ")[columns[case] - 1]

    for (method, value, _), share in script.coverage(repeats, seed).items():
        assert f"| {method} | {value} | {share:.3f} |" in GUIDE
