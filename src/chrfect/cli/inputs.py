"""Shared functions of commands that read files of segments."""

from __future__ import annotations

import os
from collections.abc import Sequence


def file_names(paths: Sequence[str]) -> list[str]:
    """Return a name for each file: base names if they are unique, else paths, numbered if they are repeated."""
    from collections import Counter

    names = [_file_name(path) for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[i] = f"{name} ({seen[name]})"
    return names


def _file_name(path: str) -> str:
    """Return the base name; return "pipe" for a shell's ``<(command)``, whose base name is a number."""
    if path == "-":
        return "stdin"
    return "pipe" if os.path.dirname(path) in ("/dev/fd", "/proc/self/fd") else os.path.basename(path)


def warn_of_byte_order_marks(paths: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
    """Warn of segments that begin with U+FEFF, which is rarely intended."""
    import warnings

    from chrfect.errors import ChrfectWarning

    for path, lines in zip(paths, texts, strict=True):
        for i, line in enumerate(lines, 1):
            if line.startswith("\ufeff"):
                warnings.warn(
                    f"{path}: line {i} begins with U+FEFF, which is counted as text.", ChrfectWarning, stacklevel=2
                )
                break
