"""Long work stays in a bounded number of threads and the server goes on answering."""

import json
import threading

import anyio
import pytest

from chrfect.errors import ContractError
from chrfect.service.workers import Workers
from serving import call, execute, serving

WORD = "abcdefghij klmnop "
LONG = {"hypotheses": [WORD * 1800], "references": [(WORD * 1800)[::-1]], "char_order": 24, "word_order": 8}


@pytest.fixture
def slow(monkeypatch):
    """The address of a server that computes with the readable kernel, which takes its time."""
    monkeypatch.setenv("CHRFECT_KERNEL", "reference")
    with serving() as address:
        yield address


def test_the_server_answers_while_it_computes(slow):
    body = json.dumps(LONG).encode()
    done = []

    def compute():
        done.append(execute(slow, "chrf-components", "1.0.0", body)[0])

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    meanwhile = 0
    while len(done) < len(threads):
        assert call(slow, "GET", "/healthz")[0] == 200
        meanwhile += len(done) < len(threads)
    for thread in threads:
        thread.join()
    assert done == [200] * len(threads)
    assert meanwhile >= 2


def test_one_more_than_the_queue_holds_is_refused():
    release = threading.Event()
    refused = []

    async def run():
        workers = Workers(threads=1, queue=1)
        async with anyio.create_task_group() as group:
            group.start_soon(workers.run, release.wait)
            group.start_soon(workers.run, release.wait)
            await anyio.sleep(0.05)
            with pytest.raises(ContractError) as error:
                await workers.run(release.wait)
            refused.append((error.value.code, error.value.status))
            release.set()
        assert await workers.run(lambda: "free again") == "free again"

    anyio.run(run)
    assert refused == [("busy", 503)]


def test_a_full_queue_is_503_with_retry_after():
    from chrfect.service.http import application
    from chrfect.service.settings import Settings

    sent = []

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message):
        sent.append(message)

    path = "/v1/tools/chrf-compute/versions/1.0.0/execute"
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b"", "scheme": "http"}
    anyio.run(application(Settings(threads=1, queue=-1)), scope, receive, send)
    assert sent[0]["status"] == 503
    assert dict(sent[0]["headers"])[b"retry-after"] == b"1"
    assert json.loads(sent[1]["body"])["code"] == "busy"
