"""The client of a server: results, rejections, retries and time limits."""

import contextlib
import email.utils
import http.server
import json
import socket
import threading
import time

import pytest

import chrfect
from cases import NAMES, cases, has_lone_surrogate
from chrfect import ContractError, UsageError, WorkError, catalogue
from chrfect.client import Client
from serving import serving

INPUT = {"hypotheses": ["a cat"], "references": ["the cat"]}
RESULT = b'{"result":{"score":"1"}}'
BUSY = b'{"type":"about:blank","title":"T","status":503,"detail":"Too many requests.","code":"busy","pointer":null}'


@pytest.fixture(scope="module")
def client():
    with serving() as address:
        yield Client(address, timeout=30)


@contextlib.contextmanager
def answering(*responses):
    """Run a server that sends each of the responses (status, headers, body) in turn; yield its URL and the requests."""
    requests = []
    waiting = list(responses)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            requests.append((self.command, self.path, self.headers, body))
            status, headers, body = waiting.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


def test_run_returns_the_result_of_the_library(client):
    for id in catalogue.ids():
        for example in catalogue.newest_contract(id)["examples"]:
            result = client.run(id, catalogue.newest(id), example["input"])
            assert list(result.items()) == list(chrfect.run(id, catalogue.newest(id), example["input"]).items())
    assert client.run("chrf-compute", None, INPUT)["score"] == "31.250000"


def test_every_case_has_the_same_result_or_the_same_error(client):
    for case in [case for name in NAMES for case in cases(name)][::5]:
        if has_lone_surrogate(case) or not isinstance(case["input"], dict):
            continue
        try:
            answer = {"result": client.run(case["tool"], case["version"], case["input"])}
        except ContractError as error:
            answer = {"error": {"code": error.code, "pointer": error.pointer}}
        assert answer == {key: case[key] for key in ("result", "error") if key in case}


def test_a_lone_surrogate_reaches_the_server_and_is_rejected_there(client):
    with pytest.raises(ContractError) as caught:
        client.run("chrf-compute", "1.0.0", {"hypotheses": ["\ud800"], "references": ["a"]})
    assert (caught.value.code, caught.value.pointer) == ("lone_surrogate", "/hypotheses/0")


def test_the_catalogue_of_a_server_can_be_read(client):
    tools = client.tools()
    assert [tool["id"] for tool in tools] == list(catalogue.ids())
    assert client.versions("chrf-compute") == ["1.0.0"]
    assert client.newest("chrf-compute") == "1.0.0"
    assert client.contract("chrf-compute") == catalogue.newest_contract("chrf-compute")
    for id, version, code in (("chrf", "1.0.0", "unknown_tool"), ("chrf-compute", "../9", "unknown_version")):
        with pytest.raises(ContractError) as caught:
            client.contract(id, version)
        assert caught.value.code == code


def test_threads_can_share_a_client(client):
    scores = [None] * 8

    def call(place):
        scores[place] = client.run("chrf-compute", "1.0.0", INPUT)["score"]

    threads = [threading.Thread(target=call, args=(place,)) for place in range(len(scores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert scores == ["31.250000"] * 8


def test_client_retries_after_the_time_that_a_busy_server_names():
    soon = email.utils.formatdate(time.time() - 5, usegmt=True)
    busy = [(503, {"Retry-After": "1"}, BUSY), (503, {"Retry-After": soon}, BUSY)]
    with answering(*busy, (200, {}, RESULT)) as (url, requests):
        started = time.monotonic()
        assert Client(url).run("chrf-compute", "1.0.0", INPUT) == {"score": "1"}
        assert time.monotonic() - started >= 1
    assert [json.loads(body) for *_, body in requests] == [INPUT] * 3


@pytest.mark.parametrize(
    ("headers", "options", "asked"),
    [
        ({"Retry-After": "0"}, {}, 4),
        ({"Retry-After": "0"}, {"retries": 1}, 2),
        ({"Retry-After": "0"}, {"retries": 0}, 1),
        ({"Retry-After": "61"}, {}, 1),
        ({"Retry-After": "2"}, {"max_wait": 1}, 1),
        ({"Retry-After": "9" * 5_000}, {}, 1),
        ({"Retry-After": "soon"}, {}, 1),
        ({"Retry-After": "-1"}, {}, 1),
        ({"Retry-After": "\u0661"}, {}, 1),
        ({}, {}, 1),
    ],
)
def test_server_that_stays_busy_is_an_error_with_the_reason(headers, options, asked):
    headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    responses = [(503, headers, BUSY)] * 4
    with answering(*responses) as (url, requests), pytest.raises(WorkError, match="answered 503: Too many requests"):
        Client(url, **options).run("chrf-compute", "1.0.0", INPUT)
    assert len(requests) == asked


@pytest.mark.parametrize("status", [429, 500, 502, 504, 422])
def test_client_does_not_retry_other_statuses(status):
    response = (status, {"Retry-After": "0"}, BUSY)
    with answering(response) as (url, requests), pytest.raises((WorkError, ContractError)):
        Client(url).run("chrf-compute", "1.0.0", INPUT)
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("call", "bodies"),
    [
        (lambda client: client.tools(), [b"{}", b"[]", b'{"tools":[]}', b'{"tools":[{"id":"x"}]}', b'{"tools":[1]}']),
        (lambda client: client.newest("x"), [b'{"versions":[]}', b'{"versions":["1"]}', b'{"versions":[{}]}', b"1"]),
        (lambda client: client.contract("x", "1"), [b"{}", b"", b"<html>", b'{"input_schema":1}']),
        (lambda client: client.run("x", "1", {}), [b"{}", b'{"result":1}', b'{"result":{},"x":1}', b'{"result":{}}x']),
    ],
)
def test_another_kind_of_response_is_an_error_that_shows_it(call, bodies):
    for body in bodies:
        response = (200, {"Content-Type": "text/plain"}, body)
        with answering(response) as (url, _), pytest.raises(WorkError, match="which is not a response of chrfect"):
            call(Client(url))


def test_ids_are_quoted_in_urls():
    with answering((200, {}, RESULT)) as (url, requests):
        Client(url + "/base/").run("a/b?c#d é", "../1", {})
    assert requests[0][1] == "/base/v1/tools/a%2Fb%3Fc%23d%20%C3%A9/versions/..%2F1/execute"


@contextlib.contextmanager
def sending(pieces, pause):
    """Run a server that sends pieces of a response with a pause after each; yield its URL."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def send():
            connection, _ = listening.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65_536)
                for piece in pieces:
                    connection.sendall(piece)
                    if done.wait(pause):
                        return

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            done.set()
            thread.join(20)


@pytest.mark.parametrize(
    "pieces",
    [
        [b""] * 600,
        [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", *[b" "] * 600],
        [b"HTTP/1.1 200 OK\r\nX: ", *[b"x"] * 600],
        [b"HTTP/1.1 100 Continue\r\n\r\n"] * 600,
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", *[b"X: x\r\n"] * 600],
    ],
    ids=["nothing", "body", "headers", "interim responses", "trailers"],
)
def test_a_response_that_does_not_arrive_in_time_is_an_error(pieces):
    with sending(pieces, 0.1) as url:
        started = time.monotonic()
        with pytest.raises(WorkError, match=r"did not answer within 0\.5 seconds"):
            Client(url, timeout=0.5).run("chrf-compute", "1.0.0", INPUT)
        assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "localhost:8000"),
        ("base_url", "ftp://localhost"),
        ("timeout", 0),
        ("timeout", float("inf")),
        ("timeout", float("nan")),
        ("timeout", "1"),
        ("retries", -1),
        ("retries", 1.5),
        ("retries", True),
        ("max_wait", -0.1),
    ],
)
def test_error_names_an_invalid_argument(name, value):
    with pytest.raises(UsageError, match=name):
        Client(**{name: value})


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x", object()])
def test_an_input_that_json_cannot_hold_is_not_sent(value):
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        Client("http://localhost:1").run("chrf-compute", "1.0.0", {"hypotheses": value})
