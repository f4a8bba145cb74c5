"""The examples of docs/mcp.md work."""

import json
import re
import subprocess
import sys
import tomllib

from chrfect.service.search import search
from conftest import ROOT

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def servers():
    for value in [*map(json.loads, blocks("json")), *map(tomllib.loads, blocks("toml"))]:
        for key, members in value.items():
            if "ervers" in key:
                yield members["chrfect"]


def test_every_configuration_starts_the_command_or_names_the_endpoint():
    configured = list(servers())
    assert len(configured) == 7
    for server in configured:
        if "command" in server:
            assert (server["command"], server["args"]) == ("chrfect", ["mcp"])
        else:
            assert (server.get("url") or server["httpUrl"]) == "http://127.0.0.1:8000/mcp"


def test_the_example_of_python_prints_a_score(address):
    (code,) = (block for block in blocks("python") if "from mcp import" in block)
    code = code.replace("http://127.0.0.1:8000", address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "'score': '31.250000'" in done.stdout, done.stderr


def test_the_shown_search_result_is_the_real_one():
    shown = next(value for value in map(json.loads, blocks("json")) if "query" in value)
    assert search(shown["query"]) == shown
