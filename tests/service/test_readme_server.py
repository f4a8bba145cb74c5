"""The commands for the server in the README run as shown."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chrfect import catalogue
from conftest import ROOT
from processes import started

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"^```shell\n(.*?)^```$", README, re.M | re.S) for line in block.splitlines()]
INPUT = {"hypotheses": ["cat"], "references": ["the cat sat on the mat"]}


def start(command):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return started(
        ["bash", "-c", f"exec {command}" if command == "chrfect serve" else command],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def answers():
    """What each command of the README prints, while the first one serves."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8000)) == 0:
            pytest.skip("something else listens on port 8000, which the README uses")
    assert COMMANDS[0] == "chrfect serve"
    with start(COMMANDS[0]) as server:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", 8000)) == 0:
                    break
            time.sleep(0.1)
        said = {}
        for command in COMMANDS[1:]:
            with start(command) as process:
                output, errors = process.communicate(timeout=60)
            assert (process.returncode, errors) == (0, b""), command
            said[command] = output
        yield said
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)


def test_http_command_line_and_mcp_give_the_same(answers):
    same = catalogue.dumps({"result": catalogue.run("chrf-compute", "1.0.0", INPUT)}).encode()
    by_http, by_run, _, by_stdio = answers.values()
    assert by_http == same
    assert by_run == same + b"\n"
    assert json.loads(by_stdio.splitlines()[-1])["result"]["content"][0]["text"].encode() == same


def test_a_hebrew_need_finds_chrf(answers):
    found = json.loads(list(answers.values())[2])["result"]["structuredContent"]
    assert found["tools"][0]["id"] == "chrf-compute"
