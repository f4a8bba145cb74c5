"""Problem details (RFC 9457): the format of every error, with a stable code, an HTTP status and a pointer."""

from __future__ import annotations

from typing import Any

from chrfect.errors import ContractError

STATUS = {
    "bad_request": 400,
    "invalid_json": 400,
    "wrong_origin": 403,
    "not_found": 404,
    "unknown_tool": 404,
    "unknown_version": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "wrong_host": 421,
    "head_too_large": 431,
    "internal_error": 500,
    "not_implemented": 501,
    "busy": 503,
    "stopping": 503,
    "compute_timeout": 503,
}
"""The HTTP status of each code; all other codes are violations of a contract and have the status 422."""


def status(code: str) -> int:
    """Return the HTTP status of a code.

    Examples
    --------
    >>> status("unknown_tool"), status("not_a_string")
    (404, 422)
    """
    return STATUS.get(code, 422)


def problem(error: ContractError) -> dict[str, Any]:
    """Return the problem detail of an error, with lone surrogates replaced by U+FFFD.

    Examples
    --------
    >>> problem(ContractError("unknown_key", "'x' is no key.", "/x"))["title"]
    'Unknown key'
    """
    title = error.code.replace("_", " ").replace("json", "JSON")
    return {
        "type": "about:blank",
        "title": title[0].upper() + title[1:],
        "status": status(error.code),
        "detail": error.detail,
        "code": error.code,
        "pointer": error.pointer,
    }
