"""A client of a chrfect server.

>>> from chrfect.client import Client
>>> client = Client("https://metrics.example.org", timeout=10)
>>> client.base_url
'https://metrics.example.org'
"""

from __future__ import annotations

import io
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import IO, Any, TypedDict, cast
from urllib.parse import quote

from chrfect import catalogue
from chrfect._version import __version__
from chrfect.client.url import parse_base_url
from chrfect.errors import ContractError, UsageError, WorkError

__all__ = ["Client", "ToolEntry"]

MAX_ANSWER_BYTES = 67_108_864
"""The maximum number of bytes read of a response, three times the longest answer of a tool."""

CHUNK_BYTES = 65_536
"""The number of bytes of a response that are read at once."""

REJECTIONS = (400, 404, 405, 413, 415, 422)
"""The statuses for an invalid input or an unknown tool; any other status is a failure."""


class ToolEntry(TypedDict):
    """A tool in the list of a server."""

    id: str
    version: str
    description: str
    contract_url: str


@dataclass(frozen=True, slots=True)
class Client:
    """Calls the tools of a server. It has no state, so threads can share it.

    Parameters
    ----------
    base_url : str
        The base URL of the server, such as ``"http://localhost:8000"``.
    timeout : float
        The maximum time in seconds for each response to arrive, from the beginning of the request.
    retries : int
        How often a request is repeated that the server answers with 503 and Retry-After, which a busy server does.
    max_wait : float
        The maximum Retry-After in seconds that is waited for.

    Raises
    ------
    UsageError
        If an argument is invalid.

    Notes
    -----
    Each method raises ContractError if the server rejects the request, and WorkError if there is no response, or not
    one of a chrfect server. Redirects are not followed. The proxies of the environment (``https_proxy``) are used.
    """

    base_url: str = "http://127.0.0.1:8000"
    timeout: float = 60.0
    retries: int = 3
    max_wait: float = 60.0

    def __post_init__(self) -> None:
        parse_base_url("base_url", self.base_url)
        for name, positive in (("timeout", True), ("retries", False), ("max_wait", False)):
            value = getattr(self, name)
            fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
            if not fits or (positive and value == 0) or (name == "retries" and not isinstance(value, int)):
                expected = "a number above 0" if positive else "a number of at least 0"
                raise UsageError(f"{name} is {value!r}; {expected} was expected.")

    def run(self, id: str, version: str | None, input: Mapping[str, Any]) -> dict[str, Any]:
        """Execute a tool and return its result, as :func:`chrfect.run` does in this process.

        Parameters
        ----------
        id : str
            The id of the tool, such as ``"chrf-compute"``.
        version : str or None
            The version of the tool; None is the newest of the server.
        input : mapping
            The input, as the contract of the tool describes it.
        """
        try:
            body = json.dumps(dict(input), allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"The input cannot be written as JSON: {error}.") from None
        answer = self.execute(id, self.newest(id) if version is None else version, body)
        return cast("dict[str, Any]", json.loads(answer)["result"])

    def execute(self, id: str, version: str, body: bytes) -> bytes:
        """Execute a tool and return the response to an input in JSON, byte for byte: ``{"result": …}``.

        Parameters
        ----------
        id, version : str
            The tool and its version.
        body : bytes
            The input as JSON, which is sent unchanged.
        """
        return self._call(f"/v1/tools/{_quoted(id)}/versions/{_quoted(version)}/execute", _is_result, body)

    def tools(self) -> list[ToolEntry]:
        """Return the tools of the server, each with its newest version."""
        return cast("list[ToolEntry]", json.loads(self._call("/v1/tools", _is_list_of_tools))["tools"])

    def versions(self, id: str) -> list[str]:
        """Return the versions of a tool, the newest last."""
        versions = json.loads(self._call(f"/v1/tools/{_quoted(id)}", _is_list_of_versions))["versions"]
        return [entry["version"] for entry in versions]

    def newest(self, id: str) -> str:
        """Return the newest version of a tool."""
        return self.versions(id)[-1]

    def contract(self, id: str, version: str | None = None) -> dict[str, Any]:
        """Return the contract of a tool, by default that of its newest version."""
        version = self.newest(id) if version is None else version
        body = self._call(f"/v1/tools/{_quoted(id)}/versions/{_quoted(version)}", _is_contract)
        return cast("dict[str, Any]", json.loads(body))

    def _call(self, path: str, fits: Callable[[object], bool], body: bytes | None = None) -> bytes:
        """Return the body of a response that fits."""
        for attempt in range(self.retries + 1):
            response = self._send(self.base_url.rstrip("/") + path, body)
            wait = response.retry_after()
            if wait is None or wait > self.max_wait or attempt == self.retries:
                break
            time.sleep(wait)
        response.check(fits)
        return response.body

    def _send(self, url: str, body: bytes | None) -> _Response:
        headers = {"Accept": "application/json", "User-Agent": f"chrfect/{__version__}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(url, body, headers, method="GET" if body is None else "POST")
        deadline = time.monotonic() + self.timeout
        opener = urllib.request.build_opener(_NoRedirect, _Handler(deadline), _SecureHandler(deadline))
        try:
            try:
                received = opener.open(request, timeout=self.timeout)
            except urllib.error.HTTPError as error:
                received = error
            with received:
                return _Response(url, received.status, received.headers, _body(received))
        except TimeoutError:
            raise WorkError(f"{url} did not answer within {self.timeout:g} seconds.") from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise WorkError(f"{url} did not answer within {self.timeout:g} seconds.") from None
            raise WorkError(f"{url} cannot be reached: {error.reason}. Is the server running?") from None
        except (OSError, HTTPException) as error:
            raise WorkError(f"{url} closed the connection: {error or type(error).__name__}") from None


@dataclass(frozen=True, slots=True)
class _Response:
    url: str
    status: int
    headers: Message
    body: bytes

    def retry_after(self) -> float | None:
        """Return the seconds after which a busy server asks to repeat the request; None if it does not."""
        text = (self.headers.get("Retry-After") or "").strip()
        if self.status != 503 or not text:
            return None
        if text.isascii() and text.isdecimal():
            return float(text[:9])
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
        except (ValueError, OverflowError):
            return None

    def check(self, fits: Callable[[object], bool]) -> None:
        """Raise an error unless the response has status 200 and its value fits."""
        value = self._json()
        if self.status == 200 and fits(value):
            return
        if 300 <= self.status < 400:
            target = self.headers.get("Location", "nowhere")
            text = f"{self.url} redirects ({self.status}) to {target[:200]!r}. Give the final URL as the base URL."
            raise WorkError(text)
        match value:
            case {"detail": str(detail), "code": str(code), "pointer": str() | None as pointer} if self.status >= 400:
                if self.status in REJECTIONS:
                    raise ContractError(code, detail, pointer)
                raise WorkError(f"{self.url} answered {self.status}: {detail}")
        raise self._unexpected()

    def _json(self) -> object:
        try:
            value: object = catalogue.loads(self.body)
        except ContractError:
            return None
        return value

    def _unexpected(self) -> WorkError:
        """Return an error that shows an unexpected response."""
        kinds = [self.headers.get(name, "") for name in ("Content-Type", "Content-Encoding")]
        kind = " ".join(filter(None, kinds))[:100] or "of no declared type"
        start = self.body[:80].decode("utf-8", "replace")
        shown = f"{len(self.body)} bytes ({kind}) that begin with {start!r}" if self.body else f"an empty body ({kind})"
        return WorkError(
            f"{self.url} answered {self.status} with {shown}, which is not a response of chrfect. "
            "Is the base URL that of a chrfect server?"
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Treat redirects as errors, because the request has a body."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Do not follow the redirect."""


class _Deadline(urllib.request.AbstractHTTPHandler):
    """Limits the time to receive a whole response; the timeout of a socket limits each read only.

    Parameters
    ----------
    deadline : float
        The latest time, as `time.monotonic` states it.
    """

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, http_class: Any, req: urllib.request.Request, **http_conn_args: Any) -> HTTPResponse:
        """Send a request and return its response, whose body is not read yet."""

        def connection(*args: Any, **options: Any) -> HTTPConnection:
            made: HTTPConnection = http_class(*args, **options)
            made.response_class = partial(_DeadlineResponse, self._deadline)  # type: ignore[assignment]
            return made

        return super().do_open(connection, req, **http_conn_args)


class _Handler(_Deadline, urllib.request.HTTPHandler):
    pass


class _SecureHandler(_Deadline, urllib.request.HTTPSHandler):
    pass


class _DeadlineResponse(HTTPResponse):
    """A response with a deadline for receiving its headers and its body."""

    def __init__(self, deadline: float, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_DeadlineReader(deadline, sock))


class _DeadlineReader(io.RawIOBase):
    def __init__(self, deadline: float, sock: socket.socket) -> None:
        self._deadline = deadline
        self._socket = sock
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _body(received: HTTPResponse | urllib.error.HTTPError) -> bytes:
    """Return the body, or the beginning of one that is too long."""
    body = bytearray()
    while len(body) <= MAX_ANSWER_BYTES and (chunk := received.read1(CHUNK_BYTES)):
        body += chunk
    return bytes(body)


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")


def _is_result(value: object) -> bool:
    return isinstance(value, dict) and list(value) == ["result"] and isinstance(value["result"], dict)


def _is_list_of_tools(value: object) -> bool:
    return _has_entries(value, "tools", ToolEntry.__annotations__)


def _is_list_of_versions(value: object) -> bool:
    return _has_entries(value, "versions", ["version"])


def _has_entries(value: object, key: str, names: Iterable[str]) -> bool:
    """Return whether the key has a list of at least one object, each with texts under these names."""
    entries = value.get(key) if isinstance(value, dict) else None
    return (
        isinstance(entries, list)
        and entries != []
        and all(isinstance(entry, dict) and isinstance(entry.get(name), str) for entry in entries for name in names)
    )


def _is_contract(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("input_schema"), dict)
