"""The conformance cases of all tools, for the tests of interfaces."""

import json

from conftest import ROOT

FILES = sorted((ROOT / "tests" / "conformance").glob("*.jsonl"))
NAMES = [file.stem for file in FILES]


def cases(name):
    """Return the cases of one file."""
    file = ROOT / "tests" / "conformance" / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def body(case):
    """Return the input as JSON that can carry everything, lone surrogates too."""
    return json.dumps(case["input"]).encode()


def has_lone_surrogate(case):
    """Return whether the input is no Unicode text, so that a client's own encoder would refuse it."""
    try:
        json.dumps(case["input"], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def outcome(text):
    """Return an answer in the form of a case: the result, or the error's code and pointer."""
    value = json.loads(text)
    if "result" in value:
        return {"result": value["result"]}
    assert value["detail"]
    assert value["type"] == "about:blank"
    return {"error": {"code": value["code"], "pointer": value["pointer"]}}


def expected(case):
    """Return what the case says comes out."""
    return {key: case[key] for key in ("result", "error") if key in case}
