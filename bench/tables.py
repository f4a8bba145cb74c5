"""The speed of data sets on disk compared with the same texts in memory, of `merge`, and the peak memory, as Markdown.

    python bench/tables.py [--rounds N] [--rows 20000000]

One thread is measured in CPU time, two threads and whole processes in wall time. Scores are compared before they are
timed. ``--rows`` also counts so many rows in one row group as a process, and prints its peak memory.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq
from measure import Timer, cpu, interleaved, ratio, wall

from chrfect import Metric, parse
from chrfect.engines.count import Plan, count_data
from chrfect.engines.part import write_part

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands start from bytecode, as installed ones do
COLUMNS = "hypothesis", ("reference",)
PARTS = 10_000
METRICS = ("chrF++", "BLEU", "TER")


def rows(number: int, seed: int) -> pa.Table:
    """Return rows of 20 words, a fifth of which differ between hypothesis and reference."""
    draw = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(1, 10))) for _ in range(20_000)]
    texts = [draw.choices(words, k=20) for _ in range(number)]
    changed = [[word if draw.random() > 0.2 else draw.choice(words) for word in text] for text in texts]
    return pa.table(
        {"hypothesis": [" ".join(text) for text in changed], "reference": [" ".join(text) for text in texts]}
    )


def jobs(path: str, metric: Metric, table: pa.Table, threads: int) -> dict[str, Callable[[], object]]:
    """Return the jobs that count from a file and from memory."""
    hypotheses, references = (table.column(name).combine_chunks() for name in ("hypothesis", "reference"))
    plan = Plan((metric,), *COLUMNS)
    found = {
        "memory": lambda: metric.corpus(hypotheses, references, threads=threads).counts.values,
        "Parquet": lambda: count_data([path], plan, threads=threads).tables[0].sum().values,
    }
    assert found["memory"]() == found["Parquet"]()
    return found


def parquet(folder: Path, rounds: int) -> Iterator[str]:
    """Yield the speed from zstd Parquet relative to that in memory."""
    table, path = rows(200_000, 1), str(folder / "rows.parquet")
    pq.write_table(table, path, compression="zstd", row_group_size=100_000)
    for name, goal in (("chrF", ".70"), ("chrF++", ".85")):
        for threads in (1, 2):
            clock: Callable[[Callable[[], object]], Timer] = cpu if threads == 1 else wall
            timers = {key: clock(job) for key, job in jobs(path, parse(name), table, threads).items()}
            times = ratio(interleaved(timers, rounds), "memory", "Parquet")
            number = "1 thread" if threads == 1 else f"{threads} threads"
            yield f"| {name} from Parquet, {number} | in memory | {times:.2f} | {goal if threads == 1 else '.8'} |"


def merge(folder: Path, rounds: int) -> Iterator[str]:
    """Yield the seconds of the command on many parts of three metrics."""
    data = folder / "data.parquet"
    pq.write_table(rows(100, 2), data)
    part = count_data([str(data)], Plan(tuple(map(parse, METRICS)), *COLUMNS))
    parts = folder / "parts"
    parts.mkdir()
    for number in range(PARTS):
        write_part(replace(part, inputs=((f"shard-{number}", 0),)), str(parts / f"{number:05}.parquet"))
    command = [sys.executable, "-m", "chrfect", "merge", str(parts)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"{100 * PARTS}" in printed, printed
    timer = wall(lambda: subprocess.run(command, check=True, capture_output=True))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    taken = interleaved({"": timer}, rounds, warm=False)[""]
    seconds = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / rounds
    yield f"| merge of {PARTS:,} parts, {seconds:.1f} s of CPU time | wall time | {median(taken):.1f} s | 2 s |"


def peak(folder: Path, number: int) -> Iterator[str]:
    """Yield the peak memory of counting many rows in one row group on two threads."""
    path, table = folder / "large.parquet", rows(500_000, 3)
    large = pa.concat_tables([table] * -(-number // len(table))).slice(0, number)
    pq.write_table(large, path, compression="zstd", row_group_size=number)
    command = [sys.executable, "-m", "chrfect", "counts", str(path), "-m", "chrF", "--threads", "2"]
    measured = [
        sys.executable,
        "-c",
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
        *command,
        "-o",
        str(folder / "large.part.parquet"),
    ]
    kilobytes = int(subprocess.run(measured, check=True, capture_output=True, text=True).stdout)
    yield f"| peak memory, {number:,} rows in one row group | | {round(kilobytes / 1024)} MB | 300 MB |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (default 7)")
    parser.add_argument("--rows", type=int, default=0, help="also measure the peak memory of so many rows")
    arguments = parser.parse_args()
    print("| job | against | measured | to reach |\n| --- | --- | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="chrfect-bench-") as name:
        folder = Path(name)
        for line in parquet(folder, arguments.rounds):
            print(line, flush=True)
        for line in merge(folder, min(3, arguments.rounds)):
            print(line, flush=True)
        for line in peak(folder, arguments.rows) if arguments.rows else ():
            print(line, flush=True)


if __name__ == "__main__":
    main()
