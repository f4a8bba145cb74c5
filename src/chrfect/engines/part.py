"""Parts: the sums of counts of groups for several metrics, stored as Parquet."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from chrfect.counts import CountRecipe, CountTable
from chrfect.counts.arrow import int64_rows, int64_values, one_chunk
from chrfect.errors import InputFileError, UsageError, shown
from chrfect.files.save import replacing
from chrfect.files.texts import PARQUET, unreadable_parquet
from chrfect.metrics import Metric, parse
from chrfect.metrics.base import thread_number

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = 1
"""The version of the file format of parts."""

Input = tuple[str, int | None]
"""A file and its row group, or None for a whole file."""


@dataclass(frozen=True, slots=True)
class Part:
    """The sums of counts of a part of the data.

    Parameters
    ----------
    metrics : tuple of Metric
    by : tuple of str
        The names of the columns that define groups.
    tables : tuple of CountTable
        One for each metric, with a row for each group, labelled by the values of `by`.
    inputs : tuple of (str, int or None)
        The counted files and row groups, so that nothing is counted twice.
    """

    metrics: tuple[Metric, ...]
    by: tuple[str, ...]
    tables: tuple[CountTable, ...]
    inputs: tuple[Input, ...]

    def regroup(self, by: Sequence[str]) -> Part:
        """Return the part grouped by fewer columns; raise UsageError if it lacks one of them."""
        for name in by:
            if name not in self.by:
                raise UsageError(f"These counts have no groups by {shown(name)}; they have {_names(self.by)}.")
        places = [self.by.index(name) for name in by]
        tables = [
            table.sum_by(tuple(label[place] for place in places) for label in _keys(table)) for table in self.tables
        ]
        return replace(self, by=tuple(by), tables=tuple(tables))


def _keys(table: CountTable) -> Sequence[Any]:
    return table.labels or ()


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names)) or "none"


def require_pyarrow() -> None:
    """Raise UsageError if pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("Parts are Parquet files; they need pyarrow: pip install pyarrow.") from None


def write_part(part: Part, path: str) -> None:
    """Write a part atomically, with a temporary file that is renamed.

    Raises
    ------
    WorkError
        If the file cannot be written, for example because the disk is full.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {}
    for place, name in enumerate(part.by):
        columns[f"by.{name}"] = pa.array([key[place] for key in _keys(part.tables[0])], pa.string())
    for place, table in enumerate(part.tables):
        values = pa.Array.from_buffers(pa.int64(), len(table.rows), [None, pa.py_buffer(table.rows)])
        columns[f"counts.{place}"] = pa.FixedSizeListArray.from_arrays(values, len(table.columns))
    sizes = part.tables[0].sizes
    columns["segments"] = pa.array([] if sizes is None else list(sizes), pa.int64())
    stated = {
        "schema": SCHEMA,
        "metrics": list(map(str, part.metrics)),
        "recipes": [table.recipe.to_dict() for table in part.tables],
        "references": [table.references for table in part.tables],
        "by": list(part.by),
    }
    metadata = {b"chrfect-part": json.dumps(stated), b"chrfect-inputs": json.dumps(part.inputs)}
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns, metadata=metadata), temporary)


def read_part(path: str) -> Part:
    """Return the part in a file.

    Raises
    ------
    InputFileError
        If the file is not a part, is damaged, or has another schema version.
    """
    return _part_of([_read(path)])


class _File(NamedTuple):
    path: str
    rows: Any  # an Arrow table
    stated: bytes
    inputs: list[Input]


def _read(path: str) -> _File:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pa.OSFile(path) as source, pq.ParquetFile(source, pre_buffer=False) as file:
            rows = file.read(use_threads=False)
    except (OSError, ValueError) as error:
        with suppress(OSError), open(path, "rb") as opened:
            if opened.read(len(PARQUET)) != PARQUET:
                raise InputFileError(_no_part(path)) from None
        raise unreadable_parquet(path, error) from None
    metadata = rows.schema.metadata or {}
    if b"chrfect-part" not in metadata:
        raise InputFileError(_no_part(path))
    try:
        inputs = [(name, group) for name, group in json.loads(metadata[b"chrfect-inputs"])]
    except (KeyError, TypeError, ValueError) as error:
        raise InputFileError(f"{path}: the part cannot be read: {error}") from None
    return _File(path, rows, metadata[b"chrfect-part"], inputs)


def _no_part(path: str) -> str:
    return f"{path} is not a part; a file written by `chrfect counts` was expected."


def _part_of(files: Sequence[_File]) -> Part:
    """Return the rows of files with equal metrics, recipes and groups as one part, without adding equal keys."""
    import pyarrow as pa

    try:
        metrics, by, recipes, references = _stated(files[0].stated)
        rows = pa.concat_tables(file.rows for file in files).combine_chunks()
        keys = list(zip(*(rows.column(f"by.{name}").to_pylist() for name in by), strict=True))
        keys = keys if by else [()] * rows.num_rows
        sizes = int64_values(one_chunk(rows.column("segments")))
        tables = []
        for place, recipe in enumerate(recipes):
            values = int64_rows(one_chunk(rows.column(f"counts.{place}")))
            tables.append(CountTable(recipe, values, sizes=sizes, labels=keys, references=references[place]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        for file in files if len(files) > 1 else ():
            _part_of([file])  # raises the error of the damaged file
        raise InputFileError(f"{files[0].path}: the part cannot be read: {error}") from None
    return Part(metrics, by, tuple(tables), tuple(source for file in files for source in file.inputs))


def _stated(data: bytes) -> tuple[tuple[Metric, ...], tuple[str, ...], list[CountRecipe], list[Any]]:
    stated: Mapping[str, Any] = json.loads(data)
    if stated.get("schema") != SCHEMA:
        raise ValueError(f"it has schema {shown(stated.get('schema'))}; this version reads {SCHEMA}.")
    metrics = tuple(map(parse, stated["metrics"]))
    return metrics, tuple(stated["by"]), list(map(CountRecipe.from_dict, stated["recipes"])), stated["references"]


def read_parts(paths: Sequence[str], progress: Callable[[int, int], None] | None = None) -> Part:
    """Return the sum of the parts in several files.

    Raises
    ------
    InputFileError
        If a file is not a part, two parts were counted differently (the message names both files and the first
        difference), or two parts contain the same data.
    """
    alike: dict[bytes, list[_File]] = {}
    owners: dict[Input, str] = {}
    for number, file in enumerate(_read_all(paths), 1):
        path = file.path
        alike.setdefault(file.stated, []).append(file)
        for source in file.inputs:
            if source in owners:
                place = source[0] if source[1] is None else f"{source[0]}, row group {source[1]},"
                raise InputFileError(
                    f"{owners[source]} and {path} both contain the counts of {place}; omit one of them."
                )
            owners[source] = path
        if progress is not None:
            progress(number, len(paths))
    parts = [_part_of(files) for files in alike.values()]
    for files, part in zip(alike.values(), parts, strict=True):
        difference = _difference(parts[0], part)
        if difference:
            raise InputFileError(f"{paths[0]} and {files[0].path} cannot be added: {difference}.")
    return add_parts(parts)


def _read_all(paths: Sequence[str]) -> Iterator[_File]:
    """Yield the files in order, read by several threads."""
    chunks = [paths[at : at + 64] for at in range(0, len(paths), 64)]
    with ThreadPoolExecutor(thread_number(None)) as pool:
        for files in pool.map(lambda chunk: [_read(path) for path in chunk], chunks):
            yield from files


def add_parts(parts: Sequence[Part]) -> Part:
    """Return the sum of parts with equal metrics and groups."""
    tables = [add_tables([part.tables[place] for part in parts]) for place in range(len(parts[0].metrics))]
    inputs = tuple(source for part in parts for source in part.inputs)
    return replace(parts[0], tables=tuple(tables), inputs=inputs)


def add_tables(tables: Iterable[CountTable]) -> CountTable:
    """Return a table with the sums of rows with equal labels, sorted by label."""
    joined = CountTable.concatenate(tables)
    labels: Sequence[Hashable] = joined.labels or ()
    order = sorted(set(labels), key=lambda label: tuple((text is not None, text or "") for text in label))  # type: ignore[attr-defined]
    empty = CountTable(
        joined.recipe,
        array("q", bytes(8 * len(joined.columns) * len(order))),
        sizes=array("q", bytes(8 * len(order))),
        labels=order,
        references=joined.references,
    )
    together = CountTable.concatenate([empty, joined])
    return together.sum_by(together.labels or ())


def _difference(one: Part, other: Part) -> str | None:
    if one.metrics != other.metrics:
        mine, theirs = (_names([*map(str, part.metrics)]) for part in (one, other))
        return f"the metrics are {mine} in one and {theirs} in the other"
    if one.by != other.by:
        return f"the groups are by {_names(one.by)} in one and {_names(other.by)} in the other"
    for table, added in zip(one.tables, other.tables, strict=True):
        if table.recipe != added.recipe:
            try:
                table.recipe.merge(added.recipe)
            except UsageError as error:
                return str(error).rstrip(".")
    return None
