"""Tables of counts as Arrow tables."""

from __future__ import annotations

import json
from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from chrfect.counts.recipe import SCHEMA, CountRecipe
from chrfect.errors import UsageError, shown

if TYPE_CHECKING:
    import pyarrow

    from chrfect.counts.table import CountTable

Table = TypeVar("Table", bound="CountTable")


def to_arrow(table: CountTable) -> pyarrow.Table:
    """Return a table of counts as an Arrow table; see :meth:`CountTable.to_arrow`."""
    pa = _pyarrow()
    width, number = len(table.recipe.columns), table.row_count
    values = pa.Array.from_buffers(pa.int64(), number * width, [None, pa.py_buffer(table.rows)])
    columns = {"counts": pa.FixedSizeListArray.from_arrays(values, width)}
    if table.offsets is not None:
        spans = enumerate(stop - start for start, stop in pairwise(table.offsets))
        columns["segment"] = pa.array((i for i, span in spans for _ in range(span)), pa.int64())
    if table.origins is not None:
        columns["reference"] = pa.array(list(table.origins))
    if table.sizes is not None:
        columns["segments"] = pa.Array.from_buffers(pa.int64(), number, [None, pa.py_buffer(table.sizes)])
    if table.labels is not None:
        columns["label"] = pa.array(list(table.labels))
    stated = {"schema": SCHEMA, "recipe": table.recipe.to_dict(), "references": table.references}
    return pa.table(columns, metadata={b"chrfect": json.dumps(stated).encode()})


def from_arrow(kind: type[Table], table: Any) -> Table:
    """Return the table of counts in an Arrow table; see :meth:`CountTable.from_arrow`."""
    pa = _pyarrow()
    metadata = getattr(getattr(table, "schema", None), "metadata", None) or {}
    try:
        stated = json.loads(metadata[b"chrfect"])
    except (KeyError, ValueError):
        raise UsageError("This Arrow table holds no counts; a table from CountTable.to_arrow was expected.") from None
    if stated.get("schema") != SCHEMA:
        raise UsageError(f"These counts have schema {shown(stated.get('schema'))}; this version reads {SCHEMA}.")
    recipe = CountRecipe.from_dict(stated["recipe"])
    held = {name: one_chunk(table.column(name)) for name in table.column_names}
    counts = held.get("counts")
    if counts is None or counts.type != pa.list_(pa.int64(), len(recipe.columns)) or counts.null_count:
        raise UsageError(f"The column counts must hold lists of {len(recipe.columns)} int64 without nulls.")

    def values(name: str) -> list[Any] | None:
        return held[name].to_pylist() if name in held else None

    offsets = None
    segments = values("segment")
    if segments is not None:
        starts = [i for i, segment in enumerate(segments) if not i or segment != segments[i - 1]]
        offsets = array("q", [*starts, len(segments)])
    sizes = values("segments")
    return kind(
        recipe,
        int64_rows(counts),
        offsets=offsets,
        origins=values("reference"),
        sizes=None if sizes is None else array("q", sizes),
        labels=values("label"),
        references=stated["references"],
    )


def one_chunk(column: Any) -> Any:
    """Return a column as one array, without a copy if it has one chunk."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def int64_values(integers: Any) -> memoryview:
    """Return the values of an Arrow array of int64 without a copy; its ``to_numpy`` imports pandas.

    Raises
    ------
    UsageError
        If the array is of another type, or has nulls.
    """
    if str(integers.type) != "int64" or integers.null_count:
        raise UsageError(
            f"An Arrow array of {integers.type} has {integers.null_count} nulls; int64 without nulls was expected."
        )
    data = memoryview(integers.buffers()[1] or b"")
    return data[8 * integers.offset : 8 * (integers.offset + len(integers))].cast("q")


def int64_rows(lists: Any) -> memoryview:
    """Return the values of fixed-size lists as :func:`int64_values` does; their ``flatten`` imports pyarrow.compute."""
    width = lists.type.list_size
    if lists.null_count:
        raise UsageError(f"An Arrow array of {lists.type} has {lists.null_count} nulls; lists were expected.")
    return int64_values(lists.values.slice(lists.offset * width, len(lists) * width))


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise UsageError("Arrow tables need the pyarrow module: pip install pyarrow.") from None
    return pyarrow
