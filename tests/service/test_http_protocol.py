"""HTTP/1.1 byte by byte: framing, trailers, targets, upgrades and pipelining, as in the standards."""

import re
import time

import pytest

from service_answers import problem, split
from serving import call, execute, raw, serving

TOOL = "/v1/tools/chrf-compute/versions/1.0.0"
GOOD = b'{"hypotheses":["a cat"],"references":["the cat"]}'
HEAD = f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD
LAST = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def own():
    """The address of a server whose memory nobody else uses."""
    with serving() as address:
        yield address


def statuses(answer):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


def send_until_closed(address, start, piece, most):
    """Send a piece again and again until the server closes; return what it answered."""
    sent = 0
    with address.connect() as connection:
        connection.sendall(start)
        try:
            while sent < most:
                connection.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        try:
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        except OSError:
            answer = b""
    return answer


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (CHUNKED + b"0\r\n", b"X: y\r\n" * 2_000),
        (CHUNKED + b"0\r\nX: ", b"y" * 16_384),
        (CHUNKED + b"1;", b"x" * 16_384),
        (CHUNKED, (b"1;" + b"x" * 1_000 + b"\r\n \r\n") * 16),
    ],
    ids=["trailers", "an endless trailer", "an endless chunk extension", "chunk extensions"],
)
def test_trailers_and_chunk_extensions_have_a_limit(own, start, piece):
    before = own.memory()
    began = time.monotonic()
    answer = send_until_closed(own, start, piece, 20_000_000)
    assert statuses(answer) in ([431], [])  # a client that goes on sending for long loses the answer
    assert time.monotonic() - began < 10
    assert own.memory() - before < 20_000_000
    assert execute(own, "chrf-compute", "1.0.0", GOOD)[0] == 200


def test_a_chunk_of_one_byte_may_be_framed(address):
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in GOOD + b" " * 60_000)
    assert statuses(raw(address, CHUNKED + chunks + b"0\r\n\r\n" + LAST)) == [200, 404]


@pytest.mark.parametrize(
    ("head", "trailer", "status"),
    [
        (f"POST {TOOL}/execute HTTP/1.1\r\nContent-Type: application/json\r\n", "Host: localhost", 400),
        (f"POST {TOOL}/execute HTTP/1.1\r\nHost: localhost\r\n", "Content-Type: application/json", 415),
    ],
)
def test_a_trailer_is_not_a_header(address, head, trailer, status):
    body = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n" % (len(GOOD), GOOD)
    answer = raw(address, head.encode() + body + trailer.encode() + b"\r\n\r\n")
    assert statuses(answer) == [status]


UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n"
OFFER = HEAD + UPGRADE + b"Content-Length: %d\r\n\r\n" % len(GOOD)


@pytest.mark.parametrize("cut", [50, len(HEAD) + 30, len(OFFER) - 2, len(OFFER), len(OFFER) + 5])
def test_an_offer_of_http_2_may_arrive_in_pieces(address, cut):
    whole = OFFER + GOOD + LAST
    with address.connect() as connection:
        connection.sendall(whole[:cut])
        time.sleep(0.1)
        connection.sendall(whole[cut:])
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert statuses(answer) == [200, 404]


def test_every_request_of_a_pipeline_may_offer_http_2(address):
    chunked = HEAD + UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(GOOD), GOOD)
    get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + UPGRADE + b"\r\n"
    answer = raw(address, OFFER + GOOD + get + chunked + OFFER + GOOD + LAST)
    assert statuses(answer) == [200, 200, 200, 200, 404]
    assert answer.count(b'"score":"31.250000"') == 3


def test_request_before_invalid_bytes_is_answered(address):
    answer = raw(address, WHOLE + WHOLE + b"garbage\r\n\r\n")
    assert statuses(answer) == [200, 200, 400]
    assert answer.count(b'"score":"31.250000"') == 2


def test_a_request_before_a_head_that_is_too_long_is_answered(address):
    assert statuses(raw(address, WHOLE + b"GET / HTTP/1.1\r\nX: " + b"x" * 400_000)) == [200, 431]


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("http://localhost/healthz", "localhost", 200),
        ("http://localhost/healthz", "evil.example", 200),
        ("HTTP://LOCALHOST:80/healthz", "evil.example", 200),
        ("http://evil.example/healthz", "localhost", 421),
        ("http://localhost", "localhost", 200),
        ("ftp://localhost/healthz", "localhost", 400),
        ("healthz", "localhost", 400),
    ],
)
def test_the_host_of_an_absolute_target_counts(address, target, host, status):
    answer = raw(address, f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert statuses(answer) == [status]


@pytest.mark.parametrize(
    ("line", "coding", "status"),
    [
        ("HTTP/1.1", "gzip, chunked", 501),
        ("HTTP/1.1", "gzip\r\nTransfer-Encoding: chunked", 501),
        ("HTTP/1.1", "gzip", 501),
        ("HTTP/1.0", "chunked", 400),
        ("HTTP/1.1", "chunked\r\nContent-Length: 5", 400),
        ("HTTP/1.1", "Chunked", 200),
    ],
)
def test_other_transfer_codings_are_rejected(address, line, coding, status):
    head = f"POST {TOOL}/execute {line}\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(GOOD), GOOD)
    assert statuses(raw(address, f"{head}Transfer-Encoding: {coding}\r\n\r\n".encode() + chunks)) == [status]


def test_empty_lines_do_not_keep_a_connection_open():
    with serving("--request-timeout", "1", "--keep-alive", "1") as address, address.connect(timeout=10) as connection:
        connection.sendall(WHOLE)
        answer = b""
        while not answer.endswith(b"}}"):
            answer += connection.recv(65_536)
        connection.sendall(b"\r\n")
        assert statuses(connection.recv(65_536)) == [408]
        assert connection.recv(65_536) == b""


def test_server_does_not_act_as_a_proxy(address):
    problem(split(raw(address, b"CONNECT example.org:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")), 501, "not_implemented")


@pytest.mark.parametrize("path", ["/v1%2Ftools", "/v1/tools%2fchrf-compute", "/static%2Fstyle.css", "%2F"])
def test_encoded_slash_is_not_a_separator(address, path):
    assert call(address, "GET", path)[0] in (400, 404)


def test_a_port_has_five_digits_at_most_and_pages_are_not_kept_for_each(own):
    assert call(own, "GET", "/docs", Host="localhost:123456")[0] == 421
    page = call(own, "GET", "/docs", Host="localhost:1")[2]
    assert b"http://localhost:1/mcp" in page
    before = own.memory()
    for port in range(10_000, 10_300):
        assert f"http://localhost:{port}/mcp".encode() in call(own, "GET", "/docs.md", Host=f"localhost:{port}")[2]
    assert own.memory() - before < 3_000_000


def test_very_long_names_are_compared_quickly(own):
    for path in (f"/v1/tools/{'a' * 60_000}", f"/v1/tools/chrf-compute/versions/{'1' * 60_000}"):
        before = own.cpu()
        assert call(own, "GET", path)[0] == 404
        assert own.cpu() - before < 1


def test_client_that_leaves_during_its_pipeline_is_not_logged_as_an_error(own):
    large = HEAD + b"Content-Length: 20000\r\n\r\n" + GOOD + b" " * (20_000 - len(GOOD))
    for _ in range(20):
        with own.connect() as connection:
            connection.sendall((WHOLE + large + LAST.replace(b"close", b"keep-alive")) * 3)
    assert execute(own, "chrf-compute", "1.0.0", GOOD)[0] == 200
