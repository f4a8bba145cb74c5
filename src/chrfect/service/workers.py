"""Computing in a few threads, so that the server goes on answering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from anyio import CapacityLimiter, to_thread

from chrfect import catalogue
from chrfect.errors import ContractError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Workers:
    """A bounded number of threads with a bounded queue.

    Parameters
    ----------
    threads : int
        How many functions run at a time.
    queue : int
        How many may wait; one more is refused with 503 ``busy``.
    """

    def __init__(self, threads: int, queue: int) -> None:
        self._limiter = CapacityLimiter(threads)
        self._most = threads + queue
        self._present = 0

    async def run(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return what the function returns, computed in a thread."""
        if self._present >= self._most:
            detail = f"{self._present} requests are being computed or wait already. Try again in a second."
            raise ContractError("busy", detail, None, 503)
        self._present += 1
        try:
            return await to_thread.run_sync(function, *arguments, limiter=self._limiter)
        finally:
            self._present -= 1


def answer(id: str, version: str, input: Any) -> tuple[dict[str, Any], str]:
    """Return ``{"result": …}`` as data and as the text that every door sends."""
    result = {"result": catalogue.run(id, version, input)}
    return result, catalogue.dumps(result)


def answer_body(id: str, version: str, body: bytes) -> bytes:
    """Return the bytes that answer a request's body."""
    return catalogue.answer(id, version, body)
