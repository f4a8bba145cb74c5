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
    """Return the response to a rejected request, and note its code for the log; a 503 says when to try again."""
    observe.note(code=error.code)
    code = status(error.code)
    added = {"Cache-Control": "no-store", **({"Retry-After": "1"} if code == 503 else {}), **(headers or {})}
    return Response(encode(error), code, added, media_type=MEDIA_TYPE)


def encode(error: ContractError) -> bytes:
    """Return the bytes of a problem detail."""
    return catalogue.dumps(catalogue.problem(error)).encode()


async def on_contract_error(_: Request, error: Exception) -> Response:
    """Answer a request that a handler rejected."""
    assert isinstance(error, ContractError)
    error.__traceback__ = error.__context__ = None  # its frames hold the body, while the response may take its time
    return respond(error)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer a request for which there is no route."""
    assert isinstance(error, HTTPException)
    detail = f"There is nothing at {request.scope['path'][:200]!r}. /docs lists the calls."
    return respond(ContractError("not_found", detail, None))


async def on_exception(_: Request, __: Exception) -> Response:
    """Answer a request that failed because of a fault in the server; the log has the traceback."""
    return respond(internal_error())


def internal_error() -> ContractError:
    """Return what a client is told of a fault in the server."""
    return ContractError("internal_error", "The server failed; the fault is in the server's log.", None)
