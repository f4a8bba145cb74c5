"""One shape for every refusal: a problem detail (RFC 9457) with a stable code and a pointer."""

from __future__ import annotations

import re
from typing import Any

from chrfect.errors import ContractError

_SURROGATE = re.compile("[\ud800-\udfff]")


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
        "detail": without_surrogates(error.detail),
        "code": error.code,
        "pointer": None if error.pointer is None else without_surrogates(error.pointer),
    }


def without_surrogates(text: str) -> str:
    """Return the text with each lone surrogate as U+FFFD, so that it can be encoded.

    Examples
    --------
    >>> without_surrogates("a\\ud83d")
    'a\\ufffd'
    """
    return _SURROGATE.sub("\ufffd", text)
