"""The state that the connections of a server process share: memory in use and limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from chrfect.errors import ContractError
from chrfect.service.settings import Settings

SMALL_BODY_BYTES = 16_384
"""The number of bytes of each body that do not count against the limit."""


class Traffic:
    """The state that the connections and the application of one process share.

    Parameters
    ----------
    settings : Settings
        The limits.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.max_connections = min(settings.max_connections, _raise_descriptor_limit() - RESERVED_DESCRIPTORS)
        self.unread: set[Any] = set()  # connections with unread response bytes
        self.held = 0  # bytes of answers that are not yet written to a connection
        self.stopping = False
        self.on_stop: Callable[[], None] | None = None
        self._bodies = 0
        self._body_of: Counter[str] = Counter()

    def stop(self) -> None:
        """Record that the server is stopping; every connection calls this."""
        if not self.stopping:
            self.stopping = True
            if self.on_stop is not None:
                self.on_stop()

    def unread_bytes(self) -> int:
        """Return the number of response bytes that clients have not read."""
        return self.held + sum(int(connection.transport.get_write_buffer_size()) for connection in self.unread)

    def check(self, small: bool = False) -> None:
        """Raise ContractError ``busy`` if clients have not read too many bytes of their answers.

        The limit is doubled for small requests, so that unread large answers do not block them.
        """
        most = self.settings.max_unread_bytes * (2 if small else 1)
        if (self.unread or self.held) and self.unread_bytes() > most:
            raise _unread()

    def check_answer(self, length: int) -> None:
        """Raise ContractError ``busy`` if an answer does not fit into the limit beside what clients have not read.

        It is called when the answer is computed: others may have been computed since the request was accepted. An
        answer longer than the limit is sent while less than a quarter of it is unread.
        """
        most, unread = self.settings.max_unread_bytes, self.unread_bytes()
        if unread > most // 4 and unread + length > most:
            raise _unread()

    def take_body(self, client: str, length: int) -> None:
        """Count bytes of a large body; raise ContractError ``busy`` above the limit of all bodies or of one client."""
        most = self.settings.max_bodies_bytes
        if self._bodies + length > most or self._body_of[client] + length > most // 2:
            raise ContractError("busy", "Too many large requests are arriving. Try again in a second.", None)
        self._bodies += length
        self._body_of[client] += length

    def release_body(self, client: str, length: int) -> None:
        """Subtract the bytes of a body."""
        self._bodies -= length
        self._body_of[client] -= length
        if not self._body_of[client]:
            del self._body_of[client]


def _unread() -> ContractError:
    detail = "Clients have not read too many bytes of their answers. Try again in a second."
    return ContractError("busy", detail, None)


RESERVED_DESCRIPTORS = 48
"""File descriptors reserved for processes, files and listening sockets."""


def _raise_descriptor_limit() -> int:
    """Raise the soft limit of open file descriptors to the hard limit, at most 65,536, and return it."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 65_536
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)
