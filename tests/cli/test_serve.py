"""``serve`` and ``mcp`` before they listen: errors of the command line, the address and the installation."""

import json
import re
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from chrfect.cli import main
from conftest import in_long
from processes import started
from serving import call, serving


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--port", "70000"], "--port is 70000"),
        (["--port", "x"], "--port"),
        (["--timeout", "0"], "--request-timeout is 0"),
        (["--timeout", "nan"], "--request-timeout is nan"),
        (["--workers", "0"], "--workers is 0"),
        (["--max-body-bytes", "-1"], "--max-body-bytes is -1"),
        (["--grace", "inf"], "--grace is inf"),
        (["--trusted-proxy", "proxy"], "--trusted-proxy is 'proxy'"),
        (["--public-url", "metrics.example.org"], "--public-url is 'metrics.example.org'"),
        (["--public-url", "https://x.example/?a=b"], "--public-url"),
        (["--public-url", "https://x.example/metrics"], "without a path"),
        (["--public-url", "http://["], "--public-url is 'http://['"),
        (["--allowed-origin", "app.example"], "--allowed-origin is 'app.example'"),
        (["--allowed-origin", "null"], "--allowed-origin is 'null'"),
    ],
)
def test_wrong_option_ends_with_status_2(options, named, capsys):
    assert main(["serve", *options]) == 2
    assert named in capsys.readouterr().err


def test_used_port_ends_with_status_1_and_advice(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    errors = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1 port {port}" in errors
    assert "--port" in errors


def test_foreign_address_ends_with_status_1(capsys):
    assert main(["serve", "--host", "192.0.2.1"]) == 1
    assert "cannot listen on 192.0.2.1 port 8000" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "package"), [("serve", "uvicorn"), ("serve", "mcp"), ("mcp", "mcp")])
def test_without_the_extra_the_error_explains_how_to_install_it(command, package):
    code = f"import sys; sys.modules[{package!r}] = None; from chrfect.cli import main; sys.exit(main([{command!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"the package {package} is missing" in done.stderr
    assert "pip install '.[server]'" in done.stderr


@pytest.mark.parametrize("host", [*in_long("::1"), "127.0.0.1"])
def test_a_server_stops_cleanly_on_a_signal(host):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no {host}")
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
        command = [sys.executable, "-m", "chrfect", "serve", "--host", host, "--port", "0"]
        with started(command, stderr=subprocess.PIPE, text=True) as process:
            announced = process.stderr.readline()
            assert (f"[{host}]" if ":" in host else host) in announced
            process.send_signal(number)
            assert process.communicate(timeout=20)[1] == ""
            assert process.returncode == status


@pytest.mark.parametrize("length", [50, 2_000_000])
def test_a_server_that_stops_does_not_wait_for_requests_that_have_not_arrived(length):
    with serving() as address:
        parts = urlsplit(address)
        slow = socket.create_connection((parts.hostname, parts.port), timeout=20)
        head = "POST /v1/tools/chrf-compute/versions/1.0.0/execute HTTP/1.1\r\nHost: localhost\r\n"
        slow.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{{".encode())
        assert call(address, "GET", "/healthz")[0] == 200
    with slow:
        answer = b"".join(iter(lambda: slow.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408 " if length == 50 else b"HTTP/1.1 413 ")
    assert answer.count(b"HTTP/1.1") == 1


def test_requests_are_only_logged_with_the_option():
    for options, logged in (([], 0), (["--log"], 2)):
        command = [sys.executable, "-m", "chrfect", "serve", "--port", "0", *options]
        with started(command, stderr=subprocess.PIPE, text=True) as process:
            address = re.search(r"serving at (\S+) ", process.stderr.readline())[1]
            assert call(address, "GET", "/healthz")[0] == 200
            assert call(address, "GET", "/%ED%A0%80")[0] == 404
            process.send_signal(signal.SIGINT)
            lines = process.communicate(timeout=20)[1].splitlines()
        assert len(lines) == logged
        if logged:
            health, other = map(json.loads, lines)
            assert {key: health[key] for key in ("event", "client", "method", "path", "status", "code")} == {
                "event": "request",
                "client": "127.0.0.1",
                "method": "GET",
                "path": "/healthz",
                "status": 200,
                "code": "ok",
            }
            assert (other["status"], other["code"]) == (404, "not_found")
            assert lines[1].isascii()
