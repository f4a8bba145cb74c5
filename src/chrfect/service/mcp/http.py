"""MCP over streamable HTTP: stateless, with one JSON response to each POST, for all protocol revisions.

The SDK handles revision 2026-07-28. Older revisions are handled here (see the docstring of the package). Long
messages are parsed and computed in another process. The SDK receives such a message with a short placeholder for the
tool's input, and the result replaces the placeholder in the response.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from chrfect.errors import ContractError, shown
from chrfect.service import compute, observe, problems
from chrfect.service.mcp.jsonrpc import (
    BATCH_VERSION,
    UnreadableMessageError,
    encode,
    parse_error,
    read_json,
    to_message,
)
from chrfect.service.mcp.server import COMPUTED
from chrfect.service.requests import BodyReader, StreamedResponse, check_json, client_of, method_not_allowed
from chrfect.service.traffic import Traffic
from chrfect.service.workers import Workers


class McpEndpoint:
    """The ASGI application at ``/mcp``.

    Parameters
    ----------
    server : mcp.server.Server
        Answers the messages.
    workers : Workers
        Parse and compute long messages.
    bodies : BodyReader
        Reads request bodies.
    traffic : Traffic
        Counts unread bytes, and has the limits.
    """

    def __init__(self, server: Server[Any], workers: Workers, bodies: BodyReader, traffic: Traffic) -> None:
        self.server = server
        self.workers = workers
        self.bodies = bodies
        self.traffic = traffic
        self.limits = traffic.settings
        self.manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which the endpoint runs."""
        return self.manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        observe.note(tool="mcp")
        request = Request(scope, receive)
        try:
            response = await self._respond(request)
        except ClientDisconnect:
            return
        except ContractError as error:
            response = problems.respond(error)
        except UnreadableMessageError as error:
            response = _respond(error.answer, 400)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        rejection = method_not_allowed(request, ["POST"]) if request.method != "POST" else check_json(request)
        if rejection is not None:
            return rejection
        version = request.headers.get("mcp-protocol-version", DEFAULT_NEGOTIATED_VERSION)
        if version not in HANDSHAKE_PROTOCOL_VERSIONS and not check_accept_headers(request)[0]:
            detail = "The Accept header must include application/json: all responses are JSON."
            return problems.respond(ContractError("not_acceptable", detail, None))
        self.traffic.check(client_of(request.scope), small=True)
        async with self.bodies.read(request) as body:
            batch = await self._split(request, body) if version == BATCH_VERSION else None
            if batch is None:
                return await self._answer(request, version, body)
        return await self._answer_batch(request, batch)

    async def _split(self, request: Request, body: bytes) -> list[bytes] | None:
        """Return the messages of a batch; None if the body is not a batch."""
        if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            return None
        try:
            messages, _ = await self._in_process(request, compute.split_message, body, self.limits.max_batch)
        except ContractError as error:
            if error.code == "invalid_json":
                raise parse_error(error) from None
            raise
        if not 0 < len(messages) <= self.limits.max_batch:
            text = f"A batch must have 1 to {self.limits.max_batch} messages."
            raise UnreadableMessageError(INVALID_REQUEST, text)
        found: list[bytes] = messages
        return found

    async def _answer_batch(self, request: Request, messages: list[bytes]) -> Response:
        pieces: list[bytes] = []
        client, held = client_of(request.scope), 0
        try:
            for message in messages:
                await asyncio.sleep(0)
                try:
                    response = await self._answer(request, BATCH_VERSION, message)
                except UnreadableMessageError as error:
                    response = _respond(error.answer, 400)
                if response.status_code == 202:
                    continue
                added = response.take() if isinstance(response, StreamedResponse) else [bytes(response.body)]
                pieces += [b"," if pieces else b"[", *added]
                length = sum(map(len, added))
                held += length
                self.traffic.answers.add(client, length)
                if held > self.limits.max_unread_bytes:
                    most = self.limits.max_unread_bytes
                    text = f"The responses to the batch are longer than {most} bytes. Send its messages one by one."
                    raise UnreadableMessageError(INVALID_REQUEST, text)
        finally:
            self.traffic.answers.add(client, -held)
        if not pieces:
            return Response(status_code=202)
        return StreamedResponse([*pieces, b"]"], self.traffic, {"Cache-Control": "no-store"})

    async def _answer(self, request: Request, version: str, body: bytes) -> Response:
        """Return the response to one message."""
        if len(body) <= compute.INLINE_BYTES:
            value = read_json(body)
            if len(body) <= compute.inline_message_bytes(value):
                return await self._serve(request, version, value, body)
        placeholder = f"chrfect-{secrets.token_hex(16)}"
        try:
            found, pieces = await self._in_process(request, compute.call_message, body, placeholder)
        except ContractError as error:
            if error.code == "invalid_json":
                raise parse_error(error) from None
            raise
        if found is None:
            if len(body) > self.limits.max_message_bytes:
                most = self.limits.max_message_bytes
                text = f"A message that calls neither execute nor search must have at most {most} bytes."
                raise UnreadableMessageError(INVALID_REQUEST, text)
            return await self._serve(request, version, read_json(body), body)
        message, code = found
        COMPUTED.set((placeholder, code))
        response = await self._serve(request, version, message, compute.dumps_ascii(message).encode())
        return self._insert(response, placeholder, pieces)

    async def _in_process(self, request: Request, function: Any, *arguments: Any) -> tuple[Any, list[bytes]]:
        return await self.workers.run(
            client_of(request.scope), request.receive, self.traffic.check, function, *arguments
        )

    async def _serve(self, request: Request, version: str, value: Any, body: bytes) -> Response:
        """Return the SDK's response to a message, which is given both as a value and as JSON."""
        message = to_message(value)
        if version in HANDSHAKE_PROTOCOL_VERSIONS:
            return await self._serve_handshake_era(message, version)
        if version not in KNOWN_PROTOCOL_VERSIONS:
            return _unsupported(message, version)
        sent: list[Message] = []

        async def keep(part: Message) -> None:
            sent.append(part)

        await self.manager.handle_request(request.scope, _replay(body, request.receive), keep)
        response = Response(b"".join(part.get("body", b"") for part in sent[1:]), sent[0]["status"])
        response.raw_headers = [*sent[0]["headers"]]
        return response

    async def _serve_handshake_era(self, message: JSONRPCMessage, version: str) -> Response:
        if not isinstance(message, JSONRPCRequest):
            return Response(status_code=202)
        try:
            result = await serve_one(
                self.server,
                _Exchange(message.id),
                message.method,
                message.params,
                connection=Connection.from_envelope(version, None, None),
                lifespan_state={},
            )
        except Exception as error:
            return _respond(JSONRPCError(jsonrpc="2.0", id=message.id, error=modern_error_data(error)), 200)
        return _respond(JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result), 200)

    def _insert(self, response: Response, placeholder: str, pieces: list[bytes]) -> Response:
        """Return the response with the placeholders replaced by the result, as text and as data."""
        name = placeholder.encode()
        parts = re.split(rb'("%b"|\{"%b":true\})' % (name, name), bytes(response.body))
        if len(parts) != 5:
            return response
        end = next(i for i, piece in enumerate(pieces) if b"\0" in piece)
        text, _, data = pieces[end].partition(b"\0")
        texts = [b'"', *pieces[:end], text, b'"']
        datas = [data, *pieces[end + 1 :]]
        inserted = (texts, datas) if parts[1].startswith(b'"') else (datas, texts)
        whole = [parts[0], *inserted[0], parts[2], *inserted[1], parts[4]]
        return StreamedResponse([piece for piece in whole if piece], self.traffic, {"Cache-Control": "no-store"})


def _unsupported(message: JSONRPCMessage, version: str) -> Response:
    """Return the error for an unknown protocol revision.

    The message lists all supported revisions. The data lists those of `server/discover`, because a revision that
    begins with `initialize` cannot be selected by a header.
    """
    text = f"Unsupported protocol version {shown(version)}. The server supports {', '.join(KNOWN_PROTOCOL_VERSIONS)}."
    discovered = [known for known in KNOWN_PROTOCOL_VERSIONS if known not in HANDSHAKE_PROTOCOL_VERSIONS]
    error = ErrorData(
        code=UNSUPPORTED_PROTOCOL_VERSION, message=text, data={"supported": discovered, "requested": version[:60]}
    )
    id = message.id if isinstance(message, JSONRPCRequest) else None
    return _respond(JSONRPCError(jsonrpc="2.0", id=id, error=error), 400)


class _Exchange:
    """The SDK's interface of a request with one response and no other messages to the client."""

    transport = TransportContext(kind="streamable-http", can_send_request=False)
    message_metadata = None
    can_send_request = False

    def __init__(self, id: RequestId) -> None:
        self.request_id = id
        self.cancel_requested = anyio.Event()

    async def send_raw_request(
        self, method: str, _: Mapping[str, Any] | None, __: CallOptions | None = None
    ) -> dict[str, Any]:
        """Raise NoBackChannelError: the server cannot send requests to the client."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Discard a notification: the response is the only message to the client."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Discard a progress report for the same reason."""


def _respond(message: JSONRPCResponse | JSONRPCError, status: int) -> Response:
    return Response(encode(message), status, {"Cache-Control": "no-store"}, media_type="application/json")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive function that first returns the body again."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
