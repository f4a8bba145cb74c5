"""Spark gives the integers of one machine, whatever the partitions."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chrfect import InputFileError, WorkError, parse
from chrfect.engines import count
from chrfect.engines.count import Plan
from chrfect.engines.part import add_parts, read_part, write_part
from engine_rows import METRICS, another_version, columns, expected, rows, values

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]
pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from pyspark.sql import SparkSession  # noqa: E402

from chrfect.engines import shipment  # noqa: E402
from chrfect.engines.spark import count_data, count_frame  # noqa: E402

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


@pytest.fixture
def folder(tmp_path):
    """Data in two formats: four row groups and a text file."""
    pq.write_table(pa.table(columns(RECORDS[:2_000])), tmp_path / "a.parquet", row_group_size=500)
    lines = [json.dumps(dict(zip(columns(RECORDS), record, strict=True))) for record in RECORDS[2_000:]]
    (tmp_path / "b.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize("size", [1, 40_000, 1 << 26])
def test_files_and_row_groups_are_counted_as_on_one_machine(spark, folder, monkeypatch, size):
    monkeypatch.setattr(shipment, "TASK", size)
    found = count_data(spark, [str(folder)], PLAN)
    assert values(found) == expected(RECORDS)
    assert found == count.count_data([str(folder)], PLAN)


def test_tasks_that_an_earlier_run_counted_are_not_counted_again(spark, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(shipment, "TASK", 1)
    unfinished = tmp_path / "x.unfinished"
    count_data(spark, [str(folder)], PLAN, unfinished=str(unfinished))
    paths = sorted(unfinished.iterdir())
    assert len(paths) == 5
    doubled = read_part(str(paths[0]))
    write_part(add_parts([doubled, doubled]), str(paths[0]))
    paths[1].unlink()
    found = count_data(spark, [str(folder)], PLAN, unfinished=str(unfinished))
    assert values(found) == values(add_parts([count_data(spark, [str(folder)], PLAN), doubled]))


DRIVER = """
import sys
from pyspark.sql import SparkSession
from chrfect import parse
from chrfect.engines import shipment
from chrfect.engines.count import Plan
from chrfect.engines.part import write_part
from chrfect.engines.spark import count_data

shipment.TASK = 1
data, part, *metrics = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
plan = Plan(tuple(map(parse, metrics)), "hypothesis", ("reference",), ("system",))
write_part(count_data(spark, [data], plan, unfinished=part + ".unfinished"), part)
"""


@pytest.mark.timeout(600)  # two sessions start
def test_a_run_whose_driver_was_killed_continues(tmp_path):
    records = rows(24_000, seed=4, longest=40)
    for number in range(12):
        pq.write_table(pa.table(columns(records[number::12])), tmp_path / f"{number}.parquet")
    unfinished = tmp_path / "part.unfinished"
    given = [str(tmp_path / "*.parquet"), str(tmp_path / "part"), *map(str, METRICS)]
    command = [sys.executable, "-W", "ignore", "-c", DRIVER, *given]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}

    def look():
        return {path.name: path.stat().st_mtime_ns for path in unfinished.glob("[!.]*.parquet")}

    process = subprocess.Popen(command, env=environment, start_new_session=True)
    deadline = time.monotonic() + 240
    while len(look()) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = look()
    assert 3 <= len(kept) < 12
    subprocess.run(command, env=environment, timeout=300, check=True)
    complete = look()
    assert len(complete) == 12
    assert {name: complete[name] for name in kept} == kept
    assert values(read_part(str(tmp_path / "part"))) == expected(records)


def test_error_names_the_file_and_the_row_and_the_rest_is_kept(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(shipment, "TASK", 1)
    number, bad = 1_000_000, 654_321
    texts = pa.array(["a cat"]).take(pa.array([0] * number))
    broken = pa.concat_arrays([texts[:bad], pa.array([None], pa.string()), texts[bad + 1 :]])
    pq.write_table(
        pa.table({"hypothesis": broken, "reference": texts}), tmp_path / "rows.parquet", row_group_size=100_000
    )
    unfinished = tmp_path / "x.unfinished"
    message = r"rows\.parquet: row group 6, row 54321 \(from 0\): hypothesis is null; a text was expected"
    with pytest.raises(InputFileError, match=message):
        count_data(spark, [str(tmp_path)], replace(PLAN, by=()), unfinished=str(unfinished))
    assert 0 < len(list(unfinished.iterdir())) < 10


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


def test_a_worker_that_is_killed_in_each_attempt_is_an_error(spark):
    spark.stop()
    other = session()
    other.sparkContext.setLogLevel("OFF")

    def end(batches):
        os.kill(os.getpid(), 9)
        yield from batches

    schema = "hypothesis string, reference string"
    frame = other.createDataFrame([("a", "b")], schema).mapInArrow(end, schema)
    with pytest.raises(WorkError, match=r"A Python worker of Spark ended .*memory.* start the run again"):
        count_frame(frame, Plan((parse("chrF"),), "hypothesis", ("reference",)))
    other.stop()


OUT_OF_MEMORY = """
from test_spark import Plan, WorkError, count_frame, parse, session

if __name__ == "__main__":
    # 700 MB for each of two Python workers, and enough for Java itself, which would end in place of the worker
    spark = session(spark_executor_pyspark_memory="1400m", spark_driver_memory="3g")
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.range(1).selectExpr("repeat('ab ', 20000000) AS hypothesis", "'b' AS reference")
    try:
        count_frame(frame, Plan((parse("chrF"),), "hypothesis", ("reference",)))
    except WorkError as error:
        print(error)
    spark.stop()
"""


def test_workers_out_of_memory_are_an_error_that_says_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(OUT_OF_MEMORY)
    folders = [*sys.path, str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=240)
    assert re.search(r"A Python worker of Spark .*memory.* start the run again", done.stdout), done.stdout + done.stderr
