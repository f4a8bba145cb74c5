"""Clients that try to stall the server or to fill its memory, and their effect on other clients."""

import asyncio
import contextlib
import json
import random
import re
import socket
import threading
import time
from contextlib import ExitStack

import pytest
from uvicorn.server import ServerState

from chrfect.errors import ContractError
from chrfect.service.server import Config
from chrfect.service.settings import Settings
from chrfect.service.traffic import Traffic
from processes import descendants
from service_answers import split
from serving import call, execute, mcp, raw, serving, tool_call

EXECUTE = "/v1/tools/{}/versions/1.0.0/execute"
GOOD = b'{"hypotheses":["a cat"],"references":["the cat"]}'


def post(path, body, **headers):
    """Return the bytes of a request."""
    named = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": len(body), **headers}
    fields = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST {path} HTTP/1.1\r\n{fields}\r\n".encode() + body


def table_body():
    """Return an input whose answer is as long as the contract allows."""
    draw = random.Random(1)
    tokens = ["".join(chr(draw.randrange(1, 9)) for _ in range(26)) for _ in range(2_220)]
    value = {"hypotheses": [tokens], "references": [[[]]], "max_order": 9, "clipping_tables": True}
    return json.dumps(value, separators=(",", ":")).encode()


LARGE = post(EXECUTE.format("bleu-ngrams-count"), table_body())


def latencies(address, count=50, source="127.0.0.1"):
    """Return the seconds of small requests on one connection, sorted."""
    request = post(EXECUTE.format("chrf-compute"), GOOD)
    taken = []
    with address.connect(source=source) as connection:
        for _ in range(count):
            began = time.perf_counter()
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"}}"):
                answer += connection.recv(65_536)
            taken.append(time.perf_counter() - began)
            assert b'"score":"31.250000"' in answer
            time.sleep(0.01)
    return sorted(taken)


def test_clients_that_never_read_use_little_memory_and_are_disconnected():
    with serving("--response-timeout", "2", "--max-unread-bytes", str(32 * 2**20)) as address:
        execute(address, "bleu-ngrams-count", "1.0.0", table_body())
        with ExitStack() as stack:
            connections = [stack.enter_context(address.connect()) for _ in range(30)]
            for connection in connections:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                connection.sendall(LARGE)
            most = 0
            end = time.monotonic() + 3
            while time.monotonic() < end:
                most = max(most, address.memory())
                assert latencies(address, 5)
            assert most < 300 * 2**20
            end = time.monotonic() + 20
            while unread(address) and time.monotonic() < end:
                time.sleep(0.2)
            assert unread(address) == 0
        assert execute(address, "bleu-ngrams-count", "1.0.0", table_body())[0] == 200


@pytest.fixture(scope="module")
def own():
    """The address of a server that no other module uses."""
    with serving("--timeout", "20") as address:
        yield address


def metric(address, name):
    text = call(address, "GET", "/metrics")[2].decode()
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)[1])


def unread(address):
    return metric(address, "chrfect_unread_bytes")


def test_requests_are_rejected_while_too_much_output_is_unread():
    with serving("--max-unread-bytes", str(8 * 2**20), "--response-timeout", "20") as address:
        with address.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.sendall(LARGE)
            end = time.monotonic() + 20
            while not unread(address) and time.monotonic() < end:
                time.sleep(0.1)
            status, answer = execute(address, "chrf-compute", "1.0.0", GOOD + b" " * 9_000)
            assert (status, json.loads(answer)["code"]) == (503, "busy")
            small = post(EXECUTE.format("chrf-compute"), GOOD)
            assert b" 200 " in answered(address, small, "127.0.0.2")[:20]
            assert call(address, "GET", "/readyz")[0] == 503
            assert call(address, "GET", "/healthz")[0] == 200
        end = time.monotonic() + 20
        while unread(address) and time.monotonic() < end:
            time.sleep(0.1)
        assert execute(address, "chrf-compute", "1.0.0", GOOD)[0] == 200


@pytest.mark.parametrize(
    ("unread", "length", "sent"), [(0, 150, True), (25, 150, True), (26, 75, False), (26, 74, True), (150, 1, False)]
)
def test_answer_is_sent_if_it_fits_beside_unread_bytes(unread, length, sent):
    traffic = Traffic(Settings(max_unread_bytes=100))
    traffic.answers.add("192.0.2.1", unread)
    with contextlib.nullcontext() if sent else pytest.raises(ContractError, match="not read"):
        traffic.check_answer("192.0.2.2", length)


@pytest.mark.parametrize(
    ("unread", "length", "sent"), [(0, 150, True), (12, 150, True), (13, 38, False), (13, 37, True), (150, 1, False)]
)
def test_one_client_may_leave_half_of_the_limit_unread(unread, length, sent):
    traffic = Traffic(Settings(max_unread_bytes=100))
    traffic.answers.add("192.0.2.1", unread)
    with contextlib.nullcontext() if sent else pytest.raises(ContractError, match="not read"):
        traffic.check_answer("192.0.2.1", length)


def test_client_that_never_reads_does_not_block_large_requests_of_others():
    with serving("--response-timeout", "20") as address, ExitStack() as stack:
        for _ in range(4):
            connection = stack.enter_context(address.connect(source="127.0.0.2"))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.sendall(LARGE)
        end = time.monotonic() + 20
        while unread(address) < 8 * 2**20 and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1)
        large = post(EXECUTE.format("chrf-compute"), GOOD + b" " * 9_000)
        assert b" 503 " in answered(address, LARGE, "127.0.0.2")[:20]
        assert b" 200 " in answered(address, large, "127.0.0.1")[:20]
        assert call(address, "GET", "/readyz")[0] == 200


def answered(address, request, source):
    """Return the start of the response to a request from some address."""
    with address.connect(source=source) as connection:
        connection.sendall(request)
        return connection.recv(65_536)


def test_slow_reader_receives_the_whole_response():
    whole = None
    with serving("--response-timeout", "1") as address:
        status, whole = execute(address, "bleu-ngrams-count", "1.0.0", table_body())
        assert status == 200
        with address.connect() as connection:
            connection.sendall(LARGE)
            answer = bytearray()
            while len(answer) < len(whole):
                answer += connection.recv(1_000_000)
                time.sleep(0.05)
        assert split(bytes(answer).partition(b"\r\n\r\n")[0] + b"\r\n\r\n")[0] == 200
        assert answer.endswith(whole)


def test_abandoned_requests_do_not_delay_others(address):
    body = json.dumps(
        {
            "hypotheses": [["a"] * 3] * 256,
            "references": [[["a"] * 3] * 64] * 256,
            "max_order": 9,
            "clipping_tables": True,
        }
    ).encode()
    for _ in range(4):
        assert execute(address, "bleu-ngrams-count", "1.0.0", body)[0] == 200
    processes = descendants(address.process.pid)
    for _ in range(60):
        with address.connect() as connection:
            connection.sendall(post(EXECUTE.format("bleu-ngrams-count"), body))
    began = time.monotonic()
    large = json.dumps({"hypotheses": ["a" * 9_000], "references": ["a" * 9_000]}).encode()
    assert execute(address, "chrf-compute", "1.0.0", large)[0] == 200
    assert time.monotonic() - began < 5
    assert descendants(address.process.pid) == processes  # none was killed and started again


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/mcp", b"[" + b"[]," * 349_000 + b"[]]"),
        ("/mcp", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[' + b"[]," * 349_000 + b"[]]}}"),
        (EXECUTE.format("chrf-compute"), b"[" + b"[]," * 349_000 + b"[]]"),
        (EXECUTE.format("chrf-compute"), b"[" * 64 + b"]" * 64 + b"[" * 1_000_000),
        ("/mcp", json.dumps(tool_call("a" * 1_000_000, "1.0.0", {}, "legacy")[0]).encode()),
    ],
    ids=["arrays to MCP", "arrays in a message", "arrays", "brackets", "a long id"],
)
def test_long_body_does_not_delay_other_requests(address, path, body):
    status = []
    sender = threading.Thread(
        target=lambda: status.append(split(raw(address, post(path, body, Connection="close")))[0])
    )
    sender.start()
    taken = latencies(address, 40)
    sender.join()
    assert status[0] in (200, 400, 422)
    assert taken[-3] < 0.25


def test_endless_bodies_use_little_memory():
    with serving("--max-bodies-bytes", str(8 * 2**20), "--request-timeout", "5") as address, ExitStack() as stack:
        before = address.memory()
        head = post(EXECUTE.format("chrf-compute"), b"", **{"Content-Length": 1_000_000})
        for _ in range(100):
            connection = stack.enter_context(address.connect())
            connection.sendall(head + b" " * 900_000)
        time.sleep(1)
        assert address.memory() - before < 60 * 2**20
        assert latencies(address, 5)
        time.sleep(6)
        assert metric(address, 'chrfect_requests_total{code="busy",tool="chrf-compute"}') > 50


def test_more_connections_than_allowed_are_rejected():
    with serving("--max-connections", "20") as address, ExitStack() as stack:
        kept = [stack.enter_context(address.connect()) for _ in range(19)]
        assert call(address, "GET", "/healthz")[0] == 200
        time.sleep(0.2)
        kept.append(stack.enter_context(address.connect()))
        time.sleep(0.2)
        assert b" 503 " in raw(address, b"")
        kept.pop().close()
        time.sleep(0.2)
        assert call(address, "GET", "/healthz")[0] == 200


def test_pipelines_that_are_never_read_use_little_memory():
    """What a client sends in one piece is parsed at once, whether or not it reads the responses."""
    request = b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving("--request-timeout", "20") as address, ExitStack() as stack:
        call(address, "GET", "/docs")
        before = address.memory()
        for _ in range(50):
            connection = stack.enter_context(address.connect())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.setblocking(False)
            connection.send(request * 6_000)
        assert latencies(address, 20)
        time.sleep(1)
        assert address.memory() - before < 40 * 2**20  # 300 without a limit


def test_requests_of_a_pipeline_up_to_the_limit_are_answered():
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with serving("--max-pipelined", "10") as address:
        assert statuses(raw(address, request * 10 + last)) == [200] * 11
        assert statuses(raw(address, request * 40)) == [200] * 11 + [503]


def test_large_requests_that_arrive_at_once_are_answered_in_their_order(address):
    text = "a cat" + 6_000 * " "
    body = json.dumps({"hypotheses": [text], "references": ["the cat"]}).encode()
    chunked = post(EXECUTE.format("chrf-compute"), b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    chunked += b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    requests = [post(EXECUTE.format("chrf-compute"), body), chunked, post(EXECUTE.format("chrf-compute"), GOOD)]
    ends = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answers = raw(address, b"".join(requests * 4) + ends)
    assert statuses(answers) == [200] * 13
    assert answers.count(b'"score":"31.250000"') == 12


class Unread:
    """A transport that records whether the protocol reads."""

    reads = True

    def get_extra_info(self, name, default=None):
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else default

    def pause_reading(self):
        self.reads = False

    def resume_reading(self):
        self.reads = True

    def is_closing(self):
        return False

    def set_write_buffer_limits(self, high):
        pass

    def close(self):
        pass


def test_other_connections_have_a_turn_after_every_16_kibibytes_of_one_connection():
    async def turns():
        config = Config(Settings())
        config.load()
        protocol, transport = config.http_protocol_class(config, ServerState(), {}), Unread()
        protocol.connection_made(transport)
        head = b"POST /none HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        protocol.data_received(head + b"1\r\n \r\n" * 43_000)
        number = 1
        while not transport.reads:
            await asyncio.sleep(0)
            number += 1
        protocol.connection_lost(None)
        await asyncio.sleep(0.1)  # the application ends
        return number

    assert asyncio.run(turns()) == 16


def statuses(answers):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


def long_answer():
    """Return an MCP message of 70 kB whose response has 18 MB."""
    tokens = ["\u00e9" * 13 + chr(0x100 + i % 200) + chr(0x200 + i // 200) for i in range(2_000)]
    value = {"hypotheses": [tokens], "references": [[[]]], "max_order": 9, "clipping_tables": True}
    sent, headers = tool_call("bleu-ngrams-count", "1.0.0", value, "legacy")
    return json.dumps(sent, ensure_ascii=False).encode(), headers


def test_a_batch_with_long_responses_uses_little_memory():
    message, headers = long_answer()
    headers |= {"MCP_Protocol_Version": "2025-03-26"}
    with serving() as address:
        status, answer = mcp(address, message, headers)
        assert len(json.dumps(answer)) > 15_000_000
        before, most, answers = address.memory(), 0, []
        body = b"[" + b",".join([message] * 12) + b"]"
        clients = [threading.Thread(target=lambda: answers.append(mcp(address, body, headers))) for _ in range(3)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            most = max(most, address.memory())
            time.sleep(0.05)
        assert most - before < 200 * 2**20  # 700 without a limit
        assert {status for status, _ in answers} <= {400, 503}
        status, answer = mcp(address, b"[" + message + b"]", headers)
        assert (status, len(answer)) == (200, 1)
    with serving("--max-unread-bytes", str(2**20)) as address:
        status, answer = mcp(address, body, headers)
        assert (status, answer["error"]["code"]) == (400, -32600)
        assert "Send its messages one by one" in answer["error"]["message"]


def test_the_limits_of_mcp_have_options():
    with serving("--max-batch", "2", "--max-message-bytes", "5000") as address:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Content_Type": "application/json", "MCP_Protocol_Version": "2025-03-26"}
        assert mcp(address, json.dumps([ping] * 2).encode(), headers)[0] == 200
        status, answer = mcp(address, json.dumps([ping] * 3).encode(), headers)
        assert (status, answer["error"]["message"]) == (400, "A batch must have 1 to 2 messages.")
        assert mcp(address, json.dumps(ping | {"params": {"x": "x" * 4_900}}).encode(), headers)[0] == 200
        status, answer = mcp(address, json.dumps(ping | {"params": {"x": "x" * 5_000}}).encode(), headers)
        assert (status, answer["error"]["code"]) == (400, -32600)
        assert "5000 bytes" in answer["error"]["message"]


def receive(connection):
    """Return one response."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65_536)
    length = int(re.search(rb"(?i)content-length: (\d+)", answer)[1])
    while len(answer.partition(b"\r\n\r\n")[2]) < length:
        answer += connection.recv(1_000_000)
    return answer


def query_call(query):
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": query}},
    }


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /docs HTTP/1.1\r\nHost: localhost\r\nAccept: " + b"a," * 30_000 + b"\r\n\r\n",
        b"GET /docs HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 10_000 + b"\r\n",
        b"GET /" + b"%2F" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        post("/mcp", json.dumps(query_call("翻訳評価" * 2_700), ensure_ascii=False).encode()),
        post("/mcp", json.dumps(query_call(" ".join(f"translatixn{i}" for i in range(3_000)))).encode()),
        post(
            "/mcp",
            json.dumps(
                tool_call(
                    "bleu-ngrams-count",
                    "1.0.0",
                    {
                        "hypotheses": [[chr(97 + i % 26) + chr(97 + i // 26) for i in range(450)]],
                        "references": [[[]]],
                        "max_order": 9,
                        "clipping_tables": True,
                    },
                    "legacy",
                )[0]
            ).encode(),
        ),
    ],
    ids=["Accept", "headers", "path", "search", "misspelled search", "tables by MCP"],
)
def test_no_request_keeps_the_event_loop_for_long(own, request_bytes):
    with own.connect() as connection:
        for turn in range(21):
            if turn == 1:
                before = own.cpu()
            connection.sendall(request_bytes)
            receive(connection)
    assert own.cpu() - before < 20 * 0.025  # 0.03 to 0.07 s each when these were computed on the event loop


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"Transfer-Encoding: chunked\r\n\r\n31\r\n" + GOOD + b"\r\n0\r\n", b"X: y\r\n"),
        (b"Transfer-Encoding: chunked\r\n\r\n1;", b"e"),
        (b"Expect: 100-continue\r\nContent-Length: 49\r\n\r\n", b""),
    ],
    ids=["trailers", "a chunk extension", "100-continue"],
)
def test_the_end_of_a_request_must_arrive_in_time(start, piece):
    head = post(EXECUTE.format("chrf-compute"), b"").partition(b"Content-Length")[0]
    with serving("--request-timeout", "2") as address, address.connect() as connection:
        began = time.monotonic()
        connection.sendall(head + start)
        connection.settimeout(0.2)
        answer = b""
        while b" 408 " not in answer and time.monotonic() - began < 20:
            connection.sendall(piece)
            try:
                answer += connection.recv(65_536)
            except TimeoutError:
                continue
        assert statuses(answer)[-1] == 408
        assert 1 < time.monotonic() - began < 10


def test_thousands_of_mcp_sessions_leave_nothing(own):
    value = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x" * 1_000, "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": value}).encode()
    with own.connect() as connection:
        for number in range(3_000):
            if number == 500:
                before, descriptors = own.memory(), own.descriptors()
            connection.sendall(post("/mcp", body, **{"Mcp-Session-Id": number, "Accept": "application/json"}))
            assert receive(connection).startswith(b"HTTP/1.1 200 ")
        assert own.memory() - before < 2_500 * 8_192
        assert own.descriptors() < descriptors + 100


def test_mcp_rejects_what_http_rejects(address):
    sent, headers = tool_call("bleu-ngrams-count", "1.0.0", json.loads(table_body()), "legacy")
    status, answer = mcp(address, sent, headers)
    assert status == 200
    whole = execute(address, "bleu-ngrams-count", "1.0.0", table_body())[1]
    assert answer["result"]["content"][0]["text"].encode() == whole
    assert answer["result"]["structuredContent"] == json.loads(whole)
