"""MCP over standard input and output: every line is answered, even after the end of the input."""

import json
import signal
import subprocess
import time

import pytest

from cases import NAMES, cases, expected, has_lone_surrogate, outcome
from processes import started
from serving import COMMAND, ENVELOPE, tool_call

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
GOOD = {"hypotheses": ["a cat"], "references": ["the cat"]}


def speak(*lines, timeout=30):
    """Send lines, then the end of the input; return the answers by id."""
    sent = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    done = subprocess.run([*COMMAND, "mcp"], input=sent, capture_output=True, timeout=timeout)
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    return answers


def opening(era):
    return [INITIALIZE, READY] if era == "legacy" else []


def a_call(input, era, id=1, tool="chrf-compute"):
    return tool_call(tool, "1.0.0", input, era)[0] | {"id": id}


def by_id(answers):
    return {answer["id"]: answer for answer in answers}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_lone_surrogate_is_answered_by_the_tool(era):
    bad = a_call({"hypotheses": ["\ud83d"], "references": ["x"]}, era)
    answers = by_id(speak(*opening(era), bad, a_call(GOOD, era, id=2)))
    result = answers[1]["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["code"] == "lone_surrogate"
    assert result["structuredContent"]["pointer"] == "/hypotheses/0"
    assert answers[2]["result"]["structuredContent"]["result"]["score"] == "31.250000"


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_case_with_a_lone_surrogate(era):
    carried = [case for name in NAMES for case in cases(name) if has_lone_surrogate(case)]
    calls = [a_call(case["input"], era, id=f"call {i}", tool=case["tool"]) for i, case in enumerate(carried)]
    answers = by_id(speak(*opening(era), *calls))
    for i, case in enumerate(carried):
        assert outcome(answers[f"call {i}"]["result"]["content"][0]["text"]) == expected(case), case["name"]


GARBAGE = [
    (b"garbage", -32700),
    (b"\xff\xfe\x00", -32700),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping"', -32700),
    (b"[" * 100_000, -32700),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":NaN}}', -32700),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":' + b"9" * 5_000 + b"}}", -32700),
    (b"[]", -32600),
    (b"null", -32600),
    (b"{}", -32600),
    (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'"' + b"x" * 3_000_000 + b'"', -32600),
]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_invalid_lines_get_an_error_response_and_the_server_continues(era):
    lines = [line for line, _ in GARBAGE]
    answers = speak(*lines, b"", b"  ", *opening(era), *lines, a_call(GOOD, era, id=2))
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [code for _, code in GARBAGE] * 2
    assert by_id(answers)[2]["result"]["isError"] is False


def test_a_faulty_message_with_an_id_is_answered_with_that_id():
    answers = speak(*opening("legacy"), b'{"jsonrpc":"1.0","id":"mine","method":"ping"}')
    assert by_id(answers)["mine"]["error"]["code"] == -32600


def test_response_has_the_id_of_the_request():
    answers = speak(*opening("legacy"), b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
    assert by_id(answers)["\ud800"]["result"] == {}


def test_the_input_may_nest_as_deep_as_by_http():
    deep, deeper = (json.loads("[" * n + "]" * n) for n in (64, 65))
    answers = by_id(speak(a_call(deep, "modern", id=1), a_call(deeper, "modern", id=2)))
    assert answers[1]["result"]["structuredContent"]["code"] == "not_an_object"
    assert answers[None]["error"]["code"] == -32700


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_request_before_the_end_is_answered(era):
    calls = [a_call(GOOD, era, id=f"call {i}") for i in range(50)]
    answers = speak(*opening(era), *calls)
    assert {answer["id"] for answer in answers} >= {f"call {i}" for i in range(50)}


def test_a_last_line_without_its_end_is_read():
    sent = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": ENVELOPE}})
    done = subprocess.run([*COMMAND, "mcp"], input=sent.encode(), capture_output=True, timeout=30)
    assert json.loads(done.stdout)["id"] == 5


def test_cancelled_request_does_not_keep_the_server_running():
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    answers = speak(*opening("legacy"), a_call(GOOD, "legacy"), cancel, a_call(GOOD, "legacy", id=2))
    assert 2 in by_id(answers)


def test_empty_input_gives_empty_output():
    assert speak() == []


def test_ctrl_c_ends_with_130_and_a_closed_pipe_with_0():
    with speaking(stderr=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == (b"", b"")
        assert process.returncode == 130
    with speaking(stderr=subprocess.PIPE) as process:
        process.stdout.close()
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        time.sleep(0.1)
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == b""


def speaking(**options):
    """Start the server; standard input and output are pipes."""
    return started([*COMMAND, "mcp"], limit=60, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)


def test_the_revision_that_has_batches_is_answered_in_batches():
    older = json.loads(json.dumps(INITIALIZE))
    older["params"]["protocolVersion"] = "2025-03-26"
    calls = [a_call(GOOD, "legacy", id=1), READY, a_call([], "legacy", id="two"), {"id": 3}]
    first, batch, last = speak_after(older, READY, [calls, [READY], a_call(GOOD, "legacy", id=9)])
    assert first["id"] == 0
    answers = by_id(batch)
    assert set(answers) == {1, "two", 3}
    assert answers[1]["result"]["structuredContent"]["result"]["score"] == "31.250000"
    assert answers["two"]["result"]["isError"] is True
    assert answers[3]["error"]["code"] == -32600
    assert last["id"] == 9


def speak_after(initialize, ready, lines):
    """Send lines after the answer to ``initialize``; return all answers, in the order of their first ids."""
    with speaking() as process:
        process.stdin.write(json.dumps(initialize).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline())]
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in [ready, *lines]))
        process.stdin.close()
        answers += [json.loads(line) for line in process.stdout]
        assert process.wait(30) == 0
    return sorted(answers, key=lambda answer: 0.5 if isinstance(answer, list) else answer["id"])


def test_a_batch_in_another_revision_is_an_invalid_request():
    answers = speak(INITIALIZE, READY, [a_call(GOOD, "legacy")])
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32600]


def test_a_request_before_initialize_is_rejected():
    listing = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
    answers = by_id(speak(listing, INITIALIZE, READY, listing | {"id": 6}))
    assert answers[5]["error"]["code"] == -32600
    assert "initialize" in answers[5]["error"]["message"]
    assert len(answers[6]["result"]["tools"]) == 3
