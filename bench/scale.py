"""Measure the engines side by side on one machine: seconds for a data set, and the speed relative to memory.

    python bench/scale.py [--rows N] [--rounds N] [--metric NAME] [--only NAME …] [--data FILE]

Needs the extras duckdb, ray and spark, and Polars and pandas. Times are processor seconds of all processes on one core
(`--clock`: elapsed seconds on all cores, with the start of the engine in parentheses).
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import pyarrow as pa
import pyarrow.parquet as pq
from corpora import latin

from chrfect import parse
from chrfect.engines.count import Plan, count_data
from chrfect.report.table import Table

POOL = 100_000
"""The number of distinct pairs in the data."""


def make(path: Path, rows: int, group: int = 1_000_000) -> None:
    """Write a Parquet file with so many rows of 20 words, compressed with zstd."""
    corpus = latin(POOL, 120)
    pairs = pa.table({"hypothesis": corpus.hypotheses, "reference": corpus.references})
    with pq.ParquetWriter(path, pairs.schema, compression="zstd", use_dictionary=False) as writer:
        for first in range(0, rows, group):
            number = min(group, rows - first)
            copies = pa.concat_tables([pairs] * -(-number // POOL)).slice(0, number).combine_chunks()
            writer.write_table(copies, row_group_size=group)


def jobs(path: Path, name: str) -> dict[str, Callable[[], float]]:
    """Return a function for each engine that returns the score of the data."""
    import duckdb
    import pandas as pd
    import polars as pl

    from chrfect.engines.duckdb import register

    metric = parse(name)
    plan = Plan((metric,), "hypothesis", ("reference",))
    connection = duckdb.connect(config={"threads": 1})
    register(connection, {"m": metric})

    @cache
    def table() -> pa.Table:
        return pq.read_table(path)

    @cache
    def frame() -> pl.DataFrame:
        return pl.DataFrame(table())

    total = "SELECT m_score(m_sum(m_counts(hypothesis, reference))) FROM"

    def sums(columns: list[pl.Series]) -> pl.Series:
        counts = metric.count(columns[0], columns[1], threads=1)
        return pl.Series(counts.to_numpy())

    def polars_expression(frame: pl.LazyFrame) -> float:
        kind = pl.Array(pl.Int64, len(metric.columns))
        mapped = pl.map_batches(["hypothesis", "reference"], sums, kind, is_elementwise=True)
        counted = frame.select(mapped.alias("counts")).select(pl.col("counts").arr.to_struct().struct.unnest())
        added = counted.select(pl.all().sum()).collect(engine="streaming")
        return score(added.row(0))

    def score(values: object) -> float:
        from array import array

        from chrfect import CountTable

        return metric.score(CountTable(metric.count_recipe, array("q", values))).score  # type: ignore[arg-type]

    def added(chunks: object) -> float:
        counts = None
        for chunk in chunks:  # type: ignore[attr-defined]
            own = metric.corpus(chunk["hypothesis"], chunk["reference"], threads=1).counts
            counts = own if counts is None else counts + own
        assert counts is not None
        return metric.score(counts).score

    return {
        "memory": lambda: metric.corpus(table()["hypothesis"], table()["reference"], threads=1).score,
        "DuckDB, from memory": lambda: connection.register("held", table()).execute(f"{total} held").fetchall()[0][0],
        "Polars expression, from memory": lambda: polars_expression(frame().lazy()),
        "chrfect counts": lambda: metric.score(count_data([str(path)], plan, threads=1).tables[0]).score,
        "DuckDB": lambda: connection.execute(f"{total} '{path}'").fetchall()[0][0],
        "Polars expression": lambda: polars_expression(pl.scan_parquet(path)),
        "Polars batches": lambda: added(pl.scan_parquet(path).collect_batches(chunk_size=50_000)),
        "pandas chunks": lambda: added(
            batch.to_pandas(types_mapper=pd.ArrowDtype) for batch in pq.ParquetFile(path).iter_batches(50_000)
        ),
    }


def processor() -> float:
    """Return the processor seconds of this process and of the children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def clusters(path: Path, name: str, cores: int) -> dict[str, tuple[float, float, float]]:
    """Return for each engine of a cluster on this machine: score, seconds of its start, and seconds of the run."""
    import ray
    from pyspark.sql import SparkSession

    from chrfect.engines import ray as on_ray
    from chrfect.engines import spark as on_spark

    metric = parse(name)
    plan = Plan((metric,), "hypothesis", ("reference",))
    found = {}
    clock = time.perf_counter
    start = clock()
    part = count_data([str(path)], plan, threads=cores)
    found["chrfect counts"] = metric.score(part.tables[0]).score, 0.0, clock() - start
    start = clock()
    ray.init(num_cpus=cores, log_to_driver=False, logging_level="error")
    ready = clock()
    part = on_ray.count_data([str(path)], plan)
    found["Ray, files"] = metric.score(part.tables[0]).score, ready - start, clock() - ready
    ready = clock()
    part = on_ray.count_dataset(ray.data.read_parquet(str(path)), plan)
    found["Ray, dataset"] = metric.score(part.tables[0]).score, 0.0, clock() - ready
    ray.shutdown()
    start = clock()
    spark = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    ready = clock()
    part = on_spark.count_frame(spark.read.parquet(str(path)), plan)
    found["Spark"] = metric.score(part.tables[0]).score, ready - start, clock() - ready
    spark.stop()
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--metric", default="chrF")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--data", type=Path, help="a file that is kept, and made if it is missing")
    parser.add_argument("--clock", action="store_true", help="measure clusters on this machine by the clock")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.data or Path(folder) / "rows.parquet"
        if not path.exists():
            make(path, arguments.rows)
        rows, size = pq.ParquetFile(path).metadata.num_rows, path.stat().st_size
        print(f"{rows:,} rows, {size / rows:.0f} bytes each, {arguments.metric}\n")
        if arguments.clock:
            cores = len(os.sched_getaffinity(0))
            found = clusters(path, arguments.metric, cores)
            assert len({score for score, _, _ in found.values()}) == 1, found
            cells = [[name, f"{begun:.1f}", f"{taken:.1f}", f"{taken * cores / rows * 1e9:,.0f}"]
                     for name, (_, begun, taken) in found.items()]  # fmt: skip
            print(Table(["engine", "start, s", "run, s", "core-seconds per 1e9"], cells).markdown())
            return
        contestants = {
            name: job for name, job in jobs(path, arguments.metric).items() if name in (arguments.only or [name])
        }
        taken: dict[str, list[float]] = {name: [] for name in contestants}
        scores = set()
        for _ in range(arguments.rounds):
            for name, job in contestants.items():
                before = processor()
                scores.add(job())
                taken[name].append(processor() - before)
        assert len(scores) == 1, scores
        first = next(iter(taken.values()))
        cells = [
            [name, f"{median(own) / rows * 1e9:,.0f}", f"{median(a / b for a, b in zip(first, own, strict=True)):.2f}"]
            for name, own in taken.items()
        ]
        print(Table(["engine", "core-seconds per 1e9 pairs", f"speed over {next(iter(taken))}"], cells).markdown())


if __name__ == "__main__":
    main()
