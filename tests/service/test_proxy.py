"""What docs/operating.md shows: nginx in front of a server, a unit for systemd, and the limits of the options."""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

from chrfect.cli import serve
from chrfect.service.settings import Settings
from processes import started
from serving import Address, call, execute, mcp, serving, tool_call

GOOD = {"hypotheses": ["a cat"], "references": ["the cat"]}


@pytest.fixture
def proxied(root, tmp_path):
    """The address of nginx, and of the server behind it."""
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed")
    text = (root / "docs" / "operating.md").read_text(encoding="utf-8")
    configuration = re.search(r"```nginx\n(.*?)```", text, re.DOTALL)[1]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--trusted-proxy", "127.0.0.1", "--public-url", "https://metrics.example.org", "--log"]
    with serving(*options, quiet=False) as address:
        sites = configuration.replace("127.0.0.1:8000", address.removeprefix("http://"))
        sites = sites.replace("listen 80;", f"listen 127.0.0.1:{port};")
        file = tmp_path / "nginx.conf"
        user = "user root; " if os.geteuid() == 0 else ""
        file.write_text(
            f"{user}daemon off; pid {tmp_path}/pid; error_log stderr warn; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;\n"
            f"fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;\n{sites} }}"
        )
        with started(["nginx", "-c", str(file), "-e", "stderr"], stderr=subprocess.PIPE) as nginx:
            end = time.monotonic() + 10
            while time.monotonic() < end:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.1)
            try:
                yield Address(f"http://127.0.0.1:{port}"), address
            finally:
                nginx.terminate()


def test_nginx_does_not_change_responses(proxied):
    front, behind = proxied
    host = {"Host": "metrics.example.org"}
    path = "/v1/tools/chrf-compute/versions/1.0.0/execute"
    for value in (GOOD, {}, {"hypotheses": ["a" * 9_000], "references": ["b" * 9_000]}):
        body = json.dumps(value)
        status, _, answer = call(front, "POST", path, body, Content_Type="application/json", **host)
        assert (status, answer) == execute(behind, "chrf-compute", "1.0.0", body.encode())
    sent, headers = tool_call("chrf-compute", "1.0.0", GOOD, "modern")
    assert mcp(front, sent, headers | host)[1] == mcp(behind, sent, headers)[1]
    assert b"https://metrics.example.org/mcp" in call(front, "GET", "/docs", **host)[2]
    assert call(front, "GET", "/metrics", **host)[0] == 403
    assert call(front, "GET", "/healthz", Host="other.example")[0] == 421


def test_systemd_accepts_the_unit(root, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = (root / "docs" / "operating.md").read_text(encoding="utf-8")
    unit = re.search(r"```ini\n(.*?)```", text, re.DOTALL)[1]
    command = re.search(r"^ExecStart=/opt/chrfect/bin/chrfect serve (.*)$", unit, re.MULTILINE)[1]
    file = tmp_path / "chrfect.service"
    file.write_text(unit.replace("/opt/chrfect/bin/chrfect", sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    options = serve_settings(command.split())
    assert (options.workers, options.log, options.trusted_proxies) == (2, True, ("127.0.0.1",))


def serve_settings(options):
    """Return the settings of ``chrfect serve`` with these options."""
    parser = argparse.ArgumentParser()
    serve.add(parser)
    return serve._settings(parser.parse_args(options))


def test_the_table_of_limits_has_every_option_with_its_default(root):
    text = (root / "docs" / "operating.md").read_text(encoding="utf-8")
    rows = re.search(r"^## Limits\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1].splitlines()
    defaults = Settings()
    for name, (option, _) in (serve.SIZES | serve.COUNTS | serve.SECONDS).items():
        value = getattr(defaults, name)
        if name in serve.SIZES:
            shown = f"{value // 1024} KiB" if value < 2**20 else f"{value // 2**20} MiB"
        else:
            shown = f"{value:g} s" if name in serve.SECONDS else f"{value:,}"
        shown = "CPUs, at most 4" if name == "processes" else shown
        assert any(f"`{option}`" in row and f"| {shown} |" in row for row in rows), option
