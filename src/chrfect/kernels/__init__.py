"""Two kernels with equal results: a compiled one and a readable one.

``CHRFECT_KERNEL`` selects the kernel: ``fast``, ``readable``, or ``reference`` (the former name of ``readable``). If it
is not set, the compiled kernel is used if it was built, and the readable one otherwise. Callers use the functions of
this module, which belong to the selected kernel.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from chrfect.errors import UsageError, shown
from chrfect.kernels import readable_ter
from chrfect.kernels.plan import Plan
from chrfect.text.tercom import Tercom

__all__ = [
    "NAME",
    "READABLE_REASON",
    "Plan",
    "arrow_texts",
    "bleu_row",
    "bleu_rows",
    "bleu_total",
    "clip_tables",
    "column_sums",
    "compiled",
    "default_threads",
    "group_sums",
    "level",
    "only_texts",
    "row",
    "rows",
    "split",
    "split_words",
    "ter_edits",
    "ter_row",
    "ter_rows",
    "total",
]

READABLE = ("readable", "reference")
"""The values of ``CHRFECT_KERNEL`` that select the readable kernel; the second is its former name."""

COMPILED = "chrfect.kernels._fast"
INTERFACE = (
    "ArrowTexts PADDING bleu_row bleu_rows bleu_score bleu_scores bleu_total clip_tables column_sums fill_matrix "
    "group_sums indices interleave level only_texts row rows score scores split split_words sum_of_chosen sum_of_drawn "
    "sum_of_drawn_short ter_edits ter_row ter_rows texts total"
)
"""The names that the package uses of the compiled kernel; a kernel that lacks one was built from older sources."""


def _choose() -> tuple[ModuleType, str | None]:
    """Return the kernel to use and, if it is the readable one, the reason."""
    choice = os.environ.get("CHRFECT_KERNEL", "")
    if choice not in ("", "fast", *READABLE):
        raise UsageError(f"CHRFECT_KERNEL is {shown(choice)}; it must be 'fast' or 'readable', or unset.")
    readable = import_module("chrfect.kernels.readable")
    if choice in READABLE:
        return readable, f"CHRFECT_KERNEL is {choice!r}"
    try:
        compiled = import_module(COMPILED)
        for name in INTERFACE.split():
            if not hasattr(compiled, name):
                raise ImportError(f"it was built from older sources, without {name}; install chrfect again to build it")
        return compiled, None
    except Exception as error:  # a damaged library, or one for another Python version, can raise any exception
        if isinstance(error, ModuleNotFoundError) and error.name == COMPILED:
            reason = "the compiled kernel was not built for this Python, which needs a C compiler at install"
        else:
            reason = f"the compiled kernel cannot be loaded ({type(error).__name__}: {error})"
        if choice == "fast":
            advice = (
                "Install a C compiler, then chrfect again with pip's options --force-reinstall and --no-cache-dir, "
                "or unset CHRFECT_KERNEL."
            )
            raise UsageError(f"CHRFECT_KERNEL is 'fast', but {reason}. {advice}") from error
        return readable, reason


_kernel, READABLE_REASON = _choose()
"""Why the readable kernel is in use; None if the compiled one is."""
NAME: str = _kernel.NAME
row: Callable[[str, str, Plan], tuple[int, ...]] = _kernel.row
rows: Callable[..., array[int]] = _kernel.rows
total: Callable[..., list[int]] = _kernel.total
column_sums: Callable[[Any, int], list[int]] = _kernel.column_sums
group_sums: Callable[[Any, int, Any, int], array[int]] = _kernel.group_sums
bleu_row: Callable[[str, str, str, int], tuple[int, ...]] = _kernel.bleu_row
bleu_rows: Callable[..., array[int]] = _kernel.bleu_rows
bleu_total: Callable[..., list[int]] = _kernel.bleu_total
clip_tables: Callable[[Sequence[str], Sequence[Sequence[str]], int], list[array[int]]] = _kernel.clip_tables
split: Callable[..., list[str]] = _kernel.split
split_words: Callable[[str], list[str]] = _kernel.split_words
only_texts: Callable[[Sequence[object]], bool] = _kernel.only_texts
compiled: ModuleType | None = None if NAME == "readable" else _kernel
"""The compiled kernel, for functions that the readable kernel does not have; None if the readable kernel is in use."""

_ter = compiled or readable_ter
ter_row: Callable[[str, str, Tercom], tuple[int, ...]] = _ter.ter_row
ter_rows: Callable[..., array[int]] = _ter.ter_rows
ter_edits: Callable[[Sequence[str], Sequence[str]], readable_ter.Edits] = _ter.ter_edits


def level() -> str | None:
    """Return the vector level of the compiled kernel (``"baseline"``, ``"avx2"``, ``"avx512"``); None if not in use."""
    return None if compiled is None else str(compiled.level())


def arrow_texts(source: Any) -> Sequence[Any]:
    """Return the texts of an Arrow array or stream, with None for nulls: strings, dictionaries, or lists of them.

    For the compiled kernel, they are an ``ArrowTexts`` that does not copy them. For the readable one, pyarrow converts
    them to a list of str, or of lists of str.
    """
    if compiled is not None:
        texts: Sequence[Any] = compiled.ArrowTexts(source)
        return texts
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise UsageError("Arrow arrays need the pyarrow module here: pip install pyarrow.") from None
    streamed = hasattr(source, "__arrow_c_stream__")
    array = pyarrow.chunked_array(source if streamed else [pyarrow.array(source)])
    lists = str(array.type).startswith(("list", "large_list", "fixed_size_list"))
    kind = array.type.value_type if lists else array.type
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    if str(getattr(kind, "storage_type", kind)) not in ("string", "large_string", "string_view", "null"):
        raise UsageError(
            f"An Arrow array is of {array.type}; string, large_string or string_view was expected, or a dictionary of "
            "one of them: cast it."
        )
    try:
        array.validate(full=True)
    except pyarrow.ArrowInvalid as error:
        if "UTF8" not in str(error):  # the segment of which is found below
            raise UsageError(f"An Arrow array is damaged; create it again. pyarrow reports: {error}") from None
    values = [_arrow_value(scalar, i) for i, scalar in enumerate(array)]
    return [value or [] for value in values] if lists else values


def _arrow_value(scalar: Any, segment: int) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        raise UsageError(f"Segment {segment} (counted from 0) of an Arrow array is not valid UTF-8.") from None


def default_threads() -> int:
    """Return the number of threads of a corpus call: ``CHRFECT_THREADS``, else the cores available to this process."""
    asked = os.environ.get("CHRFECT_THREADS")
    if asked:
        try:
            threads = int(asked) if asked.isdecimal() else 0
        except ValueError:  # it has more digits than Python converts
            threads = 0
        if threads < 1:
            raise UsageError(f"CHRFECT_THREADS is {shown(asked)}; it must be a whole number of at least 1, or unset.")
        return threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
