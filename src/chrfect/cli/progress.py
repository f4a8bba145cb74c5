"""A progress bar on standard error, shown only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 24
DELAY = 0.5  # seconds before the bar is shown


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function of (done, total) that draws the bar, or None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    shown = False

    def draw(done: int, whole: int) -> None:
        nonlocal shown
        if time.monotonic() - started < DELAY:
            return
        filled, taken = WIDTH * done // max(1, whole), time.monotonic() - started
        speed = f", {done / taken:,.0f}/s, {taken * (whole - done) / done:,.0f} s left" if done and taken else ""
        sys.stderr.write(f"\r\x1b[K{label} [{'#' * filled}{'.' * (WIDTH - filled)}] {done:,}/{whole:,}{speed}")
        sys.stderr.flush()
        shown = True

    try:
        yield draw
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
