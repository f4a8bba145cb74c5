"""Execution of a tool on a server."""

from __future__ import annotations

import urllib.error
import urllib.request
from email.message import Message
from http.client import HTTPException
from typing import IO
from urllib.parse import quote

from chrfect import catalogue
from chrfect._version import __version__
from chrfect.cli.url import parse_base_url
from chrfect.errors import ContractError, WorkError

TIMEOUT = 60.0
"""Timeout for the server in seconds."""

MAX_ANSWER_BYTES = 67_108_864
"""The maximum number of bytes read of a response, three times the longest answer of a tool."""

REJECTIONS = (400, 404, 405, 413, 415, 422)
"""The statuses for an invalid input or an unknown tool; any other status is a failure."""


def execute(base_url: str, id: str, version: str, body: bytes) -> bytes:
    """Return the response of a server to an input, byte for byte.

    Parameters
    ----------
    base_url : str
        The base URL of the server, such as ``"http://localhost:8000"``.
    id, version : str
        The tool and its version.
    body : bytes
        The input as JSON, which is sent unchanged.

    Raises
    ------
    ContractError
        If the server rejects the input.
    UsageError
        If ``base_url`` is not a URL.
    WorkError
        If there is no response, or not one of a chrfect server; redirects are not followed.
    """
    parse_base_url("--base-url", base_url)
    tool, version = (quote(name, safe="", errors="replace") for name in (id, version))
    url = f"{base_url.rstrip('/')}/v1/tools/{tool}/versions/{version}/execute"
    headers = {"Content-Type": "application/json", "User-Agent": f"chrfect/{__version__}"}
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=TIMEOUT) as response:
            return _checked(url, response.status, response.headers, response.read(MAX_ANSWER_BYTES + 1))
    except urllib.error.HTTPError as error:
        with error:
            raise _failure(url, error.code, error.headers, error.read(MAX_ANSWER_BYTES + 1)) from None
    except urllib.error.URLError as error:
        raise WorkError(f"{url} cannot be reached: {error.reason}. Is the server running?") from None
    except (OSError, HTTPException) as error:
        raise WorkError(f"{url} closed the connection: {error or type(error).__name__}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Treat redirects as errors, because the request has a body."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Do not follow the redirect."""


def _checked(url: str, status: int, headers: Message, body: bytes) -> bytes:
    """Return the body if it is the result of a tool."""
    value = _json(body)
    if status == 200 and isinstance(value, dict) and list(value) == ["result"] and isinstance(value["result"], dict):
        return body
    raise _unexpected(url, status, headers, body)


def _failure(url: str, status: int, headers: Message, body: bytes) -> Exception:
    if 300 <= status < 400:
        target = headers.get("Location", "nowhere")
        return WorkError(f"{url} redirects ({status}) to {target[:200]!r}. Give the final URL as --base-url.")
    problem = _json(body)
    match problem:
        case {"detail": str(detail), "code": str(code), "pointer": str() | None as pointer}:
            if status in REJECTIONS:
                return ContractError(code, detail, pointer)
            return WorkError(f"{url} answered {status}: {detail}")
    return _unexpected(url, status, headers, body)


def _json(body: bytes) -> object:
    try:
        value: object = catalogue.loads(body)
    except ContractError:
        return None
    return value


def _unexpected(url: str, status: int, headers: Message, body: bytes) -> WorkError:
    """Return an error that shows an unexpected response."""
    kinds = [headers.get(name, "") for name in ("Content-Type", "Content-Encoding")]
    kind = " ".join(filter(None, kinds))[:100] or "of no declared type"
    start = body[:80].decode("utf-8", "replace")
    shown = f"{len(body)} bytes ({kind}) that begin with {start!r}" if body else f"an empty body ({kind})"
    return WorkError(
        f"{url} answered {status} with {shown}, which is not a response of chrfect. "
        "Is --base-url the URL of a chrfect server?"
    )
