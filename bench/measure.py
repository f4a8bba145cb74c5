"""Interleaved measurement: every round times each job once, and a ratio is the median of the ratios of all rounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Timer = Callable[[], float]


def cpu(job: Callable[[], object], least: float = 0.03) -> Timer:
    """Return a function that measures the CPU seconds of one run of a job, repeated for at least `least` seconds."""
    return _timer(job, time.process_time, least)


def wall(job: Callable[[], object], least: float = 0.03) -> Timer:
    """Return a function that measures the wall-clock seconds of one run of a job."""
    return _timer(job, time.perf_counter, least)


def _timer(job: Callable[[], object], clock: Callable[[], float], least: float) -> Timer:
    def timed() -> float:
        runs, start = 0, clock()
        while True:
            job()
            runs += 1
            taken = clock() - start
            if taken >= least:
                return taken / runs

    return timed


def interleaved(timers: Mapping[str, Timer], rounds: int, warm: bool = True) -> dict[str, list[float]]:
    """Return the seconds of each timer in each round; with `warm`, a first round is discarded."""
    taken: dict[str, list[float]] = {name: [] for name in timers}
    gc.disable()
    try:
        for turn in range(rounds + warm):
            for name, timer in timers.items():
                seconds = timer()
                if turn >= warm:
                    taken[name].append(seconds)
            gc.collect()
    finally:
        gc.enable()
    return taken


def ratio(taken: Mapping[str, list[float]], over: str, under: str) -> float:
    """Return the median of the time of `over` divided by that of `under` in the same round."""
    return median(a / b for a, b in zip(taken[over], taken[under], strict=True))
