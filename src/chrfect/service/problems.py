"""Rejections as ``application/problem+json`` responses (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from chrfect import catalogue
from chrfect.catalogue.problems import status
from chrfect.errors import ContractError
from chrfect.service import observe

MEDIA_TYPE = "application/problem+json"


def respond(error: ContractError, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response to a rejected request, with Retry-After for status 503; record its code for the log."""
    observe.note(code=error.code)
    code = status(error.code)
    added = {"Cache-Control": "no-store", **({"Retry-After": "1"} if code == 503 else {}), **(headers or {})}
    return Response(encode(error), code, added, media_type=MEDIA_TYPE)


def encode(error: ContractError) -> bytes:
    """Return a problem detail as JSON."""
    return catalogue.dumps(catalogue.problem(error)).encode()


async def on_contract_error(_: Request, error: Exception) -> Response:
    """Answer a request that a handler rejected with a ContractError."""
    assert isinstance(error, ContractError)
    error.__traceback__ = error.__context__ = None  # its frames refer to the body, which would stay in memory
    return respond(error)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer a request without a matching route."""
    assert isinstance(error, HTTPException)
    detail = f"There is no resource at {request.scope['path'][:200]!r}. See /docs for the API."
    return respond(ContractError("not_found", detail, None))


async def on_exception(_: Request, __: Exception) -> Response:
    """Answer a request after an internal error; its traceback is in the log."""
    return respond(internal_error())


def internal_error() -> ContractError:
    """Return the error that a client receives after an internal error."""
    return ContractError("internal_error", "Internal server error. Its traceback is in the server's log.", None)
