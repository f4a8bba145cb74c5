"""Scores by panel, system and item from one source."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from chrfect.errors import InputFileError, UsageError

MISSING = frozenset(("", "None", "NA", "N/A", "null", "nan", "NaN"))
"""The representations of a missing score in a text file; missing scores are masked."""


class Key(NamedTuple):
    """The key of a score: panel (language pair), system, and item ("" for a whole system)."""

    panel: str
    system: str
    item: str


Labels = Mapping[tuple[str, str], str]
"""The domain or document of each panel and item; the panel "" means every panel."""


def label(labels: Labels, key: Key, origin: str, kind: str) -> str:
    """Return the domain or document of a key; raise UsageError if it has none."""
    found = labels.get((key.panel, key.item)) or labels.get(("", key.item))
    if found is None:
        raise UsageError(f"{origin}: no table has the {kind} of {key_text(key)}.")
    return found


@dataclass(frozen=True)
class Scores:
    """The scores of one rater or metric.

    Parameters
    ----------
    name : str
        The name of the metric, or "human".
    origin : str
        The file, for error messages.
    values : dict of Key to (float or None)
        The scores; None if missing.
    by_position : bool
        Whether items are the row numbers of each system, because the file has no ids.
    """

    name: str
    origin: str
    values: dict[Key, float | None]
    by_position: bool = False

    @property
    def of_systems(self) -> bool:
        """Whether the scores belong to whole systems."""
        return all(key.item == "" for key in self.values)

    @property
    def panels(self) -> list[str]:
        """The panels in order of appearance."""
        return list(dict.fromkeys(key.panel for key in self.values))

    def in_panel(self, panel: str) -> Scores:
        """Return the same scores in a panel of this name."""
        values = {key._replace(panel=panel): value for key, value in self.values.items()}
        return replace(self, values=values)

    def in_domains(self, domains: Labels) -> Scores:
        """Return the same scores with the domain added to the name of the panel."""
        values = {
            key._replace(panel=f"{key.panel} {label(domains, key, self.origin, 'domain')}"): value
            for key, value in self.values.items()
        }
        return replace(self, values=values)

    def mean_of_items(self) -> Scores:
        """Return the mean score of each system."""
        sums: dict[Key, list[float]] = {}
        for key, value in self.values.items():
            if value is not None:
                sums.setdefault(key._replace(item=""), []).append(value)
        return Scores(self.name, self.origin, {key: math.fsum(some) / len(some) for key, some in sums.items()})


def collect(
    name: str, origin: str, entries: Iterable[tuple[int, Key, float | None]], *, by_position: bool = False
) -> Scores:
    """Return the scores by key; raise InputFileError if a key is repeated."""
    values: dict[Key, float | None] = {}
    lines: dict[Key, int] = {}
    for line, key, value in entries:
        if key in values:
            raise InputFileError(
                f"{origin}: line {line} repeats line {lines[key]}: {key_text(key)}. One score each was expected."
            )
        values[key], lines[key] = value, line
    return Scores(name, origin, values, by_position)


def number(cell: object, origin: str, line: int, column: str) -> float | None:
    """Parse a score; return None if it is missing, and raise InputFileError with its position if it is invalid."""
    if isinstance(cell, str):
        cell = cell.strip()
        if len(cell) > 1 and cell[0] == cell[-1] == '"':
            cell = cell[1:-1].strip()
    if cell is None or (isinstance(cell, str) and cell in MISSING):
        return None
    try:
        if isinstance(cell, bool):
            raise ValueError
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        comma = "; write decimals with a point" if isinstance(cell, str) and cell.count(",") == 1 else ""
        raise InputFileError(f"{origin}: line {line}, column {column}: {cell!r} is not a number{comma}.") from None
    if math.isnan(value):
        return None
    if math.isinf(value):
        raise InputFileError(
            f"{origin}: line {line}, column {column}: the score is infinite; a finite one was expected."
        )
    return value


def key_text(key: Key) -> str:
    """Return a key as text for messages."""
    parts = [f"panel {key.panel!r}"] if key.panel else []
    parts.append(f"system {key.system!r}")
    if key.item:
        parts.append(f"item {key.item!r}")
    return ", ".join(parts)
