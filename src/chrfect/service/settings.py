"""The settings of a server: addresses, allowed hosts and origins, and limits."""

from __future__ import annotations

import os
from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The host names that a server always accepts."""

MAX_BODY_BYTES = 1_048_576
"""The default maximum length of a request body: 1 MiB."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a server.

    Parameters
    ----------
    allowed_hosts : tuple of str
        Accepted names in the Host header, each with a port or for any port.
    allowed_origins : tuple of str
        Other origins whose pages may call the server, such as ``"https://example.org"``.
    public_url : str or None
        The beginning of absolute URLs in pages; None uses the scheme and Host of each request.
    trusted_proxies : tuple of str
        Addresses of proxies whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` headers are trusted.
    workers : int
        The number of server processes.
    max_head_bytes : int
        Maximum length of the request line and headers. Trailers and chunk headers have the same limit, plus 6 bytes for
        each byte of the body.
    max_body_bytes : int
        Maximum length of a request body.
    max_bodies_bytes : int
        Maximum length of all unfinished request bodies in memory; one client may use half of it.
    max_message_bytes : int
        Maximum length of an MCP message over HTTP that calls neither ``execute`` nor ``search``.
    max_batch : int
        Maximum number of messages in an MCP batch.
    max_unread_bytes : int
        Maximum length of all answers that clients have not read; one client may use half of it. Above it, new requests
        are rejected.
    max_connections : int
        Maximum number of open connections.
    max_pipelined : int
        Maximum number of requests on a connection that wait for the response to an earlier one.
    request_timeout : float
        Seconds in which a request must arrive.
    response_timeout : float
        Seconds in which a client must read 256 KiB of its answer, or the rest of it.
    compute_timeout : float
        Maximum seconds for the computation of one answer.
    keep_alive : float
        Seconds after which an idle connection is closed.
    grace : float
        Seconds that a stopping server gives the requests it has begun.
    processes : int
        The number of processes that compute large requests. The server process computes small requests itself.
    queue : int
        Maximum number of large requests in the queue; one client may use half of it.
    max_wait : float
        Maximum expected seconds in the queue; above it, requests are rejected.
    log : bool
        Whether to log each request to standard error.
    """

    allowed_hosts: tuple[str, ...] = LOOPBACK
    allowed_origins: tuple[str, ...] = ()
    public_url: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    workers: int = 1
    max_head_bytes: int = 65_536
    max_body_bytes: int = MAX_BODY_BYTES
    max_bodies_bytes: int = 33_554_432
    max_message_bytes: int = 65_536
    max_batch: int = 32
    max_unread_bytes: int = 33_554_432
    max_connections: int = 4_096
    max_pipelined: int = 64
    request_timeout: float = 30.0
    response_timeout: float = 30.0
    compute_timeout: float = 10.0
    keep_alive: float = 5.0
    grace: float = 5.0
    processes: int = min(4, os.cpu_count() or 1)
    queue: int = 256
    max_wait: float = 10.0
    log: bool = False
