"""The HTTP application: the tools of the catalogue, web pages, MCP, and endpoints for monitoring."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chrfect import catalogue
from chrfect.catalogue.problems import status
from chrfect.errors import ContractError
from chrfect.service import compute, handlers, observe, openapi, pages, problems
from chrfect.service.drain import DrainBody
from chrfect.service.mcp.http import McpEndpoint
from chrfect.service.mcp.server import server as mcp_server
from chrfect.service.requests import (
    BodyReader,
    Resource,
    StreamedResponse,
    check_form,
    check_json,
    client_of,
    matches,
    prefers_markdown,
)
from chrfect.service.security import HEADERS, HostAndOrigin, allows
from chrfect.service.settings import Settings
from chrfect.service.traffic import Traffic
from chrfect.service.workers import Workers

SHORT_CACHE = "public, max-age=60"
PERMANENT_CACHE = "public, max-age=31536000, immutable"
PAGES = {
    "/": "home",
    "/index.md": "home",
    "/docs": "docs",
    "/docs.md": "docs",
    "/clients/cli/": "cli",
    "/clients/cli.md": "cli",
    "/tools": "tools",
    "/tools.md": "tools",
}

PLACEHOLDER_BASE = "http://base.invalid"
"""The base URL in cached pages; it is replaced by the URL of each request, so that pages are cached once."""


def application(settings: Settings | None = None, traffic: Traffic | None = None) -> Application:
    """Return the ASGI application.

    Parameters
    ----------
    settings : Settings, optional
        The settings of the server; by default it accepts only loopback host names.
    traffic : Traffic, optional
        The state shared with the connections; by default a new one.
    """
    settings = settings or Settings()
    traffic = traffic or Traffic(settings)
    service = Service(settings, traffic)
    app = Starlette(
        routes=service.routes(),
        lifespan=service.lifespan,
        exception_handlers={
            ContractError: handlers.on_contract_error,
            HTTPException: handlers.on_http_exception,
            Exception: handlers.on_exception,
        },
    )
    app.router.redirect_slashes = False
    return Application(DrainBody(HostAndOrigin(app, settings)), service, lambda: service.lifespan(app))


class Application:
    """Log and count every request, answer small tool calls directly, and forward all other requests.

    Parameters
    ----------
    app : ASGI application
        The application for all other requests.
    service : Service
        The service that computes.
    lifespan : callable
        Returns the context in which the application runs, for use without a server.
    """

    def __init__(
        self, app: ASGIApp, service: Service, lifespan: Callable[[], AbstractAsyncContextManager[None]]
    ) -> None:
        self.app = app
        self.lifespan = lifespan
        self.service = service
        self.targets = {
            f"{contract_url(id, version)}/execute": (id, version, compute.inline_bytes(id))
            for id in catalogue.ids()
            for version in catalogue.versions(id)
        }
        self._allowed_hosts: set[bytes] = set()
        self._headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
        self._headers += [(b"cache-control", b"no-store"), (b"vary", b"Origin")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        record = observe.begin()
        target = self.targets.get(scope["path"])
        if target is not None:
            record.tool = target[0]
            if scope["method"] == "POST" and self._is_plain(scope["headers"]):
                message = await receive()
                if not message.get("more_body") and len(message.get("body", b"")) <= target[2]:
                    if message["type"] == "http.request":
                        await self._answer(scope, send, target, message["body"], record, began)
                    return
                receive = replay(message, receive)
        await self._forward(scope, receive, send, record, began)

    def _is_plain(self, headers: list[tuple[bytes, bytes]]) -> bool:
        """Return whether the headers need no handling beyond an allowed Host and a JSON body."""
        hosts = types = 0
        for name, value in headers:
            if name == b"host":
                hosts += 1
                if value not in self._allowed_hosts and not self._allow(value):
                    return False
            elif name == b"content-type":
                types += 1
                if value != b"application/json":
                    return False
            elif name in (b"origin", b"content-encoding", b"expect"):
                return False
        return hosts == types == 1

    def _allow(self, host: bytes) -> bool:
        allowed = allows(self.service.settings.allowed_hosts, host.decode("latin-1"))
        if allowed and len(self._allowed_hosts) < 64:
            self._allowed_hosts.add(host)
        return allowed

    async def _answer(
        self, scope: Scope, send: Send, target: tuple[str, str, int], body: bytes, record: observe.Record, began: float
    ) -> None:
        """Answer a small tool call with the response that the application would send."""
        code, media_type = 200, b"application/json"
        try:
            self.service.traffic.check(client_of(scope), small=True)
            answer = catalogue.answer(target[0], target[1], body)
        except Exception as error:
            if not isinstance(error, ContractError):
                observe.log_failure(record, error)
                error = problems.internal_error()
            record.code = error.code
            code, media_type = status(error.code), problems.MEDIA_TYPE.encode()
            answer = problems.encode(error)
        headers = [
            (b"content-length", b"%d" % len(answer)),
            (b"content-type", media_type),
            (b"x-request-id", record.id.encode()),
            *self._headers,
        ]
        if code == 503:
            headers.append((b"retry-after", b"1"))
        await send({"type": "http.response.start", "status": code, "headers": headers})
        self._finish(scope, record, code, len(body), len(answer), began)
        await send({"type": "http.response.body", "body": answer})

    async def _forward(self, scope: Scope, receive: Receive, send: Send, record: observe.Record, began: float) -> None:
        code = received = sent = 0
        finished = False
        raw_path = scope.get("raw_path", b"")
        if b"%2" in raw_path:  # an encoded slash belongs to a path segment
            scope["path"] = unquote(re.sub(rb"%2[fF]", b"%252F", raw_path).decode("ascii"))

        async def receive_and_count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def send_and_count(message: Message) -> None:
            nonlocal code, sent, finished
            if message["type"] == "http.response.start":
                code = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", record.id.encode())]}
            else:
                sent += len(message.get("body", b""))
                if not message.get("more_body") and not finished:
                    finished = True
                    self._finish(scope, record, code, received, sent, began)
            await send(message)

        try:
            await self.app(scope, receive_and_count, send_and_count)
        except Exception as error:
            observe.log_failure(record, error)
            if not code:
                response = problems.respond(problems.internal_error())
                await response(scope, receive_and_count, send_and_count)
        if not finished:
            self._finish(scope, record, code, received, sent, began)

    def _finish(self, scope: Scope, record: observe.Record, code: int, received: int, sent: int, began: float) -> None:
        """Count and log a request, before its client can have the whole answer and ask for the count."""
        seconds = time.perf_counter() - began
        if not code:
            record.code = "client_disconnected"
        observe.count(record.tool, record.code, seconds)
        if observe.request_is_logged():
            observe.log_request(record, scope, code, received, sent, seconds)


class Service:
    """The resources of one server."""

    def __init__(self, settings: Settings, traffic: Traffic) -> None:
        self.settings = settings
        self.traffic = traffic
        self.workers = Workers(settings)
        self.bodies = BodyReader(traffic)
        self.mcp = McpEndpoint(mcp_server(), self.workers, self.bodies, traffic)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Run the compute processes and the MCP session manager."""
        self.traffic.on_stop = self.workers.stop
        try:
            self.workers.start()
            async with self.mcp.running():
                yield
        finally:
            self.workers.close()

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the application."""
        contract = "/v1/tools/{id}/versions/{version}"
        resources: dict[str, ASGIApp] = {
            "/v1/tools": Resource(get=self.list_tools),
            "/v1/tools/{id}": Resource(_find, get=self.list_versions),
            contract: Resource(_find, get=self.contract),
            contract + "/execute": Resource(_find, post=self.execute),
            "/mcp": self.mcp,
            "/tools/{id}.md": Resource(_find, get=self.tool),
            "/tools/{id}": Resource(_find, get=self.tool),
            "/openapi.json": Resource(get=self.openapi),
            "/llms.txt": Resource(get=self.llms),
            "/healthz": Resource(get=self.health),
            "/readyz": Resource(get=self.ready),
            "/metrics": Resource(get=self.metrics),
            "/static/{name}": Resource(get=_static),
            "/favicon.ico": Resource(get=_favicon),
            "/clients/cli": Resource(get=_to_cli),
            "/tools/": Resource(get=_to_tools),
            "/try": Resource(get=self.example, post=self.try_texts),
            **{path: Resource(get=self.page) for path in PAGES},
        }
        routes = [Route(path, resource) for path, resource in resources.items()]
        for route in routes:  # a $ would also match before a trailing newline
            route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z")
        return [*routes]

    async def list_tools(self, request: Request) -> Response:
        """Return the id, newest version, description and contract URL of every tool."""
        tools = [
            {
                "id": contract["id"],
                "version": contract["version"],
                "description": contract["description"],
                "contract_url": contract_url(contract["id"], contract["version"]),
            }
            for contract in map(catalogue.newest_contract, catalogue.ids())
        ]
        return _cached(request, _json({"tools": tools}), "application/json")

    async def list_versions(self, request: Request) -> Response:
        """Return the versions of a tool, the newest last."""
        id = request.path_params["id"]
        versions = [
            {
                "version": version,
                "contract_url": contract_url(id, version),
                "execute_url": catalogue.contract(id, version)["execute_url"],
            }
            for version in catalogue.versions(id)
        ]
        return _cached(request, _json({"id": id, "versions": versions}), "application/json")

    async def contract(self, request: Request) -> Response:
        """Return the stored bytes of a contract."""
        stored = catalogue.contract_bytes(**request.path_params)
        return _cached(request, stored, "application/json", PERMANENT_CACHE)

    async def execute(self, request: Request) -> Response:
        """Execute a tool with the input in the body."""
        rejection = check_json(request)
        if rejection is not None:
            return rejection
        id, version = request.path_params["id"], request.path_params["version"]
        self.traffic.check(client_of(request.scope), small=True)
        async with self.bodies.read(request) as body:
            headers = {"Cache-Control": "no-store"}
            if len(body) <= compute.inline_bytes(id):
                answer = catalogue.answer(id, version, body)
                return Response(answer, headers=headers, media_type="application/json")
            _, pieces = await self.workers.run(
                client_of(request.scope), request.receive, self.traffic.check, compute.execute, id, version, body
            )
        return StreamedResponse(pieces, self.traffic, headers)

    async def tool(self, request: Request) -> Response:
        """Return the page of a tool."""
        id = request.path_params["id"]
        return self._page(request, "tool", id)

    async def page(self, request: Request) -> Response:
        """Return a page other than that of a tool."""
        return self._page(request, PAGES[request.url.path])

    async def try_texts(self, request: Request) -> Response:
        """Score the texts of the form of the interactive page."""
        rejection = check_form(request)
        if rejection is not None:
            return rejection
        self.traffic.check(client_of(request.scope), small=True)
        async with self.bodies.read(request) as body:
            return await self._tried(request, compute.try_texts, body)

    async def example(self, request: Request) -> Response:
        """Return the interactive page with an example; without one, return to the home page."""
        if not request.url.query:
            return RedirectResponse("/", 307)
        return await self._tried(request, compute.try_example, request.scope["query_string"])

    async def _tried(self, request: Request, function: Callable[..., Any], data: bytes) -> Response:
        (code, headers), pieces = await self.workers.run(
            client_of(request.scope), request.receive, self.traffic.check, function, data, self._base(request)
        )
        return StreamedResponse(pieces, self.traffic, headers, code)

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI 3.1 description."""
        return _cached(request, _json(openapi.document(self._base(request))), "application/json")

    async def llms(self, request: Request) -> Response:
        """Return the catalogue for language models."""
        return _cached(
            request,
            self._with_base(request, pages.markdown("llms", PLACEHOLDER_BASE)).encode(),
            "text/plain; charset=utf-8",
        )

    def _page(self, request: Request, name: str, tool: str | None = None) -> Response:
        if request.url.path.endswith(".md") or prefers_markdown(request):
            text, media_type = pages.markdown(name, PLACEHOLDER_BASE, tool), "text/markdown; charset=utf-8"
        else:
            text, media_type = pages.html(name, PLACEHOLDER_BASE, tool), "text/html; charset=utf-8"
        text = self._with_base(request, text)
        return _cached(request, text.encode(), media_type, headers={"Vary": "Accept"})

    async def health(self, _: Request) -> Response:
        """Return a response to show that the process is running."""
        return _uncached(_json({"status": "ok"}), "application/json")

    async def ready(self, _: Request) -> Response:
        """Return whether the server accepts requests; it does not while it is overloaded or stopping."""
        if self.traffic.stopping:
            raise ContractError("stopping", "The server is stopping.", None)
        self.traffic.check("")
        if self.workers.overloaded:
            raise ContractError("busy", "The queue is more than half full.", None)
        return _uncached(_json({"status": "ready"}), "application/json")

    async def metrics(self, _: Request) -> Response:
        """Return the metrics in Prometheus' text format."""
        observe.UNREAD.set(self.traffic.unread_bytes())
        return _uncached(observe.exposition(), "text/plain; version=0.0.4; charset=utf-8")

    def _with_base(self, request: Request, text: str) -> str:
        return text.replace(PLACEHOLDER_BASE, self._base(request))

    def _base(self, request: Request) -> str:
        return self.settings.public_url or f"{request.url.scheme}://{request.headers['host']}"


def _find(request: Request) -> None:
    """Raise ContractError if the tool or the version does not exist."""
    id = request.path_params["id"]
    catalogue.resolve(id, request.path_params.get("version", catalogue.versions(id)[-1]))


def contract_url(id: str, version: str) -> str:
    return f"/v1/tools/{id}/versions/{version}"


def _json(value: Any) -> bytes:
    return catalogue.dumps(value).encode()


def _cached(
    request: Request, body: bytes, media_type: str, cache: str = SHORT_CACHE, headers: Mapping[str, str] | None = None
) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    marks = {"ETag": etag, "Cache-Control": cache, **(headers or {})}
    if matches(request, etag):
        return Response(status_code=304, headers=marks)
    return Response(body, headers=marks, media_type=media_type)


def _uncached(body: bytes, media_type: str) -> Response:
    return Response(body, headers={"Cache-Control": "no-store"}, media_type=media_type)


def replay(message: Message, receive: Receive) -> Receive:
    """Return a receive function that first returns the message, and then further messages."""
    waiting = [message]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in pages.STATIC:
        raise HTTPException(404)
    return _cached(request, pages.static(name), pages.STATIC[name])


async def _favicon(request: Request) -> Response:
    return _cached(request, pages.static("favicon.svg"), pages.STATIC["favicon.svg"])


async def _to_tools(_: Request) -> Response:
    return RedirectResponse("/tools", 308)


async def _to_cli(_: Request) -> Response:
    return RedirectResponse("/clients/cli/", 308)
