"""The queue for large requests is bounded and fair, and drops requests of disconnected clients."""

import asyncio
import json
import os
import threading
import time

import pytest
from starlette.requests import ClientDisconnect

from chrfect.errors import ContractError
from chrfect.service.settings import Settings
from chrfect.service.workers import Workers
from serving import call, execute, serving

WORD = "abcdefghij klmnop "
LONG = {"hypotheses": [WORD * 1800], "references": [(WORD * 1800)[::-1]], "char_order": 24, "word_order": 8}


def nap(seconds, name):
    """Take some time in a compute process; return a name and its bytes."""
    time.sleep(seconds)
    return name, iter([name.encode()])


def nap_in(seconds):
    """Take some time in a compute process; return its number."""
    time.sleep(seconds)
    return os.getpid(), iter(())


def end(_):
    """End the compute process."""
    raise SystemExit


def nothing(client):
    """Check nothing."""


def working(**limits):
    """Return a decorator that runs a coroutine function with workers."""

    def decorate(function):
        async def run():
            workers = Workers(Settings(**{"processes": 1} | limits))
            workers.start()
            try:
                await asyncio.wait_for(function(workers), 30)
            finally:
                workers.close()

        return lambda: asyncio.run(run())

    return decorate


async def rejected(workers, client="a", seconds=0.0):
    with pytest.raises(ContractError) as error:
        await workers.run(client, None, nothing, nap, seconds, "rejected")
    return error.value.code


def start(workers, client, seconds, name, done=None):
    async def run():
        result = await workers.run(client, None, nothing, nap, seconds, name)
        if done is not None:
            done.append(name)
        return result

    return asyncio.ensure_future(run())


@working(queue=2)
async def test_a_request_above_the_length_of_the_queue_is_rejected(workers):
    first = [start(workers, client, 0.3, client) for client in "abc"]
    await asyncio.sleep(0.1)
    assert await rejected(workers, "d") == "busy"
    assert await asyncio.gather(*first) == [(name, [name.encode()]) for name in "abc"]
    assert await workers.run("d", None, nothing, nap, 0, "again") == ("again", [b"again"])


@working(queue=4)
async def test_a_client_may_use_half_of_the_queue(workers):
    first = [start(workers, "a", 0.2, str(i)) for i in range(3)]
    await asyncio.sleep(0.1)
    assert await rejected(workers, "a") == "busy"
    other = start(workers, "b", 0, "b")
    await asyncio.gather(*first, other)


@working()
async def test_clients_take_turns(workers):
    done = []
    tasks = [start(workers, "a", 0.05, f"a{i}", done) for i in range(6)]
    await asyncio.sleep(0.01)
    tasks += [start(workers, "b", 0.05, f"b{i}", done) for i in range(2)]
    await asyncio.gather(*tasks)
    assert done.index("b0") <= 2
    assert done.index("b1") <= 4


@working(max_wait=0.2)
async def test_the_queue_is_bounded_by_the_time_it_takes(workers):
    for _ in range(30):
        await workers.run("a", None, nothing, nap, 0.05, "measure")
    tasks = [start(workers, str(i), 0.05, "x") for i in range(10)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    codes = [result.code for result in results if isinstance(result, ContractError)]
    assert 2 <= len(codes) <= 8
    assert set(codes) == {"busy"}


@working()
async def test_abandoned_work_is_dropped_or_stopped(workers):
    gone = asyncio.Event()

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    began = time.monotonic()
    left = [asyncio.ensure_future(workers.run("a", receive, nothing, nap, 20, "left")) for _ in range(3)]
    await asyncio.sleep(0.2)
    gone.set()
    results = await asyncio.gather(*left, return_exceptions=True)
    assert [type(result) for result in results] == [ClientDisconnect] * 3
    assert (await workers.run("b", None, nothing, nap, 0, "next"))[0] == "next"
    assert time.monotonic() - began < 10


@working()
async def test_a_computation_whose_client_leaves_may_end_soon(workers):
    """A new process would cost more than the rest of most computations."""
    gone = asyncio.Event()

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    process, _ = await workers.run("a", None, nothing, nap_in, 0)
    left = asyncio.ensure_future(workers.run("a", receive, nothing, nap_in, 1.2))
    await asyncio.sleep(0.2)
    gone.set()
    began = time.monotonic()
    with pytest.raises(ClientDisconnect):
        await left
    assert time.monotonic() - began < 0.8  # of the second that the computation still takes
    assert (await workers.run("a", None, nothing, nap_in, 0))[0] == process


@working(compute_timeout=8)
async def test_a_computation_has_a_time_limit(workers):
    assert await rejected(workers, seconds=60) == "compute_timeout"
    assert (await workers.run("a", None, nothing, nap, 0, "next"))[0] == "next"


@working()
async def test_a_process_that_ends_is_replaced(workers):
    with pytest.raises(ContractError, match="Try again"):
        await workers.run("a", None, nothing, end, 0)
    assert (await workers.run("a", None, nothing, nap, 0, "next"))[0] == "next"


@working(grace=0.5, queue=8)
async def test_a_stop_rejects_what_is_not_done_in_time(workers):
    tasks = [start(workers, "a", 5, "long") for _ in range(3)]
    await asyncio.sleep(0.1)
    workers.stop()
    assert await rejected(workers) == "stopping"
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [result.code for result in results] == ["stopping"] * 3


@working()
async def test_failed_check_does_not_restart_the_process(workers):
    def fail(client):
        raise ContractError("busy", "Too much waits to be read.", None)

    with pytest.raises(ContractError, match="Too much"):
        await workers.run("a", None, fail, nap, 0, "no")
    assert (await workers.run("a", None, nothing, nap, 0, "next"))[0] == "next"


@pytest.fixture
def slow(monkeypatch):
    """The address of a server that computes with the readable kernel, which takes its time."""
    monkeypatch.setenv("CHRFECT_KERNEL", "reference")
    with serving("--compute-timeout", "200", "--max-wait", "200") as address:
        yield address


def test_the_server_answers_while_it_computes(slow):
    body = json.dumps(LONG).encode()
    done = []
    threads = [
        threading.Thread(target=lambda: done.append(execute(slow, "chrf-components", "1.0.0", body)[0]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    meanwhile = 0
    while any(thread.is_alive() for thread in threads):
        assert call(slow, "GET", "/healthz")[0] == 200
        meanwhile += any(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()
    assert done == [200] * len(threads)
    assert meanwhile >= 2
