"""Helpers for HTTP resources: methods, bodies, conditional requests and content negotiation."""

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

MAX_MEMBERS = 100
"""The number of members of a list header that are read."""

_WEIGHT = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?", re.ASCII)

Handler = Callable[[Request], Awaitable[Response]]


class Resource:
    """A resource with a handler for each method; other methods are answered with 405 and an Allow header.

    Parameters
    ----------
    find : callable, optional
        Called with the request before its method is checked; raises ContractError if the resource does not exist.
    **methods : handler
        ``get=...``, ``post=...``; a GET handler also answers HEAD.
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
    """Return a 405 response that lists the allowed methods."""
    allowed = ", ".join(methods)
    detail = f"{request.method[:40]} is not allowed here. Allowed methods: {allowed}."
    return problems.respond(ContractError("method_not_allowed", detail, None), {"Allow": allowed})


def check_json(request: Request) -> Response | None:
    """Return a 415 response with Accept-Post unless the body is declared as JSON without a content encoding."""
    return _check_type(request, "application/json")


def check_form(request: Request) -> Response | None:
    """Return a 415 response with Accept-Post unless the body is declared as a URL-encoded form."""
    return _check_type(request, "application/x-www-form-urlencoded")


def _check_type(request: Request, expected: str) -> Response | None:
    given = request.headers.get("content-type", "")
    encoding = request.headers.get("content-encoding", "identity")
    if given.partition(";")[0].strip().lower() == expected and encoding.lower() == "identity":
        return None
    given_type = f"The Content-Type is {given[:100]!r}" if given else "The Content-Type header is missing"
    if encoding.lower() != "identity":
        given_type += f" and the Content-Encoding is {encoding[:40]!r}"
    detail = f"{given_type}. Send the body as {expected} without a Content-Encoding."
    error = ContractError("unsupported_media_type", detail, None)
    return problems.respond(error, {"Accept-Post": expected})


class BodyReader:
    """Reads request bodies within the limits for one body and for all bodies together.

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
        """Yield the body; its bytes count against the limit until the context ends.

        Raises
        ------
        ContractError
            ``body_too_large`` if the declared or the received length exceeds the limit; ``busy`` while the bodies of
            all requests, or those of this client, exceed their limit.
        """
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self._most:
            self._reject(f"{declared[:20]} bytes")
        client, counted = client_of(request.scope), 0
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
            self._traffic.bodies.add(client, -counted)

    def _reject(self, found: str) -> None:
        detail = f"The body is {found}; the maximum is {self._most} bytes. Send fewer segments."
        raise ContractError("body_too_large", detail, None)


class StreamedResponse(Response):
    """A response that is sent in pieces, each when the client has read the previous one; JSON by default."""

    def __init__(self, pieces: list[bytes], traffic: Traffic, headers: Mapping[str, str], status: int = 200) -> None:
        length = sum(map(len, pieces))
        headers = {"Content-Type": "application/json", **headers, "Content-Length": str(length)}
        super().__init__(status_code=status, headers=headers)
        self._pieces = pieces[::-1]
        self._length = length
        self._traffic = traffic

    def take(self) -> list[bytes]:
        """Return the pieces and release their bytes, so that another response can send them."""
        return self._pieces[::-1]

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        """Send the response, or raise ContractError ``busy`` if it would exceed the limit of unread bytes."""
        client, left = client_of(scope), self._length
        self._traffic.check_answer(client, left)
        self._traffic.answers.add(client, left)
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while self._pieces:
                piece = self._pieces.pop()
                left -= len(piece)
                self._traffic.answers.add(client, -len(piece))
                await send({"type": "http.response.body", "body": piece, "more_body": bool(self._pieces)})
        finally:
            self._traffic.answers.add(client, -left)


def client_of(scope: Scope) -> str:
    """Return the address of the client, by which the queue and the limits are shared."""
    return scope["client"][0] if scope.get("client") else ""


def matches(request: Request, etag: str) -> bool:
    """Return whether If-None-Match names this entity tag."""
    tags = _listed(request, "if-none-match")
    return "*" in tags or any(tag.removeprefix("W/") == etag for tag in tags)


def prefers_markdown(request: Request) -> bool:
    """Return whether the Accept header (RFC 9110, section 12.5.1) prefers Markdown to HTML."""
    given = dict(map(_weighed, _listed(request, "accept")))
    text = given.get("text/*", given.get("*/*", 0.0))
    return given.get("text/markdown", text) > given.get("text/html", text)


def is_browser(request: Request) -> bool:
    """Return whether the Accept header names HTML, as browsers do, and other programs do not."""
    return dict(map(_weighed, _listed(request, "accept"))).get("text/html", 0.0) > 0


def _weighed(media_range: str) -> tuple[str, float]:
    """Return a media range and its weight: 1 if it has none, 0 if the weight is malformed."""
    type, *parameters = (piece.strip() for piece in media_range.lower().split(";"))
    weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
    return type, float(weight) if _WEIGHT.fullmatch(weight) else 0.0


def _listed(request: Request, name: str) -> list[str]:
    """Return the first members of a list header, which may be sent in several lines."""
    members = ",".join(request.headers.getlist(name)).split(",", MAX_MEMBERS)
    return [member.strip() for member in members[:MAX_MEMBERS]]
