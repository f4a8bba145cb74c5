"""Run the service on a socket: uvicorn with the project's protocol, in one process or several."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from multiprocessing import parent_process
from typing import Any

import uvicorn
from prometheus_client import multiprocess
from uvicorn.supervisors import Multiprocess

from chrfect.errors import WorkError
from chrfect.service import observe
from chrfect.service.application import application
from chrfect.service.protocol import HttpProtocol
from chrfect.service.settings import Settings
from chrfect.service.traffic import Traffic

BACKLOG = 2_048
"""How many connections the kernel keeps before they are accepted."""


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; WorkError if the address is not available."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise WorkError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. --host and --port choose others."
        ) from None


def serve(listener: socket.socket, settings: Settings, announce: Callable[[], None]) -> None:
    """Answer requests until the process is told to stop (SIGINT, SIGTERM; with one worker SIGHUP too).

    Parameters
    ----------
    listener : socket.socket
        The socket that :func:`bind` returned.
    settings : Settings
        How the server presents and protects itself.
    announce : callable
        Called as soon as requests are answered.
    """
    config = Config(settings)
    if settings.workers == 1:
        _Server(config, announce).run([listener])
        return
    supervisor = _Supervisor(config, listener, announce)
    with _shared_metrics():
        supervisor.run()
    if supervisor.received is not None:  # end as the signal would have ended this process
        signal.signal(supervisor.received, supervisor.previous[supervisor.received])
        signal.raise_signal(supervisor.received)


class Config(uvicorn.Config):
    """The configuration of uvicorn, which builds the application in the process that runs it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__(
            app="",
            http=HttpProtocol,
            ws="none",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            timeout_keep_alive=settings.keep_alive,  # type: ignore[arg-type]
            timeout_graceful_shutdown=settings.grace,  # type: ignore[arg-type]
            timeout_worker_healthcheck=30,
            workers=settings.workers,
            backlog=BACKLOG,
        )

    def load(self) -> None:
        """Build the application."""
        self.log = observe.log_to(2, self.settings.log)
        self.traffic = Traffic(self.settings)
        self.app = application(self.settings, self.traffic)
        super().load()
        if self.workers > 1:
            _follow_parent()
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)


def _follow_parent() -> None:
    """Leave SIGHUP to the parent process, and stop when that process ends."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True, name="parent").start()


class _Server(uvicorn.Server):
    def __init__(self, config: Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop gracefully on SIGHUP too, unless it is ignored, as under nohup."""
        hangup = getattr(signal, "SIGHUP", None)
        if hangup is not None and signal.getsignal(hangup) is signal.SIG_DFL:
            signal.signal(hangup, self.handle_exit)
        with super().capture_signals():
            yield
        assert isinstance(self.config, Config)
        self.config.log.flush()


class _Supervisor(Multiprocess):
    """The parent of several server processes that share a socket.

    SIGHUP replaces them one after the other; a replacement answers before the old process stops.
    """

    def __init__(self, config: Config, listener: socket.socket, announce: Callable[[], None]) -> None:
        observe.log_to(2, config.settings.log)
        self.previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.received: signal.Signals | None = None
        super().__init__(config, [listener])
        self._announce = announce

    def init_processes(self) -> None:
        """Start the processes, and announce the server when the first answers."""
        super().init_processes()
        if self.processes and self.processes[0].wait_until_ready(60, self.should_exit):
            self._announce()

    def keep_subprocess_alive(self) -> None:
        """Replace a process that ended, and forget the metrics of its present state."""
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        _forget(before - {process.pid for process in self.processes})

    def restart_all(self) -> None:
        """Replace all processes, and forget the metrics of their present state."""
        before = {process.pid for process in self.processes}
        super().restart_all()
        _forget(before - {process.pid for process in self.processes})

    def handle_int(self) -> None:
        """Stop, and note that it was Ctrl-C."""
        self.received = signal.SIGINT
        super().handle_int()

    def handle_term(self) -> None:
        """Stop, and note that it was SIGTERM."""
        self.received = signal.SIGTERM
        super().handle_term()


def _forget(processes: set[int | None]) -> None:
    for process in processes:
        if process is not None:
            multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _shared_metrics() -> Iterator[Any]:
    """Let the processes share their metrics in a temporary directory."""
    directory = tempfile.mkdtemp(prefix="chrfect-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
