"""MCP over standard input and output: one message a line, and an answer to every line, garbage included."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from chrfect.service.mcp.jsonrpc import UnreadableMessageError, encode, read_json, to_message
from chrfect.service.mcp.server import Answer, Function, server
from chrfect.service.settings import MAX_BODY_BYTES, Settings


async def serve() -> None:
    """Answer the messages on standard input until it ends and every request is answered."""
    limiter = anyio.CapacityLimiter(Settings().processes)

    async def call_in_thread(function: Function, arguments: dict[str, Any]) -> Answer:
        return await anyio.to_thread.run_sync(function, arguments, limiter=limiter)

    mcp = server(call_in_thread)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    pending = Pending()

    async def read() -> None:
        to_here, lines = anyio.create_memory_object_stream[bytes](0)
        _read_in_thread(to_here)
        async with to_here, lines, to_server:
            async for line in lines:
                try:
                    message = _read(line)
                except UnreadableMessageError as error:
                    _write(error.answer)
                    continue
                pending.came(message)
                await to_server.send(SessionMessage(message))
            await pending.none_left()

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                _write(item.message)
                pending.went(item.message)

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            group.start_soon(write)
            await mcp.run(from_client, to_client, mcp.create_initialization_options())
    except* BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Pending:
    """The requests that wait for their answer, so that the end of the input does not cut them off."""

    def __init__(self) -> None:
        self._ids: set[RequestId] = set()
        self._changed = anyio.Event()

    def came(self, message: JSONRPCMessage) -> None:
        """Note a request, or that one was cancelled and will get no answer."""
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._drop((message.params or {}).get("requestId"))

    def went(self, message: JSONRPCMessage) -> None:
        """Note an answer."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._drop(message.id)

    def _drop(self, id: object) -> None:
        if isinstance(id, str | int):
            self._ids.discard(id)
        self._changed.set()

    async def none_left(self) -> None:
        """Wait until every request is answered."""
        while self._ids:
            self._changed = anyio.Event()
            await self._changed.wait()


def _read(line: bytes) -> JSONRPCMessage:
    if len(line) > MAX_BODY_BYTES:
        raise UnreadableMessageError(INVALID_REQUEST, f"A message may have {MAX_BODY_BYTES} bytes; this one has more.")
    return to_message(read_json(line))


def _write(message: JSONRPCMessage) -> None:
    sys.stdout.buffer.write(encode(message) + b"\n")
    sys.stdout.buffer.flush()


def _read_in_thread(to: ObjectSendStream[bytes]) -> None:
    """Send the lines of standard input to a stream from a thread that does not keep the process alive."""
    loop = asyncio.get_running_loop()

    def wait_for(step: Coroutine[Any, Any, None]) -> None:
        try:
            future = asyncio.run_coroutine_threadsafe(step, loop)
        except RuntimeError:
            step.close()
            raise
        future.result()

    def pump() -> None:
        gone = (RuntimeError, CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError)
        with suppress(*gone):  # nobody listens any more: the server is ending
            for line in _lines(sys.stdin.fileno()):
                wait_for(to.send(line))
            wait_for(to.aclose())

    threading.Thread(target=pump, daemon=True).start()


def _lines(descriptor: int) -> Iterator[bytes]:
    """Yield every line that is not blank, without its end; one that is too long is cut, yet stays too long."""
    kept = bytearray()
    while chunk := os.read(descriptor, 65_536):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            kept += end
            if kept.strip():
                yield bytes(kept)
            kept.clear()
        if len(kept) <= MAX_BODY_BYTES:
            kept += rest
    if kept.strip():
        yield bytes(kept)
