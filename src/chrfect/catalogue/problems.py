"""One shape for every refusal: a problem detail (RFC 9457) with a stable code and a pointer."""

from __future__ import annotations

from typing import Any

from chrfect.errors import ContractError


def problem(error: ContractError) -> dict[str, Any]:
    """Return the problem detail of an error, a lone surrogate written U+FFFD.

    Examples
    --------
    >>> problem(ContractError("unknown_key", "'x' is no key.", "/x"))["title"]
    'Unknown key'
    """
    title = error.code.replace("_", " ").replace("json", "JSON")
    return {
        "type": "about:blank",
        "title": title[0].upper() + title[1:],
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "pointer": error.pointer,
    }
