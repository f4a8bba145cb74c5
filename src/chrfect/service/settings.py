"""Settings of a server: how it presents itself, whom it answers, and every limit."""

from __future__ import annotations

import os
from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The host names that a server always answers to."""

MAX_BODY_BYTES = 1_048_576
"""Default length limit of a request body: 1 MiB."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a server.

    Parameters
    ----------
    allowed_hosts : tuple of str
        Names that the Host header may have, each with a port or for any port.
    allowed_origins : tuple of str
        Origins other than the server's own whose pages may call it, such as ``"https://example.org"``.
    public_url : str or None
        The start of absolute URLs in pages; None takes the scheme and Host of the request.
    trusted_proxies : tuple of str
        Addresses whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` headers are believed.
    workers : int
        How many server processes share the socket.
    max_head_bytes : int
        Longest request line and headers together. Trailers and chunk headers have the same limit, plus 6 bytes for
        every byte of the body.
    max_body_bytes : int
        Longest request body.
    max_bodies_bytes : int
        How much of unfinished request bodies the server keeps in memory; one client may hold half of it.
    max_unread_bytes : int
        How many bytes of answers may wait to be read by clients before new requests are rejected.
    max_connections : int
        How many connections may be open; one more is rejected.
    request_timeout : float
        Seconds that a request may take to arrive.
    response_timeout : float
        Seconds within which a client must read 256 KiB of its answer, or the rest.
    compute_timeout : float
        Seconds that the computation of one answer may take.
    keep_alive : float
        Seconds that a connection without a request stays open.
    grace : float
        Seconds that a server that stops gives the requests it has begun.
    processes : int
        How many processes compute large requests. Small ones are computed where they arrive.
    queue : int
        How many large requests may wait for such a process; one client may hold half of the places.
    max_wait : float
        Longest time that a large request is expected to wait; when the queue needs longer, requests are rejected.
    log : bool
        Whether each request is logged to standard error.
    """

    allowed_hosts: tuple[str, ...] = LOOPBACK
    allowed_origins: tuple[str, ...] = ()
    public_url: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    workers: int = 1
    max_head_bytes: int = 65_536
    max_body_bytes: int = MAX_BODY_BYTES
    max_bodies_bytes: int = 33_554_432
    max_unread_bytes: int = 33_554_432
    max_connections: int = 4_096
    request_timeout: float = 30.0
    response_timeout: float = 30.0
    compute_timeout: float = 10.0
    keep_alive: float = 5.0
    grace: float = 5.0
    processes: int = min(4, os.cpu_count() or 1)
    queue: int = 256
    max_wait: float = 10.0
    log: bool = False
