"""Helpers of the HTTP resources: methods, bodies, preconditions, content negotiation."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chrfect.errors import ContractError
from chrfect.service import problems
from chrfect.service.traffic import SMALL_BODY_BYTES, Traffic

_WEIGHT = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?", re.ASCII)

Handler = Callable[[Request], Awaitable[Response]]


class Resource:
    """A resource: its handlers by method, and 405 with Allow for every other method.

    Parameters
    ----------
    find : callable, optional
        Called with the request before the method is looked at; raises ContractError if the resource does not exist.
    **methods : handler
        ``get=...``, ``post=...``; a handler of GET answers HEAD too.
    """

    def __init__(self, find: Callable[[Request], object] | None = None, **methods: Handler) -> None:
        self.find = find
        self.methods = {name.upper(): handler for name, handler in methods.items()}
        if "GET" in self.methods:
            self.methods["HEAD"] = self.methods["GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        if self.find:
            self.find(request)
        handler = self.methods.get(request.method)
        if handler is None:
            response = method_not_allowed(request, self.methods)
        else:
            try:
                response = await handler(request)
            except ClientDisconnect:
                return
        await response(scope, receive, send)


def method_not_allowed(request: Request, methods: Iterable[str]) -> Response:
    """Return 405 with the methods that are allowed."""
    allowed = ", ".join(methods)
    detail = f"{request.method[:40]} is no method of this address; it takes {allowed}."
    return problems.respond(ContractError("method_not_allowed", detail, None), {"Allow": allowed})


def check_json(request: Request) -> Response | None:
    """Return 415 with Accept-Post unless the body is declared as plain JSON."""
    given = request.headers.get("content-type", "")
    encoding = request.headers.get("content-encoding", "identity")
    if given.partition(";")[0].strip().lower() == "application/json" and encoding.lower() == "identity":
        return None
    given_type = f"Content-Type is {given[:100]!r}" if given else "Content-Type is missing"
    if encoding.lower() != "identity":
        given_type += f" and Content-Encoding {encoding[:40]!r}"
    detail = f"{given_type}; send the body as application/json, not encoded any further."
    error = ContractError("unsupported_media_type", detail, None)
    return problems.respond(error, {"Accept-Post": "application/json"})


class BodyReader:
    """Reads request bodies within the limits of one body and of all together.

    Parameters
    ----------
    traffic : Traffic
        Counts the bytes of all bodies.
    """

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._most = traffic.settings.max_body_bytes

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Give the body, which counts as held until the end of the context.

        Raises
        ------
        ContractError
            ``body_too_large`` as soon as the body is declared or found to be too long; ``busy`` while the server holds
            too many bodies.
        """
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self._most:
            self._reject(f"{declared[:20]} bytes")
        client, counted = client_of(request), 0
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > self._most:
                    self._reject("longer")
                if len(body) > SMALL_BODY_BYTES:
                    self._traffic.take_body(client, len(body) - counted)
                    counted = len(body)
            yield bytes(body)
        finally:
            self._traffic.release_body(client, counted)

    def _reject(self, found: str) -> None:
        detail = f"The body is {found}; at most {self._most} bytes are read. Send fewer segments."
        raise ContractError("body_too_large", detail, None)


class Pieces(Response):
    """A JSON response in pieces, written as fast as the client reads."""

    def __init__(self, pieces: list[bytes], traffic: Traffic, headers: Mapping[str, str]) -> None:
        length = sum(map(len, pieces))
        super().__init__(headers={**headers, "Content-Length": str(length)}, media_type="application/json")
        self._pieces = pieces[::-1]
        self._length = length
        self._traffic = traffic

    def take(self) -> list[bytes]:
        """Return the pieces, to send them otherwise."""
        return self._pieces[::-1]

    async def __call__(self, _: Scope, __: Receive, send: Send) -> None:
        """Send the response."""
        left = self._length
        self._traffic.held += left
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while self._pieces:
                piece = self._pieces.pop()
                left -= len(piece)
                self._traffic.held -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": bool(self._pieces)})
        finally:
            self._traffic.held -= left


def client_of(request: Request) -> str:
    """Return the address of a client, which its share of the queue goes by."""
    return request.client.host if request.client else ""


def matches(request: Request, etag: str) -> bool:
    """Return whether If-None-Match names this entity tag."""
    tags = _listed(request, "if-none-match")
    return "*" in tags or any(tag.removeprefix("W/") == etag for tag in tags)


def prefers_markdown(request: Request) -> bool:
    """Return whether Accept (RFC 9110, section 12.5.1) asks for Markdown rather than HTML."""
    given = dict(map(_weighed, _listed(request, "accept")))
    text = given.get("text/*", given.get("*/*", 0.0))
    return given.get("text/markdown", text) > given.get("text/html", text)


def _weighed(media_range: str) -> tuple[str, float]:
    """Return a media range and its weight; none is 1, a faulty one 0."""
    type, *parameters = (piece.strip() for piece in media_range.lower().split(";"))
    weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
    return type, float(weight) if _WEIGHT.fullmatch(weight) else 0.0


def _listed(request: Request, name: str) -> list[str]:
    """Return the members of a header that holds a list, on however many lines."""
    return [member.strip() for member in ",".join(request.headers.getlist(name)).split(",")]
