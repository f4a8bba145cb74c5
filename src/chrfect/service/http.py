"""The HTTP application: the catalogue's calls, the pages, and MCP."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from chrfect import catalogue
from chrfect.errors import ContractError
from chrfect.service import openapi, pages, problems
from chrfect.service.guard import Guard
from chrfect.service.mcp import server as mcp_server
from chrfect.service.mcp_http import McpEndpoint
from chrfect.service.requests import Resource, check_json, matches, prefers_markdown, read_body
from chrfect.service.settings import Settings
from chrfect.service.workers import Workers, answer_body

BRIEFLY = "public, max-age=60"
FOR_EVER = "public, max-age=31536000, immutable"
PAGES = {
    "/": "home",
    "/index.md": "home",
    "/docs": "docs",
    "/docs.md": "docs",
    "/clients/cli/": "cli",
    "/clients/cli.md": "cli",
}


def application(settings: Settings | None = None) -> Guard:
    """Return the ASGI application.

    Parameters
    ----------
    settings : Settings, optional
        How it presents and protects itself; by default it answers to loopback names alone.
    """
    settings = settings or Settings()
    doors = Doors(settings)
    app = Starlette(
        routes=doors.routes(),
        lifespan=doors.lifespan,
        exception_handlers={
            ContractError: problems.on_contract_error,
            HTTPException: problems.on_http_exception,
            Exception: problems.on_exception,
        },
    )
    app.router.redirect_slashes = False
    return Guard(app, settings)


class Doors:
    """The addresses of one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workers = Workers(settings.threads, settings.queue)
        self.mcp = McpEndpoint(mcp_server(self.workers))

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Keep the MCP session manager running while the application does."""
        async with self.mcp.running():
            yield

    def routes(self) -> list[BaseRoute]:
        """Return every address with what answers there."""
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
            "/healthz": Resource(get=_health),
            "/static/{name}": Resource(get=_static),
            "/favicon.ico": Resource(get=_favicon),
            "/clients/cli": Resource(get=_to_cli),
            **{path: Resource(get=self.page) for path in PAGES},
        }
        routes = [Route(path, resource) for path, resource in resources.items()]
        for route in routes:  # a $ would let a newline at the end pass
            route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z")
        return [*routes]

    async def list_tools(self, request: Request) -> Response:
        """Every tool: id, newest version, description, contract URL."""
        tools = [
            {
                "id": contract["id"],
                "version": contract["version"],
                "description": contract["description"],
                "contract_url": _contract_url(contract["id"], contract["version"]),
            }
            for contract in map(catalogue.newest_contract, catalogue.ids())
        ]
        return _cached(request, _json({"tools": tools}), "application/json")

    async def list_versions(self, request: Request) -> Response:
        """The versions of a tool, the newest last."""
        id = request.path_params["id"]
        versions = [
            {
                "version": version,
                "contract_url": _contract_url(id, version),
                "execute_url": catalogue.contract(id, version)["execute_url"],
            }
            for version in catalogue.versions(id)
        ]
        return _cached(request, _json({"id": id, "versions": versions}), "application/json")

    async def contract(self, request: Request) -> Response:
        """A contract as it is stored."""
        stored = catalogue.contract_bytes(**request.path_params)
        return _cached(request, stored, "application/json", FOR_EVER)

    async def execute(self, request: Request) -> Response:
        """A tool's answer to the input in the body."""
        refusal = check_json(request)
        if refusal is not None:
            return refusal
        body = await read_body(request)
        parameters = request.path_params
        answer = await self.workers.run(answer_body, parameters["id"], parameters["version"], body)
        return Response(answer, headers={"Cache-Control": "no-store"}, media_type="application/json")

    async def tool(self, request: Request) -> Response:
        """A tool's page."""
        id = request.path_params["id"]
        return self._page(request, "tool", id)

    async def page(self, request: Request) -> Response:
        """A page that is about no single tool."""
        return self._page(request, PAGES[request.url.path])

    async def openapi(self, request: Request) -> Response:
        """The OpenAPI 3.1 description."""
        return _cached(request, _json(openapi.document(self._base(request))), "application/json")

    async def llms(self, request: Request) -> Response:
        """The catalogue for language models."""
        return _cached(request, pages.markdown("llms", self._base(request)).encode(), "text/plain; charset=utf-8")

    def _page(self, request: Request, name: str, tool: str | None = None) -> Response:
        base = self._base(request)
        if request.url.path.endswith(".md") or prefers_markdown(request):
            text, media_type = pages.markdown(name, base, tool), "text/markdown; charset=utf-8"
        else:
            text, media_type = pages.html(name, base, tool), "text/html; charset=utf-8"
        return _cached(request, text.encode(), media_type, headers={"Vary": "Accept"})

    def _base(self, request: Request) -> str:
        return self.settings.public_url or f"{request.url.scheme}://{request.headers['host']}"


def _find(request: Request) -> None:
    """Refuse a tool or a version that there is not."""
    id = request.path_params["id"]
    catalogue.resolve(id, request.path_params.get("version", catalogue.versions(id)[-1]))


def _contract_url(id: str, version: str) -> str:
    return f"/v1/tools/{id}/versions/{version}"


def _json(value: Any) -> bytes:
    return catalogue.dumps(value).encode()


def _cached(
    request: Request, body: bytes, media_type: str, cache: str = BRIEFLY, headers: Mapping[str, str] | None = None
) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    marks = {"ETag": etag, "Cache-Control": cache, **(headers or {})}
    if matches(request, etag):
        return Response(status_code=304, headers=marks)
    return Response(body, headers=marks, media_type=media_type)


async def _health(_: Request) -> Response:
    return Response(_json({"status": "ok"}), headers={"Cache-Control": "no-store"}, media_type="application/json")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in pages.STATIC:
        raise HTTPException(404)
    return _cached(request, pages.static(name), pages.STATIC[name])


async def _favicon(request: Request) -> Response:
    return _cached(request, pages.static("favicon.svg"), pages.STATIC["favicon.svg"])


async def _to_cli(_: Request) -> Response:
    return RedirectResponse("/clients/cli/", 308)
