"""Measure the server: the parser, the cost of a call compared with bare Starlette, workers, hostile clients, a soak.

    python bench/service.py parser | call | workers | hostile | soak [--requests N]

CPU time is that of all processes of the server, as counted by Linux. Servers are measured in turn. ``--json FILE``
writes the numbers to a file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

EXECUTE = "/v1/tools/{}/versions/1.0.0/execute"
FIRST_EXAMPLE = b'{"hypotheses":["a cat"],"references":["the cat"]}'
CHRFECT = [sys.executable, "-m", "chrfect", "serve", "--port", "0"]
STARLETTE = """
import ctypes, json, logging, os, socket, sys, time, uvicorn
from datetime import UTC, datetime
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def answer(request):
    value = json.loads(await request.body())
    return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":")), media_type="application/json")

class Logged:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, noted = time.perf_counter(), {}

        async def note(message):
            noted["status"] = message.get("status", noted.get("status"))
            noted["bytes_out"] = len(message.get("body", b""))
            await send(message)

        await self.app(scope, receive, note)
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": "info", "event": "request"}
        line |= {"client": scope["client"][0], "method": scope["method"], "path": scope["path"], **noted}
        logging.info(json.dumps(line | {"ms": round((time.perf_counter() - began) * 1000, 3)}))

parser, workers, logged = sys.argv[1], int(sys.argv[2]), "log" in sys.argv
listeners = [socket.create_server(("127.0.0.1", 0), backlog=2_048, reuse_port=True)]
port = listeners[0].getsockname()[1]
listeners += [socket.create_server(("127.0.0.1", port), backlog=2_048, reuse_port=True) for _ in range(1, workers)]
print(f"serving at http://127.0.0.1:{port} ", file=sys.stderr, flush=True)
while len(listeners) > 1:
    listener = listeners.pop()
    if not os.fork():
        ctypes.CDLL(None).prctl(1, 15)  # end with the parent
        listeners = [listener]
app = Starlette(routes=[Route("/v1/tools/{id}/versions/{version}/execute", answer, methods=["POST"])])
if logged:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    app = Logged(app)
uvicorn.Server(uvicorn.Config(app, http=parser, log_config=None, access_log=False)).run(listeners)
"""


def bare(parser: str, workers: int = 1) -> list[str]:
    """Return the command of a bare Starlette server that parses JSON and serializes it again."""
    return [sys.executable, "-c", STARLETTE, parser, str(workers)]


class Running:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def processes(self) -> list[int]:
        """Return the server's processes."""
        return [self.process.pid, *_descendants(self.process.pid)]

    def cpu(self, own: bool = False) -> float:
        """Return the CPU seconds of all processes, or of the first process only."""
        return sum(map(_cpu, [self.process.pid] if own else self.processes()))

    def waits(self) -> int:
        """Return how often the processes have waited, for example for a request."""
        found = 0
        for pid in self.processes():
            with suppress(OSError):
                status = Path(f"/proc/{pid}/status").read_text()
                found += int(re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE)[0])
        return found

    def memory(self) -> float:
        """Return the memory of all processes in MiB; shared pages are counted once."""
        return sum(map(_memory, self.processes())) / 1024

    def descriptors(self) -> int:
        """Return the number of open descriptors of the first process."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self) -> int:
        """Return the number of threads of all processes."""
        return sum(len(os.listdir(f"/proc/{pid}/task")) for pid in self.processes())

    def connect(self) -> socket.socket:
        """Return a connection."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def metrics(self) -> str:
        """Return what the server tells Prometheus."""
        with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as response:
            text: str = response.read().decode()
            return text


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [other for child in children for other in _descendants(child)]


def _cpu(pid: int) -> float:
    total = 0.0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            total += int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        pass
    return total


def _memory(pid: int) -> int:
    try:
        return int(re.findall(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[0])
    except OSError:
        return 0


@contextmanager
def running(command: list[str]) -> Iterator[Running]:
    """Run a server; yield it when it accepts requests."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"serving at http://[^:]+:(\d+)", line)
    if not found:
        sys.exit(line + process.stderr.read())
    threading.Thread(target=process.stderr.read, daemon=True).start()
    time.sleep(0.5)
    try:
        yield Running(process, int(found[1]))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def request(tool: str, body: bytes, path: str = EXECUTE) -> bytes:
    """Return the bytes of a request."""
    head = f"POST {path.format(tool)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def receive(connection: socket.socket) -> bytes:
    """Return the status line and the body of one response."""
    data = bytearray()
    while (end := data.find(b"\r\n\r\n")) < 0:
        data += _some(connection)
    length = int(re.findall(rb"(?i)content-length: (\d+)", data[:end])[0])
    while len(data) < end + 4 + length:
        data += _some(connection)
    return bytes(data[: data.find(b"\r\n")]) + b"\n" + bytes(data[end + 4 :])


def _some(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 20)
    if not data:
        raise EOFError("the server closed the connection")
    return data


def load(server: Running, data: bytes, count: int, connections: int = 8) -> tuple[float, float]:
    """Send requests over several connections; return the CPU and the wall-clock seconds per request."""
    with ExitStack() as stack:
        opened = [stack.enter_context(server.connect()) for _ in range(connections)]
        began, used = time.perf_counter(), server.cpu()
        for _ in range(count // connections):
            for connection in opened:
                connection.sendall(data)
            for connection in opened:
                assert b" 200 " in receive(connection)[:20]
        done = count // connections * connections
        return (server.cpu() - used) / done, (time.perf_counter() - began) / done


def compare(commands: dict[str, list[str]], rounds: int, count: int) -> dict[str, list[float]]:
    """Return the CPU seconds per request of each server in each round, after a warm-up round."""
    data = request("chrf-compute", FIRST_EXAMPLE)
    with ExitStack() as stack:
        servers = {name: stack.enter_context(running(command)) for name, command in commands.items()}
        taken: dict[str, list[float]] = {name: [] for name in servers}
        for turn in range(rounds + 1):
            for name, server in servers.items():
                used, _ = load(server, data, count)
                if turn:
                    taken[name].append(used)
    return taken


def over(taken: dict[str, list[float]], a: str, b: str) -> float:
    """Return the median of the cost of `a` divided by that of `b`."""
    return median(x / y for x, y in zip(taken[a], taken[b], strict=True))


def measure_parser(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the same bare application with both parsers."""
    taken = compare({"h11": bare("h11"), "httptools": bare("httptools")}, options.rounds, 4_000)
    print(f"an echo of JSON costs {over(taken, 'h11', 'httptools'):.2f} times the CPU on h11 as on httptools")
    return {"h11 over httptools": over(taken, "h11", "httptools")}


def measure_call(options: argparse.Namespace) -> dict[str, Any]:
    """Compare the first example with bare Starlette, which parses and serializes the same JSON."""
    commands = {
        "chrfect": CHRFECT,
        "starlette": bare("httptools"),
        "chrfect, logged": [*CHRFECT, "--log"],
        "starlette, logged": [*bare("httptools"), "log"],
    }
    taken = compare(commands, options.rounds, 4_000)
    share = 1 / over(taken, "chrfect", "starlette")
    logged = 1 / over(taken, "chrfect, logged", "starlette, logged")
    print(f"the first example reaches {share:.2f} of bare Starlette on the same parser (CPU per request)")
    print(f"median CPU: {median(taken['chrfect']) * 1e6:.0f} µs and {median(taken['starlette']) * 1e6:.0f} µs")
    print(f"with a line of JSON logged for each request: {logged:.2f}")
    return {"of bare Starlette": share, "of bare Starlette, logged": logged}


def measure_workers(options: argparse.Namespace) -> dict[str, Any]:
    """Compare two workers with one, and the same for bare Starlette.

    wrk, if it is installed, sends the requests. A load generator in Python would need more CPU time than the server,
    and keep two workers waiting.
    """
    taken: dict[str, list[dict[str, float]]] = {}
    with ExitStack() as stack:
        commands = {
            "chrfect 1": CHRFECT,
            "chrfect 2": [*CHRFECT, "--workers", "2"],
            "starlette 1": bare("httptools"),
            "starlette 2": bare("httptools", 2),
        }
        servers = {name: stack.enter_context(running(command)) for name, command in commands.items()}
        time.sleep(3)
        for turn in range(options.rounds + 1):
            for name, server in servers.items():
                found = _loaded(server)
                if turn:
                    taken.setdefault(name, []).append(found)
    results: dict[str, Any] = {}
    for name in ("chrfect", "starlette"):
        one, two = taken[f"{name} 1"], taken[f"{name} 2"]
        for key in one[0]:
            results[f"{name}, {key}"] = median(b[key] / a[key] for a, b in zip(one, two, strict=True))
        print(
            f"{name}, two workers over one: {results[f'{name}, throughput']:.2f} times the throughput, "
            f"{results[f'{name}, CPU']:.2f} times the CPU per request"
        )
    for name, rounds in taken.items():
        cpu, client, switches = (median(found[key] for found in rounds) for key in ("CPU", "client", "switches"))
        print(
            f"{name}: {cpu * 1e6:.0f} µs of CPU per request, {client * 1e6:.0f} µs of the client; waits {switches:.2f}"
        )
    return results


def _loaded(server: Running) -> dict[str, float]:
    """Load a server; return requests per second, and per request CPU seconds of server and client, and waits."""
    script = Path(__file__).with_name("first_example.lua")
    url = f"http://127.0.0.1:{server.port}{EXECUTE.format('chrf-compute')}"
    cpu, client, waits = server.cpu(), _client_cpu(), server.waits()
    try:
        done = subprocess.run(
            ["wrk", "-t1", "-c64", "-d3s", "-s", script, url], capture_output=True, text=True, check=True
        )
        assert "Non-2xx" not in done.stdout, done.stdout
        found = re.findall(r"(\d+) requests in ([\d.]+)s", done.stdout)[0]
        count, seconds = int(found[0]), float(found[1])
    except FileNotFoundError:
        count = 6_000 // 64 * 64
        seconds = count * load(server, request("chrf-compute", FIRST_EXAMPLE), count, 64)[1]
    return {
        "throughput": count / seconds,
        "CPU": (server.cpu() - cpu) / count,
        "client": (_client_cpu() - client) / count,
        "switches": (server.waits() - waits) / count,
    }


def _client_cpu() -> float:
    """Return the CPU seconds of this process and of the load generators that it has waited for."""
    return sum(os.times()[:4])


def most_expensive() -> dict[str, bytes]:
    """Return an expensive valid input for each tool, as JSON."""
    draw = random.Random(1)
    text = "".join(draw.choice("abcdefghij klmnop ") for _ in range(32_000))
    pieces = [text[i * 125 : i * 125 + 125] for i in range(256)]
    tokens = [draw.choice("abcdefgh") for _ in range(32_000)]
    control = ["".join(chr(draw.randrange(1, 9)) for _ in range(26)) for _ in range(2_220)]
    corpus = {"hypotheses": pieces, "references": pieces[::-1]}
    many = {"hypotheses": [tokens[:3]] * 256, "references": [[tokens[i : i + 3] for i in range(64)]] * 256}
    sentence = {"hypothesis": tokens[:1_000], "references": [tokens[i : i + 1_000] for i in range(64)], "max_order": 9}
    inputs: dict[str, Any] = {
        "chrf-compute": corpus,
        "chrf-plus-plus-compute": corpus,
        "chrf-components": {**corpus, "char_order": 24, "word_order": 8, "averaging": "per_order_f"},
        "bleu-ngrams-count": {**many, "max_order": 9, "clipping_tables": True},
        "bleu-ngrams-count ": {
            "hypotheses": [control],
            "references": [[[]]],
            "max_order": 9,
            "clipping_tables": True,
        },
        "bleu-sentence-components": sentence,
        "bleu-sentence-compute": {**sentence, "smoothing": "method3"},
        "bleu-corpus-compute": {**many, "max_order": 9},
    }
    return {tool: json.dumps(value, separators=(",", ":")).encode() for tool, value in inputs.items()}


def measure_hostile(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the latency of the first example, and memory, under hostile clients."""
    inputs = most_expensive()
    results: dict[str, Any] = {}
    with running(CHRFECT) as server:
        for tool, body in inputs.items():
            with server.connect() as connection:
                used = []
                for _ in range(4):
                    before = server.cpu()
                    connection.sendall(request(tool.strip(), body))
                    assert b" 200 " in receive(connection)[:20], tool
                    used.append(server.cpu() - before)
            results[f"{tool} ms"] = round(1000 * min(used[1:]), 1)
            print(f"the most expensive input found of {tool}: {results[f'{tool} ms']} ms of CPU in all")
        stop = threading.Event()
        peak = [0.0]

        def watch() -> None:
            while not stop.wait(0.2):
                peak[0] = max(peak[0], server.memory())

        def heavy(number: int) -> None:
            bodies = list(inputs.items())
            with server.connect() as connection:
                turn = number
                while True:
                    tool, body = bodies[turn % len(bodies)]
                    connection.sendall(request(tool.strip(), body))
                    receive(connection)
                    turn += 1

        def trickle(connections: list[socket.socket]) -> None:
            data = request("chrf-compute", FIRST_EXAMPLE)
            at = 0
            while not stop.wait(0.5):
                for connection in connections:
                    with suppress(OSError):
                        connection.send(data[at % len(data) :][:1])
                at += 1

        with ExitStack() as stack:
            large = request("bleu-ngrams-count", inputs["bleu-ngrams-count "])
            threads = [threading.Thread(target=watch)]
            quiet = latencies(server, 300)
            threads[0].start()
            fork = multiprocessing.get_context("fork")  # in processes, so that they do not delay what is measured
            clients = [fork.Process(target=heavy, args=(i,), daemon=True) for i in range(4)]
            for client in clients:
                client.start()
            time.sleep(1)
            busy = latencies(server, options.samples)
            idle = [stack.enter_context(server.connect()) for _ in range(1_000)]
            slow = [stack.enter_context(server.connect()) for _ in range(100)]
            never = [stack.enter_context(server.connect()) for _ in range(100)]
            for connection in never:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                connection.sendall(large)
            threads.append(threading.Thread(target=trickle, args=(slow,)))
            threads[-1].start()
            crowded = latencies(server, options.samples, tolerant=True)
            stop.set()
            for client in clients:
                client.kill()
            for thread in threads:
                thread.join()
            assert idle
    for name, (taken, rejected) in {"quiet": quiet, "four heavy": busy, "all": crowded}.items():
        ordered = sorted(taken)
        results[f"{name} p95 ms"] = round(1000 * ordered[int(len(ordered) * 0.95)], 1)
        print(
            f"first example, {name} clients: median {1000 * median(ordered):.1f} ms, p95 "
            f"{results[f'{name} p95 ms']} ms of {len(ordered)} requests; {rejected} rejected as busy"
        )
    results["peak MiB"] = round(peak[0])
    print(f"peak memory of all processes: {peak[0]:.0f} MiB")
    return results


def latencies(server: Running, count: int, tolerant: bool = False) -> tuple[list[float], int]:
    """Return the seconds of each of successive requests, and the number of requests that were rejected as busy."""
    data = request("chrf-compute", FIRST_EXAMPLE)
    taken, rejected = [], 0
    with server.connect() as connection:
        for _ in range(count):
            began = time.perf_counter()
            connection.sendall(data)
            answer = receive(connection)
            taken.append(time.perf_counter() - began)
            if tolerant and b" 503 " in answer[:20]:
                rejected += 1
            else:
                assert b" 200 " in answer[:20]
            time.sleep(0.005)
    return taken, rejected


def measure_soak(options: argparse.Namespace) -> dict[str, Any]:
    """Measure memory, descriptors and threads over many requests: valid and invalid, small and large."""
    inputs = most_expensive()
    mixed = [
        request("chrf-compute", FIRST_EXAMPLE),
        request("chrf-compute", b'{"hypotheses":[1],"references":["x"]}'),
        request("none", FIRST_EXAMPLE),
        b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n",
        request("", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', "/mcp"),
    ]
    rows = []
    with running(CHRFECT) as server:
        done = 0
        step = max(1_000, options.requests // 10)
        while done < options.requests:
            load_mixed(server, mixed, step)
            load_mixed(server, [request(tool.strip(), body) for tool, body in inputs.items()], 16)
            done += step
            time.sleep(6)  # connections that are kept alive close
            memory, descriptors, threads = server.memory(), server.descriptors(), server.threads()
            rows.append((done, memory, descriptors, threads))
            print(f"{done:>8} requests: {memory:.1f} MiB, {descriptors} descriptors, {threads} threads", flush=True)
    return {"rows": rows}


def load_mixed(server: Running, requests: list[bytes], count: int) -> None:
    """Send requests in turn over 8 connections."""
    with ExitStack() as stack:
        opened = [stack.enter_context(server.connect()) for _ in range(8)]
        for turn in range(count // 8):
            data = requests[turn % len(requests)]
            for connection in opened:
                connection.sendall(data)
            for connection in opened:
                receive(connection)


def main() -> None:
    """Run the selected measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["parser", "call", "workers", "hostile", "soak"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--requests", type=int, default=500_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = globals()[f"measure_{options.what}"](options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
