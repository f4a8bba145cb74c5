"""The functions of ``sacrebleu.utils`` that need no downloads."""

from __future__ import annotations

import math
import os
from typing import IO, Any

SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))
"""The folder of the files that sacreBLEU downloads."""


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """Open a text file, which may be compressed by gzip."""
    if file.endswith(".gz"):
        import gzip

        return gzip.open(file, mode=mode, encoding=encoding, newline="\n")  # type: ignore[return-value]
    return open(file, mode=mode, encoding=encoding, newline="\n")


def my_log(number: float) -> float:
    """Return the logarithm, or a very small number for 0."""
    return math.log(number) if number else -9999999999


OF_THE_COMMAND = (
    "args_to_dict",
    "print_results_table",
    "print_single_results",
    "print_subset_results",
    "sanity_check_lengths",
)


def __getattr__(name: str) -> Any:
    from chrfect.compat.sacrebleu import dataset
    from chrfect.foreign_names import DOWNLOADS

    if name in ("DATASETS", "SUBSETS"):
        return getattr(dataset, name)
    if name in DOWNLOADS:
        return dataset.refusing(f"utils.{name}")
    if name in OF_THE_COMMAND:
        return dataset.refusing(f"utils.{name}", "The command `chrfect sacrebleu` prints what sacrebleu prints.")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
