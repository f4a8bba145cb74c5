"""All conformance cases through all interfaces, which return the same bytes."""

import json
import os
import subprocess
import sys

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import chrfect
from cases import NAMES, body, cases, expected, has_lone_surrogate, outcome
from chrfect import catalogue
from chrfect.cli import main
from processes import finished
from serving import COMMAND, call, execute, mcp, tool_call

STDIO = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env=dict(os.environ))


def differences(answers):
    """Return the names of the cases whose answer, a JSON text, is not what the case says."""
    return [case["name"] for case, text in answers if outcome(text) != expected(case)]


@pytest.mark.parametrize("name", NAMES)
def test_http_returns_the_expected_bytes(address, name):
    answers = []
    for case in cases(name):
        status, text = execute(address, case["tool"], case["version"], body(case))
        assert status == (200 if "result" in case else 422), case["name"]
        answers.append((case, text))
    assert answers
    assert differences(answers) == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_official_mcp_client_returns_the_expected_results(address, transport, mode):
    carried = [case for name in NAMES for case in cases(name) if not has_lone_surrogate(case)]

    async def answers():
        async with Client(f"{address}/mcp" if transport == "http" else STDIO, mode=mode) as client:
            for case in carried:
                arguments = {key: case[key] for key in ("version", "input")} | {"id": case["tool"]}
                result = await client.call_tool("execute", arguments)
                text = result.content[0].text
                assert result.is_error == ("error" in case), case["name"]
                assert json.loads(text) == result.structured_content
                yield case, text

    async def collected():
        return [answer async for answer in answers()]

    assert differences(finished(collected)) == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_lone_surrogates_are_rejected_by_mcp_over_http(address, era):
    answers = []
    for case in (case for name in NAMES for case in cases(name) if has_lone_surrogate(case)):
        status, answer = mcp(address, *tool_call(case["tool"], case["version"], case["input"], era))
        assert status == 200
        assert answer["result"]["isError"] is True
        answers.append((case, answer["result"]["content"][0]["text"]))
    assert len(answers) > 10
    assert differences(answers) == []


@pytest.mark.parametrize("name", NAMES)
def test_command_run_against_a_server_returns_the_expected_bytes(address, name, tmp_path, capfdbinary):
    answers = []
    for case in cases(name):
        file = tmp_path / "input.json"
        file.write_bytes(body(case))
        status = main(
            ["run", case["tool"], case["version"], "--input", str(file), "--base-url", address, "--json-errors"]
        )
        sys.stdout.flush()
        output, errors = capfdbinary.readouterr()
        assert (status, output if "error" in case else errors) == (2 if "error" in case else 0, b"")
        answers.append((case, output or errors))
    assert differences(answers) == []


@pytest.mark.parametrize("tool", catalogue.ids())
def test_all_interfaces_return_the_same_bytes(address, tool, tmp_path, capfdbinary):
    version, examples = catalogue.newest(tool), catalogue.newest_contract(tool)["examples"]
    by_stdio = finished(answers_by_stdio, tool, version, [example["input"] for example in examples])
    for example, answered in zip(examples, by_stdio, strict=True):
        same = catalogue.dumps({"result": chrfect.run(tool, version, example["input"])}).encode()
        file = tmp_path / "input.json"
        file.write_bytes(body(example))
        run = ["run", tool, version, "--input", str(file)]
        for command in (run, [*run, "--base-url", address]):
            assert main(command) == 0
            sys.stdout.flush()
            assert capfdbinary.readouterr().out == same + b"\n"
        assert execute(address, tool, version, body(example)) == (200, same)
        for era in ("legacy", "modern"):
            _, answer = mcp(address, *tool_call(tool, version, example["input"], era))
            assert answer["result"]["content"][0]["text"].encode() == same
        assert answered.encode() == same
        assert same == catalogue.dumps({"result": example["output"]}).encode()
    done = subprocess.run([*COMMAND, *run], capture_output=True, check=True, timeout=60)
    assert done.stdout == same + b"\n"


async def answers_by_stdio(tool, version, inputs):
    async with Client(STDIO) as client:
        found = []
        for value in inputs:
            result = await client.call_tool("execute", {"id": tool, "version": version, "input": value})
            found.append(result.content[0].text)
        return found


def test_a_contract_is_the_same_through_all_interfaces(address, capfdbinary):
    for tool in catalogue.ids():
        version = catalogue.newest(tool)
        stored = catalogue.contract_bytes(tool, version)
        assert call(address, "GET", f"/v1/tools/{tool}/versions/{version}")[2] == stored
        message, headers = tool_call(tool, version, None, "modern", name="describe")
        del message["params"]["arguments"]["input"]
        _, answer = mcp(address, message, headers)
        assert answer["result"]["content"][0]["text"].encode() == stored
        assert answer["result"]["structuredContent"] == json.loads(stored)
        assert main(["describe", tool, version]) == 0
        sys.stdout.flush()
        assert capfdbinary.readouterr().out == stored
