"""Operation of a server: stopping and restarting under load, full pipes and disks, metrics and logs."""

import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import subprocess
import termios
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from processes import descendants, started
from serving import COMMAND, Address, call, execute, raw

EXECUTE = "/v1/tools/{}/versions/1.0.0/execute"
GOOD = b'{"hypotheses":["a cat"],"references":["the cat"]}'
HEAVY = json.dumps(
    {
        "hypotheses": [["a", "b", "c"]] * 256,
        "references": [[["a", "b", "c"]] * 64] * 256,
        "max_order": 9,
        "clipping_tables": True,
    }
).encode()


class Started:
    """A server with standard error in a file or in a pipe that nobody reads."""

    def __init__(self, *options, prefix=(), stderr=subprocess.PIPE, **named):
        command = [*prefix, *COMMAND, "serve", "--port", "0", *options]
        self.started = started(command, stderr=stderr, **named)

    def address(self):
        line = self.process.stderr.readline().decode()
        address = Address(re.search(r"serving at (\S+) ", line)[1])
        address.process = self.process
        return address

    def __enter__(self):
        self.process = self.started.__enter__()
        return self

    def __exit__(self, *raised):
        return self.started.__exit__(*raised)


class Load(threading.Thread):
    """Requests on one connection until told to stop; a connection that the server closes is opened again."""

    def __init__(self, address, tool="chrf-compute", body=GOOD):
        super().__init__(daemon=True)
        self.address, self.tool, self.body = address, tool, body
        self.statuses, self.bodies, self.lost = [], [], []
        self.stopped = threading.Event()

    def run(self):
        parts = urlsplit(self.address)
        head = f"POST {EXECUTE.format(self.tool)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        request = f"{head}Content-Length: {len(self.body)}\r\n\r\n".encode() + self.body
        connection = None
        while not self.stopped.is_set():
            if connection is None:
                try:
                    connection = socket.create_connection((parts.hostname, parts.port), timeout=30)
                except ConnectionRefusedError:
                    return  # the server has stopped
            try:
                connection.sendall(request)
                head, body = read_answer(connection)
            except (OSError, EOFError) as error:
                self.lost.append(error)
                connection.close()
                connection = None
                continue
            self.statuses.append(int(head.split()[1]))
            self.bodies.append(body)
            if b"connection: close" in head.lower():
                connection.close()
                connection = None
        if connection is not None:
            connection.close()


def read_answer(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += some(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        body += some(connection)
    return head, body


def some(connection):
    data = connection.recv(1 << 20)
    if not data:
        raise EOFError
    return data


def test_a_stop_under_load_loses_no_request(tmp_path):
    errors = tmp_path / "errors"
    with errors.open("wb") as file, Started("--log", stderr=file) as server:
        address = wait_for_address(errors, server)
        small = [Load(address) for _ in range(4)]
        heavy = [Load(address, "bleu-ngrams-count", HEAVY) for _ in range(10)]
        for load in (*small, *heavy):
            load.start()
        time.sleep(1.5)
        server.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        server.process.wait(20)
        assert time.monotonic() - began < 8
        for load in (*small, *heavy):
            load.join(20)
        assert all(load.statuses for load in small)
        assert {status for load in small for status in load.statuses} == {200}
        assert {status for load in heavy for status in load.statuses} <= {200, 503}
        assert [load.lost for load in (*small, *heavy) if load.lost] == []
    lines = [json.loads(line) for line in errors.read_text().splitlines()[1:]]
    answered = sum(len(load.statuses) for load in (*small, *heavy))
    assert sum(line["event"] == "request" for line in lines) == answered
    assert {line["level"] for line in lines} == {"info"}
    stopping = [line for line in lines if line.get("status") == 503]
    assert {line["code"] for line in stopping} <= {"stopping", "busy"}


def wait_for_address(errors, server):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = re.search(r"serving at (\S+) ", errors.read_text())
        if found:
            address = Address(found[1])
            address.process = server.process
            return address
        time.sleep(0.1)
    raise AssertionError(errors.read_text())


def test_a_full_standard_error_neither_blocks_requests_nor_the_exit():
    with Started("--log") as server:
        address = server.address()
        path = "/" + "x" * 190
        with address.connect() as connection:
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            for _ in range(600):
                connection.sendall(request)
                read_answer(connection)
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == -signal.SIGTERM


@pytest.mark.parametrize("options", [[], ["--workers", "2"]])
def test_no_process_is_left_after_sigkill(options):
    with Started(*options) as server:
        address = server.address()
        load = Load(address, "bleu-ngrams-count", HEAVY)
        load.start()
        time.sleep(1)
        processes = descendants(server.process.pid)
        assert len(processes) >= 2
        load.stopped.set()
        server.process.kill()
        load.join(20)
        end = time.monotonic() + 15
        while time.monotonic() < end and any(Path(f"/proc/{pid}/stat").exists() for pid in processes):
            time.sleep(0.1)
        left = [Path(f"/proc/{pid}/cmdline").read_text() for pid in processes if Path(f"/proc/{pid}/stat").exists()]
        assert left == []


def kill_compute_processes(server):
    """Kill the compute processes of a server that has one worker, and wait until they are gone."""
    for pid in descendants(server.process.pid):
        if b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes() and not descendants(pid):
            os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(FileNotFoundError):
                while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z":
                    time.sleep(0.01)


def test_a_compute_process_that_is_killed_is_replaced():
    with Started() as server:
        address = server.address()
        assert execute(address, "bleu-ngrams-count", "1.0.0", HEAVY)[0] == 200
        kill_compute_processes(server)
        for _ in range(6):
            assert execute(address, "bleu-ngrams-count", "1.0.0", HEAVY)[0] == 200


def test_compute_processes_that_cannot_be_started_are_started_later():
    with Started("--processes", "1") as server:
        address = server.address()
        assert execute(address, "bleu-ngrams-count", "1.0.0", HEAVY)[0] == 200
        kill_compute_processes(server)
        pid = server.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        with address.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            read_answer(connection)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")), before[1]))
            head = f"POST {EXECUTE.format('bleu-ngrams-count')} HTTP/1.1\r\nHost: localhost\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(HEAVY)}\r\n\r\n"
            connection.sendall(head.encode() + HEAVY)
            answer = read_answer(connection)
            assert answer[0].startswith(b"HTTP/1.1 503 ")
            assert json.loads(answer[1])["code"] == "busy"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        assert execute(address, "bleu-ngrams-count", "1.0.0", HEAVY)[0] == 200


def test_server_survives_exhausted_file_descriptors():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))

    with Started(preexec_fn=limit) as server:
        address = server.address()
        with contextlib.ExitStack() as stack:
            for _ in range(150):
                with contextlib.suppress(OSError):
                    stack.enter_context(address.connect(timeout=5))
        time.sleep(0.5)
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200


def test_full_disk_for_the_log_does_not_affect_requests():
    port = 15_000 + os.getpid() % 15_000  # not one that the system gives to another test
    command = [*COMMAND, "serve", "--port", str(port), "--log"]
    with open("/dev/full", "wb") as full, started(command, stderr=full) as process:
        address = Address(f"http://127.0.0.1:{port}")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                assert call(address, "GET", "/healthz")[0] == 200
                break
            time.sleep(0.2)
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def workers(server):
    """Return the server processes that a parent has started."""
    return server_processes(descendants(server.process.pid))


def server_processes(processes):
    """Return those of some processes that are server processes of a parent."""
    commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in processes}
    return {pid for pid, command in commands.items() if command.exists() and b"spawn_main" in command.read_bytes()}


def test_workers_share_the_address_and_a_restart_loses_no_request():
    with Started("--workers", "2") as server:
        address = server.address()
        loads = [Load(address) for _ in range(6)]
        for load in loads:
            load.start()
        time.sleep(1)
        before = workers(server)
        assert len(before) == 2
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while time.monotonic() < end and before & workers(server):
            time.sleep(0.5)
        time.sleep(1)
        for load in loads:
            load.stopped.set()
        for load in loads:
            load.join(20)
        assert {status for load in loads for status in load.statuses} == {200}
        assert [load.lost for load in loads if load.lost] == []
        assert len(workers(server)) == 2
        assert not before & workers(server)
        text = call(address, "GET", "/metrics")[2].decode()
        counted = re.search(r'^chrfect_requests_total\{code="ok",tool="chrf-compute"\} (\S+)', text, re.MULTILINE)
        assert float(counted[1]) == sum(len(load.statuses) for load in loads)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == -signal.SIGTERM


def test_connections_are_spread_over_workers():
    """Clients that connect at once do not all wait for one worker."""
    with Started("--workers", "2") as server:
        address = server.address()
        used = []
        with contextlib.ExitStack() as stack:
            for connection in [stack.enter_context(address.connect()) for _ in range(64)]:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                read_answer(connection)
            for pid in workers(server):
                descriptors = Path(f"/proc/{pid}/fd").iterdir()
                used.append(sum(os.readlink(descriptor).startswith("socket:") for descriptor in descriptors))
        assert len(used) == 2
        assert min(used) > 15  # of 64; fewer by chance in one of 100,000 runs


def test_a_worker_that_is_killed_is_replaced_and_its_new_connections_wait():
    with Started("--workers", "2") as server:
        address = server.address()
        killed = workers(server).pop()
        os.kill(killed, signal.SIGKILL)
        answers = [execute(address, "chrf-compute", "1.0.0", GOOD)[0] for _ in range(40)]
        assert answers == [200] * 40
        assert killed not in workers(server)
        assert len(workers(server)) == 2


def refuses(address):
    """Return whether a server refuses connections within some seconds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            address.connect(timeout=20).close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.01)
    return False


def test_workers_that_stop_refuse_new_connections():
    """A connection that nobody will accept is refused at once, not reset when the parent ends."""
    with Started("--workers", "2", "--grace", "20") as server:
        address = server.address()
        head = (
            f"POST {EXECUTE.format('chrf-compute')} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        )
        with address.connect() as connection:
            connection.sendall(f"{head}Expect: 100-continue\r\nContent-Length: {len(GOOD)}\r\n\r\n".encode())
            assert b" 100 " in some(connection)
            server.process.send_signal(signal.SIGTERM)
            assert refuses(address)
            assert server.process.poll() is None
        assert server.process.wait(20) == -signal.SIGTERM


def test_many_sighups_do_not_delay_a_stop():
    with Started("--workers", "2") as server:
        server.address()
        for _ in range(20):
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        time.sleep(1)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == -signal.SIGTERM


def test_a_worker_that_cannot_be_replaced_is_replaced_later():
    with Started("--workers", "2") as server:
        address = server.address()
        pid = server.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")), before[1]))
        killed = workers(server).pop()
        os.kill(killed, signal.SIGKILL)
        assert json.loads(server.process.stderr.readline())["event"] == "worker_not_started"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        assert [execute(address, "chrf-compute", "1.0.0", GOOD)[0] for _ in range(40)] == [200] * 40
        assert killed not in workers(server)
        assert len(workers(server)) == 2
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == -signal.SIGTERM


def test_a_server_whose_workers_cannot_start_exits_with_an_error():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))

    with Started("--workers", "16", preexec_fn=limit) as server:
        errors = server.process.communicate(timeout=60)[1]  # until no process of the server has it open
    assert server.process.returncode == 1
    assert b"cannot start 16 workers: Too many open files" in errors
    assert b"Traceback" not in errors


def test_second_server_with_workers_cannot_use_the_address():
    with Started("--workers", "2") as server:
        port = urlsplit(server.address()).port
        command = [*COMMAND, "serve", "--workers", "2", "--port", str(port)]
        second = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert second.returncode == 1
        assert b"Address already in use" in second.stderr


@pytest.mark.parametrize("options", [[], ["--workers", "2"]])
def test_ctrl_c_on_a_terminal_stops_the_server_at_once(options):
    """The terminal sends SIGINT to every process of the server."""
    ours, theirs = pty.openpty()

    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with Started(*options, stdin=theirs, start_new_session=True, preexec_fn=take_terminal) as server:
        os.close(theirs)
        address = server.address()
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200
        processes = descendants(server.process.pid)
        os.write(ours, b"\x03")
        began = time.monotonic()
        assert server.process.wait(20) == 130
        assert time.monotonic() - began < 4  # about 1 on an idle machine
        assert b"KeyboardInterrupt" not in server.process.stderr.read()
        assert server_processes(processes) == set()
    os.close(ours)


@pytest.fixture
def small_disk(tmp_path):
    """A directory, and the start of a command in whose mount namespace it is a file system of 2 MiB."""
    prefix = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=2m tmpfs {tmp_path} && exec "$@"', "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*prefix, "true"], capture_output=True, timeout=60, check=False).returncode
    ):
        pytest.skip("needs the right to mount a file system in a namespace")
    return tmp_path, prefix


def test_full_disk_for_metrics_does_not_affect_requests(small_disk):
    """A worker that starts while the disk is full keeps its metrics to itself; one that runs has reserved its space."""
    directory, prefix = small_disk
    with Started("--workers", "2", prefix=prefix, env={**os.environ, "TMPDIR": str(directory)}) as server:
        address = server.address()
        with contextlib.suppress(OSError), open(f"/proc/{server.process.pid}/root{directory}/fill", "wb", 0) as fill:
            while fill.write(b"x" * 4096):
                pass
        before = workers(server)
        for tool in ("chrf-compute", "bleu-ngrams-count", "none"):
            for body in (GOOD, b"{}", HEAVY):
                for _ in range(4):
                    execute(address, tool, "1.0.0", body)
        assert call(address, "GET", "/metrics")[0] == 200
        assert workers(server) == before
        os.kill(min(before), signal.SIGKILL)
        assert [execute(address, "chrf-compute", "1.0.0", GOOD)[0] for _ in range(40)] == [200] * 40
        assert {call(address, "GET", "/metrics")[0] for _ in range(10)} == {200}
        assert len(workers(server)) == 2
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == -signal.SIGTERM
        assert json.loads(server.process.stderr.readline())["event"] == "metrics_not_shared"


def test_metrics_of_a_killed_server_are_removed_by_the_next(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with Started("--workers", "2", env=environment) as killed:
        killed.address()
        left = set(tmp_path.glob("chrfect-metrics-*"))
        assert len(left) == 1
        with Started("--workers", "2", env=environment) as running:
            running.address()
            assert left < set(tmp_path.glob("chrfect-metrics-*"))  # the first server still runs
        killed.process.kill()
        killed.process.wait(20)
    with Started("--workers", "2", env=environment) as server:
        address = server.address()
        directories = set(tmp_path.glob("chrfect-metrics-*"))
        assert len(directories) == 1
        assert not directories & left
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200
        assert b"chrfect_requests_total" in call(address, "GET", "/metrics")[2]
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(20)
    assert list(tmp_path.glob("chrfect-metrics-*")) == []


def test_the_log_escapes_client_data_and_contains_no_texts():
    with Started("--log") as server:
        address = server.address()
        secret = "the secret text"
        body = json.dumps({"hypotheses": [secret], "references": [secret], secret: 1})
        forged = {"X_Forwarded_For": '10.9.9.9 - "GET /forged HTTP/1.1" 200'}
        path = EXECUTE.format("chrf-compute")
        assert call(address, "POST", path, body, Content_Type="application/json", **forged)[0] == 422
        assert call(address, "GET", "/a%0A%1B[2Jb?q=" + "secret")[0] == 404
        raw(address, b"garbage\r\n\r\n")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(20)
        text = server.process.stderr.read().decode("ascii")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["event"], line["code"]) for line in lines] == [
        ("request", "unknown_key"),
        ("request", "not_found"),
        ("rejected", "bad_request"),
    ]
    assert "secret" not in text
    assert "forged" not in text
    assert lines[0]["client"] == "127.0.0.1"
    assert lines[0]["bytes_in"] == len(body)
    assert lines[1]["path"] == "/a\n\x1b[2Jb"


@pytest.mark.parametrize(("proxy", "client"), [("127.0.0.1", "10.9.9.9"), ("192.0.2.1", "127.0.0.1")])
def test_only_a_trusted_proxy_determines_the_client_address(proxy, client):
    with Started("--log", "--trusted-proxy", proxy) as server:
        address = server.address()
        call(address, "GET", "/healthz", X_Forwarded_For="10.9.9.9")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(20)
        assert json.loads(server.process.stderr.readline())["client"] == client


def test_metrics_count_requests_by_tool_and_code():
    with Started() as server:
        address = server.address()
        execute(address, "chrf-compute", "1.0.0", GOOD)
        execute(address, "chrf-compute", "1.0.0", b"{}")
        execute(address, "none", "1.0.0", GOOD)
        raw(address, b"garbage\r\n\r\n")
        status, headers, body = call(address, "GET", "/metrics")
        assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        for line in (
            'chrfect_requests_total{code="ok",tool="chrf-compute"} 1.0',
            'chrfect_requests_total{code="missing_key",tool="chrf-compute"} 1.0',
            'chrfect_requests_total{code="unknown_tool",tool="other"} 1.0',
            'chrfect_request_seconds_count{tool="chrf-compute"} 2.0',
            'chrfect_rejected_connections_total{code="bad_request"} 1.0',
            "chrfect_queue_length 0.0",
            "chrfect_unread_bytes 0.0",
        ):
            assert line in body.decode().splitlines()
        memory = float(re.search(r"^chrfect_resident_memory_bytes (\S+)", body.decode(), re.MULTILINE)[1])
        assert 30e6 < memory < 500e6
        assert json.loads(call(address, "GET", "/readyz")[2]) == {"status": "ready"}


def test_sighup_stops_a_single_process_gracefully():
    with Started() as server:
        server.address()
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(20) == 0
        assert server.process.stderr.read() == b""
