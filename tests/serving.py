"""A server in a separate process, and byte-level requests to it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

from processes import descendants, limited, started

COMMAND = [sys.executable, "-W", "error", "-m", "chrfect"]


class Address(str):
    """The start of a server's URLs, with its process."""

    process: subprocess.Popen

    def memory(self):
        """Return the memory of the server and the processes it has started, in bytes, shared pages counted once."""
        sizes = [proportional_memory(pid) for pid in [self.process.pid, *descendants(self.process.pid)]]
        return sum(sizes)

    def cpu(self):
        """Return the seconds of CPU that the first process of the server has used."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        """Return how many descriptors the server has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def connect(self, timeout=30, source=None):
        """Return a connection to the server."""
        parts = urlsplit(self)
        return socket.create_connection((parts.hostname, parts.port), timeout, source and (source, 0))


def proportional_memory(pid):
    """Return a process's memory in bytes, where each shared page counts for its share."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return int(re.search(r"^Pss:\s+(\d+) kB", file.read(), re.MULTILINE)[1]) * 1024
    except OSError:
        return 0


@contextmanager
def serving(*options, quiet=True):
    """Run ``chrfect serve`` on a free port of loopback; yield the start of its URLs."""
    command = [*COMMAND, "serve", "--port", "0", *options]
    with started(command, limit=7_200, stderr=subprocess.PIPE, text=True) as process:
        with limited(process, 60):
            announced = process.stderr.readline()
        found = re.search(r"serving at (\S+) ", announced)
        assert found, announced + process.communicate(timeout=20)[1]
        address = Address(found[1])
        address.process = process
        try:
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[1]
    assert process.returncode == 130
    assert not quiet or said == "", said[:2_000]


def call(address, method, path, body=None, **headers):
    """Return status, headers and body of one request; a header given as None is left out."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    named = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    connection.request(method, path, body, named)
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response.status, response.headers, data


def execute(address, tool, version, body):
    """Return status and body of a tool's answer to a body of JSON."""
    path = f"/v1/tools/{tool}/versions/{version}/execute"
    status, _, answer = call(address, "POST", path, body, Content_Type="application/json")
    return status, answer


def raw(address, data, then_close=False, timeout=30):
    """Send bytes as they are; return all that comes back until the server closes."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=timeout) as connection:
        connection.sendall(data)
        if then_close:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    return answer


MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}


def tool_call(tool, version, input, era, name="execute"):
    """Return a JSON-RPC message that calls ``execute``, and the HTTP headers that go with it."""
    params = {"name": name, "arguments": {"id": tool, "version": version, "input": input}}
    headers = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    if era == "modern":
        params["_meta"] = ENVELOPE
        headers |= {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": name}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers


def mcp(address, message, headers):
    """Return status and answer of a message posted to ``/mcp``; the message may be bytes."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    status, _, answer = call(address, "POST", "/mcp", body, **headers)
    return status, json.loads(answer)
