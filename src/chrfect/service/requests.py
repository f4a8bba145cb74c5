"""What the HTTP calls share: methods, bodies, validators."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chrfect.errors import ContractError
from chrfect.service import problems
from chrfect.service.settings import MAX_BODY_BYTES

_WEIGHT = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?", re.ASCII)

Handler = Callable[[Request], Awaitable[Response]]


class Resource:
    """Something that has an address: its handlers by method, and 405 with Allow for every other method.

    Parameters
    ----------
    find : callable, optional
        Called with the request before the method is looked at; raises ContractError if there is no such thing.
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
    return problems.respond(ContractError("method_not_allowed", detail, None, 405), {"Allow": allowed})


def check_json(request: Request) -> Response | None:
    """Return 415 with Accept-Post unless the body is declared as plain JSON."""
    given = request.headers.get("content-type", "")
    encoding = request.headers.get("content-encoding", "identity")
    if given.partition(";")[0].strip().lower() == "application/json" and encoding.lower() == "identity":
        return None
    got = f"Content-Type is {given[:100]!r}" if given else "Content-Type is missing"
    if encoding.lower() != "identity":
        got += f" and Content-Encoding {encoding[:40]!r}"
    detail = f"{got}; send the body as application/json, not encoded any further."
    error = ContractError("unsupported_media_type", detail, None, 415)
    return problems.respond(error, {"Accept-Post": "application/json"})


async def read_body(request: Request) -> bytes:
    """Return the body; ContractError ``body_too_large`` as soon as it is declared or found longer than 1 MiB."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > MAX_BODY_BYTES:
        _too_large(f"{declared[:20]} bytes")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            _too_large("longer")
    return bytes(body)


def _too_large(got: str) -> None:
    detail = f"The body is {got}; at most {MAX_BODY_BYTES} bytes are read. Send fewer segments."
    raise ContractError("body_too_large", detail, None, 413)


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
