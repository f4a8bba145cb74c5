"""The response to any MCP request is JSON with a client error status, never an internal error."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzz_service
from chrfect.service.application import application
from chrfect.service.settings import Settings
from processes import finished
from serving import ENVELOPE, MODERN, serving

TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "resources/list", "notifications/cancelled"]
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["chrf-compute", "chrf-components"]) | VALUES,
        "version": st.just("1.0.0") | VALUES,
        "input": VALUES,
        "query": VALUES,
    },
)
CALLS = st.fixed_dictionaries(
    {"name": st.sampled_from(["execute", "search", "describe"]) | VALUES, "arguments": ARGUMENTS | VALUES}
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | VALUES},
    optional={"id": st.integers() | TEXT | VALUES, "method": METHODS | VALUES, "params": CALLS | VALUES},
)


async def post(app, body, headers):
    sent = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive():
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "scheme": "http"}
    await app(scope | {"headers": [(b"host", b"localhost"), *headers]}, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("era", ["legacy", "modern"])
@given(messages=st.lists(MESSAGES, min_size=1, max_size=40))
@settings(max_examples=30, deadline=None)
def test_every_message_gets_a_response(era, messages):
    async def session():
        app = application(Settings(processes=1))
        async with app.lifespan():
            for message in messages:
                headers = [(b"content-type", b"application/json"), (b"accept", b"application/json")]
                method, params = message.get("method"), message.get("params")
                if era == "modern":
                    headers.append((b"mcp-protocol-version", MODERN.encode()))
                    headers += (
                        [(b"mcp-method", method.encode())] if isinstance(method, str) and method.isascii() else []
                    )
                    name = params.get("name") if isinstance(params, dict) else None
                    headers += [(b"mcp-name", name.encode())] if isinstance(name, str) and name.isascii() else []
                    if isinstance(params, dict):
                        message = message | {"params": params | {"_meta": ENVELOPE}}
                status, body = await post(app, json.dumps(message).encode(), headers)
                assert status in (200, 202, 400, 404, 406), (status, body)
                if status == 202:
                    assert "id" not in message
                    continue
                answer = json.loads(body)
                assert answer["jsonrpc"] == "2.0"
                if "error" in answer:
                    assert answer["error"]["code"] != -32603, answer

    finished(session)


def test_responses_to_many_clients_equal_the_library():
    with serving("--request-timeout", "20") as address:
        counts, failures = fuzz_service.run(address, seed="fixed", seconds=8)
    assert failures == []
    assert min(counts.values()) > 0
