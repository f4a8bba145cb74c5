"""A fuzzer for a running server: raw bytes, framing, JSON and MCP, beside good requests whose answers are compared.

Run it with ``scripts/fuzz-service [seconds] [seed]``; a test runs it for a few seconds with a fixed seed.
"""

import contextlib
import json
import random
import re
import secrets
import sys
import threading
import time

import chrfect
from chrfect import catalogue
from serving import serving

EXECUTE = "/v1/tools/{}/versions/1.0.0/execute"
WORDS = ["a", "cat", "the", "é", "猫", "😀", "𐍈", " ", "\t", "ab\u0301", "\x00", "\ud800", "ß", "Σ", ""]
CLIENTS = 50


def text(draw):
    return "".join(draw.choice(WORDS) for _ in range(draw.randrange(8)))


def value(draw, depth=3):
    """Return any JSON value."""
    kind = draw.randrange(9 if depth else 6)
    if kind == 6:
        return [value(draw, depth - 1) for _ in range(draw.randrange(4))]
    if kind in (7, 8):
        return {draw.choice(["hypotheses", "references", "beta", text(draw)]): value(draw, depth - 1) for _ in range(3)}
    return draw.choice([None, True, 0, -1, 10**20, 1.5, 2.0, text(draw), text(draw), "x" * draw.randrange(9_000)])


def tool_input(draw):
    """Return a tool and an input that is nearly always legal."""
    tool = draw.choice(catalogue.ids())
    count = draw.choice([1, 1, 2, 3, 60])

    def tokens():
        return [draw.choice(["a", "b", "é", "猫"]) for _ in range(draw.randrange(6))]

    if tool.startswith("chrf"):
        given = {"hypotheses": [text(draw) for _ in range(count)], "references": [text(draw) for _ in range(count)]}
    elif "sentence" in tool:
        given = {"hypothesis": tokens(), "references": [tokens() for _ in range(draw.randrange(1, 4))]}
    else:
        given = {"hypotheses": [tokens() for _ in range(count)], "references": [[tokens()] for _ in range(count)]}
    if tool == "bleu-ngrams-count":
        given["clipping_tables"] = draw.random() < 0.5
    if draw.random() < 0.2:
        given[draw.choice(["beta", "max_order", "lowercase", "x"])] = value(draw, 1)
    return tool, given


def expected(tool, given):
    """Return the status and the bytes that the library has for an input."""
    try:
        return 200, catalogue.dumps({"result": chrfect.run(tool, "1.0.0", given)}).encode()
    except chrfect.ContractError as error:
        problem = catalogue.problem(error)
        return problem["status"], catalogue.dumps(problem).encode()


def request(draw, path, body):
    """Return a request, framed in one of the legal ways."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    if draw.random() < 0.1:
        head += "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n"
    if draw.random() < 0.7:
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    chunks, at = [], 0
    while at < len(body):
        size = draw.choice([1, 7, 1_000])
        piece = body[at : at + size]
        extension = draw.choice([b"", b"", b";a=b"])
        chunks.append(b"%x%b\r\n%b\r\n" % (len(piece), extension, piece))
        at += size
        if len(chunks) > 50:
            chunks.append(b"%x\r\n%b\r\n" % (len(body) - at, body[at:]) if at < len(body) else b"")
            break
    trailer = draw.choice([b"", b"", b"X-Trailer: y\r\n"])
    return f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + b"".join(chunks) + b"0\r\n" + trailer + b"\r\n"


def mutated(draw, data):
    """Return bytes with some of them changed, cut out, doubled or inserted."""
    data = bytearray(data)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(4)
        if kind == 0 and at < len(data):
            data[at] = draw.randrange(256)
        elif kind == 1:
            del data[at : at + draw.randrange(20)]
        elif kind == 2:
            data[at:at] = data[at : at + draw.randrange(50)]
        else:
            data[at:at] = draw.choice(
                [b"\r\n", b"\n", b"\0", b"\r\n\r\n", b"0\r\n\r\n", b"ffffffff\r\n", b": ", b"\xff"]
            )
    return bytes(data)


def read(connection, kept):
    """Return status and body of one answer; bytes that follow it stay in ``kept``."""
    while b"\r\n\r\n" not in kept:
        receive(connection, kept)
    head, _, rest = bytes(kept).partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    kept[:] = rest
    while len(kept) < length:
        receive(connection, kept)
    body = bytes(kept[:length])
    del kept[:length]
    return int(head.split()[1]), body


def receive(connection, kept):
    data = connection.recv(1 << 20)
    if not data:
        raise EOFError
    kept += data


def good(address, draw):
    """Send good requests, some of them in a pipeline, and compare the answers with the library's."""
    calls = [tool_input(draw) for _ in range(draw.randrange(1, 5))]
    kept = bytearray()
    with address.connect() as connection:
        sent = b"".join(request(draw, EXECUTE.format(tool), json.dumps(given).encode()) for tool, given in calls)
        connection.sendall(sent)
        for tool, given in calls:
            answer = read(connection, kept)
            assert answer == expected(tool, given), (tool, given, answer)


def good_mcp(address, draw):
    """Call a tool by MCP and compare the text with the library's bytes."""
    tool, given = tool_input(draw)
    call = {"name": "execute", "arguments": {"id": tool, "version": "1.0.0", "input": given}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    with address.connect() as connection:
        connection.sendall(request(draw, "/mcp", body))
        status, answer = read(connection, bytearray())
    result = json.loads(answer)["result"]
    assert status == 200
    assert result["content"][0]["text"].encode() == expected(tool, given)[1]


def bad_bytes(address, draw):
    """Send bytes that are hardly HTTP; what comes back, if anything, begins like HTTP and is no fault of the server."""
    tool, given = tool_input(draw)
    data = mutated(draw, request(draw, EXECUTE.format(tool), json.dumps(given).encode()) * draw.randrange(1, 3))
    answer = answered(address, draw, data)
    assert answer[:9] in (b"", b"HTTP/1.1 "), answer[:100]
    assert b"HTTP/1.1 500" not in answer, (data, answer)


def answered(address, draw, data):
    """Send bytes in pieces; return what comes back within a short time."""
    answer = b""
    with address.connect(timeout=10) as connection:
        for start in range(0, len(data), 997):
            connection.sendall(data[start : start + 997])
        connection.settimeout(draw.choice([0.05, 0.5]))
        with contextlib.suppress(TimeoutError):
            while chunk := connection.recv(1 << 20):
                answer += chunk
    return answer


def bad_framing(address, draw):
    """Lie about lengths, chunks and trailers before a good request; what comes back is as for bad bytes."""
    tool, given = tool_input(draw)
    path, body = EXECUTE.format(tool), json.dumps(given).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
    length = draw.choice([0, 1, len(body) - 1, len(body) + 1, len(body) + 10**6, 2**63, -1])
    size = draw.choice(
        [b"%x" % abs(length), b"-1", b"0x10", b"", b" 5", b"5 ", b"ffffffffffffffffff", b"5;" + b"e" * 300]
    )
    trailer = draw.choice(
        [b"Host: a\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: x\r\n", b"X: y\r\n" * 500, b":\r\n"]
    )
    chunks = size + b"\r\n" + body + draw.choice([b"\r\n", b"\n", b""]) + b"0\r\n" + trailer + b"\r\n"
    data = draw.choice(
        [
            head + b"Content-Length: %d\r\n\r\n" % length + body,
            head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
            head + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(body) + chunks,
            head + b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(body), length) + body,
        ]
    )
    answer = answered(address, draw, data + request(draw, path, body))
    assert answer[:9] in (b"", b"HTTP/1.1 "), answer[:100]
    assert b"HTTP/1.1 500" not in answer, (data, answer)


def bad_json(address, draw):
    """Send JSON that is no input, or hardly JSON, to a tool or to MCP; the answer is a JSON of the client's making."""
    body = json.dumps(value(draw)).encode()
    body = mutated(draw, body) if draw.random() < 0.5 else body
    path = draw.choice(["/mcp", EXECUTE.format(draw.choice(catalogue.ids()))])
    with address.connect() as connection:
        connection.sendall(request(draw, path, body))
        status, answer = read(connection, bytearray())
    assert status in (200, 202, 400, 404, 422), (path, body, status, answer)
    assert status == 202 or isinstance(json.loads(answer), dict | list)


def bad_mcp(address, draw):
    """Send a message with anything in it."""
    message = {
        "jsonrpc": draw.choice(["2.0", "2.0", "2.0", value(draw, 1)]),
        "id": draw.choice([1, "x", value(draw, 1)]),
        "method": draw.choice(["tools/call", "tools/list", "ping", "initialize", value(draw, 1)]),
        "params": draw.choice([value(draw), {"name": "execute", "arguments": value(draw)}]),
    }
    batch = [message] * draw.randrange(4) if draw.random() < 0.2 else message
    with address.connect() as connection:
        connection.sendall(request(draw, "/mcp", json.dumps(batch).encode()))
        status, answer = read(connection, bytearray())
    assert status in (200, 202, 400, 404), (batch, answer)
    assert status == 202 or b"-32603" not in answer, (batch, answer)


def abandon(address, draw):
    """Send a request, whole or in part, and go."""
    tool, given = tool_input(draw)
    data = request(draw, EXECUTE.format(tool), json.dumps(given).encode() + b" " * draw.choice([0, 9_000]))
    with address.connect() as connection:
        connection.sendall(data[: draw.randrange(1, len(data) + 1)])


KINDS = [good, good, good_mcp, bad_bytes, bad_framing, bad_json, bad_mcp, abandon]


def run(address, seed, seconds, clients=CLIENTS):
    """Send requests of all kinds from some clients at a time; return how many, and the failures."""
    counts, failures = dict.fromkeys((kind.__name__ for kind in KINDS), 0), []
    end = time.monotonic() + seconds

    def client(number):
        draw = random.Random(f"{seed}-{number}")
        while time.monotonic() < end and not failures:
            kind = draw.choice(KINDS)
            try:
                kind(address, draw)
            except (ConnectionError, EOFError) as error:
                if kind in (good, good_mcp, bad_json, bad_mcp):
                    failures.append((kind.__name__, repr(error)))
            except Exception as error:
                failures.append((kind.__name__, repr(error)[:2_000]))
            counts[kind.__name__] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts, failures


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = sys.argv[2] if len(sys.argv) > 2 else secrets.token_hex(4)
    sys.stdout.write(f"seed {seed}\n")
    sys.stdout.flush()
    with serving("--request-timeout", "20") as address:
        counts, failures = run(address, seed, seconds)
        sys.stdout.write(f"{counts}, {address.memory() / 2**20:.0f} MiB\n")
        sys.stdout.writelines(f"{kind}: {error}\n" for kind, error in failures)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
