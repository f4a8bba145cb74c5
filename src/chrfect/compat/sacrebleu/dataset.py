"""Stand-ins for the test sets of sacreBLEU, which chrfect does not download.

They can be imported; whatever uses them raises UsageError, with what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from chrfect.errors import UsageError

ADVICE = (
    "chrfect does not download test sets. Get them with sacreBLEU (sacrebleu -t wmt17 -l en-de --echo src ref), "
    "and pass the files to chrfect."
)


def refuse(name: str, advice: str = ADVICE) -> NoReturn:
    """Raise UsageError for the use of a name of sacreBLEU."""
    raise UsageError(f"sacrebleu.{name} is not part of chrfect. {advice}")


def refusing(name: str, advice: str = ADVICE) -> Callable[..., NoReturn]:
    """Return a function that raises UsageError when it is called."""

    def function(*_: Any, **__: Any) -> NoReturn:
        refuse(name, advice)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    return function


class _Catalogue(Mapping[str, Any]):
    """A mapping of sacreBLEU that cannot be read here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: str) -> NoReturn:
        refuse(self._name)

    def __iter__(self) -> Iterator[str]:
        refuse(self._name)

    def __len__(self) -> int:
        refuse(self._name)

    def __repr__(self) -> str:
        return f"<sacrebleu.{self._name}: not part of chrfect>"


class Dataset:
    """A test set; it cannot be constructed here."""

    def __init__(self, *_: Any, **__: Any) -> None:
        refuse(f"dataset.{type(self).__name__}")


class FakeSGMLDataset(Dataset):
    """A test set in SGML."""


class IWSLTXMLDataset(Dataset):
    """A test set of IWSLT."""


class PlainTextDataset(Dataset):
    """A test set in plain text."""


class TSVDataset(Dataset):
    """A test set in a table."""


class WMTXMLDataset(Dataset):
    """A test set of WMT."""


class WMTAdditionDataset(WMTXMLDataset):
    """A later addition to a test set of WMT."""


DATASETS, SUBSETS, COUNTRIES, DOMAINS = map(
    _Catalogue, ("dataset.DATASETS", "dataset.SUBSETS", "dataset.COUNTRIES", "dataset.DOMAINS")
)
