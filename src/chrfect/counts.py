"""Counts: the integer statistics that everything else is made from.

A segment's statistics are integers, and a corpus is their sum: files, threads, processes, machines and resamples all
meet in one :class:`Counts` with named columns and a schema version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chrfect.errors import UsageError, shown

SCHEMA = 1
"""The version of the layout that :meth:`Counts.to_dict` writes."""

Row = Sequence[int]
"""One segment's integers, in the order of the columns."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Integer statistics of one or more segments; two of the same recipe add up.

    Parameters
    ----------
    metric : str
        The canonical text of the metric that counted.
    columns : tuple of str
        The names of the columns, such as ``"character-1.matches"``.
    values : tuple of int
        One sum a column.
    segments : int
        How many segments were summed, 0 or more.

    Examples
    --------
    >>> a = Counts("wordF(word_order=1)", ("hypothesis", "reference", "matches"), (3, 4, 2), 1)
    >>> (a + a).values, (a + a).segments
    ((6, 8, 4), 2)
    >>> Counts.from_dict(a.to_dict()) == a
    True
    """

    metric: str
    columns: tuple[str, ...]
    values: tuple[int, ...]
    segments: int

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both parts together; UsageError if they were counted by different recipes."""
        if not isinstance(other, Counts):
            return NotImplemented
        if (self.metric, self.columns) != (other.metric, other.columns):
            raise UsageError(
                f"Counts of {self.metric} and of {other.metric} do not add up: count both with the same metric."
            )
        values = tuple(a + b for a, b in zip(self.values, other.values, strict=True))
        return Counts(self.metric, self.columns, values, self.segments + other.segments)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data with the schema version."""
        return {
            "schema": SCHEMA,
            "metric": self.metric,
            "segments": self.segments,
            "columns": list(self.columns),
            "counts": list(self.values),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counts:
        """Return the counts that :meth:`to_dict` wrote; UsageError if they are of another schema or not whole."""
        schema = data.get("schema") if isinstance(data, Mapping) else None
        if schema != SCHEMA:
            raise UsageError(f"These counts have schema {shown(schema)}; this version reads {SCHEMA}.")
        try:
            metric, segments = data["metric"], data["segments"]
            columns, values = tuple(data["columns"]), tuple(data["counts"])
        except (KeyError, TypeError) as error:
            raise UsageError(f"These counts are not whole ({error}); expected what Counts.to_dict writes.") from None
        if len(columns) != len(values):
            raise UsageError(f"These counts have {len(columns)} columns and {len(values)} numbers; as many are needed.")
        for name, value in [("segments", segments), *zip(columns, values, strict=True)]:
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise UsageError(f"{name} of these counts is {shown(value)}; a whole number of 0 or more was expected.")
        return cls(metric, columns, values, segments)


def order_columns(char_order: int, word_order: int) -> tuple[str, ...]:
    """Return the column names of F-score counts: characters first, then words, three columns an order.

    Examples
    --------
    >>> order_columns(1, 0)
    ('character-1.hypothesis', 'character-1.reference', 'character-1.matches')
    """
    orders = [f"character-{n}" for n in range(1, char_order + 1)]
    orders += [f"word-{n}" for n in range(1, word_order + 1)]
    return tuple(f"{order}.{side}" for order in orders for side in ("hypothesis", "reference", "matches"))
