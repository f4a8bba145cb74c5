"""``run --base-url``: the exit status is 2 for an input that the server rejects, and 1 if the server fails."""

import contextlib
import http.server
import socket
import threading

import pytest

from chrfect.cli import main

INPUT = '{"hypotheses":["a cat"],"references":["the cat"]}'


@contextlib.contextmanager
def answering(reply):
    """Run a server whose every answer the function writes; yield its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            reply(self)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def with_status(status, body):
    def reply(handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


@pytest.fixture
def run(tmp_path, capsys):
    file = tmp_path / "input.json"
    file.write_text(INPUT)

    def run(base_url, *options, tool="chrf-compute"):
        status = main(["run", tool, "1.0.0", "--input", str(file), "--base-url", base_url, *options])
        output, errors = capsys.readouterr()
        assert output == ""
        assert errors.startswith(("chrfect: error: ", "{"))
        return status, errors

    return run


def test_no_server_ends_with_status_1(run):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        status, errors = run(f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert status == 1
    assert "cannot be reached" in errors
    assert "Is the server running?" in errors


def test_unknown_host_ends_with_status_1(run):
    assert run("http://no-such-host.invalid")[0] == 1


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://localhost",
        "",
        "file:///etc/passwd",
        "http://",
        "http://[",
        "http://localhost:x",
        "http://local host",
        "http://localhost?a=b",
        "http://localhost/é",
        "http://me:secret@localhost",
    ],
)
def test_invalid_url_ends_with_status_2(run, url):
    status, errors = run(url)
    assert (status, "--base-url" in errors) == (2, True)


def test_other_kind_of_server_ends_with_status_1(run):
    bodies = {
        404: b"<h1>Not found</h1>",
        400: b"[]",
        405: b'{"detail":"x"}',
        413: b'{"detail":1,"code":"c","pointer":null}',
        422: b"[" * 100_000,
        200: b"<!doctype html><title>Login</title>",
        201: b'{"result":{}}',
        206: b"\x1f\x8b\x08\x00\x00",
    }
    for status, body in bodies.items():
        with answering(with_status(status, body)) as address:
            got, errors = run(address)
        assert (got, f"answered {status} with {len(body)} bytes" in errors) == (1, True), errors
        assert repr(body[:10].decode("utf-8", "replace"))[1:-1] in errors


@pytest.mark.parametrize("body", [b"", b"{}", b'{"result":1}', b'{"result":{},"more":1}', b'{"result":{}}x', b"null"])
def test_only_a_json_result_is_accepted(run, body):
    with answering(with_status(200, body)) as address:
        assert run(address)[0] == 1


def test_response_without_content_ends_with_status_1(run):
    with answering(with_status(204, b"")) as address:
        status, errors = run(address)
    assert (status, "an empty body" in errors) == (1, True)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(run, status):
    def redirect(handler):
        handler.send_response(status)
        handler.send_header("Location", "/login")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with answering(redirect) as address:
        got, errors = run(address)
    assert (got, f"redirects ({status}) to '/login'" in errors) == (1, True)


PROBLEM = b'{"type":"about:blank","title":"T","status":0,"detail":"The reason.","code":"c","pointer":"/x"}'


@pytest.mark.parametrize("status", [403, 408, 421, 500, 503])
def test_server_error_ends_with_status_1_and_the_reason(run, status):
    with answering(with_status(status, PROBLEM)) as address:
        got, errors = run(address)
    assert (got, f"answered {status}: The reason." in errors) == (1, True)


@pytest.mark.parametrize("status", [400, 404, 405, 413, 415, 422])
def test_rejection_ends_with_status_2_and_the_reason(run, status):
    with answering(with_status(status, PROBLEM)) as address:
        assert run(address) == (2, "chrfect: error: The reason.\n")
        got, errors = run(address, "--json-errors")
    assert (got, '"code": "c", "pointer": "/x"' in errors) == (2, True)


def test_truncated_response_ends_with_status_1(run):
    def breaks_off(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"result":')

    def hangs_up(handler):
        handler.connection.close()

    for reply in (breaks_off, hangs_up):
        with answering(reply) as address:
            assert run(address)[0] == 1
