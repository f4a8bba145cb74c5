"""The functions of ``sacrebleu.utils`` that need no downloads."""

from __future__ import annotations

import math
import os
from typing import IO, Any, NoReturn

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


LEFT_OUT = (
    "download_file",
    "download_test_set",
    "filter_subset",
    "get_available_origlangs",
    "get_available_subsets",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "print_test_set",
)


def __getattr__(name: str) -> NoReturn:
    from chrfect.compat.sacrebleu.dataset import refuse

    refuse("utils", name, LEFT_OUT)
