"""A line of progress on standard error, shown only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 24
DELAY = 0.5
"""Seconds before the line is shown, and between two updates without a call."""


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function of (done, total) that draws a bar, or None if standard error is not a terminal.

    Until the function is called, the line shows how long the work has taken.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from threading import Event, Lock, Thread

    started, ended, lock = time.monotonic(), Event(), Lock()
    done = whole = 0
    shown = False

    def write() -> None:
        nonlocal shown
        taken = time.monotonic() - started
        if taken < DELAY:
            return
        text = f"{label} … {taken:,.0f} s"
        if whole:
            filled = WIDTH * done // whole
            speed = f", {done / taken:,.0f}/s, {taken * (whole - done) / done:,.0f} s left" if done and taken else ""
            text = f"{label} [{'#' * filled}{'.' * (WIDTH - filled)}] {done:,}/{whole:,}{speed}"
        with lock:
            if not ended.is_set():
                shown = True
                sys.stderr.write(f"\r\x1b[K{text}")
                sys.stderr.flush()

    def draw(now: int, total: int) -> None:
        nonlocal done, whole
        done, whole = now, total
        write()

    def repeat() -> None:
        while not ended.wait(DELAY):
            write()

    Thread(target=repeat, daemon=True).start()
    try:
        yield draw
    finally:
        with lock:
            ended.set()
            if shown:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
