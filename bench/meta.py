"""Compare meta-evaluation with plain loops: tie calibration, cell-swap permutations, memory, the reproduction.

Run with ``python bench/meta.py [--json]``. The data are 15 systems × 600 items with many tied ratings, as in
MQM. Times are CPU times, the minimum of several interleaved runs. The plain loop runs 20 permutations, and its time is
scaled to 1,000. With ``CHRFECT_DATA`` set, the whole reproduction of Popović (2017) is timed too (wall-clock time).
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations

import numpy as np

from chrfect.meta import Measure, Panel, Statistic, calibrate, compare_permuted
from chrfect.report import Table
from chrfect.studies.popovic2017 import run_study
from chrfect.studies.popovic2017.output import write

SYSTEMS, ITEMS, PERMUTATIONS, LOOPED = 15, 600, 1000, 20
MEASURE = Measure(Statistic("pearson"), grouping="item")


def data() -> Panel:
    """Return ratings with many ties, and two metrics."""
    generator = np.random.default_rng(0)
    human = -generator.integers(0, 25, (SYSTEMS, ITEMS)).astype(float)
    metrics = {name: human + scale * generator.normal(size=human.shape) for name, scale in (("a", 9.0), ("b", 10.0))}
    return Panel("bench", [f"S{s}" for s in range(SYSTEMS)], [str(i) for i in range(ITEMS)], human, metrics)


def looped_calibration(human: list[list[float]], metric: list[list[float]]) -> tuple[float, float]:
    """Return epsilon and accuracy, computed in a loop over sorted pairs."""
    pairs = []
    correct = 0
    for ratings, scores in zip(human, metric, strict=True):
        for (h1, m1), (h2, m2) in combinations(zip(ratings, scores, strict=True), 2):
            concordant = (h1 - h2) * (m1 - m2) > 0
            correct += concordant
            pairs.append((abs(m1 - m2), (h1 == h2) - concordant))
    pairs.sort()
    best, epsilon = correct, 0.0
    for at, (distance, gain) in enumerate(pairs):
        correct += gain
        if correct > best and (at + 1 == len(pairs) or pairs[at + 1][0] > distance):
            best, epsilon = correct, distance
    return epsilon, best / len(pairs)


def looped_permutations(panel: Panel, permutations: int) -> float:
    """Return the p-value, computed with a loop over permutations and items."""
    generator = np.random.default_rng(0)
    human = panel.human
    one, two = ((m - m.mean()) / m.std() for m in (panel.metric("a"), panel.metric("b")))

    def averaged(scores: np.ndarray) -> float:
        return statistics.fmean(np.corrcoef(human[:, i], scores[:, i])[0, 1] for i in range(ITEMS))

    beyond = 0
    observed = averaged(one) - averaged(two)
    for _ in range(permutations):
        swap = generator.integers(0, 2, human.shape) == 1
        beyond += abs(averaged(np.where(swap, two, one)) - averaged(np.where(swap, one, two))) >= abs(observed)
    return (1 + beyond) / (1 + permutations)


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one run."""
    started = time.process_time()
    work()
    return time.process_time() - started


def fastest(runs: int, *works: Callable[[], object]) -> list[float]:
    """Return the minimum CPU seconds of interleaved runs of each job."""
    taken = [[seconds(work) for work in works] for _ in range(runs)]
    return [min(column) for column in zip(*taken, strict=True)]


def peak(work: Callable[[], object]) -> int:
    """Return the peak of allocated memory in bytes."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def rows() -> list[dict[str, object]]:
    """Run the benchmark and return its rows."""
    panel = data()
    human, metric = panel.human.T, panel.metric("a").T
    lists = human.tolist(), metric.tolist()
    found = calibrate(human, metric)
    assert (found.epsilon, found.accuracy) == looped_calibration(*lists)
    fast, slow = fastest(5, lambda: calibrate(human, metric), lambda: looped_calibration(*lists))
    result: list[dict[str, object]] = [
        {
            "job": f"tie calibration, {SYSTEMS} × {ITEMS}",
            "ms": fast * 1e3,
            "plain loop, ms": slow * 1e3,
            "ratio": slow / fast,
        }
    ]
    fast, slow = fastest(
        3,
        lambda: compare_permuted(panel, "a", "b", MEASURE, swapped="cells", permutations=PERMUTATIONS),
        lambda: looped_permutations(panel, LOOPED),
    )
    slow *= PERMUTATIONS / LOOPED
    job = f"{PERMUTATIONS:,} cell-swap permutations of item-averaged Pearson"
    result.append({"job": job, "ms": fast * 1e3, "plain loop, ms": slow * 1e3, "ratio": slow / fast})
    for segments in (5_000, 10_000, 20_000):
        generator = np.random.default_rng(segments)
        ratings = np.round(generator.normal(size=segments), 1)
        scores = ratings + generator.normal(size=segments)
        cells = ratings[None], scores[None]
        for name in ("kendall-b", "accuracy"):
            measure = Measure(Statistic(name))
            taken = fastest(3, lambda measure=measure, cells=cells: measure.values(*cells))[0]
            held = peak(lambda measure=measure, cells=cells: measure.values(*cells))
            job = f"{name}, {segments:,} segments, not grouped"
            result.append({"job": job, "ms": taken * 1e3, "peak, bytes a segment": held / segments})
    for segments in (5_000, 10_000):
        generator = np.random.default_rng(segments)
        ratings = np.round(generator.normal(size=segments), 1)
        scores = ratings + generator.normal(size=segments)
        taken = seconds(lambda ratings=ratings, scores=scores: calibrate(ratings, scores))
        held = peak(lambda ratings=ratings, scores=scores: calibrate(ratings, scores))
        job = f"tie calibration, {segments:,} segments, not grouped"
        result.append({"job": job, "ms": taken * 1e3, "peak, bytes a segment": held / segments})
    if folder := os.environ.get("CHRFECT_DATA"):
        with tempfile.TemporaryDirectory() as output:
            started = time.perf_counter()
            write(run_study(folder), output)
            taken = time.perf_counter() - started
        result.append({"job": "the reproduction of Popović (2017), all files", "ms": taken * 1e3})
    return result


if __name__ == "__main__":
    measured = rows()
    if "--json" in sys.argv:
        print(json.dumps(measured, ensure_ascii=False, indent=2))
    else:
        columns = ["job", "ms", "plain loop, ms", "ratio", "peak, bytes a segment"]
        print(Table(columns, [[row.get(name) for name in columns] for row in measured], 1).text())  # type: ignore[misc]
