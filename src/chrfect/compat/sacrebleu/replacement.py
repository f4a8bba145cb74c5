"""Replacement of ``sacrebleu`` in a whole process."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder

from chrfect.compat.sacrebleu import tokenizers

MODULES = (
    "compat",
    "dataset",
    "metrics",
    "metrics.base",
    "metrics.bleu",
    "metrics.chrf",
    "metrics.helpers",
    "metrics.ter",
    "significance",
    "tokenizers",
    "utils",
    "version",
)
"""The modules of sacreBLEU in this package."""


def replace() -> None:
    """Make all later imports of ``sacrebleu`` in this process import this package.

    Child processes import the installed package.
    """
    installed = PathFinder.find_spec("sacrebleu")
    package = __name__.rpartition(".")[0]
    sys.modules["sacrebleu"] = import_module(package)
    for name in MODULES:
        sys.modules[f"sacrebleu.{name}"] = import_module(f"{package}.{name}")
    for name in tokenizers.MODULES:
        sys.modules[f"sacrebleu.tokenizers.tokenizer_{name}"] = tokenizers
    if installed is not None:  # keep sacreBLEU's own modules for ja-mecab and ko-mecab
        folders = installed.submodule_search_locations or []
        tokenizers.__path__ = [os.path.join(folder, "tokenizers") for folder in folders]
