"""Refusals as ``application/problem+json`` (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from chrfect import catalogue
from chrfect.errors import ContractError

MEDIA_TYPE = "application/problem+json"


def respond(error: ContractError, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a refused request."""
    return Response(
        encode(error), error.status, {"Cache-Control": "no-store", **(headers or {})}, media_type=MEDIA_TYPE
    )


def encode(error: ContractError) -> bytes:
    """Return the bytes of a problem detail."""
    return catalogue.dumps(catalogue.problem(error)).encode()


async def on_contract_error(_: Request, error: Exception) -> Response:
    """Answer a request that a handler refused."""
    assert isinstance(error, ContractError)
    return respond(error, {"Retry-After": "1"} if error.status == 503 else None)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer a request for which there is no route."""
    assert isinstance(error, HTTPException)
    return respond(
        ContractError(
            "not_found", f"There is nothing at {request.scope['path'][:200]!r}. /docs lists the calls.", None, 404
        )
    )


async def on_exception(_: Request, __: Exception) -> Response:
    """Answer a request that met a fault of ours; the log has the traceback."""
    return respond(ContractError("internal_error", "The server failed; the fault is in the server's log.", None, 500))
