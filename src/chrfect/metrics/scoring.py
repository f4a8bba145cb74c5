"""From counts to scores: the part of a metric that does not read texts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from chrfect._version import __version__
from chrfect.counts import CountRecipe, CountTable, ReferenceNumber
from chrfect.errors import UsageError, shown
from chrfect.formulas.decimals import six_decimals
from chrfect.metrics.explainable import Explainable
from chrfect.metrics.names import canonical_name, json_number, signature_value

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from chrfect.metrics.order import Order

_NUMBER = re.compile(r"\d{1,400}(\.\d{0,400})?([eE][+-]?\d{1,3})?|\d{1,400}/0*[1-9]\d{0,400}", re.ASCII)


class Scoring(Explainable, ABC):
    """The part of a metric that works with counts: its name, its columns, and the scores of rows.

    A subclass is a frozen dataclass; its fields are the parameters of the metric. `name`, `columns` and
    :meth:`exact_score` are required; everything else has a default.
    """

    __slots__ = ()

    name: ClassVar[str]
    """The name on the command line, in JSON, in tables and in signatures."""

    lower_is_better: ClassVar[bool] = False
    """Whether a lower score is better, as for error rates."""

    adds_in_order: ClassVar[bool] = False
    """Whether :meth:`for_sum` needs the rows in order, so that rows must not be added before."""

    _fields: ClassVar[tuple[str, ...]]

    columns: Any
    """The names of the count columns, a tuple of str."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # pydoc lists these names first; otherwise help() would begin with the special methods
        cls._fields = tuple(name for name in dir(cls) if not name.startswith("_"))

    def __str__(self) -> str:
        return canonical_name(self.name, self)  # type: ignore[arg-type]

    # ---- names and parameters

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return every name of the metric, without parameters."""
        return (cls.name,)

    @classmethod
    def read_name(cls, name: str) -> dict[str, Any] | None:
        """Return the parameters of a name without parentheses; None if it is not a name of this metric."""
        return {} if name.lower() == cls.name.lower() else None

    @classmethod
    def read_parameter(cls, key: str, value: str) -> Any:
        """Return the value of a parameter as written in a name, such as ``yes`` or ``0.5``.

        Raises
        ------
        UsageError
            If the type of the value differs from that of the parameter's default.
        """
        return read_value(cls, key, value)

    @staticmethod
    def read_number(key: str, value: str) -> Fraction:
        """Return an exact number as written in a name: ``2``, ``0.5`` or ``1/3``."""
        if not _NUMBER.fullmatch(value):
            raise UsageError(f"{key} is {shown(value)}; a number such as 2, 0.5 or 1/3 was expected.")
        return Fraction(value)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready, with what they depend on, such as a Unicode version."""
        return field_values(self)

    @property
    def signature(self) -> str:
        """The canonical name, every parameter, and the version: enough to repeat the measurement."""
        return self.signature_with(None)

    def signature_with(self, references: ReferenceNumber) -> str:
        """Return the signature with the number of references of each segment, if it is known."""
        parts = [str(self)]
        if references is not None:
            parts.append(f"references:{references}")
        parts += [f"{key}:{signature_value(value)}" for key, value in self.parameters.items()]
        return "|".join([*parts, f"version:chrfect {__version__}"])

    # ---- counts

    @property
    def count_parameters(self) -> dict[str, str]:
        """The settings that change the counts, with the versions on which they depend; by default all parameters."""
        return {key: signature_value(value) for key, value in self.parameters.items()}

    @property
    def count_recipe(self) -> CountRecipe:
        """The recipe of the counts of this metric."""
        return CountRecipe(self.name, tuple(self.columns), tuple(sorted(self.count_parameters.items())))

    def check_recipe(self, recipe: CountRecipe) -> None:
        """Raise UsageError if counts of this recipe cannot be scored by this metric; the message says why."""
        own = self.count_recipe
        if recipe.choice not in (None, str(self)):
            raise UsageError(
                f"{self} cannot score these counts: the references were chosen by {recipe.choice}. Score the table "
                "before choosing, or count again."
            )
        if (own.family, own.columns, own.parameters) == (recipe.family, recipe.columns, recipe.parameters):
            return
        if own.family != recipe.family:
            raise UsageError(f"{self} cannot score these counts: they were counted for {recipe.family}.")
        fewer = set(own.columns) < set(recipe.columns) and set(own.parameters) <= set(recipe.parameters)
        hint = " Use table.project(metric) for fewer orders." if fewer else ""
        raise UsageError(f"{self} cannot score these counts: {recipe.difference(own)}.{hint}")

    def for_recipe(self, recipe: CountRecipe) -> Self:
        """Return the metric for counts of a recipe: this metric, unless its columns depend on the texts."""
        return self

    def for_sum(self, table: CountTable) -> Self:
        """Return the metric that scores the sum of a table: this metric, unless the float depends on single rows."""
        return self.for_recipe(table.recipe)

    def project(self, table: CountTable) -> CountTable:
        """Return the table that this metric would have counted, from a table with more columns, or raise UsageError."""
        own, recipe = self.for_recipe(table.recipe).count_recipe, table.recipe
        if own == recipe:
            return table
        if recipe.choice is not None:
            raise UsageError(
                f"The references of this table were chosen by {recipe.choice}. Project the table before choosing."
            )
        given = dict(recipe.parameters)
        reduced = CountRecipe(
            recipe.family,
            own.columns if set(own.columns) <= set(recipe.columns) else recipe.columns,
            tuple((key, given[key]) for key, _ in own.parameters if key in given),
        )
        difference = reduced.difference(own)
        if difference:
            raise UsageError(f"This table cannot be projected to {self}: {difference}.")
        width, all_columns = len(own.columns), len(recipe.columns)
        rows = memoryview(array("q", bytes(8 * width * table.row_count)))
        for i, column in enumerate(own.columns):
            rows[i::width] = table.rows[recipe.columns.index(column) :: all_columns]
        return CountTable(
            own,
            rows,
            offsets=table.offsets,
            origins=table.origins,
            sizes=table.sizes,
            labels=table.labels,
            references=table.references,
        )

    # ---- scores of rows

    @property
    def segmental(self) -> Scoring:
        """The metric that scores single segments, if their rule differs from that of a corpus."""
        return self

    @abstractmethod
    def exact_score(self, values: Sequence[int]) -> Fraction | None:
        """Return the exact score of a row of counts; None if it is irrational."""

    def float_score(self, values: Sequence[int]) -> float:
        """Return the score of a row of counts as a float."""
        score = self.exact_score(values)
        if score is None:
            raise NotImplementedError(f"{type(self).__name__} has irrational scores and must define float_score.")
        return float(score)

    def decimal_score(self, values: Sequence[int]) -> str:
        """Return the exact score of a row of counts at six decimals, rounded once, ties to even."""
        score = self.exact_score(values)
        if score is None:
            raise NotImplementedError(f"{type(self).__name__} has irrational scores and must define decimal_score.")
        return six_decimals(*score.as_integer_ratio())

    def float_scores(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each of many concatenated rows."""
        width = len(self.columns)
        return [self.float_score(rows[at : at + width]) for at in range(0, len(rows), width)]

    def float_array(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`float_scores` as a NumPy array."""
        import numpy as np

        return np.array(self.float_scores(rows))

    def single_precision(self, rows: Sequence[int]) -> NDArray[Any]:
        """Return the score of each of many rows as the bootstrap of sacreBLEU computes it, with counts in float32.

        By default these are the scores of :meth:`float_array`.
        """
        return self.float_array(rows)

    def decimal_scores(self, rows: Sequence[int]) -> list[str]:
        """Return the exact score of each of many rows at six decimals."""
        width = len(self.columns)
        return [self.decimal_score(rows[at : at + width]) for at in range(0, len(rows), width)]

    def orders(self, values: Sequence[int]) -> tuple[Order, ...]:
        """Return the n-gram orders of a row of counts; none by default."""
        return ()

    def mean_precision_recall(self, values: Sequence[int]) -> tuple[Fraction, Fraction] | None:
        """Return the precision and recall (0 to 100) from which F is computed; None if there is no such pair."""
        return None

    def details(self, values: Sequence[int]) -> dict[str, Any]:
        """Return the intermediate values between counts and score, JSON-ready; by default the counts by name."""
        return {"counts": dict(zip(self.columns, values, strict=True))}


def field_values(metric: Scoring) -> dict[str, Any]:
    """Return the parameters of a metric and their values, JSON-ready."""
    values = {field.name: getattr(metric, field.name) for field in fields(metric) if field.init}  # type: ignore[arg-type]
    return {key: json_number(value) if isinstance(value, Fraction) else value for key, value in values.items()}


def read_value(metric: type[Scoring], key: str, value: str) -> Any:
    """Convert the value of a parameter in a name to the type of the parameter's default."""
    default = next(field.default for field in fields(metric) if field.name == key)  # type: ignore[arg-type]
    if isinstance(default, bool):
        if value.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"{key} is {shown(value)}; yes or no was expected.")
        return value.lower() in ("yes", "true")
    if isinstance(default, int):
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise UsageError(f"{key} is {shown(value)}; a whole number was expected.")
        return int(value)
    if isinstance(default, float | Fraction):
        return metric.read_number(key, value)
    return value
