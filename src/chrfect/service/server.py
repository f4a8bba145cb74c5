"""Run the service on a socket: uvicorn with the connections of :mod:`mcp.connection`, in one or several processes."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import active_children, parent_process
from pathlib import Path

import uvicorn
from prometheus_client import multiprocess
from uvicorn.supervisors import Multiprocess

from chrfect.errors import WorkError
from chrfect.service import observe
from chrfect.service.application import application
from chrfect.service.mcp.connection import HttpProtocol
from chrfect.service.settings import Settings
from chrfect.service.signals import signals_blocked
from chrfect.service.traffic import Traffic

BACKLOG = 2_048
"""The backlog of the listening sockets."""


def bind(host: str, port: int, workers: int = 1) -> list[socket.socket]:
    """Return a listening socket for each worker, all on the same address; raise WorkError if it is not available.

    On Linux the kernel distributes connections over the sockets (``SO_REUSEPORT``). If all workers shared one socket,
    the first to wake up would accept all pending connections.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        if workers == 1 or sys.platform != "linux":
            return [listener] * workers
        address = listener.getsockname()
        listener.close()  # this showed that the address is free; SO_REUSEPORT would share it with another server
        return [
            socket.create_server(address[:2], family=family, backlog=BACKLOG, reuse_port=True) for _ in range(workers)
        ]
    except OSError as error:
        raise WorkError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. Choose another with --host or --port."
        ) from None


def serve(listeners: list[socket.socket], settings: Settings, announce: Callable[[], None]) -> None:
    """Answer requests until the process receives SIGINT, SIGTERM or, with one worker, SIGHUP.

    Parameters
    ----------
    listeners : list of socket.socket
        The sockets that :func:`bind` returned, one for each worker.
    settings : Settings
        The settings of the server.
    announce : callable
        Called when the server is ready.
    """
    config = Config(settings)
    if settings.workers == 1:
        _Server(config, announce).run(listeners)
        return
    with _metrics_directory() as directory:
        supervisor = _Supervisor(config, listeners, announce, directory)
        supervisor.run()
    if supervisor.received is None:
        raise WorkError("a worker could not start. Run chrfect serve with --workers 1 to see why.")
    signal.signal(supervisor.received, supervisor.previous[supervisor.received])
    signal.raise_signal(supervisor.received)  # exit as if the signal had not been handled


class Config(uvicorn.Config):
    """The configuration of uvicorn; it creates the application in the process that runs it."""

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
        """Create the application."""
        self.log = observe.log_to(2, self.settings.log)
        self.traffic = Traffic(self.settings)
        self.app = application(self.settings, self.traffic)
        super().load()
        if self.workers > 1:
            observe.reserve_files()
            _follow_parent()
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)


def _follow_parent() -> None:
    """Stop when the parent process ends."""
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
        """Also stop gracefully on SIGHUP, unless it is ignored, as under nohup."""
        hangup = getattr(signal, "SIGHUP", None)
        if hangup is not None and signal.getsignal(hangup) is signal.SIG_DFL:
            signal.signal(hangup, self.handle_exit)
        with super().capture_signals():
            yield
        assert isinstance(self.config, Config)
        self.config.log.flush()


_STOP = {signal.SIGINT, signal.SIGTERM}


class _Supervisor(Multiprocess):
    """The parent of several server processes, each with its own socket on the same address.

    The parent keeps all sockets open, so that connections wait while a process is replaced. On SIGHUP it replaces the
    processes one after another; each replacement is ready before the old process stops.
    """

    def __init__(
        self, config: Config, listeners: list[socket.socket], announce: Callable[[], None], directory: str
    ) -> None:
        observe.log_to(2, config.settings.log)
        self.previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self.received: signal.Signals | None = None
        super().__init__(config, listeners)
        self.processes_num = 1  # for each listener
        self._listeners = listeners
        self._announce = announce
        self._directory = directory
        self._seconds_to_stop = config.settings.grace + 5

    def run(self) -> None:
        """Run until a stop is requested or an error occurs, then end all processes."""
        try:
            super().run()
        finally:
            self.join_all()

    def terminate_all(self) -> None:
        """Tell the processes to stop; close the sockets here, so that what no process accepts is refused, not reset."""
        for listener in self._listeners:
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Stop the processes, and kill those that still run after the grace period."""
        for process in active_children():
            process.terminate()
        deadline = time.monotonic() + self._seconds_to_stop
        for process in active_children():
            process.join(max(0.0, deadline - time.monotonic()))
        for process in active_children():
            process.kill()

    def init_processes(self) -> None:
        """Start the processes, and announce the server when all of them are ready."""
        try:
            self._for_each_listener(super().init_processes)
        except OSError as error:
            raise WorkError(
                f"cannot start {len(self._listeners)} workers: {error.strerror or error}. --workers starts fewer."
            ) from None
        for process in self.processes:
            while not process.wait_until_ready(0.5, self.should_exit):
                self.handle_signals()
                if self.should_exit.is_set() or not process.process.is_alive():
                    return
        self._announce()

    def keep_subprocess_alive(self) -> None:
        """Replace the processes that ended; where that fails, try again at the next check."""
        step = super().keep_subprocess_alive

        def keep_alive() -> None:
            with _failures_logged():
                step()

        self._for_each_listener(keep_alive)

    def restart_all(self) -> None:
        """Replace all processes; one that cannot be replaced stays, and one that does not stop is killed."""
        step = super().restart_all

        def replace() -> None:
            if not _STOP.isdisjoint(self.signal_queue):
                return
            seconds = self.config.timeout_worker_healthcheck + self._seconds_to_stop
            late = threading.Timer(seconds, self.processes[0].process.kill)
            late.start()
            try:
                with _failures_logged():
                    step()
            finally:
                late.cancel()

        self._for_each_listener(replace)

    def _for_each_listener(self, step: Callable[[], None]) -> None:
        """Run a method of the base class, which supports one list of sockets, for each listener separately."""
        processes = self.processes
        before = {process.pid for process in processes}
        self._choose_metrics_directory()
        try:
            for i, listener in enumerate(self._listeners):
                self.sockets, self.processes = [listener], processes[i : i + 1]
                with signals_blocked():
                    step()
                processes[i : i + 1] = self.processes
        finally:
            self.processes = processes
        for process in before - {process.pid for process in processes}:
            multiprocess.mark_process_dead(process, self._directory)  # type: ignore[no-untyped-call]

    def _choose_metrics_directory(self) -> None:
        """Share the metrics of new processes if the disk has space; a write to a sparse mapped file would kill them."""
        if observe.has_space(self._directory, len(self._listeners)):
            os.environ[observe.DIRECTORY] = self._directory
        elif os.environ.pop(observe.DIRECTORY, None):
            logging.getLogger("chrfect.service").error("metrics_not_shared")

    def handle_signals(self) -> None:
        """Handle signals to stop before others, and several of a kind as one."""
        received = list(self.signal_queue)
        del self.signal_queue[: len(received)]  # one that arrives meanwhile stays
        self.signal_queue[:0] = sorted(set(received), key=lambda number: number not in _STOP)
        super().handle_signals()

    def handle_int(self) -> None:
        """Stop, and record that SIGINT was received."""
        self.received = signal.SIGINT
        super().handle_int()

    def handle_term(self) -> None:
        """Stop, and record that SIGTERM was received."""
        self.received = signal.SIGTERM
        super().handle_term()

    def handle_ttin(self) -> None:
        """Ignore the signal: the number of processes is the number of sockets."""

    handle_ttou = handle_ttin


@contextlib.contextmanager
def _failures_logged() -> Iterator[None]:
    """Log that a process could not be started, for example for want of memory or descriptors."""
    try:
        yield
    except OSError as error:
        logging.getLogger("chrfect.service").error("worker_not_started", exc_info=error)


METRICS = "chrfect-metrics-"
"""The start of the name of a directory in which the processes of a server share their metrics."""


@contextlib.contextmanager
def _metrics_directory() -> Iterator[str]:
    """Create a temporary directory in which the processes share their metrics, and lock it.

    Directories of servers that were killed are removed. The lock of a server ends with its process.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{METRICS}*"):
        with contextlib.suppress(OSError):  # another user's
            if any(left.iterdir()) and (lock := _lock(left)):  # an empty one may not be locked yet
                shutil.rmtree(left, ignore_errors=True)
                os.close(lock)
    try:
        directory = tempfile.mkdtemp(prefix=METRICS)
    except OSError as error:
        raise WorkError(
            f"cannot create a directory for metrics: {error.strerror or error}. Set TMPDIR to a writable directory."
        ) from None
    lock = _lock(Path(directory))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        if lock:
            os.close(lock)


def _lock(directory: Path) -> int | None:
    """Return a descriptor that locks a directory; None if another process has locked it, or it cannot be locked."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
