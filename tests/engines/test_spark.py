"""Spark gives the integers of one machine, whatever the partitions."""

import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chrfect import InputFileError, WorkError, parse
from chrfect.engines.count import Plan
from engine_rows import METRICS, another_version, columns, expected, rows, values

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]
pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from pyspark.sql import SparkSession  # noqa: E402

from chrfect.engines.spark import count_frame  # noqa: E402

PLAN = Plan(METRICS, "hypothesis", ("reference",), ("system",))
RECORDS = rows(3_000)


def session(**settings):
    """Return a session on this machine in which a task may fail three times."""
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "2")
    for key, value in settings.items():
        builder = builder.config(key.replace("_", "."), value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def spark():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture
def frame(spark, tmp_path):
    pq.write_table(pa.table(columns(RECORDS)), tmp_path / "rows.parquet", row_group_size=500)
    return spark.read.parquet(str(tmp_path / "rows.parquet"))


@pytest.mark.parametrize("partitions", [1, 7])
@pytest.mark.parametrize("by", [(), ("system",)])
def test_a_frame_is_counted_as_on_one_machine(frame, partitions, by):
    found = count_frame(frame.repartition(partitions), replace(PLAN, by=by))
    assert values(found) == expected(RECORDS, grouped=bool(by))


def test_lists_and_several_columns_are_several_references(spark):
    hypotheses, lists = ["a cat", "dogs", "x y"], [["the cat", "cats"], ["dogs"], ["x"]]
    data = [(h, refs, refs[0], refs[1] if len(refs) > 1 else None) for h, refs in zip(hypotheses, lists, strict=True)]
    frame = spark.createDataFrame(data, "hypothesis string, both array<string>, a string, `b.2` string")
    for references in (("both",), ("a", "b.2")):
        part = count_frame(frame, Plan(METRICS, "hypothesis", references))
        for metric, table in zip(METRICS, part.tables, strict=True):
            assert table[0].values == metric.corpus(hypotheses, references_per_segment=lists).counts.values


def test_lost_worker_does_not_change_the_result(spark):
    records = rows(40_000, seed=3, longest=40)
    frame = spark.createDataFrame(pa.table(columns(records))).repartition(8)
    killed = []

    def kill():
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for pid in workers():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    found = count_frame(frame, PLAN)
    thread.join()
    assert killed
    assert values(found) == expected(records)


def workers():
    """Return the ids of the Python workers of Spark that use the processor."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command, state = path.read_bytes(), (path.parent / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if b"pyspark.daemon" in command and state[0] == "R" and int(state[11]) > 20:
            found.append(int(path.parent.name))
    return found


@pytest.mark.parametrize(("column", "kind", "message"), [
    (None, "string", r"partition \d+, row \d+ \(from 0\): hypothesis is null; a text was expected"),
    (5, "int", r"partition \d+, row 0 \(from 0\): hypothesis is a int; a text was expected"),
])  # fmt: skip
def test_error_names_a_row_that_cannot_be_counted(spark, column, kind, message):
    data = [("a" if kind == "string" else 1, "b")] * 1_000 + [(column, "b")]
    frame = spark.createDataFrame(data, f"hypothesis {kind}, reference string")
    with pytest.raises(InputFileError, match=message):
        count_frame(frame, replace(PLAN, by=()))


def test_a_missing_column_and_no_rows_are_errors(frame):
    with pytest.raises(InputFileError, match="the DataFrame has no column 'mt'"):
        count_frame(frame, replace(PLAN, hypothesis="mt"))
    for by in ((), ("system",)):
        with pytest.raises(InputFileError, match="no rows in the DataFrame"):
            count_frame(frame.filter("system = 'none'"), replace(PLAN, by=by))


def test_another_version_on_a_worker_is_detected(spark, tmp_path):
    spark.stop()
    other = session(spark_executorEnv_PYTHONPATH=another_version(tmp_path))
    other.sparkContext.setLogLevel("OFF")
    frame = other.createDataFrame([("a", "b")], "hypothesis string, reference string")
    message = r"chrfect 0\.0\.1 on the worker .* does not count chrF .*: rule is not set in one and old in the other"
    with pytest.raises(WorkError, match=message):
        count_frame(frame, Plan((parse("chrF"),), "hypothesis", ("reference",)))
    other.stop()
