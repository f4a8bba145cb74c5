"""The recipe of counts: how texts were counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from chrfect.errors import UsageError, quantity

SCHEMA = 2
"""The version of the layout in which counts are written."""


@dataclass(frozen=True, slots=True)
class CountRecipe:
    """How texts were counted: all settings that change the integers, and no others.

    Two metrics that count in the same way have equal recipes. Beta, smoothing and averaging are not part of a recipe.

    Parameters
    ----------
    family : str
        The name of the metric class, such as ``"chrF"``.
    columns : tuple of str
        The names of the columns, such as ``"character-1.matches"``.
    parameters : tuple of (str, str)
        The name and the value of each setting that changes the integers, with the version of the Unicode tables or of
        the tokenizer.
    choice : str or None
        The metric that chose one of several references for each segment; None if there was no choice.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> ChrF(beta=1).count_recipe == ChrF(beta=3).count_recipe
    True
    >>> dict(ChrF(char_order=0, word_order=1).count_recipe.parameters)
    {'case': 'mixed', 'unreferenced': 'drop'}
    """

    family: str
    columns: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    choice: str | None = None

    def __repr__(self) -> str:
        settings = [*self.parameters, *([("choice", self.choice)] if self.choice else [])]
        listed = [quantity(len(self.columns), "column"), *(f"{name}:{value}" for name, value in settings)]
        return f"<CountRecipe of {self.family}: {', '.join(listed)}>"

    def merge(self, other: CountRecipe) -> CountRecipe:
        """Return the recipe of both parts together.

        Raises
        ------
        UsageError
            If the parts were counted differently; the message names the first difference.
        """
        if self == other:
            return self
        if self.columns != other.columns:
            columns = merge_columns(self.columns, other.columns)
            if columns is not None:
                return replace(self, columns=columns).merge(replace(other, columns=columns))
        difference = self.difference(other)
        if difference:
            raise UsageError(f"These counts cannot be added: {difference}. Count both parts with the same settings.")
        if self.choice and other.choice and self.choice != other.choice:
            raise UsageError(
                f"These counts cannot be added: the references of one part were chosen by {self.choice}, those of the "
                f"other by {other.choice}. Add the tables before choosing."
            )
        return self if self.choice else other

    def difference(self, other: CountRecipe) -> str | None:
        """Return a description of the first difference between two recipes, or None if there is no difference."""
        if self.family != other.family:
            return f"one was counted for {self.family}, the other for {other.family}"
        for name, mine, theirs in _settings(self, other):
            if mine != theirs:
                return f"{name} is {mine} in one and {theirs} in the other"
        if self.columns != other.columns:
            extra = sorted(set(self.columns) ^ set(other.columns))
            return f"only one of them has the column {extra[0]}" if extra else "their columns are in another order"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as JSON-ready data."""
        return {
            "family": self.family,
            "columns": list(self.columns),
            "parameters": dict(self.parameters),
            "choice": self.choice,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CountRecipe:
        """Return the recipe that :meth:`to_dict` wrote.

        Raises
        ------
        UsageError
            If a part is missing or of the wrong type.
        """
        try:
            family, columns, choice = data["family"], tuple(data["columns"]), data["choice"]
            parameters = tuple(data["parameters"].items())
        except (KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"This recipe is incomplete ({error}); the output of CountRecipe.to_dict was expected."
            ) from None
        texts = (family, *columns, *(text for pair in parameters for text in pair))
        if not all(isinstance(text, str) for text in texts) or not isinstance(choice, str | None):
            raise UsageError("This recipe is malformed; the output of CountRecipe.to_dict was expected.")
        return cls(family, columns, parameters, choice)


def merge_columns(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the merged columns of two parts if they differ only in reference-number columns; None otherwise.

    The name of a reference-number column ends in a dot and a number; the column sums segments with this number of
    references. If a part lacks the column, it has no such segments, and its sum is 0.

    Examples
    --------
    >>> merge_columns(("shifts", "reference_length.1"), ("shifts", "reference_length.3"))
    ('shifts', 'reference_length.1', 'reference_length.3')
    >>> merge_columns(("matches",), ("shifts",))
    """
    split = [_split_columns(columns) for columns in (one, other)]
    if split[0][0] != split[1][0] or not (split[0][1] and split[1][1]):
        return None
    return (*split[0][0], *(f"{name}.{number}" for name, number in sorted({*split[0][1], *split[1][1]})))


def _split_columns(columns: tuple[str, ...]) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the common columns, and the names and numbers of the reference-number columns."""
    common, numbered = [], []
    for column in columns:
        name, dot, number = column.rpartition(".")
        if dot and number.isascii() and number.isdecimal() and len(number) < 10:
            numbered.append((name, int(number)))
        else:
            common.append(column)
    return common, numbered


def _settings(one: CountRecipe, other: CountRecipe) -> Iterator[tuple[str, str, str]]:
    mine, theirs = dict(one.parameters), dict(other.parameters)
    for name in dict.fromkeys((*mine, *theirs)):
        yield name, mine.get(name, "not set"), theirs.get(name, "not set")


def order_columns(char_order: int, word_order: int) -> tuple[str, ...]:
    """Return the column names of F-score counts: characters first, then words, three columns for each order.

    Examples
    --------
    >>> order_columns(1, 0)
    ('character-1.hypothesis', 'character-1.reference', 'character-1.matches')
    """
    orders = [f"character-{n}" for n in range(1, char_order + 1)]
    orders += [f"word-{n}" for n in range(1, word_order + 1)]
    return tuple(f"{order}.{side}" for order in orders for side in ("hypothesis", "reference", "matches"))
