"""The state that the connections of a server process share: memory in use and limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from chrfect.errors import ContractError
from chrfect.service.settings import Settings

SMALL_BODY_BYTES = 16_384
"""The number of bytes of each body that do not count against the limit."""


class Held:
    """Bytes in memory, in total and for each client."""

    def __init__(self) -> None:
        self.total = 0
        self._of: Counter[str] = Counter()

    def of(self, client: str) -> int:
        """Return the bytes of a client."""
        return self._of[client]

    def add(self, client: str, length: int) -> None:
        """Add bytes of a client, or subtract them if the length is negative."""
        self.total += length
        self._of[client] += length
        if not self._of[client]:
            del self._of[client]


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
        self.answers = Held()  # that are not yet written to a connection
        self.bodies = Held()  # of unfinished requests
        self.stopping = False
        self.on_stop: Callable[[], None] | None = None

    def stop(self) -> None:
        """Record that the server is stopping; every connection calls this."""
        if not self.stopping:
            self.stopping = True
            if self.on_stop is not None:
                self.on_stop()

    def unread_bytes(self) -> int:
        """Return the number of response bytes that clients have not read."""
        return self.answers.total + sum(map(_buffered, self.unread))

    def check(self, client: str, small: bool = False) -> None:
        """Raise ContractError ``busy`` if all clients, or this one, have not read too many bytes of their answers.

        One client may use half of the limit. The limit is doubled for small requests, so that unread large answers do
        not block them.
        """
        if (self.unread or self.answers.total) and any(
            unread > most * (2 if small else 1) for unread, most in self._unread_and_limits(client)
        ):
            raise _unread()

    def check_answer(self, client: str, length: int) -> None:
        """Raise ContractError ``busy`` if an answer does not fit into the limits beside what clients have not read.

        It is called when the answer is computed: others may have been computed since the request was accepted. An
        answer longer than a limit is sent while less than a quarter of it is unread.
        """
        for unread, most in self._unread_and_limits(client):
            if unread > most // 4 and unread + length > most:
                raise _unread()

    def _unread_and_limits(self, client: str) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the unread bytes of all clients and of one, each with its limit."""
        most = self.settings.max_unread_bytes
        own = [connection for connection in self.unread if connection.client and connection.client[0] == client]
        return (self.unread_bytes(), most), (self.answers.of(client) + sum(map(_buffered, own)), most // 2)

    def take_body(self, client: str, length: int) -> None:
        """Count bytes of a large body; raise ContractError ``busy`` above the limit of all bodies or of one client."""
        most = self.settings.max_bodies_bytes
        if self.bodies.total + length > most or self.bodies.of(client) + length > most // 2:
            raise ContractError("busy", "Too many large requests are arriving. Try again in a second.", None)
        self.bodies.add(client, length)


def _buffered(connection: Any) -> int:
    """Return the bytes that are written to a connection and not yet sent."""
    return int(connection.transport.get_write_buffer_size())


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
