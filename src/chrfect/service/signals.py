"""Signals that a terminal sends to all processes of the server."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Start processes that block SIGINT and SIGHUP, which a terminal sends to them as well as to the parent.

    They inherit the signal mask. The parent receives pending signals when the context ends.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # unblocks SIGINT when multiprocessing starts it later
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
