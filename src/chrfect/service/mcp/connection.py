"""HTTP/1.1 connections: uvicorn's httptools protocol with limits and deadlines."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from chrfect.catalogue.problems import status
from chrfect.errors import ContractError
from chrfect.service import observe, problems
from chrfect.service.traffic import Traffic

MIN_READ_BYTES = 262_144
"""The number of response bytes that a client must read within the response timeout."""

UNREAD_BYTES = 16_384
"""The number of unread response bytes at which the response deadline starts."""

LINGER = 1.0
"""Seconds that a connection stays open after a rejection, so that a client that is still sending can read it."""

PARSED_AT_ONCE = 16_384
"""The number of bytes that are parsed before other connections have their turn, at most a few milliseconds."""

BYTES_PER_BODY_BYTE = 6
"""The maximum length of chunk headers per byte of the body: a one-byte chunk needs five additional bytes."""


class HttpProtocol(HttpToolsProtocol):
    """A connection of the server.

    httptools parses the bytes as they arrive, and uvicorn passes requests to the application. This class adds what they
    lack: limits on headers, trailers, chunk extensions and pipelined requests; deadlines for requests and for reading
    responses; problem details for invalid HTTP; and a shutdown that answers every request that has arrived.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.traffic: Traffic = self.config.traffic  # type: ignore[attr-defined]
        self.limits = self.traffic.settings
        self._parsing_head = True
        self._arriving = False  # whether a request is incomplete
        self._head_bytes = 0  # parsed bytes of the request line and headers
        self._received = 0  # received bytes of the current message
        self._body_bytes = 0  # received bytes of its body
        self._request_deadline: asyncio.TimerHandle | None = None
        self._response_deadline: asyncio.TimerHandle | None = None
        self._close_deadline: asyncio.TimerHandle | None = None
        self._running: RequestResponseCycle | None = None
        self._unparsed = b""  # received bytes that wait for other connections to have their turn
        self._rejection: ContractError | None = None  # to send after the responses to earlier requests
        self._violation: ContractError | None = None  # raised in a callback of the parser
        self._stopping = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the first request, or reject the connection above the limit."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=UNREAD_BYTES)
        self._start_request_deadline()
        if len(self.connections) > self.traffic.max_connections:
            detail = f"{self.traffic.max_connections} connections are open. Try again in a second."
            self._reject(ContractError("busy", detail, None))

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines and notify the running request; uvicorn notifies only the newest request."""
        self._stop_request_deadline()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        self.resume_writing()
        if self._close_deadline is not None:
            self._close_deadline.cancel()
        self.pipeline.clear()
        self._unparsed = b""
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, with turns for other connections in between."""
        if self._unparsed:
            self._unparsed += data
        elif len(data) > PARSED_AT_ONCE:
            self._unparsed = data
            self._parse_next()
        else:
            self._parse(data)
        if self._unparsed:
            self.transport.pause_reading()

    def _parse_next(self) -> None:
        """Parse some of the bytes that wait; read on when none are left, unless the application has paused reading."""
        data, self._unparsed = self._unparsed[:PARSED_AT_ONCE], self._unparsed[PARSED_AT_ONCE:]
        self._parse(data)
        if self.transport.is_closing() or self._rejection is not None:
            self._unparsed = b""
        if self._unparsed:
            self.loop.call_soon(self._parse_next)
        elif not self.transport.is_closing() and not self.flow.read_paused:
            self.transport.resume_reading()

    def _parse(self, data: bytes) -> None:
        """Parse the data; reject it if it is not HTTP or exceeds a limit."""
        self._unset_keepalive_if_required()
        if self._rejection is not None or self.transport.is_closing():
            return
        self._received += len(data)
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._reject(self._violation or ContractError("bad_request", "Invalid HTTP request. Send HTTP/1.1.", None))
            return
        if self._request_deadline is None and (self._arriving or not self._is_running()):
            self._start_request_deadline()
        if not self._arriving:
            return
        allowed = self.limits.max_head_bytes
        if self._parsing_head:
            if self._received > allowed:
                self._reject(self._head_too_large())
        elif self._received - self._body_bytes > 2 * allowed + BYTES_PER_BODY_BYTE * self._body_bytes:
            detail = f"The trailers and chunk headers are longer than {allowed} bytes. Send shorter ones or none."
            self._reject(ContractError("head_too_large", detail, None))

    def _feed(self, data: bytes) -> None:
        """Parse the data as it is; decline an offer of another protocol.

        Some clients offer HTTP/2 in their first request. The parser ends such a request after its headers, and cannot
        be told to go on with its body. So it is given the headers that it has parsed, without the offer.
        """
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
                method = self.parser.get_method()
                if method == b"CONNECT":
                    self._violate("not_implemented", "This server is not a proxy and does not implement CONNECT.")
                kept = [b"%s: %s\r\n" % field for field in self.headers if field[0] != b"upgrade"]
                version = self.parser.get_http_version().encode()
                self.parser.feed_data(b"%s %s HTTP/%s\r\n%s\r\n" % (method, self.url, version, b"".join(kept)))

    def on_message_begin(self) -> None:
        """Record that a request has begun."""
        super().on_message_begin()
        if len(self.pipeline) >= self.limits.max_pipelined:
            detail = f"{len(self.pipeline)} requests on this connection wait. Send no more before they are answered."
            self._violate("busy", detail)
        self._head_bytes = 0
        self._parsing_head = self._arriving = True

    def on_url(self, url: bytes) -> None:
        """Count the bytes of the request target."""
        super().on_url(url)
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, and strip the whitespace around its value (RFC 9110, section 5.5); ignore trailers."""
        if self._parsing_head:
            self._count_head(len(name) + len(value) + 4)
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Check the framing and the request target, and start the request."""
        if self.parser.should_upgrade():
            return
        self._parsing_head = False
        self._check_transfer_encoding()
        if not self.url.startswith((b"/", b"*")):
            self._take_host_from_target()
        super().on_headers_complete()
        if self._stopping:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Count the bytes of the body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the deadline: the request is complete."""
        if self.parser.should_upgrade():
            return
        self._stop_request_deadline()
        self._parsing_head = True
        self._arriving = False
        self._received = self._body_bytes = self._head_bytes = 0
        self.cycle.more_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start the next pipelined request, or send the rejection after the last response."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_close()
        if self._rejection is not None and not self.pipeline and not self._is_running():
            self._send_rejection(self._rejection)

    def shutdown(self) -> None:
        """Finish the requests that have arrived; wait one second for a request that is incomplete."""
        self._stopping = True
        self.traffic.stop()
        if self.cycle is not None:
            self.cycle.keep_alive = False
        self.loop.call_later(min(1.0, self.limits.grace / 2), self._close_if_idle)
        self.loop.call_later(self.limits.grace * 0.9, self._abort)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection."""
        super().timeout_keep_alive_handler()
        self._expect_close()

    def _expect_close(self) -> None:
        """Start the deadline for reading the response before the connection is closed."""
        self._close_deadline = self.loop.call_later(self.limits.response_timeout, self._abort)

    def pause_writing(self) -> None:
        """Start the deadline for reading the response."""
        super().pause_writing()
        self.traffic.unread.add(self)
        self._expect_progress()

    def resume_writing(self) -> None:
        """Stop the deadline: the client has read the response."""
        self.traffic.unread.discard(self)
        if self._response_deadline is not None:
            self._response_deadline.cancel()
            self._response_deadline = None
        super().resume_writing()

    def _expect_progress(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._response_deadline = self.loop.call_later(self.limits.response_timeout, self._check_progress, waiting)

    def _check_progress(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > before - MIN_READ_BYTES:
            observe.connection_event("response_timeout", self.client)
            self._abort()
        else:
            self._expect_progress()

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def _close_if_idle(self) -> None:
        if self.transport.is_closing():
            return
        if self._arriving:
            detail = "The server is stopping, and the request is incomplete. Send it again later."
            self._reject(ContractError("request_timeout", detail, None))
        elif not self._is_running() and not self.pipeline:
            self.transport.close()

    def _is_running(self) -> bool:
        return self._running is not None and not self._running.response_complete

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _count_head(self, length: int) -> None:
        self._head_bytes += length
        if self._head_bytes > self.limits.max_head_bytes:
            self._violation = self._head_too_large()
            raise ValueError

    def _head_too_large(self) -> ContractError:
        detail = f"The request line and headers are longer than {self.limits.max_head_bytes} bytes. Send shorter ones."
        return ContractError("head_too_large", detail, None)

    def _check_transfer_encoding(self) -> None:
        codings = [value for name, value in self.headers if name == b"transfer-encoding"]
        if not codings:
            return
        if self.parser.get_http_version() == "1.0":
            self._violate("bad_request", "HTTP/1.0 has no Transfer-Encoding. Send Content-Length or use HTTP/1.1.")
        if b",".join(codings).lower() != b"chunked":
            self._violate("not_implemented", "The server only implements the transfer coding chunked.")

    def _take_host_from_target(self) -> None:
        """Replace the Host header by the host of an absolute request target (RFC 9112, section 3.2.2)."""
        target = re.fullmatch(rb"https?://([^/?#]*)([/?].*)?", self.url, re.IGNORECASE | re.DOTALL)
        if target is None:
            self._violate("bad_request", "The request target must be a path or an http URL.")
            return
        path = target[2] or b"/"
        self.url = path if path.startswith(b"/") else b"/" + path
        self.headers[:] = [(name, target[1] if name == b"host" else value) for name, value in self.headers]

    def _violate(self, code: str, detail: str) -> None:
        """Stop the parser from a callback."""
        self._violation = ContractError(code, detail, None)
        raise httptools.HttpParserError(code)

    def _start_request_deadline(self) -> None:
        self._stop_request_deadline()
        self._request_deadline = self.loop.call_later(self.limits.request_timeout, self._on_request_timeout)

    def _stop_request_deadline(self) -> None:
        if self._request_deadline is not None:
            self._request_deadline.cancel()
            self._request_deadline = None

    def _on_request_timeout(self) -> None:
        seconds = self.limits.request_timeout
        detail = f"The request did not arrive within {seconds:g} seconds. Send it without pauses."
        self._reject(ContractError("request_timeout", detail, None))

    def _reject(self, error: ContractError) -> None:
        """Reject the incomplete request after the responses to earlier requests."""
        if self._rejection is not None or self.transport.is_closing():
            return
        self._rejection = error
        self._stop_request_deadline()
        incomplete = self.cycle if self.cycle is not None and self.cycle.more_body else None
        if incomplete is not None and self.pipeline and self.pipeline[0][0] is incomplete:
            self.pipeline.popleft()
        elif incomplete is not None and incomplete is self._running and not incomplete.response_complete:
            started = incomplete.response_started
            incomplete.disconnected = True
            incomplete.message_event.set()
            self._running = None
            if started:
                self.transport.close()
                return
        if not self._is_running() and not self.pipeline:
            self._send_rejection(error)

    def _send_rejection(self, error: ContractError) -> None:
        if self.transport.is_closing():
            return
        body = problems.encode(error)
        code = status(error.code)
        retry = "retry-after: 1\r\n" if code == 503 else ""
        head = (
            f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\ncontent-type: {problems.MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\n{retry}connection: close\r\n\r\n"
        )
        observe.connection_event(error.code, self.client, code)
        self.transport.write(head.encode() + body)
        if self._stopping or len(self.connections) > self.traffic.max_connections:
            self.transport.close()
        else:  # otherwise the connection of a client that is still sending is reset before it reads the rejection
            self.transport.write_eof()
            self.loop.call_later(LINGER, self.transport.close)
