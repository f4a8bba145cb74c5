"""The sessions in the guide have the output shown, and its code the values in comments."""

import json
import os
import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

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


SIMULATION = json.loads((ROOT / "docs" / "findings" / "simulation.json").read_text(encoding="utf-8"))


def shares(kind, statistic, method):
    """Return the mean share for each number of systems, and the number of panels it comes from."""
    [cells] = [row[2] for row in SIMULATION["shares"][kind] if row[:2] == [statistic, method]]
    found = {}
    for systems, _, panels, share in cells:
        found.setdefault(systems, []).append((panels, share))
    return {systems: (sum(n for n, _ in some), sum(x for _, x in some) / len(some)) for systems, some in found.items()}


def defaults(kind):
    rows = (row[:2] for row in SIMULATION["shares"][kind])
    return [(statistic, method) for statistic, method in rows if "default" in method]


def test_the_tables_of_the_simulation_are_those_of_its_stored_results():
    path = str(ROOT / "scripts" / "simulate")
    script = module_from_spec(spec_from_loader("simulate", SourceFileLoader("simulate", path)))
    SourceFileLoader("simulate", path).exec_module(script)
    assert script.written(GUIDE, script.text(SIMULATION)) == GUIDE
    assert {tuple(row[:2]) for row in SIMULATION["shares"]["level"]} == set(script.TESTS)
    assert {tuple(row[:2]) for row in SIMULATION["shares"]["coverage"]} == set(script.INTERVALS)


def numbers(kind, statistics, fewest, most):
    """Return the shares of the default methods of some statistics with so many systems."""
    return [
        share
        for statistic, method in defaults(kind)
        if statistic in statistics
        for systems, (_, share) in shares(kind, statistic, method).items()
        if fewest <= systems <= most
    ]


@pytest.mark.parametrize(("statistic", "method"), defaults("level"))
def test_type_i_error_of_default_tests_is_at_most_a_hundredth_above_the_level(statistic, method):
    for panels, share in shares("level", statistic, method).values():
        assert share <= 0.06 + 3 * (0.06 * 0.94 / panels) ** 0.5


def test_the_guide_states_the_shares_of_the_default_methods():
    guide = " ".join(GUIDE.split())
    pearson, soft = ["system, Pearson"], ["system, accuracy", "system, soft accuracy"]
    others = ["system, Spearman", "system, Kendall", *soft]
    found = numbers("level", pearson, 8, 22)
    assert f"rejects in {min(found):.1%} to {max(found):.1%} of cases from eight systems on" in guide
    found = numbers("power", [*pearson, *soft], 22, 22)
    assert f"is found in {min(found):.0%} to {max(found):.0%} of cases with 22 systems" in guide
    assert numbers("power", [*pearson, *soft], 5, 5) == [0, 0, 0]
    segments = [statistic for statistic, _ in defaults("level") if statistic.startswith("segment")]
    assert max(numbers("level", segments, 5, 22)) < 0.01
    assert all(0.94 <= share <= 0.955 for share in numbers("coverage", pearson, 5, 22))
    assert min(numbers("coverage", ["segment, Pearson", "segment by item, accuracy"], 5, 22)) >= 0.95
    many, few = numbers("coverage", others, 8, 22), numbers("coverage", others, 5, 5)
    assert f"from eight systems on ({min(many):.0%} to {max(many):.0%}), but with five systems only in" in guide
    assert f"only in {min(few):.0%} to {max(few):.0%} of cases" in guide
