"""Interleaved measurement: every round runs every contestant once, and ratios are medians of the rounds' ratios."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

Timer = Callable[[], float]


def cpu(job: Callable[[], object], least: float = 0.03) -> Timer:
    """Return a function that times a job in seconds of this process's CPU time, repeated for at least `least`."""
    return _timer(job, time.process_time, least)


def wall(job: Callable[[], object], least: float = 0.03) -> Timer:
    """Return a function that times a job in seconds of the clock on the wall."""
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


def interleaved(contestants: Mapping[str, Timer], rounds: int, warm: bool = True) -> dict[str, list[float]]:
    """Return the seconds of each contestant in each round, after a first round that does not count (if `warm`)."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    gc.disable()
    try:
        for turn in range(rounds + warm):
            for name, timer in contestants.items():
                seconds = timer()
                if turn >= warm:
                    taken[name].append(seconds)
            gc.collect()
    finally:
        gc.enable()
    return taken


def ratio(taken: Mapping[str, list[float]], over: str, under: str) -> float:
    """Return the median of how many times longer `over` took than `under` in the same round."""
    return median(a / b for a, b in zip(taken[over], taken[under], strict=True))
