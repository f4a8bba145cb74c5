"""A Ray cluster gives what one machine gives, also when workers and machines are lost while it works."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chrfect import InputFileError, UsageError, WorkError, mbr, parse
from chrfect.cli import main
from chrfect.engines.count import Plan, count_data
from chrfect.engines.part import add_parts, read_part, write_part
from engine_rows import METRICS, another_version, columns, expected, rows, values

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.timeout(300),
]
pytest.importorskip("ray", reason="Ray is not installed: pip install 'ray[data]'")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

from chrfect.engines import ray as engine  # noqa: E402
from chrfect.engines import shipment  # noqa: E402
from chrfect.matrices import ray as decoding  # noqa: E402

PLAN = Plan(METRICS, "hypothesis", ("reference",), ("system",))
RECORDS = rows(3_000)


CONNECTED = []
"""Whether this process is connected to the cluster of `here`."""


@pytest.fixture
def nothing():
    """No cluster before and after the test."""
    ray.shutdown()
    CONNECTED.clear()
    yield
    ray.shutdown()


@pytest.fixture
def cluster(nothing):
    """A cluster of three machines; the first has no cores for tasks."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    cluster.machines = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def here():
    """One cluster for the tests in which nothing is lost."""
    if not CONNECTED:
        ray.init("local", num_cpus=2, log_to_driver=False, logging_level="error")
        CONNECTED.append(True)


@pytest.fixture
def folder(tmp_path):
    """Data in two formats: four row groups and a text file."""
    pq.write_table(pa.table(columns(RECORDS[:2_000])), tmp_path / "a.parquet", row_group_size=500)
    lines = [json.dumps(dict(zip(columns(RECORDS), record, strict=True))) for record in RECORDS[2_000:]]
    (tmp_path / "b.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def tasks_running(name):
    """Return the ids of the processes that run a task of that name."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::" + name.encode()):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def kill_task(name):
    """Kill a worker that runs a task of that name; return its id in a list, or no id if none ran for two seconds."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        for pid in tasks_running(name)[:1]:
            os.kill(pid, signal.SIGKILL)
            return [pid]
    return []


@pytest.mark.parametrize("size", [1, 40_000, 1 << 26])
def test_files_and_row_groups_are_counted_as_on_one_machine(here, folder, monkeypatch, size):
    monkeypatch.setattr(shipment, "TASK", size)
    calls = []
    found = engine.count_data([str(folder)], PLAN, progress=lambda done, whole: calls.append((done, whole)))
    assert values(found) == expected(RECORDS)
    assert sorted(found.inputs) == sorted(count_data([str(folder)], PLAN).inputs)
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1] > 0


@pytest.mark.parametrize("by", [(), ("system",)])
def test_a_dataset_is_counted_as_on_one_machine(here, by):
    table = pa.table(columns(RECORDS))
    dataset = ray.data.from_arrow([table.slice(0, 1), table.slice(1, 1_700), table.slice(1_701)])
    assert values(engine.count_dataset(dataset, replace(PLAN, by=by))) == expected(RECORDS, grouped=bool(by))


def test_error_names_a_row_that_cannot_be_counted_and_the_rest_is_kept(here, tmp_path, monkeypatch):
    monkeypatch.setattr(shipment, "TASK", 1)
    number, bad = 1_000_000, 654_321
    texts = pa.array(["a cat"]).take(pa.array([0] * number))
    broken = pa.concat_arrays([texts[:bad], pa.array([None], pa.string()), texts[bad + 1 :]])
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"hypothesis": broken, "reference": texts}), path, row_group_size=100_000)
    plan = Plan((parse("chrF"),), "hypothesis", ("reference",))
    unfinished = tmp_path / "x.unfinished"
    message = r"rows\.parquet: row group 6, row 54321 \(from 0\): hypothesis is null; a text was expected"
    with pytest.raises(InputFileError, match=message):
        engine.count_data([str(path)], plan, unfinished=str(unfinished))
    kept = len(list(unfinished.iterdir()))
    assert 0 < kept < 10
    dataset = ray.data.from_arrow(pa.table({"hypothesis": broken, "reference": texts}).slice(bad - 10, 20))
    with pytest.raises(InputFileError, match=r"a block of the dataset, row 10 \(from 0\): hypothesis is null"):
        engine.count_dataset(dataset, plan)


def test_a_column_of_another_type_or_name_and_no_rows_are_errors(here):
    numbers = ray.data.from_arrow(pa.table({"hypothesis": [1, 2], "reference": ["a", "b"]}))
    plan = Plan((parse("chrF"),), "hypothesis", ("reference",))
    with pytest.raises(InputFileError, match=r"row 0 \(from 0\): hypothesis is a int; a text was expected"):
        engine.count_dataset(numbers, plan)
    with pytest.raises(InputFileError, match="the dataset has no column 'mt'"):
        engine.count_dataset(numbers, replace(plan, hypothesis="mt"))
    empty = ray.data.from_arrow(
        pa.table({"hypothesis": pa.array([], pa.string()), "reference": pa.array([], pa.string())})
    )
    with pytest.raises(InputFileError, match="no rows in the dataset"):
        engine.count_dataset(empty, plan)


def test_output_of_the_command_equals_that_on_one_machine(here, folder, capsys):
    for engine_arguments in ([], ["--engine", "ray"]):
        name = str(folder / f"part{len(engine_arguments)}")
        data = [str(folder / "a.parquet"), str(folder / "b.jsonl")]
        assert main(["counts", *data, "--by", "system", "-m", "chrF", "TER", "-o", name, *engine_arguments]) == 0
    assert (folder / "part0").read_bytes() == (folder / "part2").read_bytes()
    assert main(["counts", str(folder), "-o", "x", "--address", "auto"]) == 2
    assert "add --engine ray" in capsys.readouterr().err


def test_lost_worker_or_machine_does_not_change_the_result(cluster, tmp_path, monkeypatch):
    records = rows(60_000, seed=3, longest=40)
    for number in range(12):
        pq.write_table(pa.table(columns(records[number::12])), tmp_path / f"{number}.parquet")
    monkeypatch.setattr(shipment, "TASK", 1)
    killed, written = [], []
    original = engine.write_part
    monkeypatch.setattr(engine, "write_part", lambda part, path: written.append(path) or original(part, path))

    def disturb(done, whole):
        if not killed:
            killed.extend(kill_task("count_units"))
        elif cluster.machines:
            cluster.remove_node(cluster.machines.pop(), allow_graceful=False)
            cluster.machines.clear()

    found = engine.count_data([str(tmp_path)], PLAN, unfinished=str(tmp_path / "x.unfinished"), progress=disturb)
    assert killed
    assert not cluster.machines
    assert values(found) == expected(records)
    assert len(written) == len(set(written)) == 12
    assert len(found.inputs) == len(set(found.inputs)) == 12
    assert len(list((tmp_path / "x.unfinished").iterdir())) == 12


COMMAND = "from chrfect.cli import main; sys.exit(main(sys.argv[1:]))"
DATASET = """
import ray
from pyarrow import parquet
from chrfect import parse
from chrfect.engines.count import Plan
from chrfect.engines.data import find_files
from chrfect.engines.part import write_part
from chrfect.engines.ray import count_dataset

data, part, *metrics = sys.argv[1:]
ray.init("local", num_cpus=1, log_to_driver=False, logging_level="error")
ray.data.DataContext.get_current().enable_progress_bars = False
plan = Plan(tuple(map(parse, metrics)), "hypothesis", ("reference",), ("system",))
dataset = ray.data.from_arrow(list(map(parquet.read_table, find_files([data]))))
write_part(count_dataset(dataset, plan, unfinished=part + ".unfinished"), part)
"""


@pytest.mark.parametrize("code", [COMMAND, DATASET], ids=["files", "dataset"])
def test_a_run_whose_driver_was_killed_continues(nothing, tmp_path, code):
    records = rows(48_000, seed=4, longest=40)
    for number in range(12):
        pq.write_table(pa.table(columns(records[number::12])), tmp_path / f"{number}.parquet")
    given = [str(tmp_path / "*.parquet"), str(tmp_path / "part"), *map(str, METRICS)]
    if code is COMMAND:
        given = ["counts", given[0], "-o", given[1], "-m", *given[2:], "--by", "system", "--engine", "ray"]
    start = "import sys; from chrfect.engines import shipment; shipment.TASK = 1\n"
    command = [sys.executable, "-W", "ignore", "-c", start + code, *given]
    unfinished = tmp_path / "part.unfinished"
    process = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(list(unfinished.glob("[!.]*.parquet"))) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    def look():
        return {path.name: path.stat().st_mtime_ns for path in unfinished.glob("[!.]*.parquet")}

    kept = look()
    assert 3 <= len(kept) < 12
    watched = dict(kept)
    process = subprocess.Popen(command)
    while process.poll() is None:
        watched |= look()
        time.sleep(0.01)
    assert process.returncode == 0
    assert {name: watched[name] for name in kept} == kept
    assert len(watched) == 12
    assert values(read_part(str(tmp_path / "part"))) == expected(records)


def test_blocks_that_an_earlier_run_counted_are_not_counted_again(here, tmp_path):
    table = pa.table(columns(RECORDS))
    dataset = ray.data.from_arrow([table.slice(first, 500) for first in range(0, 3_000, 500)])
    assert values(engine.count_dataset(dataset, PLAN, unfinished=str(tmp_path))) == expected(RECORDS)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 6
    first = read_part(str(paths[0]))
    write_part(add_parts([first, first]), str(paths[0]))
    found = engine.count_dataset(dataset, PLAN, unfinished=str(tmp_path))
    assert values(found) == values(add_parts([engine.count_dataset(dataset, PLAN), first]))
    equal = ray.data.from_arrow([table, table])
    for _ in range(2):  # the second run counts nothing
        counted = engine.count_dataset(equal, PLAN, unfinished=str(tmp_path / "equal"))
        assert values(counted) == expected(RECORDS + RECORDS)
    assert len(list((tmp_path / "equal").iterdir())) == 1
    fewer = replace(PLAN, by=())
    assert values(engine.count_dataset(dataset, fewer, unfinished=str(tmp_path))) == expected(RECORDS, grouped=False)


def test_another_version_on_a_worker_is_detected(nothing, folder, tmp_path_factory):
    other = another_version(tmp_path_factory.mktemp("other"))
    ray.init("local", num_cpus=1, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": other}})
    message = r"chrfect 0\.0\.1 on the worker .* does not count .*: rule is not set in one and old in the other"
    with pytest.raises(WorkError, match=message):
        engine.count_data([str(folder)], PLAN)
    with pytest.raises(WorkError, match=message):
        engine.count_dataset(ray.data.from_arrow(pa.table(columns(RECORDS))), PLAN)


def test_a_worker_whose_chrfect_has_no_engines_is_an_error(nothing, folder, tmp_path_factory):
    old = tmp_path_factory.mktemp("old")
    (old / "chrfect").mkdir()
    (old / "chrfect" / "__init__.py").write_text("")
    ray.init("local", num_cpus=1, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": str(old)}})
    message = "a worker has no chrfect, or another version; install the same on all machines"
    with pytest.raises(WorkError, match=rf"row group 0: {message}"):
        engine.count_data([str(folder)], PLAN)
    with pytest.raises(WorkError, match=f"the dataset: {message}"):
        engine.count_dataset(ray.data.from_arrow(pa.table(columns(RECORDS))), PLAN)


def test_workers_out_of_memory_are_an_error_that_says_so(nothing, tmp_path, monkeypatch):
    records = rows(40_000, seed=6, longest=40)
    pq.write_table(pa.table(columns(records)), tmp_path / "rows.parquet")
    monkeypatch.setattr(engine, "RETRIES", 0)
    settings = {"memory_usage_threshold": 0.01, "memory_monitor_refresh_ms": 20, "task_oom_retries": 0}
    ray.init("local", num_cpus=1, log_to_driver=False, logging_level="error", _system_config=settings)
    with pytest.raises(WorkError, match=r"rows\.parquet: row group 0: .*memory.* Start the run again"):
        engine.count_data([str(tmp_path)], PLAN)


@pytest.fixture
def small_disk(tmp_path):
    """A folder, and the start of a command in whose mount namespace it is a file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    prefix = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=256k tmpfs {folder} && exec "$@"', "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*prefix, "true"], capture_output=True, timeout=60, check=False).returncode
    ):
        pytest.skip("needs the right to mount a file system in a namespace")
    return folder, prefix


FULL = """
set -eu
! "$@" 2> error
grep "No space left\\|no space left" error
ls "$OUTPUT.unfinished" > before
rm "$SPACE"
"$@"
cp "$OUTPUT" part
"""


def test_a_full_disk_is_an_error_and_the_run_continues_when_there_is_space(nothing, folder, small_disk):
    small, prefix = small_disk
    output, space = small / "part", small / "space"
    (folder / "run.sh").write_text(f'head -c 262144 /dev/zero > "$SPACE" || true\n{FULL}')
    command = [sys.executable, "-W", "ignore", "-m", "chrfect", "counts", str(folder / "a.parquet"), "-o", str(output)]
    command += ["-m", *map(str, METRICS), "--by", "system", "--engine", "ray"]
    environment = os.environ | {"OUTPUT": str(output), "SPACE": str(space), "RAY_ADDRESS": "local"}
    run = subprocess.run([*prefix, "sh", "run.sh", *command], cwd=folder, env=environment, timeout=240, check=False)
    assert run.returncode == 0
    assert re.search(r"part\.unfinished/\w+\.parquet: .*no space left on device", (folder / "error").read_text(), re.I)
    assert values(read_part(str(folder / "part"))) == expected(RECORDS[:2_000])


CANDIDATES = [[h for h, _, _ in RECORDS[i : i + 8]] for i in range(0, 2_400, 8)]


def test_candidates_are_selected_as_on_one_machine(here, monkeypatch):
    monkeypatch.setattr(decoding, "SOURCES", 64)
    weights = [[1, 2, 3, 4, 5, 6, 7, 8]] * len(CANDIDATES)
    for name in ("chrF++", "BLEU"):
        metric = parse(name)
        assert decoding.select(metric, CANDIDATES, weights=weights, top=3) == mbr.select(
            metric, CANDIDATES, weights=weights, top=3
        )
    references = [[r for _, r, _ in RECORDS[i : i + 5]] for i in range(0, 1_500, 5)]
    found = decoding.select(parse("chrF"), CANDIDATES, references, method="aggregate")
    assert found == mbr.select("chrF", CANDIDATES, references, method="aggregate", top=1)
    CANDIDATES[100][3], text = None, CANDIDATES[100][3]
    try:
        with pytest.raises(UsageError, match=r"candidates\[100\]\[3\] is a NoneType|candidates\[100\].*text"):
            decoding.select(parse("chrF"), CANDIDATES)
    finally:
        CANDIDATES[100][3] = text


def test_decoding_that_was_interrupted_continues(here, tmp_path, monkeypatch):
    monkeypatch.setattr(decoding, "SOURCES", 16)
    unfinished = str(tmp_path / "x.unfinished")

    def interrupt(done, number):
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decoding.select(parse("chrF"), CANDIDATES, top=2, unfinished=unfinished, progress=interrupt)
    kept = len(os.listdir(unfinished))
    assert 2 <= kept < 19
    written = []
    original = decoding.write_text
    monkeypatch.setattr(decoding, "write_text", lambda path, text: written.append(path) or original(path, text))
    assert decoding.select(parse("chrF"), CANDIDATES, top=2, unfinished=unfinished) == mbr.select(
        "chrF", CANDIDATES, top=2
    )
    assert len(written) == len(set(written)) == 19 - kept
    written.clear()
    decoding.select(parse("chrF"), CANDIDATES, top=1, unfinished=unfinished)
    assert len(written) == 19


def test_lost_worker_or_machine_does_not_change_the_selection(cluster, monkeypatch):
    monkeypatch.setattr(decoding, "SOURCES", 8)
    draw = rows(7_200, seed=5, longest=30)
    candidates = [[h for h, _, _ in draw[i : i + 30]] for i in range(0, 7_200, 30)]
    killed = []

    def disturb(done, whole):
        if not killed:
            killed.extend(kill_task("_select"))
        elif cluster.machines:
            cluster.remove_node(cluster.machines.pop(), allow_graceful=False)
            cluster.machines.clear()

    assert decoding.select(parse("BLEU"), candidates, progress=disturb) == mbr.select("BLEU", candidates, top=1)
    assert killed
    assert not cluster.machines


def test_output_of_decoding_equals_that_on_one_machine(here, tmp_path, capsys):
    lists = tmp_path / "candidates.jsonl"
    lists.write_text("".join(json.dumps(own) + "\n" for own in CANDIDATES))
    for name, arguments in (("here", []), ("ray", ["--engine", "ray"])):
        assert main(["mbr", str(lists), "--top", "2", "-o", str(tmp_path / name), *arguments]) == 0
    assert (tmp_path / "here").read_bytes() == (tmp_path / "ray").read_bytes()
    assert main(["mbr", str(lists), "--engine", "ray", "--threads", "2"]) == 2
    assert "--threads is for this machine" in capsys.readouterr().err


def test_another_version_on_a_worker_does_not_decode(nothing, tmp_path):
    other = another_version(tmp_path)
    ray.init("local", num_cpus=1, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": other}})
    message = r"chrfect 0\.0\.1 on the worker .* does not count .*: rule is not set in one and old in the other"
    with pytest.raises(WorkError, match=message):
        decoding.select(parse("chrF"), [["a", "b"]])


def test_no_cluster_at_the_address_is_an_error(nothing, folder):
    with pytest.raises(WorkError, match=r"No connection to a Ray cluster at 127\.0\.0\.1:1"):
        engine.count_data([str(folder)], PLAN, address="127.0.0.1:1")
