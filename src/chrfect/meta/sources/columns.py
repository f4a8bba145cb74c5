"""Scores and texts of tables: long (one row for each score) and wide (one row for each item, one column per system)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chrfect.meta.sources.scores import Key, Scores, collect, number
from chrfect.meta.sources.sheet import Sheet

ANONYMOUS = "all"
"""The system of a table without a column of systems."""


@dataclass(frozen=True)
class Columns:
    """The columns of a long table that identify the rows; None for columns that the table lacks."""

    panel: str | None = None
    system: str | None = None
    item: str | None = None


def keys(sheet: Sheet, columns: Columns, panel: str) -> list[Key]:
    """Return the key of each row, with defaults for the panel and for the item (the number of the system's row).

    If there is no column of items and no system is repeated, the table has scores of whole systems.
    """
    panels = sheet.texts(columns.panel) if columns.panel else [panel] * len(sheet.rows)
    systems = sheet.texts(columns.system) if columns.system else [ANONYMOUS] * len(sheet.rows)
    if columns.item:
        items = sheet.texts(columns.item)
    elif columns.system and len(set(zip(panels, systems, strict=True))) == len(systems):
        items = [""] * len(systems)
    else:
        items = ordinals(zip(panels, systems, strict=True))
    return [Key(*key) for key in zip(panels, systems, items, strict=True)]


def ordinals(owners: Iterable[object]) -> list[str]:
    """Number the entries of each owner from 1."""
    seen: dict[object, int] = {}
    result = []
    for owner in owners:
        seen[owner] = seen.get(owner, 0) + 1
        result.append(str(seen[owner]))
    return result


def long_scores(sheet: Sheet, column: str, name: str, columns: Columns, panel: str) -> Scores:
    """Return the scores in one column of a long table."""
    at = sheet.column(column)
    rows = zip(sheet.lines, keys(sheet, columns, panel), sheet.rows, strict=True)
    entries = ((line, key, number(row[at], sheet.path, line, column)) for line, key, row in rows)
    return collect(name, sheet.path, entries, by_position=columns.item is None)


def wide_scores(sheet: Sheet, name: str, item: str | None, panel: str) -> Scores:
    """Return the scores of a wide table, whose columns, except that of items, are systems."""
    items = sheet.texts(item) if item else [str(row) for row in range(1, len(sheet.rows) + 1)]
    entries = (
        (line, Key(panel, system, one), number(cell, sheet.path, line, system))
        for line, one, row in zip(sheet.lines, items, sheet.rows, strict=True)
        for system, cell in zip(sheet.columns, row, strict=True)
        if system != item
    )
    return collect(name, sheet.path, entries, by_position=item is None)
