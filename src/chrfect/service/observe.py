"""Structured logs and Prometheus metrics. Neither contains the texts of clients."""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import threading
import time
import traceback
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

MAX_SHOWN = 200
"""The maximum number of characters of a path in the log."""

MAX_WAITING_LINES = 10_000
"""The maximum number of lines in the log queue; when it is full, lines are dropped and counted."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUESTS = Counter("chrfect_requests", "Requests by tool (or kind of address) and code.", ["tool", "code"])
DURATION = Histogram(
    "chrfect_request_seconds", "Seconds from the headers to the end of the response.", ["tool"], buckets=SECONDS
)
REJECTIONS = Counter(
    "chrfect_rejected_connections", "Connections closed before the application received a request.", ["code"]
)
QUEUE = Gauge("chrfect_queue_length", "Large requests in the queue.", multiprocess_mode="livesum")
UNREAD = Gauge("chrfect_unread_bytes", "Bytes of answers that clients have not read.", multiprocess_mode="livesum")
MEMORY = Gauge("chrfect_resident_memory_bytes", "Memory of the server processes.", multiprocess_mode="livesum")
DROPPED = Counter("chrfect_dropped_log_lines", "Log lines dropped because the log queue was full.")


@dataclass(slots=True)
class Record:
    """The log record of a request."""

    id: str
    tool: str = "other"
    code: str = "ok"


_CURRENT: ContextVar[Record | None] = ContextVar("request", default=None)
_PREFIX = os.urandom(6).hex()
_last = 0


def begin() -> Record:
    """Start the record of the current request."""
    record = Record(next_id())
    _CURRENT.set(record)
    return record


def next_id() -> str:
    """Return a unique request id."""
    global _last
    _last += 1
    return f"{_PREFIX}-{os.getpid():x}-{_last:x}"


def note(tool: str | None = None, code: str | None = None) -> None:
    """Add to the record of the current request, if there is one."""
    record = _CURRENT.get()
    if record is not None:
        if tool is not None:
            record.tool = tool
        if code is not None:
            record.code = code


_COUNTERS: dict[tuple[str, str], tuple[Counter, Histogram]] = {}


def count(tool: str, code: str, seconds: float) -> None:
    """Count a request."""
    found = _COUNTERS.get((tool, code))
    if found is None:
        found = _COUNTERS[tool, code] = REQUESTS.labels(tool, code), DURATION.labels(tool)
    found[0].inc()
    found[1].observe(seconds)


def connection_event(code: str, client: tuple[str, int] | None, status: int | None = None) -> None:
    """Count and log a connection that was rejected or aborted before the application answered."""
    REJECTIONS.labels(code).inc()
    _REQUEST_LOG.info("rejected", extra={"fields": {"client": client and client[0], "status": status, "code": code}})


_REQUEST_LOG = logging.getLogger("chrfect.service.requests")
_REQUEST_LOG.disabled = True


def request_is_logged() -> bool:
    """Return whether requests are logged."""
    return not _REQUEST_LOG.disabled


def log_request(
    record: Record, scope: Mapping[str, Any], status: int, received: int, sent: int, seconds: float
) -> None:
    """Log a request; the method and the path come from the client, so they are shortened and escaped."""
    fields = {
        "id": record.id,
        "client": scope["client"][0] if scope.get("client") else None,
        "method": scope["method"][:20],
        "path": scope["path"][:MAX_SHOWN],
        "status": status,
        "tool": record.tool,
        "code": record.code,
        "bytes_in": received,
        "bytes_out": sent,
        "ms": round(seconds * 1000, 3),
    }
    _REQUEST_LOG.info("request", extra={"fields": fields})


def log_failure(record: Record, error: Exception) -> None:
    """Log an internal error with its type and location."""
    record.code = "internal_error"
    logging.getLogger("chrfect.service").error("internal_error", exc_info=error, extra={"fields": {"id": record.id}})


class LineWriter(logging.Handler):
    """Write records as JSON lines to a file descriptor in a thread, so that a full pipe never blocks the server.

    Parameters
    ----------
    descriptor : int
        The file descriptor, 2 for standard error.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._lines: queue.Queue[bytes] = queue.Queue(MAX_WAITING_LINES)
        self._idle = threading.Event()
        self._idle.set()
        threading.Thread(target=self._write, daemon=True, name="log").start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record, or drop it if the queue is full."""
        self._idle.clear()
        try:
            self._lines.put_nowait(_line(record))
        except queue.Full:
            DROPPED.inc()

    def flush(self) -> None:
        """Wait until all lines are written, at most half a second."""
        self._idle.wait(0.5)

    def _write(self) -> None:
        while True:
            line = self._lines.get()
            while line:
                try:
                    line = line[os.write(self._descriptor, line) :]
                except BlockingIOError:
                    time.sleep(0.05)
                except OSError:
                    break
            if self._lines.empty():
                self._idle.set()


def _line(record: logging.LogRecord) -> bytes:
    shown = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "event": record.getMessage().strip() if record.name.startswith("chrfect") else record.name,
        **getattr(record, "fields", {}),
    }
    if not record.name.startswith("chrfect"):
        shown["message"] = record.getMessage().strip()[:MAX_SHOWN]
    if record.exc_info and record.exc_info[1] is not None:
        shown |= _without_values(record.exc_info[1])
    return json.dumps(shown).encode() + b"\n"


def _without_values(error: BaseException) -> dict[str, object]:
    """Return the type of an exception and where it was raised; its message may contain a client's text."""
    frames = traceback.extract_tb(error.__traceback__)[-12:]
    return {
        "error": type(error).__name__,
        "at": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames],
    }


def log_to(descriptor: int, requests: bool) -> LineWriter:
    """Send the log records of this process to a file descriptor; include requests if ``requests`` is true."""
    writer = LineWriter(descriptor)
    root = logging.getLogger()
    root.handlers[:] = [writer]
    root.setLevel(logging.ERROR)
    _REQUEST_LOG.setLevel(logging.INFO)
    _REQUEST_LOG.disabled = not requests
    return writer


DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the directory in which prometheus_client shares metrics between processes."""

RESERVED_BYTES = 65_536
"""The initial length of a metrics file of prometheus_client; each process has three files."""


def has_space(directory: str, processes: int) -> bool:
    """Return whether a directory has space for the metrics of this number of additional processes."""
    try:
        return shutil.disk_usage(directory).free >= 4 * RESERVED_BYTES * processes
    except OSError:
        return False


def reserve_files() -> None:
    """Allocate the metrics files of this process; raise OSError if the disk is full.

    The files are memory-mapped and sparse, and a write to an unallocated page of a full disk would kill the process.
    """
    if DIRECTORY in os.environ and hasattr(os, "posix_fallocate"):
        for kind in ("counter", "histogram", "gauge_livesum"):
            with Path(os.environ[DIRECTORY], f"{kind}_{os.getpid()}.db").open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVED_BYTES)


def exposition() -> bytes:
    """Return the metrics of all processes of the server in Prometheus' text format."""
    MEMORY.set(_resident())
    if DIRECTORY in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
    return generate_latest()


def _resident() -> int:
    """Return the resident memory of this process and its children in bytes."""
    pages = 0
    try:
        own = os.getpid()
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        for process in (str(own), *children):
            pages += int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
