"""MCP over standard input and output: one message per line, and a response to every line, even if it is invalid."""

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
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from chrfect.service.mcp.jsonrpc import BATCH_VERSION, UnreadableMessageError, encode, read_json, to_message
from chrfect.service.mcp.server import Answer, Function, server
from chrfect.service.settings import MAX_BODY_BYTES, Settings


async def serve() -> None:
    """Answer the messages on standard input until it ends and all requests are answered."""
    limiter = anyio.CapacityLimiter(Settings().processes)

    async def call_in_thread(function: Function, arguments: dict[str, Any]) -> Answer:
        return await anyio.to_thread.run_sync(function, arguments, limiter=limiter)

    mcp = server(call_in_thread)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    session = Session()

    async def read() -> None:
        to_here, lines = anyio.create_memory_object_stream[bytes](0)
        _read_in_thread(to_here)
        async with to_here, lines, to_server:
            async for line in lines:
                try:
                    messages = session.read(line)
                except UnreadableMessageError as error:
                    _write(encode(error.answer))
                    continue
                for message in messages:
                    await to_server.send(SessionMessage(message))
            await session.all_answered()

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                session.answer(item.message)

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            group.start_soon(write)
            await mcp.run(from_client, to_client, mcp.create_initialization_options())
    except* BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Batch:
    """The responses to the requests of a batch, which are written together."""

    def __init__(self) -> None:
        self.waiting = 0
        self.answers: list[bytes] = []

    def add(self, answer: bytes | None) -> None:
        """Add the response to one request, or None for no response; after the last request, write all responses."""
        if answer is not None:
            self.answers.append(answer)
        if not self.waiting and self.answers:
            _write(b"[" + b",".join(self.answers) + b"]")


class Session:
    """The state of a session: the protocol revision and the requests without a response."""

    def __init__(self) -> None:
        self._open = False
        self._initialize: RequestId | None = None
        self._version: str | None = None
        self._waiting: dict[RequestId, Batch | None] = {}
        self._changed = anyio.Event()

    def read(self, line: bytes) -> list[JSONRPCMessage]:
        """Return the messages of a line for the server.

        Raises
        ------
        UnreadableMessageError
            If the line does not contain a valid message.
        """
        if len(line) > MAX_BODY_BYTES:
            text = f"The message is longer than {MAX_BODY_BYTES} bytes."
            raise UnreadableMessageError(INVALID_REQUEST, text)
        value = read_json(line)
        if not isinstance(value, list) or self._version != BATCH_VERSION:
            message = to_message(value)
            self._check_open(message)
            self._note(message, None)
            return [message]
        if not 0 < len(value) <= Settings().max_batch:
            raise UnreadableMessageError(INVALID_REQUEST, f"A batch must have 1 to {Settings().max_batch} messages.")
        return self._read_batch(value)

    def _read_batch(self, values: list[Any]) -> list[JSONRPCMessage]:
        batch, messages = Batch(), []
        for value in values:
            try:
                message = to_message(value)
            except UnreadableMessageError as error:
                batch.answers.append(encode(error.answer))
                continue
            self._note(message, batch)
            messages.append(message)
        batch.add(None)
        return messages

    def _check_open(self, message: JSONRPCMessage) -> None:
        """Reject a request if the client has not opened the session as its revision requires."""
        if self._open or not isinstance(message, JSONRPCRequest):
            return
        meta = (message.params or {}).get("_meta")
        modern = isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta
        if message.method == "initialize":
            self._initialize = message.id
        elif not modern and message.method not in ("ping", "server/discover"):
            text = "The session is not open. Send initialize first, or send _meta as in revision 2026-07-28."
            raise UnreadableMessageError(INVALID_REQUEST, text, message.id)
        self._open = self._open or modern or message.method == "initialize"

    def _note(self, message: JSONRPCMessage, batch: Batch | None) -> None:
        """Record a new request, or the cancellation of a request, which gets no response."""
        if isinstance(message, JSONRPCRequest):
            self._waiting[message.id] = batch
            if batch is not None:
                batch.waiting += 1
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._finish((message.params or {}).get("requestId"), None)

    def answer(self, message: JSONRPCMessage) -> None:
        """Write a message of the server; a response to a request of a batch is written with the batch."""
        if isinstance(message, JSONRPCResponse) and message.id == self._initialize:
            self._version = message.result.get("protocolVersion")
            self._initialize = None
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._finish(message.id, encode(message))
        else:
            _write(encode(message))

    def _finish(self, id: object, answer: bytes | None) -> None:
        batch = self._waiting.pop(id, None) if isinstance(id, str | int) else None
        if batch is not None:
            batch.waiting -= 1
            batch.add(answer)
        elif answer is not None:
            _write(answer)
        self._changed.set()

    async def all_answered(self) -> None:
        """Wait until all requests are answered."""
        while self._waiting:
            self._changed = anyio.Event()
            await self._changed.wait()


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def _read_in_thread(to: ObjectSendStream[bytes]) -> None:
    """Send the lines of standard input to a stream, in a daemon thread."""
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
        with suppress(*gone):  # the receiver is closed: the server is stopping
            for line in _lines(sys.stdin.fileno()):
                wait_for(to.send(line))
            wait_for(to.aclose())

    threading.Thread(target=pump, daemon=True).start()


def _lines(descriptor: int) -> Iterator[bytes]:
    """Yield every line that is not blank, without its newline; truncate long lines to more than the maximum."""
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
