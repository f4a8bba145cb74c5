"""Answers to requests that fail: a problem document for programs, a page for browsers."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from chrfect import catalogue
from chrfect.errors import ContractError
from chrfect.service import pages, problems
from chrfect.service.requests import is_browser


async def on_contract_error(request: Request, error: Exception) -> Response:
    """Answer a request that was rejected with a ContractError."""
    assert isinstance(error, ContractError)
    error.__traceback__ = error.__context__ = None  # its frames refer to the body, which would stay in memory
    return _respond(request, error)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer a request without a matching route."""
    assert isinstance(error, HTTPException)
    detail = f"There is no resource at {request.scope['path'][:200]!r}. See /docs for the API."
    return _respond(request, ContractError("not_found", detail, None))


async def on_exception(_: Request, __: Exception) -> Response:
    """Answer a request after an internal error; its traceback is in the log."""
    return problems.respond(problems.internal_error())


def _respond(request: Request, error: ContractError) -> Response:
    """Return a page if a person has opened an address outside the API in a browser, or has sent the form."""
    path = request.scope["path"]
    if path.startswith("/v1/") or not (request.method in ("GET", "HEAD") or path == "/try"):
        return problems.respond(error)
    response = problems.respond(error, {"Vary": "Accept"})
    if not is_browser(request):
        return response
    page = pages.render("problem.html", {**catalogue.problem(error), "alternate": None})
    headers = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
    return Response(page, response.status_code, headers, media_type="text/html")
