"""Processes of tests: they end with their test, and every wait has a time limit."""

import contextlib
import os
import signal
import subprocess
import threading

import anyio


@contextlib.contextmanager
def started(command, limit=200, **options):
    """Start a command; at the end of the context, or after some seconds, kill it and what it has started."""
    process = subprocess.Popen(command, **options)
    try:
        with limited(process, limit):
            yield process
    finally:
        kill(process)
        process.wait(30)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


@contextlib.contextmanager
def limited(process, seconds):
    """Kill a process that still runs after some seconds, so that reading from it and waiting for it end."""
    watchdog = threading.Timer(seconds, kill, [process])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def kill(process):
    """Kill a process that runs, and the processes that it has started."""
    if process.poll() is None:
        others = descendants(process.pid)
        process.kill()
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def descendants(pid):
    """Return the processes that a process has started, and those that they have."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(child) for child in file.read().split()]
    except OSError:
        return []
    return children + [other for child in children for other in descendants(child)]


def finished(function, *arguments, limit=120):
    """Run a coroutine function and return its result; TimeoutError after some seconds."""

    async def bounded():
        with anyio.fail_after(limit):
            return await function(*arguments)

    return anyio.run(bounded)
