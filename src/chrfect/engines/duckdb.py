"""SQL functions of metrics for DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from chrfect.counts import CountTable
from chrfect.counts.arrow import int64_values
from chrfect.errors import UsageError, quantity, shown
from chrfect.metrics import Metric
from chrfect.metrics.references import Aligned, align
from chrfect.metrics.registry import as_metric, metric_names

__all__ = ["register"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def register(connection: Any, metrics: Mapping[str, Metric | str] | None = None) -> None:
    """Add the SQL functions of metrics to a DuckDB connection.

    A metric with the SQL name ``chrf`` has these functions:

    - ``chrf(hypothesis, reference)``: the score of a segment, a DOUBLE.
    - ``chrf_counts(hypothesis, reference)``: its counts, a list of BIGINT.
    - ``chrf_sum(counts)``: an aggregate, the sum of counts in each group, a list of BIGINT.
    - ``chrf_score(counts)``: the score of counts as of a corpus, a DOUBLE.

    A reference is a text or a list of texts. NULL is an error everywhere. Functions of the same names that were added
    before are replaced.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    metrics : mapping of str to (Metric or str), optional
        The metrics by their SQL names; by default every registered metric: ``chrf``, ``chrfp`` (chrF+), ``chrfpp``
        (chrF++), ``wordf``, ``bleu``, ``ter``, and those that packages registered.

    Raises
    ------
    UsageError
        If DuckDB or pyarrow is not installed, a name is not a name in SQL, or DuckDB or a macro has it.
    """
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(f"SQL functions need {error.name}: pip install duckdb pyarrow.") from None
    if metrics is None:
        metrics = {name.lower().replace("+", "p"): name for name in metric_names()}
    for name, metric in metrics.items():
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{shown(name)} is not a valid name of SQL functions; letters a to z, digits and _ were expected."
            )
        functions = _functions(name, as_metric(metric))
        for suffix, (function, parameters, result) in functions.items():
            with suppress(duckdb.InvalidInputException):  # there is none yet
                connection.remove_function(name + suffix)
            try:
                connection.create_function(
                    name + suffix, function, parameters, result, type="arrow", null_handling="special"
                )
            except (duckdb.CatalogException, duckdb.NotImplementedException) as error:
                raise UsageError(
                    f"{name}{suffix} cannot be added ({error}); pass other names: register(connection, "
                    "{'NAME': METRIC})."
                ) from None
        connection.execute(_sum(name, len(as_metric(metric).columns)))


def _functions(name: str, metric: Metric) -> dict[str, tuple[Callable[..., Any], list[str] | None, str]]:
    """Return the functions of a metric by suffix, each with its parameter types (None: any) and its result type."""
    import numpy as np
    import pyarrow as pa

    width = len(metric.columns)
    recipe = metric.count_recipe

    def count(columns: tuple[Any, ...], function: str) -> CountTable:
        return metric._count(_aligned(columns, function), 1).choose(metric)

    def scores(*columns: Any) -> Any:
        if not len(columns[0]):
            return pa.array([], pa.float64())
        table = count(columns, name)
        return pa.array(metric.segmental.for_recipe(table.recipe).float_array(table.rows))

    def of_segments(columns: tuple[Any, ...]) -> Any:
        table = count(columns, f"{name}_counts")
        if table.columns != metric.columns:
            raise UsageError(
                f"{name}_counts: {metric} has other columns for several references, and lists in SQL have the same "
                f"length; one reference was expected. {name}() and `chrfect counts` take several."
            )
        return table.rows

    def counts(*columns: Any) -> Any:
        number = len(columns[0])
        rows = of_segments(columns) if number else np.empty(0, np.int64)
        values = pa.Array.from_buffers(pa.int64(), number * width, [None, pa.py_buffer(rows)])
        return pa.ListArray.from_arrays(np.arange(number + 1, dtype=np.int32) * width, values)

    def score(counts: Any) -> Any:
        counts = counts.combine_chunks()
        values = counts.flatten()
        if counts.null_count or values.null_count:
            raise UsageError(
                f"{name}_score: counts are NULL; lists from {name}_counts or {name}_sum were expected. The sum of no "
                "rows is NULL."
            )
        if len(values) != width * len(counts) or (np.diff(counts.offsets.to_numpy()) != width).any():
            raise UsageError(
                f"{name}_score: a list has another length than {width}; lists from {name}_counts or {name}_sum were "
                f"expected, which have a number for each column of {metric}."
            )
        if not len(counts):
            return pa.array([], pa.float64())
        return pa.array(metric.scores(CountTable(recipe, int64_values(values))), pa.float64())

    integers = "BIGINT[]"
    return {
        "": (scores, None, "DOUBLE"),  # of any types, since a reference is a text or a list
        "_counts": (counts, None, integers),
        "_score": (score, [integers], "DOUBLE"),
    }


def _aligned(columns: tuple[Any, ...], function: str) -> Aligned:
    """Return the arguments of an SQL function, or raise UsageError if they are not texts, or NULL."""
    import pyarrow as pa

    if len(columns) != 2:
        raise UsageError(
            f"{function} was called with {quantity(len(columns), 'argument')}; a hypothesis and a reference, or a list "
            "of references, were expected."
        )
    hypotheses, references = columns = tuple(_decoded(column) for column in columns)
    several = _is_list(references.type)
    kinds = hypotheses.type, references.type.value_type if several else references.type
    for column, other, kind, text in zip(columns, columns[::-1], kinds, ("hypothesis", "reference"), strict=True):
        if column.null_count:
            beside = other[column.is_null().to_pylist().index(True)].as_py()
            raise UsageError(
                f"{function}: a {text} is NULL, beside {shown(beside)}; texts were expected. Leave such rows out "
                f"(WHERE … IS NOT NULL), or replace NULL by a text (coalesce)."
            )
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)):
            raise UsageError(
                f"{function}: a {text} is of type {kind}; VARCHAR was expected"
                + ("." if text == "hypothesis" else ", or a list of VARCHAR.")
            )
    if not several:
        return align(hypotheses, references)
    lists = references.to_pylist()
    for hypothesis, own in zip(hypotheses, lists, strict=True):
        if not own or None in own:
            what = "has NULL" if own else "is empty"
            raise UsageError(
                f"{function}: a list of references {what}, beside {shown(hypothesis.as_py())}; at least one text, and "
                "no NULL, was expected. Remove NULL by list_filter(references, text -> text IS NOT NULL)."
            )
    return align(hypotheses, None, lists)


def _decoded(column: Any) -> Any:
    """Return a column, of ENUM as the texts."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _sum(name: str, width: int) -> str:
    """Return the statement that defines the aggregate of a metric, which adds lists element by element."""
    sums = ", ".join(f"sum((counts::BIGINT[])[{i}])::BIGINT" for i in range(1, width + 1))  # a cast, for DuckDB 1.1
    missing = f"error('{name}_sum: counts are NULL; lists from {name}_counts were expected.')"
    return (
        f"CREATE OR REPLACE TEMP MACRO {name}_sum(counts) AS "
        f"CASE WHEN count(*) > count(counts) THEN {missing} ELSE [{sums}] END"
    )
