"""What a server is told when it starts."""

from __future__ import annotations

import os
from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""The host names that a server answers to without being told."""

MAX_BODY_BYTES = 1_048_576
"""How long a request's body may be: 1 MiB."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server presents and protects itself.

    Parameters
    ----------
    allowed_hosts : tuple of str
        Names that the Host header may have, each with a port or for any port.
    allowed_origins : tuple of str
        Origins other than the server's own whose pages may call it, such as ``"https://example.org"``.
    public_url : str or None
        The start of absolute URLs in pages; None takes the scheme and Host of the request.
    patience : float
        Seconds that a client may take to send its request.
    threads : int
        How many requests are computed at a time.
    queue : int
        How many requests may wait for a thread before the next one is refused with 503.
    log : bool
        Whether each request is written to standard error.
    """

    allowed_hosts: tuple[str, ...] = LOOPBACK
    allowed_origins: tuple[str, ...] = ()
    public_url: str | None = None
    patience: float = 30.0
    threads: int = min(4, os.cpu_count() or 1)
    queue: int = 256
    log: bool = False
