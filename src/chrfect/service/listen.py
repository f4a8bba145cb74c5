"""Listening on a socket: uvicorn, with a deadline for slow clients and problem details where uvicorn has plain text."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Callable
from http import HTTPStatus

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chrfect.errors import ContractError, WorkError
from chrfect.service import problems
from chrfect.service.drain import Linger
from chrfect.service.http import application
from chrfect.service.settings import Settings

MAX_HEAD_BYTES = 65_536
"""How long the request line and the headers may be together."""

_UPGRADE = re.compile(rb"(?i)(?<=\n)upgrade(?=:)")


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; WorkError if the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise WorkError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. --host and --port choose others."
        ) from None


def serve(listener: socket.socket, settings: Settings, announce: Callable[[], None]) -> None:
    """Answer requests until the process is told to stop.

    Parameters
    ----------
    listener : socket.socket
        What :func:`bind` returned.
    settings : Settings
        How the server presents and protects itself.
    announce : callable
        Called as soon as requests are answered.
    """
    protocol = type("Protocol", (PatientProtocol,), {"patience": settings.patience})
    config = uvicorn.Config(
        Linger(application(settings)),
        http=protocol,
        ws="none",
        log_config=None,
        log_level="error",
        access_log=settings.log,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    if settings.log:
        _log_requests()
    _Server(config, announce).run([listener])


def _log_requests() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("uvicorn.access")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which gives each request a time to arrive and its head a length.

    What breaks the limits, or is no HTTP, is answered with a problem detail, and the connection is closed.
    """

    patience = 30.0
    _deadline: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _head_open = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the first request its time."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head that has not ended, and pass over an offer of another protocol in it.

        Some clients offer HTTP/2 with every first request; the parser would drop the body that comes with it.
        """
        if self._head_open:
            head, end, rest = data.partition(b"\r\n\r\n")
            self._head_bytes += len(head)
            if self._head_bytes > MAX_HEAD_BYTES:
                detail = f"The request line and headers are longer than {MAX_HEAD_BYTES} bytes. Send shorter ones."
                self._refuse(ContractError("head_too_large", detail, None, 431))
                return
            data = _UPGRADE.sub(b"x-upgrade", head) + end + rest
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Give the next request its time."""
        super().on_message_begin()
        self._start_clock()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take the spaces around a value away, which are no part of it (RFC 9110, section 5.5)."""
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Stop counting the head."""
        self._head_open = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock: all of the request is here, and a new head may come."""
        self._stop_clock()
        self._head_open, self._head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Say that the bytes are no HTTP."""
        self._refuse(ContractError("bad_request", f"{msg} Send HTTP/1.1.", None, 400))

    def shutdown(self) -> None:
        """Wait for answers, not for requests that have not arrived."""
        if self._deadline is None:
            super().shutdown()
        else:
            detail = "The server stops, and the request has not arrived. Send it again later."
            self._refuse(ContractError("request_timeout", detail, None, 408))

    def _start_clock(self) -> None:
        self._stop_clock()
        self._deadline = self.loop.call_later(self.patience, self._out_of_patience)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _out_of_patience(self) -> None:
        detail = f"The request did not arrive within {self.patience:g} seconds. Send it without pauses."
        self._refuse(ContractError("request_timeout", detail, None, 408))

    def _refuse(self, error: ContractError) -> None:
        """Answer instead of the application, unless it has begun to, and close."""
        if self.transport.is_closing():
            return
        under_way = self.cycle is not None and not self.cycle.response_complete
        if under_way:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not (under_way and self.cycle.response_started):
            body = problems.encode(error)
            head = (
                f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
                f"content-type: {problems.MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()
