"""SQL functions of metrics for DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from chrfect.counts import CountTable
from chrfect.counts.arrow import int64_values
from chrfect.errors import UsageError, shown
from chrfect.metrics import Metric
from chrfect.metrics.references import align
from chrfect.metrics.registry import as_metric, metric_names

__all__ = ["register"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def register(connection: Any, metrics: Mapping[str, Metric | str] | None = None) -> None:
    """Add the SQL functions of metrics to a DuckDB connection.

    A metric with the SQL name ``chrf`` has these functions:

    - ``chrf(hypothesis, reference)``: the score of a pair of texts, a DOUBLE.
    - ``chrf_counts(hypothesis, reference)``: its counts, a list of BIGINT.
    - ``chrf_sum(counts)``: an aggregate, the sum of counts in each group, a list of BIGINT.
    - ``chrf_score(counts)``: the score of counts as of a corpus, a DOUBLE.

    NULL is an error in each of them. Functions of the same names that were added before are replaced.

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


def _functions(name: str, metric: Metric) -> dict[str, tuple[Callable[..., Any], list[str], str]]:
    """Return the functions of a metric by their suffix, each with its parameter types and its result type."""
    import numpy as np
    import pyarrow as pa

    width = len(metric.columns)
    recipe = metric.count_recipe

    def count(hypotheses: Any, references: Any, function: str) -> CountTable:
        for column, other, text in ((hypotheses, references, "hypothesis"), (references, hypotheses, "reference")):
            if column.null_count:
                beside = other[column.is_null().to_pylist().index(True)].as_py()
                raise UsageError(
                    f"{function}: a {text} is NULL, beside {shown(beside)}; texts were expected. Leave such rows out "
                    f"(WHERE … IS NOT NULL), or replace NULL by a text (coalesce)."
                )
        return metric._count(align(hypotheses, references), 1)

    def scores(hypotheses: Any, references: Any) -> Any:
        if not len(hypotheses):
            return pa.array([], pa.float64())
        table = count(hypotheses, references, name)
        return pa.array(metric.segmental.for_recipe(table.recipe).float_array(table.rows))

    def counts(hypotheses: Any, references: Any) -> Any:
        number = len(hypotheses)
        rows = count(hypotheses, references, f"{name}_counts").rows if number else np.empty(0, np.int64)
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

    texts, integers = ["VARCHAR", "VARCHAR"], "BIGINT[]"
    return {
        "": (scores, texts, "DOUBLE"),
        "_counts": (counts, texts, integers),
        "_score": (score, [integers], "DOUBLE"),
    }


def _sum(name: str, width: int) -> str:
    """Return the statement that defines the aggregate of a metric, which adds lists element by element."""
    sums = ", ".join(f"sum((counts::BIGINT[])[{i}])::BIGINT" for i in range(1, width + 1))  # a cast, for DuckDB 1.1
    missing = f"error('{name}_sum: counts are NULL; lists from {name}_counts were expected.')"
    return (
        f"CREATE OR REPLACE TEMP MACRO {name}_sum(counts) AS "
        f"CASE WHEN count(*) > count(counts) THEN {missing} ELSE [{sums}] END"
    )
