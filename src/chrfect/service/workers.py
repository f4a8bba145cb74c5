"""A pool of compute processes for large requests, with a bounded queue that is fair to clients."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import pickle
import socket
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect

from chrfect.errors import ContractError
from chrfect.service import compute, observe
from chrfect.service.settings import Settings
from chrfect.service.signals import signals_blocked

T = TypeVar("T")

Receive = Callable[[], Awaitable[Any]]

START_DESCRIPTORS = 16
"""The number of file descriptors that must be free to start a process."""

ABANDONED_SECONDS = 2.0
"""Seconds after which a computation that no client waits for is stopped."""

_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_LOG = logging.getLogger("chrfect.service.workers")


class ComputeProcess:
    """A process that computes one answer at a time."""

    def __init__(self) -> None:
        context = multiprocessing.get_context(_METHOD)
        if _METHOD == "forkserver":
            context.set_forkserver_preload(["chrfect.service.compute"])
        _check_descriptors()
        self._socket, theirs = socket.socketpair()
        with theirs, signals_blocked():
            self._process = context.Process(target=compute.serve, args=(theirs,), daemon=True)  # type: ignore[attr-defined]
            self._process.start()
        self._socket.setblocking(False)
        self._calling = self._killed = False

    async def call(self, function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[bytes]]:
        """Return what the function returned in the process, and the pieces of its bytes.

        Raises
        ------
        EOFError, OSError
            If the process ended.
        """
        request = pickle.dumps((function, arguments))
        pieces: list[bytes] = []
        self._calling = True
        try:
            head = compute.LENGTH.pack(len(request))
            await asyncio.get_running_loop().sock_sendall(self._socket, head + request)
            del request
            returned = b"".join(await self._read())
            while piece := await self._read():
                pieces += piece
        finally:
            self._calling = False
            if self._killed:
                self._socket.close()
        return pickle.loads(returned), pieces

    async def _read(self) -> list[bytes]:
        """Return the next piece in the parts in which it arrives."""
        length = compute.LENGTH.unpack(b"".join(await self._receive(compute.LENGTH.size)))[0]
        return await self._receive(length)

    async def _receive(self, length: int) -> list[bytes]:
        parts = []
        while length:
            part = await asyncio.get_running_loop().sock_recv(self._socket, min(length, compute.PIECE_BYTES))
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return parts

    @property
    def ended(self) -> bool:
        """Whether an idle process has ended, which closes its socket before it is noticed otherwise."""
        try:
            return not self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._killed = True
        if self._calling:
            self._socket.shutdown(socket.SHUT_RDWR)  # ends the call, which closes the socket
        else:
            self._socket.close()
        self._process.join()
        self._process.close()


class Workers:
    """A pool of compute processes with a bounded queue that serves the clients in turn.

    Parameters
    ----------
    settings : Settings
        The limits.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._idle: list[ComputeProcess] = []
        self._all: set[ComputeProcess] = set()
        self._queues: OrderedDict[str, deque[asyncio.Future[ComputeProcess]]] = OrderedDict()
        self._computing: set[asyncio.Task[Any] | None] = set()
        self._waiting = 0
        self._mean = 0.02  # moving average of the seconds for a request
        self._stopping = False

    def start(self) -> None:
        """Start the processes."""
        for _ in range(self._settings.processes):
            self._add()

    def stop(self) -> None:
        """Accept no more requests, and reject unfinished ones after most of the grace period."""
        self._stopping = True
        asyncio.get_running_loop().call_later(self._settings.grace * 0.6, self._reject_all)

    def close(self) -> None:
        """Kill all processes."""
        self._stopping = True
        processes, self._all = self._all, set()
        self._idle.clear()
        for process in processes:
            process.kill()

    @property
    def overloaded(self) -> bool:
        """Whether the queue, by its length or its expected time, is more than half full."""
        return self._waiting > self._settings.queue / 2 or self._expected_wait() > self._settings.max_wait / 2

    async def run(
        self,
        client: str,
        receive: Receive | None,
        check: Callable[[str], None],
        function: Callable[..., Any],
        *arguments: Any,
    ) -> tuple[Any, list[bytes]]:
        """Call a function of :mod:`compute` in a process; return its value and its bytes.

        Parameters
        ----------
        client : str
            The client whose position in the queue is used.
        receive : callable or None
            The ASGI receive function, to notice that the client has disconnected.
        check : callable
            Called with the client before the work starts; may raise ContractError.
        function, *arguments
            The function and its arguments.

        Raises
        ------
        ContractError
            The error of the function, or ``busy``, ``stopping`` or ``compute_timeout``.
        ClientDisconnect
            If the client has disconnected. The request is removed from the queue. If its computation has begun, it has
            two seconds to end, because a new process costs more than any answer; then its process is killed.
        """
        if receive is None:
            return await self._run(client, check, function, *arguments)
        work = asyncio.ensure_future(self._run(client, check, function, *arguments))
        gone = asyncio.ensure_future(_disconnected(receive))
        tasks: list[asyncio.Future[Any]] = [work, gone]
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            if work in self._computing:
                tasks.remove(work)
                work.add_done_callback(_ignore)
                asyncio.get_running_loop().call_later(ABANDONED_SECONDS, work.cancel)
            raise ClientDisconnect
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(
        self, client: str, check: Callable[[str], None], function: Callable[..., Any], *arguments: Any
    ) -> tuple[Any, list[bytes]]:
        process = await self._acquire(client)
        began = time.perf_counter()
        healthy = False
        task = asyncio.current_task()
        self._computing.add(task)
        try:
            check(client)
            async with asyncio.timeout(self._settings.compute_timeout):
                returned, pieces = await process.call(function, *arguments)
            healthy = True
        except ContractError:
            healthy = True  # check raised; the process was not used
            raise
        except TimeoutError:
            detail = f"The answer was not computed within {self._settings.compute_timeout:g} s. Send fewer segments."
            raise ContractError("compute_timeout", detail, None) from None
        except (EOFError, OSError):
            if self._stopping:
                raise _stopping() from None
            _LOG.exception("a compute process ended")
            raise ContractError("busy", "The process that computed the answer was killed. Try again.", None) from None
        finally:
            self._computing.discard(task)
            self._mean += 0.1 * (time.perf_counter() - began - self._mean)
            self._release(process, healthy)
        if isinstance(returned, Exception):
            raise returned
        return returned, pieces

    async def _acquire(self, client: str) -> ComputeProcess:
        if self._stopping:
            raise _stopping()
        self._fill()
        if not self._all:
            raise _none_started()
        queue = self._queues.get(client, ())
        expected = self._expected_wait()
        if self._waiting >= self._settings.queue or expected > self._settings.max_wait:
            detail = f"{self._waiting} large requests are queued for about {expected:.1f} s. Try again in a second."
            raise ContractError("busy", detail, None)
        if len(queue) >= max(1, self._settings.queue // 2):
            detail = f"{len(queue)} large requests from your address are queued. Wait for their answers."
            raise ContractError("busy", detail, None)
        future: asyncio.Future[ComputeProcess] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(future)
        self._count(+1)
        self._dispatch()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._release(future.result(), True)
            else:
                self._forget(client, future)
            raise

    def _forget(self, client: str, future: asyncio.Future[ComputeProcess]) -> None:
        queue = self._queues.get(client)
        if queue is not None and future in queue:
            queue.remove(future)
            self._count(-1)
            if not queue:
                del self._queues[client]

    def _dispatch(self) -> None:
        """Assign idle processes to the clients in turn."""
        while self._queues and (process := self._take_idle()) is not None:
            client, queue = next(iter(self._queues.items()))
            future = queue.popleft()
            self._count(-1)
            if queue:
                self._queues.move_to_end(client)
            else:
                del self._queues[client]
            if future.done():
                self._idle.append(process)
            else:
                future.set_result(process)

    def _take_idle(self) -> ComputeProcess | None:
        """Return an idle process if there is one; those that ended while they were idle are replaced."""
        while self._idle:
            process = self._idle.pop()
            if not process.ended:
                return process
            self._discard(process)
        return None

    def _release(self, process: ComputeProcess, healthy: bool) -> None:
        if process not in self._all:
            return
        if healthy:
            self._idle.append(process)
        else:
            self._discard(process)
        self._dispatch()

    def _discard(self, process: ComputeProcess) -> None:
        self._all.discard(process)
        process.kill()
        if not self._stopping:
            self._fill()

    def _fill(self) -> None:
        """Start the processes that are missing; where that fails, the next request tries again."""
        try:
            while len(self._all) < self._settings.processes:
                self._add()
        except OSError:
            _LOG.exception("a compute process could not be started")
            if not self._all:
                self._reject_waiting(_none_started())

    def _add(self) -> None:
        process = ComputeProcess()
        self._all.add(process)
        self._idle.append(process)

    def _count(self, change: int) -> None:
        self._waiting += change
        observe.QUEUE.set(self._waiting)

    def _expected_wait(self) -> float:
        return self._waiting * self._mean / max(1, self._settings.processes)

    def _reject_all(self) -> None:
        self._reject_waiting(_stopping())
        self.close()

    def _reject_waiting(self, error: ContractError) -> None:
        for queue in self._queues.values():
            for future in queue:
                if not future.done():
                    future.set_exception(error)
        self._queues.clear()
        self._count(-self._waiting)


def _check_descriptors() -> None:
    """Raise OSError if there are too few descriptors to start a process, which would end the fork server midway."""
    opened = []
    try:
        for _ in range(START_DESCRIPTORS):
            opened.append(os.open(os.devnull, os.O_RDONLY))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _stopping() -> ContractError:
    return ContractError("stopping", "The server is stopping. Send the request again in a second.", None)


def _none_started() -> ContractError:
    return ContractError("busy", "No process could be started to compute the answer. Try again.", None)


def _ignore(work: asyncio.Future[Any]) -> None:
    """Retrieve the exception of a computation that no client waits for, so that asyncio does not log it."""
    if not work.cancelled():
        work.exception()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
