"""MCP beyond the conformance cases: the three tools, their arguments, all revisions, and rejections."""

import json

import pytest
from mcp import Client

from chrfect import catalogue
from processes import finished
from serving import ENVELOPE, MODERN, call, mcp, raw, tool_call

GOOD = {"hypotheses": ["a cat"], "references": ["the cat"]}
JSON = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}


def message(method, params=None, era="legacy", name=None):
    headers = dict(JSON)
    params = dict(params or {})
    if era == "modern":
        params["_meta"] = ENVELOPE
        headers |= {"MCP_Protocol_Version": MODERN, "Mcp_Method": method, "Mcp_Name": name}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers


def refused(address, arguments, era="legacy", name="execute"):
    """Return code and pointer of the tool result that refuses the arguments."""
    params = {"name": name, "arguments": arguments}
    status, answer = mcp(address, *message("tools/call", params, era, name))
    result = answer["result"]
    assert (status, result["isError"]) == (200, True)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]["code"], result["structuredContent"]["pointer"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    ("arguments", "code", "pointer"),
    [
        ({"version": "1.0.0", "input": GOOD}, "invalid_arguments", "/id"),
        ({"id": "chrf-compute", "input": GOOD}, "invalid_arguments", "/version"),
        ({"id": "chrf-compute", "version": "1.0.0"}, "invalid_arguments", "/input"),
        ({}, "invalid_arguments", "/id"),
        ({"id": 1, "version": "1.0.0", "input": GOOD}, "invalid_arguments", "/id"),
        ({"id": "chrf-compute", "version": 1.0, "input": GOOD}, "invalid_arguments", "/version"),
        ({"id": "chrf-compute", "version": None, "input": GOOD}, "invalid_arguments", "/version"),
        ({"a/b~": 1, "id": "chrf-compute", "version": "1.0.0", "input": GOOD}, "invalid_arguments", "/a~1b~0"),
        ({"id": "chrf-computer", "version": "1.0.0", "input": GOOD}, "unknown_tool", None),
        ({"id": "chrf-compute", "version": "9.0.0", "input": GOOD}, "unknown_version", None),
        ({"id": "x", "version": "9", "input": []}, "unknown_tool", None),
        ({"x": 1}, "invalid_arguments", "/x"),
        ({"version": 1}, "invalid_arguments", "/id"),
        ({"id": "\ud800", "version": "1.0.0", "input": GOOD}, "unknown_tool", None),
        ({"id": "chrf-compute", "version": "1.0.0", "input": [GOOD]}, "not_an_object", ""),
        ({"id": "chrf-compute", "version": "1.0.0", "input": None}, "not_an_object", ""),
        ({"id": "chrf-compute", "version": "1.0.0", "input": {"\ud83d": 1}}, "unknown_key", "/\ufffd"),
    ],
)
def test_bad_arguments_are_a_tool_result_with_a_pointer(address, arguments, code, pointer, era):
    assert refused(address, arguments, era) == (code, pointer)


def test_the_other_tools_check_their_arguments_too(address):
    assert refused(address, {}, name="search") == ("invalid_arguments", "/query")
    assert refused(address, {"query": 1}, name="search") == ("invalid_arguments", "/query")
    assert refused(address, {"version": "1.0.0"}, name="describe") == ("invalid_arguments", "/id")
    assert refused(address, {"id": "chrf-compute", "version": ""}, name="describe") == ("unknown_version", None)
    assert refused(address, {"id": "x", "version": "1"}, name="describe") == ("unknown_tool", None)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_tool_that_mcp_does_not_have_is_an_error_of_the_protocol(address, era):
    _, answer = mcp(address, *message("tools/call", {"name": "compute", "arguments": {}}, era, "compute"))
    assert answer["error"]["code"] == -32602
    assert "search, describe, execute" in answer["error"]["message"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_finds_a_tool_reads_its_contract_and_executes_it(address, mode):
    async def session():
        async with Client(f"{address}/mcp", mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search", {"query": "ציון chrF++ לתרגום"})
            tool = found.structured_content["tools"][0]
            place = {"id": tool["id"], "version": tool["version"]}
            contract = (await client.call_tool("describe", place)).structured_content
            example = contract["examples"][0]
            result = await client.call_tool("execute", {**place, "input": example["input"]})
            return tools, contract, example, result.structured_content

    tools, contract, example, result = finished(session)
    assert list(tools) == ["search", "describe", "execute"]
    for tool in tools.values():
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint) == (True, True)
        assert (hints.destructive_hint, hints.open_world_hint) == (False, False)
        assert tool.input_schema["additionalProperties"] is False
    assert all(id in tools["execute"].description for id in catalogue.ids())
    assert contract["id"] == "chrf-plus-plus-compute"
    assert result == {"result": example["output"]}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    "body",
    [
        b"garbage",
        b"",
        b"\xff",
        b'{"a":NaN}',
        b"[" * 100_000,
        b'{"x":' + b"9" * 5_000 + b"}",
        '{"x":"é"}'.encode("utf-16"),
    ],
    ids=lambda body: str(body[:12]),
)
def test_invalid_json_is_a_parse_error(address, body, era):
    _, headers = message("ping", era=era)
    status, answer = mcp(address, body, headers)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, -32700)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("body", [b"[]", b"1", b"{}", b"[" + b"1," * 40 + b"1]"])
def test_other_json_is_an_invalid_request(address, body, era):
    _, headers = message("ping", era=era)
    status, answer = mcp(address, body, headers)
    assert (status, answer["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_unknown_method_is_an_error_and_a_notification_is_accepted(address, era):
    sent, headers = message("no/such", era=era)
    _, answer = mcp(address, sent, headers)
    assert (answer["id"], answer["error"]["code"]) == (1, -32601)
    sent, headers = message("notifications/initialized", era=era)
    del sent["id"]
    status, _, body = call(address, "POST", "/mcp", json.dumps(sent), **headers)
    assert (status, body) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_only_post_is_allowed_so_no_stream_stays_open(address, method):
    status, headers, _ = call(address, method, "/mcp", Accept="text/event-stream")
    assert (status, headers["allow"]) == (405, "POST")


def test_media_type_and_size_are_checked_before_the_body_is_read(address):
    sent, headers = tool_call("chrf-compute", "1.0.0", GOOD, "legacy")
    status, got, body = call(address, "POST", "/mcp", json.dumps(sent), **headers | {"Content_Type": "text/plain"})
    assert (status, got["accept-post"], json.loads(body)["code"]) == (415, "application/json", "unsupported_media_type")
    status, _, body = call(address, "POST", "/mcp", b" " * 1_048_577, **headers)
    assert (status, json.loads(body)["code"]) == (413, "body_too_large")
    status, _, body = call(address, "POST", "/mcp", iter([b" " * 1_048_577]), **headers)
    assert (status, json.loads(body)["code"]) == (413, "body_too_large")


def test_the_two_eras_negotiate(address):
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    _, answer = mcp(address, *message("initialize", asked))
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "chrfect"
    assert "search" in answer["result"]["instructions"]
    _, answer = mcp(address, *message("initialize", asked | {"protocolVersion": "1999-01-01"}))
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    _, answer = mcp(address, *message("server/discover", era="modern"))
    assert MODERN in answer["result"]["supportedVersions"]
    sent, headers = message("ping")
    status, answer = mcp(address, sent, headers | {"MCP_Protocol_Version": "1999-01-01"})
    assert (status, answer["error"]["code"]) == (400, -32022)
    supported = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN]
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": "1999-01-01"}
    assert all(version in answer["error"]["message"] for version in supported)


def test_the_list_of_tools_may_be_kept_for_a_minute(address):
    _, answer = mcp(address, *message("tools/list", era="modern"))
    assert (answer["result"]["ttlMs"], answer["result"]["cacheScope"]) == (60_000, "public")


def test_client_that_disconnects_early_does_not_affect_others(address):
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    assert raw(address, head + b"{", then_close=True) == b""
    assert mcp(address, *message("ping"))[1]["result"] == {}


def test_describe_without_a_version_describes_the_newest(address):
    _, answer = mcp(address, *message("tools/call", {"name": "describe", "arguments": {"id": "chrf-compute"}}))
    assert answer["result"]["structuredContent"] == catalogue.newest_contract("chrf-compute")


@pytest.mark.parametrize("padding", [0, 5_000])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_input_may_come_as_a_json_text(address, era, padding):
    text = json.dumps(GOOD) + " " * padding
    _, answer = mcp(address, *tool_call("chrf-compute", "1.0.0", text, era))
    assert answer["result"]["structuredContent"]["result"]["score"] == "31.250000"
    _, answer = mcp(address, *tool_call("chrf-compute", "1.0.0", "{" + text, era))
    assert answer["result"]["structuredContent"]["code"] == "not_an_object"


def padded(sent, length=200_000):
    """Return a message as bytes with spaces in it, so that it is long."""
    return json.dumps(sent).encode().replace(b'"params":', b'"params":' + b" " * length)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("id", ["chrf-compute", "bleu-ngrams-count"])
def test_a_long_message_is_answered_with_the_same_bytes(address, era, id):
    inputs = [example["input"] for example in catalogue.newest_contract(id)["examples"]]
    if id == "bleu-ngrams-count":
        inputs = [value | {"clipping_tables": True} for value in inputs]
    for value in [*inputs, {"x\ud800é": 1}, [], {}, "x"]:
        sent, headers = tool_call(id, "1.0.0", value, era)
        named = {name.replace("_", "-"): given for name, given in headers.items()}
        short = call(address, "POST", "/mcp", json.dumps(sent), **headers)
        long = call(address, "POST", "/mcp", padded(sent), **headers)
        assert (long[0], long[2]) == (short[0], short[2]), named


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_errors_of_long_and_short_messages_are_equal(address, era):
    sent, headers = tool_call("chrf-compute", "1.0.0", GOOD, era)
    without = json.loads(json.dumps(sent))
    del without["params"]["arguments"]["version"]
    wrong = [without, sent | {"id": None}, sent | {"jsonrpc": "1.0"}, sent | {"method": 1}, [], {"params": 1}]
    for value in wrong:
        assert mcp(address, json.dumps(value).encode() + b" " * 9_000, headers) == mcp(
            address, json.dumps(value).encode(), headers
        )
    assert mcp(address, b"{" * 9_000, headers)[1]["error"]["code"] == -32700
    search = message("tools/call", {"name": "search", "arguments": {"query": "chrF " * 9_000}}, era, "search")
    assert mcp(address, *search)[1]["result"]["structuredContent"]["tools"][0]["id"].startswith("chrf")
    ping, headers = message("ping", {"x": "x" * 100_000}, era)
    assert mcp(address, ping, headers)[1]["error"]["code"] == -32600


def test_the_revision_that_has_batches_is_answered_in_batches(address):
    headers = JSON | {"MCP_Protocol_Version": "2025-03-26"}
    calls = [
        tool_call("chrf-compute", "1.0.0", value, "legacy")[0] | {"id": i} for i, value in enumerate([GOOD, [], GOOD])
    ]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    status, answers = mcp(address, json.dumps([*calls, note, {"id": 9}]).encode(), headers)
    assert (status, [answer["id"] for answer in answers]) == (200, [0, 1, 2, 9])
    assert answers[0]["result"]["structuredContent"]["result"]["score"] == "31.250000"
    assert answers[1]["result"]["structuredContent"]["code"] == "not_an_object"
    assert answers[3]["error"]["code"] == -32600
    long = [json.loads(json.dumps(call)) for call in calls]
    long[1]["params"]["arguments"]["input"] = {"hypotheses": ["a" * 9_000], "references": ["a" * 9_000]}
    answers = mcp(address, json.dumps(long).encode(), headers)[1]
    assert answers[1]["result"]["structuredContent"]["result"]["score"] == "100.000000"
    assert call(address, "POST", "/mcp", json.dumps([note]), **headers)[0] == 202
    for wrong in ([], [note] * 33):
        assert mcp(address, json.dumps(wrong).encode(), headers)[1]["error"]["code"] == -32600
    later = JSON | {"MCP_Protocol_Version": "2025-06-18"}
    assert mcp(address, json.dumps(calls).encode(), later)[1]["error"]["code"] == -32600


def test_a_client_that_does_not_accept_json_gets_406(address):
    sent, headers = message("ping", era="modern")
    status, _, body = call(address, "POST", "/mcp", json.dumps(sent), **headers | {"Accept": "text/html"})
    assert (status, json.loads(body)["code"]) == (406, "not_acceptable")


def test_a_lone_surrogate_in_a_message_is_shown_as_a_replacement_character(address):
    _, answer = mcp(address, *message("tools/call", {"name": "\ud800", "arguments": {}}))
    assert "\ufffd" in answer["error"]["message"]
    _, answer = mcp(address, *message("tools/call", {"name": "search", "arguments": {"\ud800": 1}}))
    assert "'\ufffd' is not an argument" in answer["result"]["structuredContent"]["detail"]
