"""Sums of counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chrfect.counts.recipe import SCHEMA, CountRecipe
from chrfect.errors import UsageError, quantity, shown

ReferenceNumber = int | Literal["var"] | None
"""The number of references of each segment: an integer, ``"var"`` if it varies, or None if it is not known."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The sum of the counts of one or more segments.

    Parameters
    ----------
    recipe : CountRecipe
        How the segments were counted.
    values : tuple of int
        One sum for each column.
    segments : int
        The number of segments that were summed, 0 or more.
    references : int, "var" or None
        The number of references of each segment.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> metric = ChrF(char_order=1)
    >>> part = metric.corpus(["abc"], ["abcd"]).counts
    >>> (part + part).values, (part + part).segments
    ((6, 8, 6), 2)
    >>> metric.score(part + part).score == metric.score(part).score
    True
    >>> Counts.from_dict(part.to_dict()) == part
    True
    """

    recipe: CountRecipe
    values: tuple[int, ...]
    segments: int
    references: ReferenceNumber = None

    def __repr__(self) -> str:
        columns, segments = quantity(len(self.values), "column"), quantity(self.segments, "segment")
        return f"<Counts of {self.recipe.family}: {columns}, sums of {segments}>"

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of two counts; raise UsageError if they were counted differently."""
        if not isinstance(other, Counts):
            return NotImplemented
        recipe = self.recipe.merge(other.recipe)
        values = tuple(a + b for a, b in zip(*(part._spread(recipe) for part in (self, other)), strict=True))
        references = merge_references(self.references, other.references)
        return Counts(recipe, values, self.segments + other.segments, references)

    def _spread(self, recipe: CountRecipe) -> tuple[int, ...]:
        """Return the values in the columns of a merged recipe."""
        if recipe.columns == self.recipe.columns:
            return self.values
        values = dict(zip(self.recipe.columns, self.values, strict=True))
        return tuple(values.get(column, 0) for column in recipe.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-ready data with the schema version."""
        return {
            "schema": SCHEMA,
            "recipe": self.recipe.to_dict(),
            "segments": self.segments,
            "references": self.references,
            "counts": list(self.values),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counts:
        """Return the counts that :meth:`to_dict` wrote.

        Raises
        ------
        UsageError
            If they have another schema version, or a part is missing or of the wrong type.
        """
        schema = data.get("schema") if isinstance(data, Mapping) else None
        if schema != SCHEMA:
            raise UsageError(f"These counts have schema {shown(schema)}; this version reads {SCHEMA}.")
        try:
            recipe, segments, references = CountRecipe.from_dict(data["recipe"]), data["segments"], data["references"]
            values = tuple(data["counts"])
        except (KeyError, TypeError) as error:
            raise UsageError(
                f"These counts are incomplete ({error}); the output of Counts.to_dict was expected."
            ) from None
        if len(recipe.columns) != len(values):
            raise UsageError(
                f"These counts have {len(recipe.columns)} columns and {len(values)} numbers; "
                "one number for each column was expected."
            )
        for name, value in [("segments", segments), *zip(recipe.columns, values, strict=True)]:
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise UsageError(f"{name} of these counts is {shown(value)}; an integer of at least 0 was expected.")
        if isinstance(references, bool) or not (references in (None, "var") or isinstance(references, int)):
            raise UsageError(f"references of these counts is {shown(references)}; a number or 'var' was expected.")
        return cls(recipe, values, segments, references)


def merge_references(one: ReferenceNumber, other: ReferenceNumber) -> ReferenceNumber:
    """Return the number of references of segments from two parts.

    Examples
    --------
    >>> merge_references(1, 1), merge_references(1, 3), merge_references(2, None)
    (1, 'var', None)
    """
    if one is None or other is None:
        return None
    return one if one == other else "var"
