"""Tables of counts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, SupportsIndex, overload

from chrfect import kernels
from chrfect.counts.recipe import CountRecipe
from chrfect.counts.sums import Counts, ReferenceNumber, merge_references
from chrfect.errors import UsageError, quantity, shown

if TYPE_CHECKING:
    import pyarrow
    from numpy import int64
    from numpy.typing import NDArray


class Scorer(Protocol):
    """The methods of a metric that a table calls."""

    lower_is_better: ClassVar[bool]

    @property
    def segmental(self) -> Scorer: ...
    def check_recipe(self, recipe: CountRecipe) -> None: ...
    def float_scores(self, rows: Sequence[int]) -> Sequence[float]: ...
    def project(self, table: CountTable) -> CountTable: ...


parse_metric: Callable[[str], Scorer] | None = None
"""The function that returns the metric with a name; `chrfect.metrics` sets it when it is imported."""


def _scorer(metric: Scorer | str) -> Scorer:
    """Return a metric, given as a metric or by its name."""
    if not isinstance(metric, str):
        return metric
    if parse_metric is None:
        raise UsageError(f"The metric {shown(metric)} is given by its name: import chrfect.metrics first.")
    return parse_metric(metric)


class CountTable(Sequence[Counts]):
    """The counts of many segments, one row of integers for each.

    If segments have several references and the metric counts against one of them, the table has one row for each
    segment and reference. :meth:`choose` returns a table with one row for each segment.

    Parameters
    ----------
    recipe : CountRecipe
        How the segments were counted.
    rows : buffer of int64
        The concatenated rows, ``len(recipe.columns)`` integers each. The buffer is not copied.
    offsets : buffer of int64, optional
        The index of the first row of each segment, and the number of rows. Only for a table whose references have not
        been chosen.
    origins : sequence of (int or str), optional
        For each row, the index or the name of its reference.
    sizes : buffer of int64, optional
        The number of segments in each row; by default 1.
    labels : sequence, optional
        A label for each row, such as the names of documents.
    references : int, "var" or None
        The number of references of each segment.

    Raises
    ------
    UsageError
        If the last row is incomplete, or another argument does not have one entry for each row.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> metric = ChrF(char_order=1)
    >>> table = metric.count(["ab", "cd", "xy"], ["ab", "ce", "xy"])
    >>> table
    <CountTable of chrF: 3 rows of 3 columns>
    >>> table[1].values, table[:2].sum().values
    ((2, 2, 1), (4, 4, 3))
    >>> documents = table.sum_by(["A", "A", "B"])
    >>> documents.labels, metric.scores(documents)
    (('A', 'B'), [75.0, 100.0])
    """

    __slots__ = ("labels", "offsets", "origins", "recipe", "references", "rows", "sizes")

    recipe: CountRecipe
    rows: memoryview
    offsets: memoryview | None
    origins: Sequence[int | str] | None
    sizes: memoryview | None
    labels: tuple[Hashable, ...] | None
    references: ReferenceNumber

    def __init__(
        self,
        recipe: CountRecipe,
        rows: Any,
        *,
        offsets: Any = None,
        origins: Sequence[int | str] | None = None,
        sizes: Any = None,
        labels: Sequence[Hashable] | None = None,
        references: ReferenceNumber = None,
    ) -> None:
        width = len(recipe.columns)
        buffer = _integers(rows, "rows")
        if not width or len(buffer) % width:
            raise UsageError(f"rows has {len(buffer)} integers; a multiple of the {width} columns was expected.")
        number = len(buffer) // width
        values: dict[str, Any] = {
            "recipe": recipe,
            "rows": buffer,
            "offsets": None if offsets is None else _integers(offsets, "offsets"),
            "origins": origins,
            "sizes": None if sizes is None else _integers(sizes, "sizes"),
            "labels": None if labels is None else tuple(labels),
            "references": references,
        }
        for name in ("origins", "sizes", "labels"):
            if values[name] is not None and len(values[name]) != number:
                raise UsageError(
                    f"{name} has {len(values[name])} entries for {number} rows; one for each was expected."
                )
        at = values["offsets"]
        if at is not None and (not len(at) or at[0] or at[-1] != number or any(a >= b for a, b in pairwise(at))):
            raise UsageError(f"offsets must begin with 0, end with the {number} rows, and give each segment a row.")
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A CountTable cannot be changed: {name}.")

    def __reduce__(self) -> tuple[Any, ...]:
        def held(buffer: memoryview | None) -> array[int] | None:
            return None if buffer is None else array("q", buffer.tobytes())

        parts = held(self.offsets), self.origins, held(self.sizes), self.labels, self.references
        return _rebuild, (self.recipe, held(self.rows), *parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.recipe.columns

    @property
    def row_count(self) -> int:
        """The number of rows: one for each segment, or before the choice one for each segment and reference."""
        return len(self.rows) // len(self.recipe.columns)

    def __len__(self) -> int:
        """Return the number of segments, or of sums of segments."""
        return self.row_count if self.offsets is None else len(self.offsets) - 1

    @overload
    def __getitem__(self, index: SupportsIndex) -> Counts: ...
    @overload
    def __getitem__(self, index: slice) -> CountTable: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Counts | CountTable:
        if isinstance(index, slice):
            return self._slice(index)
        self._require_choice("a row for each segment")
        at, width = range(len(self))[index], len(self.recipe.columns)
        values = tuple(self.rows[at * width : (at + 1) * width])
        return Counts(self.recipe, values, 1 if self.sizes is None else self.sizes[at], self.references)

    def _slice(self, index: slice) -> CountTable:
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise UsageError(f"A CountTable is sliced in steps of 1; the step is {step}.")
        stop = max(start, stop)
        offsets = None
        if self.offsets is not None:
            first = self.offsets[start]
            offsets = array("q", (at - first for at in self.offsets[start : stop + 1]))
            start, stop = first, self.offsets[stop]
        width = len(self.recipe.columns)
        rows = self.rows[start * width : stop * width]
        return CountTable(
            self.recipe,
            rows,
            offsets=offsets,
            origins=None if self.origins is None else self.origins[start:stop],
            sizes=None if self.sizes is None else self.sizes[start:stop],
            labels=None if self.labels is None else self.labels[start:stop],
            references=self.references,
        )

    def __iter__(self) -> Iterator[Counts]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountTable):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = f"{quantity(self.row_count, 'row')} of {quantity(len(self.columns), 'column')}"
        if self.offsets is not None:
            parts += f" for {quantity(len(self), 'segment')}, references not chosen"
        return f"<CountTable of {self.recipe.family}: {parts}>"

    def __add__(self, other: CountTable) -> CountTable:
        """Return a table with the rows of both tables; raise UsageError if they were counted differently."""
        if not isinstance(other, CountTable):
            return NotImplemented
        return CountTable.concatenate([self, other])

    @classmethod
    def concatenate(cls, tables: Iterable[CountTable]) -> CountTable:
        """Return one table with the rows of all tables.

        Parameters
        ----------
        tables : iterable of CountTable
            At least one.

        Raises
        ------
        UsageError
            If there is no table, or two tables were counted differently.
        """
        parts = list(tables)
        if not parts:
            raise UsageError("There are no tables to concatenate; at least one was expected.")
        if len(parts) == 1:
            return parts[0]
        recipe, references = parts[0].recipe, parts[0].references
        unchosen = any(part.offsets is not None for part in parts)
        for part in parts[1:]:
            recipe, references = recipe.merge(part.recipe), merge_references(references, part.references)
        if unchosen and recipe.choice:
            raise UsageError(
                f"The references of one table were chosen by {recipe.choice}, and those of another were not "
                "chosen. Add the tables before choosing."
            )
        rows = array("q")
        for part in parts:
            rows.frombytes(_spread(part, recipe.columns).cast("B"))
        return CountTable(
            recipe,
            rows,
            offsets=_joined_offsets(parts) if unchosen else None,
            origins=_joined([part.origins for part in parts]),
            sizes=_joined_sizes(parts),
            labels=_joined([part.labels for part in parts]),
            references=references,
        )

    def sum(self) -> Counts:
        """Return the sum of all rows.

        Raises
        ------
        UsageError
            If the references of the segments have not been chosen.
        """
        self._require_choice("the sum")
        values = tuple(kernels.column_sums(self.rows, len(self.recipe.columns)))
        return Counts(self.recipe, values, len(self) if self.sizes is None else sum(self.sizes), self.references)

    def sum_by(self, groups: Iterable[Hashable]) -> CountTable:
        """Return a table with the sum of the rows of each group, in the order in which the groups first occur.

        Parameters
        ----------
        groups : iterable
            The group of each row, such as the name of its document.

        Returns
        -------
        CountTable
            With the groups as its ``labels``.

        Raises
        ------
        UsageError
            If there is not one group for each row, a sum exceeds 2⁶³ - 1, or references have not been chosen.
        """
        self._require_choice("sums by group")
        labels = list(groups)
        if len(labels) != len(self):
            raise UsageError(f"There are {len(labels)} groups for {len(self)} rows; one for each was expected.")
        ids: dict[Hashable, int] = {}
        group_of_row = array("q", (ids.setdefault(label, len(ids)) for label in labels))
        try:
            rows = kernels.group_sums(self.rows, len(self.recipe.columns), group_of_row, len(ids))
            sizes = kernels.group_sums(self.sizes or array("q", [1]) * len(self), 1, group_of_row, len(ids))
        except OverflowError:
            raise UsageError("The counts of a group exceed 9,223,372,036,854,775,807; sum smaller groups.") from None
        return CountTable(self.recipe, rows, sizes=sizes, labels=tuple(ids), references=self.references)

    def choose(self, metric: Scorer | str) -> CountTable:
        """Return a table with one row for each segment: the row of the reference with the best score.

        Scores are compared as floats, and of equal scores the first is chosen, as in sacreBLEU. The choice becomes
        part of the recipe. A table with one row for each segment is returned unchanged.

        Parameters
        ----------
        metric : Metric or str
            The metric whose score decides, or its name. To choose by a metric with fewer columns, project the table
            first.

        Raises
        ------
        UsageError
            If the metric counts differently.
        """
        if self.offsets is None:
            return self
        metric = _scorer(metric)
        metric.check_recipe(self.recipe)
        scores = metric.segmental.float_scores(self.rows)
        better = min if metric.lower_is_better else max
        width = len(self.recipe.columns)
        rows = array("q")
        chosen = []
        for start, stop in pairwise(self.offsets):
            best = better(range(start, stop), key=scores.__getitem__)
            rows.frombytes(self.rows[best * width : (best + 1) * width].cast("B"))
            chosen.append(best)
        return CountTable(
            replace(self.recipe, choice=str(metric)),
            rows,
            origins=None if self.origins is None else [self.origins[row] for row in chosen],
            labels=None if self.labels is None else [self.labels[row] for row in chosen],
            references=self.references,
        )

    def project(self, metric: Scorer | str) -> CountTable:
        """Return the table that a metric with fewer orders would have counted, such as chrF from chrF++.

        The metric may be given by its name.

        Raises
        ------
        UsageError
            If the metric counts something that this table does not have, or references have been chosen already.

        Examples
        --------
        >>> from chrfect import ChrF, parse
        >>> table = parse("chrF++").count(["a cat"], ["the cat"])
        >>> table.project("chrF") == ChrF().count(["a cat"], ["the cat"])
        True
        """
        return _scorer(metric).project(self)

    def to_numpy(self) -> NDArray[int64]:
        """Return the rows as an int64 array of shape rows × columns, without a copy."""
        import numpy as np

        return np.frombuffer(self.rows, np.int64).reshape(-1, len(self.recipe.columns))

    def to_arrow(self) -> pyarrow.Table:
        """Return the table as an Arrow table, without copying the counts; needs the extra ``arrow``.

        The column ``counts`` has the rows as lists of fixed size. The columns ``segment``, ``reference``, ``segments``
        and ``label`` follow if the table has them. The recipe and the schema version are in the metadata.

        Raises
        ------
        UsageError
            If pyarrow is not installed.
        """
        from chrfect.counts.arrow import to_arrow

        return to_arrow(self)

    @classmethod
    def from_arrow(cls, table: Any) -> Self:
        """Return the table that :meth:`to_arrow` wrote; the counts are not copied if they are in one chunk.

        Raises
        ------
        UsageError
            If the table was not written by :meth:`to_arrow`, or has another schema version.
        """
        from chrfect.counts.arrow import from_arrow

        return from_arrow(cls, table)

    def _require_choice(self, what: str) -> None:
        if self.offsets is not None:
            raise UsageError(
                f"This table holds a row for each segment and reference; {what} needs one reference for each segment: "
                "call choose(metric) first."
            )


def _rebuild(
    recipe: CountRecipe, rows: Any, offsets: Any, origins: Any, sizes: Any, labels: Any, references: Any
) -> Any:
    return CountTable(recipe, rows, offsets=offsets, origins=origins, sizes=sizes, labels=labels, references=references)


def _integers(values: Any, name: str) -> memoryview:
    """Return a buffer as a one-dimensional view of 64-bit integers."""
    try:
        view = memoryview(values)
        if view.format not in ("q", "l") or view.itemsize != 8 or not view.c_contiguous:
            raise TypeError
        return view.cast("B").cast("q") if view.nbytes else memoryview(array("q"))
    except TypeError:
        raise UsageError(f"{name} is a {type(values).__name__}; a contiguous buffer of int64 was expected.") from None


def _spread(part: CountTable, columns: tuple[str, ...]) -> memoryview:
    """Return the rows of a table with more columns; new columns are 0."""
    if part.columns == columns:
        return part.rows
    width = len(columns)
    rows = memoryview(array("q", bytes(8 * width * part.row_count)))
    for i, column in enumerate(part.columns):
        rows[columns.index(column) :: width] = part.rows[i :: len(part.columns)]
    return rows


def _joined_offsets(parts: Sequence[CountTable]) -> array[int]:
    offsets = array("q", [0])
    for part in parts:
        first = offsets[-1]
        ends = range(1, part.row_count + 1) if part.offsets is None else part.offsets[1:]
        offsets.extend(first + end for end in ends)
    return offsets


def _joined(columns: Sequence[Sequence[Any] | None]) -> list[Any] | None:
    """Return the entries of all parts, or None if a part has no entries."""
    if any(column is None for column in columns):
        return None
    return [entry for column in columns for entry in column or ()]


def _joined_sizes(parts: Sequence[CountTable]) -> array[int] | None:
    if all(part.sizes is None for part in parts):
        return None
    sizes = array("q")
    for part in parts:
        sizes.extend(array("q", [1]) * len(part) if part.sizes is None else part.sizes)
    return sizes
