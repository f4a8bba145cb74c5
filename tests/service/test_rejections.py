"""Invalid HTTP requests get a clear response in the specified order, and the server continues."""

import re
import socket
import time
from urllib.parse import urlsplit

import pytest

from service_answers import problem, split
from serving import call, execute, raw, serving

TOOL = "/v1/tools/chrf-compute/versions/1.0.0"
GOOD = b'{"hypotheses":["a cat"],"references":["the cat"]}'
MIB = 1_048_576
JSON = {"Content_Type": "application/json"}


@pytest.fixture(autouse=True)
def _goes_on(address):
    yield
    assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200


@pytest.mark.parametrize(
    ("path", "code", "nearest"),
    [
        ("/v1/tools/chrf-computer", "unknown_tool", "chrf-compute"),
        ("/v1/tools/chrf-computer/versions/1.0.0", "unknown_tool", "chrf-compute"),
        ("/v1/tools/chrf-compute/versions/1.0.1", "unknown_version", "1.0.0"),
        ("/v1/tools/bleu/versions/1.0.0/execute", "unknown_tool", "bleu-"),
        ("/v1/tools/chrf-compute/versions/2/execute", "unknown_version", "1.0.0"),
        ("/tools/chrf", "unknown_tool", "chrf-"),
        ("/tools/chrf.md", "unknown_tool", "chrf-"),
    ],
)
def test_unknown_id_is_404_and_names_the_nearest(address, path, code, nearest):
    _, detail = problem(call(address, "GET", path), 404, code)
    assert nearest in detail


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/v1",
        "/v2/tools",
        "/docs/",
        "/docs%0A",
        "/v1/tools%0A",
        "/static/../http.py",
        "/static/none.css",
        "*",
    ],
)
def test_unknown_path_is_404(address, path):
    problem(call(address, "GET", path), 404, "not_found")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_execute_allows_only_post(address, method):
    headers, _ = problem(call(address, method, f"{TOOL}/execute"), 405, "method_not_allowed")
    assert headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/v1/tools", TOOL, "/tools/chrf-compute", "/docs", "/healthz", "/openapi.json"])
def test_readable_resources_allow_only_get_and_head(address, path):
    headers, _ = problem(call(address, "POST", path, b"{}", **JSON), 405, "method_not_allowed")
    assert headers["allow"] == "GET, HEAD"
    status, got, body = call(address, "HEAD", path)
    assert (status, body) == (200, b"")
    assert int(got["content-length"]) == len(call(address, "GET", path)[2])


@pytest.mark.parametrize("type", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonl", ""])
def test_a_body_must_be_declared_as_json(address, type):
    headers, _ = problem(
        call(address, "POST", f"{TOOL}/execute", GOOD, Content_Type=type), 415, "unsupported_media_type"
    )
    assert headers["accept-post"] == "application/json"


def test_a_compressed_body_is_415(address):
    answer = call(address, "POST", f"{TOOL}/execute", GOOD, Content_Encoding="gzip", **JSON)
    problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("type", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"])
def test_json_may_be_declared_with_parameters_and_in_any_case(address, type):
    assert call(address, "POST", f"{TOOL}/execute", GOOD, Content_Type=type)[0] == 200


def test_one_byte_over_a_mebibyte_is_413_declared_and_undeclared(address):
    body = GOOD + b" " * (MIB + 1 - len(GOOD))
    problem(call(address, "POST", f"{TOOL}/execute", body, **JSON), 413, "body_too_large")
    problem(call(address, "POST", f"{TOOL}/execute", iter([body]), **JSON), 413, "body_too_large")


def test_a_mebibyte_is_read(address):
    assert execute(address, "chrf-compute", "1.0.0", GOOD + b" " * (MIB - len(GOOD)))[0] == 200


def test_body_declared_too_long_is_rejected_before_it_is_sent(address):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 99999999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    problem(split(raw(address, head.encode())), 413, "body_too_large")


@pytest.mark.parametrize(
    ("path", "type", "status", "code"),
    [
        (f"{TOOL}/execute", "application/json", 413, "body_too_large"),
        ("/mcp", "application/json", 413, "body_too_large"),
        (f"{TOOL}/execute", "text/plain", 415, "unsupported_media_type"),
        ("/v1/tools/none/versions/1/execute", "application/json", 404, "unknown_tool"),
        ("/v1/tools", "application/json", 405, "method_not_allowed"),
    ],
)
def test_client_rejected_while_sending_receives_the_reason(address, path, type, status, code):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {type}\r\nConnection: close\r\n"
    body = b" " * (20 * MIB)
    problem(split(raw(address, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)), status, code)
    chunked = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    problem(split(raw(address, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunked)), status, code)


def test_every_request_gets_exactly_one_response(address):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    long = f"{head}Content-Length: {2 * MIB}\r\n\r\n".encode() + b" " * (2 * MIB)
    good = f"{head}Content-Length: {len(GOOD)}\r\n\r\n".encode() + GOOD
    last = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answers = raw(address, good + long + good + last)
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"413", b"200", b"404"]


def test_a_rejected_expect_request_gets_no_further_response(address):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    began = time.monotonic()
    answer = raw(address, f"{head}Content-Length: {2 * MIB}\r\nExpect: 100-continue\r\n\r\n".encode())
    headers, _ = problem(split(answer), 413, "body_too_large")
    assert headers["connection"] == "close"
    assert time.monotonic() - began < 10


def test_an_expect_request_gets_100_continue(address):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    answers = raw(address, f"{head}Content-Length: {len(GOOD)}\r\nExpect: 100-continue\r\n\r\n".encode() + GOOD)
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"100", b"200"]


def test_a_rejected_incomplete_request_gets_no_further_response(patient):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answers = raw(patient, f"{head}Content-Length: {2 * MIB}\r\n\r\nx".encode())
    problem(split(answers), 413, "body_too_large")


def test_offer_of_http_2_is_ignored(address):
    head = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n"
    last = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answers = raw(address, f"{head}{offer}Content-Length: {len(GOOD)}\r\n\r\n".encode() + GOOD + last)
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200", b"404"]
    assert b'"score":"31.250000"' in answers


def test_the_checks_run_in_the_specified_order(address):
    big = b"x" * (MIB + 1)
    problem(call(address, "PUT", "/v1/tools/none/versions/1.0.0/execute", big), 404, "unknown_tool")
    problem(call(address, "PUT", "/v1/tools/none"), 404, "unknown_tool")
    problem(call(address, "PUT", "/tools/none"), 404, "unknown_tool")
    problem(call(address, "PUT", f"{TOOL}/execute", b"x"), 405, "method_not_allowed")
    problem(call(address, "POST", f"{TOOL}/execute", big, Content_Type="text/plain"), 415, "unsupported_media_type")
    problem(call(address, "POST", f"{TOOL}/execute", big, **JSON), 413, "body_too_large")
    problem(call(address, "POST", f"{TOOL}/execute", b"x", **JSON), 400, "invalid_json", "")


@pytest.mark.parametrize(
    "body",
    {
        "empty": b"",
        "truncated": GOOD[:-1],
        "garbage": b"\x00\xff\xfe",
        "UTF-16": GOOD.decode().encode("utf-16"),
        "Latin-1": '{"hypotheses":["é"],"references":["é"]}'.encode("latin-1"),
        "an encoded surrogate": b'{"hypotheses":["\xed\xa0\x80"],"references":["x"]}',
        "two byte order marks": b"\xef\xbb\xbf" * 2 + GOOD,
        "NaN": b'{"hypotheses":["a"],"references":["a"],"beta":NaN}',
        "Infinity": b'{"hypotheses":["a"],"references":["a"],"beta":-Infinity}',
        "100,000 brackets": b"[" * 100_000,
        "100,000 nested arrays": b"[" * 100_000 + b"]" * 100_000,
        "65 nested arrays": b"[" * 65 + b"]" * 65,
        "a number of 5,000 digits": b'{"hypotheses":["a"],"references":["a"],"beta":' + b"9" * 5_000 + b"}",
        "two documents": GOOD + GOOD,
        "a comment": b"{} // x",
    }.items(),
    ids=lambda pair: pair[0],
)
def test_invalid_json_is_400(address, body):
    problem(call(address, "POST", f"{TOOL}/execute", body[1], **JSON), 400, "invalid_json", "")


def test_valid_json_is_read(address):
    assert execute(address, "chrf-compute", "1.0.0", b"\xef\xbb\xbf" + GOOD)[0] == 200
    twice = b'{"hypotheses":1,"references":["the cat"],"hypotheses":["a cat"]}'
    assert execute(address, "chrf-compute", "1.0.0", twice) == execute(address, "chrf-compute", "1.0.0", GOOD)
    deep = b"[" * 64 + b"]" * 64
    problem(call(address, "POST", f"{TOOL}/execute", deep, **JSON), 422, "not_an_object", "")
    infinite = GOOD[:-1] + b',"beta":1e400}'
    problem(call(address, "POST", f"{TOOL}/execute", infinite, **JSON), 422, "invalid_beta", "/beta")
    long = GOOD[:-1] + b',"beta":' + b"9" * 4_300 + b"}"
    problem(call(address, "POST", f"{TOOL}/execute", long, **JSON), 422, "invalid_beta", "/beta")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "127.0.0.1.nip.io", "localhost:x"]
)
@pytest.mark.parametrize("path", ["/", "/mcp", f"{TOOL}/execute", "/healthz"])
def test_a_wrong_host_is_421(address, host, path):
    problem(call(address, "GET", path, Host=host), 421, "wrong_host")


def test_a_request_of_http_1_1_has_one_host(address):
    problem(split(raw(address, b"GET / HTTP/1.0\r\n\r\n")), 421, "wrong_host")
    problem(split(raw(address, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), 400, "bad_request")
    two = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    problem(split(raw(address, two)), 400, "bad_request")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]", "[::1]:8000"])
def test_loopback_names_are_answered(address, host):
    assert call(address, "GET", "/healthz", Host=host)[0] == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://127.0.0.1.evil.example", "http://["]
)
@pytest.mark.parametrize("path", ["/mcp", f"{TOOL}/execute"])
def test_a_foreign_origin_is_403(address, origin, path):
    answer = call(address, "POST", path, GOOD, Origin=origin, **JSON)
    headers, _ = problem(answer, 403, "wrong_origin")
    assert "access-control-allow-origin" not in headers


def test_two_origins_are_403(address):
    two = "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: {}\r\nConnection: close\r\n\r\n"
    problem(split(raw(address, two.format("http://evil.example").encode())), 403, "wrong_origin")


def test_origin_of_the_server_is_allowed(address):
    assert call(address, "POST", f"{TOOL}/execute", GOOD, Origin=address, **JSON)[0] == 200


def test_hosts_and_origins_can_be_allowed():
    options = ["--allowed-host", "metrics.internal", "--allowed-origin", "https://App.example"]
    with serving(*options, "--public-url", "https://metrics.example:443/") as address:
        for host in ("metrics.internal", "metrics.internal:8000", "metrics.example", "localhost"):
            assert call(address, "GET", "/healthz", Host=host)[0] == 200
        problem(call(address, "GET", "/healthz", Host="other.internal"), 421, "wrong_host")
        asked = {"Access_Control_Request_Method": "POST", "Origin": "https://app.example"}
        status, headers, _ = call(address, "OPTIONS", f"{TOOL}/execute", **asked)
        assert (status, headers["access-control-allow-origin"]) == (204, "https://app.example")
        assert "Content-Type" in headers["access-control-allow-headers"]
        status, headers, _ = call(address, "POST", f"{TOOL}/execute", GOOD, Origin="https://app.example", **JSON)
        assert (status, headers["access-control-allow-origin"]) == (200, "https://app.example")
        assert "Origin" in headers["vary"]
        problem(call(address, "POST", f"{TOOL}/execute", GOOD, Origin="https://b.example", **JSON), 403, "wrong_origin")
        page = call(address, "GET", "/tools/chrf-compute.md", Host="metrics.internal")[2].decode()
        assert "curl -X POST https://metrics.example:443/v1/tools/" in page
        assert "`https://metrics.example:443/mcp`" in page


HEAD = (
    f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 49\r\n\r\n"
)


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST / HTTP/1.1\r\nHos", HEAD.encode(), HEAD.encode() + GOOD[:20]],
    ids=["nothing", "head", "none", "some"],
)
def test_a_client_that_stops_sending_gets_408(patient, sent):
    began = time.monotonic()
    problem(split(raw(patient, sent)), 408, "request_timeout")
    assert time.monotonic() - began < 10
    assert execute(patient, "chrf-compute", "1.0.0", GOOD)[0] == 200


def test_a_slow_client_gets_408_and_others_are_served(patient):
    parts = urlsplit(patient)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as slow:
        for byte in HEAD.encode():
            try:
                slow.send(bytes([byte]))
            except OSError:
                break
            assert execute(patient, "chrf-compute", "1.0.0", GOOD)[0] == 200
            time.sleep(0.05)
        problem(split(slow.recv(65_536)), 408, "request_timeout")


def test_a_slow_sender_within_the_time_is_served(address):
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as slow:
        for piece in (HEAD[:50].encode(), HEAD[50:].encode(), GOOD[:10], GOOD[10:]):
            slow.sendall(piece)
            time.sleep(0.2)
        assert split(slow.recv(65_536))[0] == 200


@pytest.fixture(scope="module")
def patient():
    """The address of a server with little patience."""
    with serving("--timeout", "1") as address:
        yield address


def test_disconnecting_client_does_not_affect_others(address):
    assert raw(address, HEAD.encode() + GOOD[:20], then_close=True) == b""


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01\x00", b"hello\r\n\r\n", b"GET / HTTP/9\r\n\r\n"])
def test_invalid_http_is_400(address, sent):
    problem(split(raw(address, sent)), 400, "bad_request")


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ", b"GET /"])
@pytest.mark.parametrize("end", [b"", b" HTTP/1.1\r\n\r\n"])
def test_very_long_request_head_is_431(address, start, end):
    problem(split(raw(address, start + b"x" * 70_000 + end)), 431, "head_too_large")
