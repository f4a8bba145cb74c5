"""Two kernels that are equal, and the one switch between them.

``CHRFECT_KERNEL=reference|fast`` chooses; without it the compiled kernel runs where it was built, else the readable
one. Everything above asks this module for ``rows`` and ``total`` and never knows which kernel answers.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from chrfect.errors import UsageError, shown

__all__ = [
    "NAME",
    "arrow_texts",
    "clipped",
    "compiled",
    "default_threads",
    "level",
    "only_texts",
    "row",
    "rows",
    "total",
]

MAX_DIGITS = 4_000
"""Of a number in the environment; Python reads at most 4,300."""


def _choose() -> ModuleType:
    choice = os.environ.get("CHRFECT_KERNEL", "")
    if choice not in ("", "fast", "reference"):
        raise UsageError(f"CHRFECT_KERNEL is {choice!r}; it must be 'fast' or 'reference', or unset.")
    if choice != "reference":
        try:
            return import_module("chrfect.kernels._fast")
        except ImportError as error:
            if choice == "fast":
                raise UsageError(
                    "CHRFECT_KERNEL is 'fast', and the compiled kernel is not here: install chrfect again where there "
                    "is a C compiler, or unset CHRFECT_KERNEL."
                ) from error
    return import_module("chrfect.kernels.readable")


_kernel = _choose()
NAME: str = _kernel.NAME
row: Callable[..., tuple[int, ...]] = _kernel.row
rows: Callable[..., array[int]] = _kernel.rows
total: Callable[..., list[int]] = _kernel.total
clipped: Callable[..., array[int]] = _kernel.clipped
only_texts: Callable[[Sequence[object]], bool] = _kernel.only_texts
compiled: ModuleType | None = None if NAME == "reference" else _kernel
"""The compiled kernel with all that only it has; None where the readable one runs."""


def level() -> str | None:
    """Return the vector level of the compiled kernel (``"baseline"``, ``"avx2"``, ``"avx512"``); None of the other."""
    return None if compiled is None else str(compiled.level())


def arrow_texts(source: Any) -> Sequence[str | None]:
    """Return the texts of an Arrow array or stream: where they lie if none is null, else as a list.

    The readable kernel takes Python's strings, which pyarrow makes.
    """
    if compiled is not None:
        texts: Any = compiled.ArrowTexts(source)
        return list(texts) if texts.nulls else texts
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise UsageError("Arrow arrays need the pyarrow module here: pip install 'chrfect[arrow]'.") from None
    array = pyarrow.chunked_array(source)
    if str(array.type) not in ("string", "large_string", "string_view"):
        raise UsageError(
            f"An Arrow array is of {array.type}; string, large_string or string_view was expected: cast it."
        )
    return [_arrow_text(scalar, i) for i, scalar in enumerate(array)]


def _arrow_text(scalar: Any, segment: int) -> str | None:
    try:
        text: str | None = scalar.as_py()
    except UnicodeDecodeError:
        raise UsageError(f"Segment {segment} (counted from 0) of an Arrow array is no valid UTF-8.") from None
    return text


def default_threads() -> int:
    """Return how many threads a corpus call uses: ``CHRFECT_THREADS``, else the cores this process may use."""
    asked = os.environ.get("CHRFECT_THREADS")
    if asked:
        if not asked.isdecimal() or len(asked) > MAX_DIGITS or int(asked) < 1:
            raise UsageError(f"CHRFECT_THREADS is {shown(asked)}; it must be a whole number of at least 1, or unset.")
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
