"""Conversion of values to tables: dicts, pandas, Polars, Arrow or HTML."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any

from chrfect.errors import UsageError


class Tabular(ABC):
    """A value that can be converted to a flat table of records."""

    __slots__ = ()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts with the same keys, numbers in full precision."""

    def to_pandas(self) -> Any:
        """Return :meth:`records` as a pandas DataFrame; UsageError if pandas is not installed."""
        return _module("pandas").DataFrame(self.records())

    def to_polars(self) -> Any:
        """Return :meth:`records` as a Polars DataFrame; UsageError if Polars is not installed."""
        return _module("polars").DataFrame(self.records(), infer_schema_length=None)

    def to_arrow(self) -> Any:
        """Return :meth:`records` as an Arrow table; UsageError if pyarrow is not installed."""
        return _module("pyarrow").Table.from_pylist(self.records())

    def _repr_html_(self) -> str:
        records = self.records()
        columns = [name for name in records[0] if any(record[name] is not None for record in records)]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        rows = "".join(f"<tr>{''.join(_cell(record[name]) for name in columns)}</tr>" for record in records)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.4g}</td>' if abs(value) < 1 else f"<td>{value:.2f}</td>"
    return f"<td>{'' if value is None else html.escape(str(value))}</td>"


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UsageError(f"The module {name} is not installed: pip install {name}.") from None
