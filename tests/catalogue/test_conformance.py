"""The published conformance cases in Python and on the command line."""

import io
import json
import sys
from pathlib import Path

import pytest

from chrfect import ContractError, catalogue
from chrfect.cli import main

FOLDER = Path(__file__).parent.parent / "conformance"
CASES = {
    f"{case['tool']}:{case['name']}": case
    for file in sorted(FOLDER.glob("*.jsonl"))
    for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())
}


def expected(case):
    return {key: case[key] for key in ("result", "error") if key in case}


@pytest.mark.parametrize("tool", catalogue.ids())
def test_every_tool_has_valid_and_invalid_cases(tool):
    kinds = {"error" if "error" in case else "result" for case in CASES.values() if case["tool"] == tool}
    assert kinds == {"error", "result"}


@pytest.mark.parametrize("name", CASES)
def test_python_returns_the_expected_results(name):
    case = CASES[name]
    before = json.dumps(case["input"])
    try:
        answer = {"result": catalogue.run(case["tool"], case["version"], case["input"])}
    except ContractError as error:
        answer = {"error": {"code": error.code, "pointer": error.pointer}}
    assert json.dumps(case["input"]) == before
    assert catalogue.dumps(answer) == catalogue.dumps(expected(case))


@pytest.mark.parametrize("name", CASES)
def test_the_command_line_answers_with_the_same_bytes(name, monkeypatch, capfdbinary):
    case = CASES[name]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(case["input"]).encode())))
    status = main(["run", case["tool"], case["version"], "--input", "-", "--json-errors"])
    sys.stdout.flush()
    output, errors = capfdbinary.readouterr()
    if "result" in case:
        assert status == 0
        assert output == catalogue.dumps({"result": case["result"]}).encode() + b"\n"
        assert errors == b""
    else:
        assert status == 2
        assert output == b""
        problem = json.loads(errors)
        assert {"code": problem["code"], "pointer": problem["pointer"]} == case["error"]
