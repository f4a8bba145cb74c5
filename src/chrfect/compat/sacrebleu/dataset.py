"""Errors for the test sets of sacreBLEU, which chrfect does not download."""

from __future__ import annotations

from typing import NoReturn

from chrfect.errors import UsageError

ADVICE = (
    "chrfect does not download test sets. Get them with sacreBLEU (sacrebleu -t wmt17 -l en-de --echo src ref), "
    "and pass the files to chrfect."
)


def refuse(module: str, name: str, known: tuple[str, ...]) -> NoReturn:
    """Raise UsageError for a known name of a sacreBLEU module that is missing here, or AttributeError otherwise."""
    if name in known:
        raise UsageError(f"sacrebleu.{module}.{name} is not part of chrfect. {ADVICE}")
    raise AttributeError(f"module 'chrfect.compat.sacrebleu.{module}' has no attribute {name!r}")


_LEFT_OUT = ("DATASETS", "Dataset", "FakeSGMLDataset", "IWSLTXMLDataset", "PlainTextDataset", "WMTXMLDataset")


def __getattr__(name: str) -> NoReturn:
    refuse("dataset", name, _LEFT_OUT)
