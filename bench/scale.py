"""Measure the engines side by side on one machine: seconds for a data set, and the speed relative to memory.

    python bench/scale.py [--rows N] [--rounds N] [--metric NAME] [--only NAME …] [--data FILE] [--clock]

Needs the extras duckdb, ray and spark, and Polars and pandas. Times are processor seconds on one core. With `--clock`
each engine uses all cores in a process of its own, and the times are elapsed seconds, of the start and of the run, and
processor seconds of all its processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import pyarrow as pa
import pyarrow.parquet as pq
from corpora import latin

from chrfect import parse
from chrfect.engines.count import Plan, count_data
from chrfect.report.table import Table

if TYPE_CHECKING:
    import duckdb
    import polars as pl

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


def jobs(path: Path, name: str, cores: int) -> dict[str, Callable[[], float]]:
    """Return a function for each engine that returns the score of the data. An engine is imported when it is used."""
    metric = parse(name)
    plan = Plan((metric,), "hypothesis", ("reference",))

    @cache
    def connection() -> duckdb.DuckDBPyConnection:
        import duckdb

        from chrfect.engines.duckdb import register

        connection = duckdb.connect(config={"threads": cores})
        register(connection, {"m": metric})
        return connection

    def by_query(source: str) -> float:
        query = f"SELECT m_score(m_sum(m_counts(hypothesis, reference))) FROM {source}"
        return connection().execute(query).fetchall()[0][0]

    def held() -> str:
        connection().register("held", table())
        return "held"

    @cache
    def table() -> pa.Table:
        return pq.read_table(path)

    @cache
    def frame() -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(table())

    def polars_expression(frame: pl.LazyFrame) -> float:
        import polars as pl

        def sums(columns: list[pl.Series]) -> pl.Series:
            counts = metric.count(columns[0], columns[1], threads=1)
            return pl.Series(counts.to_numpy())

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
            own = metric.corpus(chunk["hypothesis"], chunk["reference"], threads=cores).counts
            counts = own if counts is None else counts + own
        assert counts is not None
        return metric.score(counts).score

    def scan() -> pl.LazyFrame:
        import polars as pl

        return pl.scan_parquet(path)

    def pandas_chunks() -> float:
        import pandas as pd

        batches = pq.ParquetFile(path).iter_batches(50_000)
        return added(batch.to_pandas(types_mapper=pd.ArrowDtype) for batch in batches)

    return {
        "memory": lambda: metric.corpus(table()["hypothesis"], table()["reference"], threads=cores).score,
        "DuckDB, from memory": lambda: by_query(held()),
        "Polars expression, from memory": lambda: polars_expression(frame().lazy()),
        "chrfect counts": lambda: metric.score(count_data([str(path)], plan, threads=cores).tables[0]).score,
        "DuckDB": lambda: by_query(f"'{path}'"),
        "Polars expression": lambda: polars_expression(scan()),
        "Polars batches": lambda: added(scan().collect_batches(chunk_size=50_000)),
        "pandas chunks": pandas_chunks,
    }


CLUSTERS = ("Ray, files", "Ray, dataset", "Spark, files", "Spark, DataFrame")


def started(engine: str, path: Path, name: str, cores: int) -> Callable[[], float]:
    """Start an engine on this machine, and return a function that returns the score of the data."""
    if engine not in CLUSTERS:
        return jobs(path, name, cores)[engine]
    metric = parse(name)
    plan = Plan((metric,), "hypothesis", ("reference",))
    if engine.startswith("Ray"):
        import ray

        from chrfect.engines import ray as on_ray

        ray.init("local", num_cpus=cores, log_to_driver=False, logging_level="error")
        count = {
            "Ray, files": lambda: on_ray.count_data([str(path)], plan),
            "Ray, dataset": lambda: on_ray.count_dataset(ray.data.read_parquet(str(path)), plan),
        }
    else:
        from pyspark.sql import SparkSession

        from chrfect.engines import spark as on_spark

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        spark = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        count = {
            "Spark, files": lambda: on_spark.count_data(spark, [str(path)], plan),
            "Spark, DataFrame": lambda: on_spark.count_frame(spark.read.parquet(str(path)), plan),
        }
    return lambda: metric.score(count[engine]().tables[0]).score


def processor() -> float:
    """Return the processor seconds of this process, of its descendants, and of those that have ended."""
    found, pids = 0.0, [str(os.getpid())]
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            for task in os.listdir(f"/proc/{pid}/task"):
                pids += Path(f"/proc/{pid}/task/{task}/children").read_text().split()
    return found


def clock(engine: str, path: Path, name: str, cores: int) -> None:
    """Print as JSON the score by an engine, the seconds of its start and of the run, and the processor seconds."""
    begun = time.perf_counter()
    job = started(engine, path, name, cores)
    ready = time.perf_counter()
    score = job()
    print(json.dumps([score, ready - begun, time.perf_counter() - ready, processor()]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--metric", default="chrF")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--data", type=Path, help="a file that is kept, and made if it is missing")
    parser.add_argument("--clock", action="store_true", help="measure by the clock, on all cores")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.data or Path(folder) / "rows.parquet"
        if not path.exists():
            make(path, arguments.rows)
        rows, size = pq.ParquetFile(path).metadata.num_rows, path.stat().st_size
        cores = len(os.sched_getaffinity(0))
        if arguments.engine:
            clock(arguments.engine, path, arguments.metric, cores)
            return
        print(f"{rows:,} rows, {size / rows:.0f} bytes each, {arguments.metric}\n")
        if arguments.clock:
            cells, scores = [], set()
            for engine in arguments.only or [*jobs(path, arguments.metric, cores), *CLUSTERS]:
                command = [sys.executable, "-W", "ignore", __file__, "--engine", engine, "--data", str(path)]
                run = subprocess.run(
                    [*command, "--metric", arguments.metric],
                    env=os.environ | {"POLARS_MAX_THREADS": str(cores)},
                    stdout=subprocess.PIPE,
                    check=True,
                )
                score, begun, taken, used = json.loads(run.stdout.splitlines()[-1])
                scores.add(score)
                cells.append([engine, f"{begun:.1f}", f"{taken:.1f}", f"{used:.1f}"])
            assert len(scores) == 1, scores
            print(Table(["engine", "start, s", "run, s", "processor, s"], cells).markdown())
            return
        contestants = {
            name: job for name, job in jobs(path, arguments.metric, 1).items() if name in (arguments.only or [name])
        }
        taken: dict[str, list[float]] = {name: [] for name in contestants}
        scores = set()
        for _ in range(arguments.rounds):
            for name, job in contestants.items():
                before = time.process_time()
                scores.add(job())
                taken[name].append(time.process_time() - before)
        assert len(scores) == 1, scores
        first = next(iter(taken.values()))
        cells = [
            [name, f"{median(own) / rows * 1e9:,.0f}", f"{median(a / b for a, b in zip(first, own, strict=True)):.2f}"]
            for name, own in taken.items()
        ]
        print(Table(["engine", "core-seconds per 1e9 pairs", f"speed over {next(iter(taken))}"], cells).markdown())


if __name__ == "__main__":
    main()
