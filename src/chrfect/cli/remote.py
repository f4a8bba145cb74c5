"""Executing a tool on a server."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import quote

from chrfect._version import __version__
from chrfect.cli.url import start_of_urls
from chrfect.errors import ContractError, WorkError

TIMEOUT = 60.0
"""Seconds to wait for a server."""

REFUSALS = (400, 404, 405, 413, 415, 422)
"""The statuses that say that the input or the tool's name is wrong; every other one is a failure."""


def execute(base_url: str, id: str, version: str, body: bytes) -> bytes:
    """Return a server's answer to an input, byte for byte.

    Parameters
    ----------
    base_url : str
        The start of the server's URLs, such as ``"http://localhost:8000"``.
    id, version : str
        The tool and its version.
    body : bytes
        The input as JSON; it is sent as it is.

    Raises
    ------
    ContractError
        If the server refuses the input.
    UsageError
        If the start of the URLs is none.
    WorkError
        If there is no answer, or none of a server of this kind.
    """
    start_of_urls("--base-url", base_url)
    tool, version = (quote(name, safe="", errors="replace") for name in (id, version))
    url = f"{base_url.rstrip('/')}/v1/tools/{tool}/versions/{version}/execute"
    headers = {"Content-Type": "application/json", "User-Agent": f"chrfect/{__version__}"}
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            answer: bytes = response.read()
            return answer
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(url, error.code, error.read()) from None
    except urllib.error.URLError as error:
        raise WorkError(f"{url} cannot be reached: {error.reason}. Is the server running?") from None
    except (OSError, HTTPException) as error:
        raise WorkError(f"{url} broke off: {error or type(error).__name__}") from None


def _refusal(url: str, status: int, body: bytes) -> Exception:
    try:
        problem = json.loads(body)
        detail, code, pointer = problem["detail"], problem["code"], problem["pointer"]
    except (ValueError, KeyError, TypeError):
        return WorkError(f"{url} answered {status} and no problem detail. Is --base-url the URL of a chrfect server?")
    if status in REFUSALS:
        return ContractError(code, detail, pointer)
    return WorkError(f"{url} answered {status}: {detail}")
