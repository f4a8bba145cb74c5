"""Checks of Host and Origin, which prevent DNS rebinding, and the security headers of every response."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chrfect.errors import ContractError
from chrfect.service import problems
from chrfect.service.settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id",
    "Access-Control-Max-Age": "600",
}


class HostAndOrigin:
    """Reject requests with a wrong Host or Origin, and add the security headers to every response.

    Parameters
    ----------
    app : ASGI application
        The application to protect.
    settings : Settings
        The allowed hosts and origins.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 400 or 421 to a wrong Host and with 403 to a wrong Origin; forward all other requests."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        foreign = self._foreign_origin(headers)
        added = dict(HEADERS)
        if foreign in self.settings.allowed_origins:
            added |= {"Access-Control-Allow-Origin": foreign, "Access-Control-Expose-Headers": "ETag, X-Request-Id"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response = MutableHeaders(scope=message)
                response.update(added)
                response.add_vary_header("Origin")
            await send(message)

        await self._choose(scope, headers, foreign)(scope, receive, send_with_headers)

    def _choose(self, scope: Scope, headers: Headers, foreign: str) -> ASGIApp:
        hosts = headers.getlist("host")
        if len(hosts) > 1 or (not hosts and scope.get("http_version") == "1.1"):
            detail = f"The request has {len(hosts)} Host headers; exactly one was expected (RFC 9112, section 3.2)."
            return problems.respond(ContractError("bad_request", detail, None))
        if not hosts or not allows(self.settings.allowed_hosts, hosts[0]):
            given = repr(hosts[0])[:200] if hosts else "missing"
            detail = (
                f"The Host header is {given}; this server accepts {', '.join(self.settings.allowed_hosts)}. "
                "Add a name with `chrfect serve --allowed-host NAME`."
            )
            return problems.respond(ContractError("wrong_host", detail, None))
        if foreign and foreign not in self.settings.allowed_origins:
            detail = (
                f"Pages from the origin {foreign[:200]!r} are not allowed to call this server. "
                "Allow the origin with `chrfect serve --allowed-origin ORIGIN`."
            )
            return problems.respond(ContractError("wrong_origin", detail, None))
        if foreign and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return Response(status_code=204, headers=PREFLIGHT)
        return self.app

    def _foreign_origin(self, headers: Headers) -> str:
        """Return the Origin if it is not the server's own, and an empty string otherwise."""
        origin = ", ".join(headers.getlist("origin"))
        host = headers.get("host", "").lower()
        return "" if origin.lower() in (f"http://{host}", f"https://{host}") else origin


def allows(allowed: tuple[str, ...], host: str) -> bool:
    """Return whether the name in a Host header, with or without a port, is allowed.

    Examples
    --------
    >>> allows(("localhost",), "LOCALHOST:8000"), allows(("localhost",), "localhost:123456")
    (True, False)
    """
    parts = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(:\d{1,5})?", host.lower(), re.ASCII)
    return parts is not None and any(entry in (parts[0], parts[1]) for entry in map(str.lower, allowed))
