"""Drain the request body before the connection closes."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class DrainBody:
    """Read and discard the rest of a request body that the application did not read, before the response ends.

    Otherwise the connection would be reset while the client sends, and the client could not read why its body was
    rejected. The request deadline limits the time. A client that sent ``Expect: 100-continue`` and is rejected sends no
    body; its connection is closed.

    Parameters
    ----------
    app : ASGI application
        The application that responds.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        incomplete = "content-length" in headers or "transfer-encoding" in headers
        waits_for_permission = headers.get("expect", "").lower() == "100-continue"

        async def receive_and_note_the_end() -> Message:
            nonlocal incomplete, waits_for_permission
            message = await receive()
            waits_for_permission = False
            incomplete = message.get("more_body", False)
            return message

        async def send_after_the_body(message: Message) -> None:
            nonlocal incomplete
            if message["type"] == "http.response.start" and incomplete and waits_for_permission:
                MutableHeaders(scope=message)["Connection"] = "close"
                incomplete = False
            if message["type"] == "http.response.body" and not message.get("more_body") and incomplete:
                await send({**message, "more_body": True})
                while incomplete:
                    await receive_and_note_the_end()
                message = {"type": "http.response.body"}
            await send(message)

        await self.app(scope, receive_and_note_the_end, send_after_the_body)
