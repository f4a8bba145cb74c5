"""What every request passes first: the Host and Origin checks that stop DNS rebinding, and the security headers."""

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
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id",
    "Access-Control-Max-Age": "600",
}


class Guard:
    """Let a request through if its Host and its Origin are allowed, and mark every answer with the security headers.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    settings : Settings
        Which hosts and origins are allowed.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 for a wrong Host and 403 for a wrong Origin, or hand the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        foreign = self._foreign_origin(headers)
        added = dict(SECURITY)
        if foreign in self.settings.allowed_origins:
            added |= {"Access-Control-Allow-Origin": foreign, "Access-Control-Expose-Headers": "ETag"}

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                marked = MutableHeaders(scope=message)
                marked.update(added)
                marked.add_vary_header("Origin")
            await send(message)

        await self._choose(scope, headers, foreign)(scope, receive, send_marked)

    def _choose(self, scope: Scope, headers: Headers, foreign: str) -> ASGIApp:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not _allows(self.settings.allowed_hosts, hosts[0]):
            given = " and ".join(map(repr, hosts))[:200] or "missing"
            return problems.respond(
                ContractError(
                    "wrong_host",
                    f"The Host header is {given}; this server answers to {', '.join(self.settings.allowed_hosts)}. "
                    "`chrfect serve --allowed-host NAME` adds a name.",
                    None,
                    421,
                )
            )
        if foreign and foreign not in self.settings.allowed_origins:
            return problems.respond(
                ContractError(
                    "wrong_origin",
                    f"Pages of the origin {foreign[:200]!r} may not call this server. "
                    "`chrfect serve --allowed-origin ORIGIN` allows one.",
                    None,
                    403,
                )
            )
        if foreign and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return Response(status_code=204, headers=PREFLIGHT)
        return self.app

    def _foreign_origin(self, headers: Headers) -> str:
        """Return the Origin if it is not the server itself, else an empty string."""
        origin = ", ".join(headers.getlist("origin"))
        host = headers.get("host", "").lower()
        return "" if origin.lower() in (f"http://{host}", f"https://{host}") else origin


def _allows(allowed: tuple[str, ...], host: str) -> bool:
    parts = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(:\d+)?", host.lower(), re.ASCII)
    return parts is not None and any(entry in (parts[0], parts[1]) for entry in map(str.lower, allowed))
