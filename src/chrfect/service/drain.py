"""Hearing a client out that was answered before it had sent everything."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Linger:
    """Read and drop what still comes of a request that is answered already, and only then let the answer end.

    Otherwise the connection would be reset while the client sends, and a refusal of a long body would not reach it.
    The time that a request may take bounds this too. A client that asks before it sends (``Expect: 100-continue``) and
    is refused sends nothing; its connection is closed.

    Parameters
    ----------
    app : ASGI application
        What answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        body_to_come = "content-length" in headers or "transfer-encoding" in headers
        asks_first = headers.get("expect", "").lower() == "100-continue"

        async def receive_noting_the_end() -> Message:
            nonlocal body_to_come, asks_first
            message = await receive()
            asks_first = False
            body_to_come = message.get("more_body", False)
            return message

        async def send_after_the_body(message: Message) -> None:
            nonlocal body_to_come
            if message["type"] == "http.response.start" and body_to_come and asks_first:
                MutableHeaders(scope=message)["Connection"] = "close"
                body_to_come = False
            if message["type"] == "http.response.body" and not message.get("more_body") and body_to_come:
                await send({**message, "more_body": True})
                while body_to_come:
                    await receive_noting_the_end()
                message = {"type": "http.response.body"}
            await send(message)

        await self.app(scope, receive_noting_the_end, send_after_the_body)
