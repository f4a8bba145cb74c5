"""MCP over streamable HTTP: one POST, one JSON answer, no session, in both protocol eras.

The SDK serves the revision of 2026. Requests of the older ones are read here, since the SDK's reader of that era
refuses a lone surrogate, which is for the tool to refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from chrfect.errors import ContractError
from chrfect.service import problems
from chrfect.service.messages import UnreadableMessageError, encode, read_message
from chrfect.service.requests import check_json, method_not_allowed, read_body


class McpEndpoint:
    """The ASGI application at ``/mcp``.

    Parameters
    ----------
    server : mcp.server.Server
        What answers.
    """

    def __init__(self, server: Server[Any]) -> None:
        self.server = server
        self.manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which requests can be answered."""
        return self.manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        refusal = method_not_allowed(request, ["POST"]) if request.method != "POST" else check_json(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        try:
            body = await read_body(request)
        except ContractError as error:
            await problems.respond(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        version = request.headers.get("mcp-protocol-version", DEFAULT_NEGOTIATED_VERSION)
        try:
            message = read_message(body)
        except UnreadableMessageError as error:
            await _respond(error.answer, 400)(scope, receive, send)
            return
        if version in HANDSHAKE_PROTOCOL_VERSIONS:
            response = await self._answer_handshake_era(message, version)
            await response(scope, receive, send)
        else:
            await self.manager.handle_request(scope, _replay(body, receive), send)

    async def _answer_handshake_era(self, message: JSONRPCMessage, version: str) -> Response:
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


class _Exchange:
    """What the SDK is told of a request that has no way back but its one answer."""

    transport = TransportContext(kind="streamable-http", can_send_request=False)
    message_metadata = None
    can_send_request = False

    def __init__(self, id: RequestId) -> None:
        self.request_id = id
        self.cancel_requested = anyio.Event()

    async def send_raw_request(
        self, method: str, _: Mapping[str, Any] | None, __: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse: a request to the client would have no way to go."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Drop a notification: there is one answer and nothing before it."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Drop a report of progress, for the same reason."""


def _respond(message: JSONRPCResponse | JSONRPCError, status: int) -> Response:
    return Response(encode(message), status, {"Cache-Control": "no-store"}, media_type="application/json")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive function that gives the body once more."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
