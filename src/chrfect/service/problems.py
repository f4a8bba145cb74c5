"""Rejections as ``application/problem+json`` responses (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping

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


def internal_error() -> ContractError:
    """Return the error that a client receives after an internal error."""
    return ContractError("internal_error", "Internal server error. Its traceback is in the server's log.", None)
