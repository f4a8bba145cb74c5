"""Significance tests and intervals compared with sacreBLEU, after a check that the numbers are equal.

    python bench/significance.py [--rounds N] [--only intervals|paired|pairs|randomization|memory ...] [--segments N]

Texts are made of random words from a fixed seed, 121 characters on average. Ratios are of CPU time, one thread, both
jobs in each round; medians of the rounds. "Test" excludes counting the texts, "end to end" includes it. More
than 2,000 segments are randomized in one round. Peak memory is that of a process of its own for each job.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from corpora import outputs_of_systems as texts
from measure import cpu, interleaved, ratio
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest, _bootstrap_resample

from chrfect import ChrF, parse
from chrfect.evaluation import evaluate
from chrfect.inference.bootstrap import bootstrap, interval
from chrfect.inference.randomize import randomize
from chrfect.inference.sacrebleu import corpus_interval, paired_bootstrap, paired_randomization
from chrfect.metrics.base import Metric

os.environ.pop("SACREBLEU_SEED", None)


class Functions:
    """The score functions of a metric for the tests."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def score(self, sums: Any) -> Any:
        return self.metric.float_array(memoryview(np.ascontiguousarray(sums)).cast("B").cast("q"))

    def single(self, sums: Any) -> Any:
        return self.metric.single_precision(memoryview(np.ascontiguousarray(sums)).cast("B").cast("q"))


def report(name: str, taken: dict[str, list[float]], ours: str = "chrfect") -> None:
    print(f"{name:62} {ratio(taken, 'sacreBLEU', ours):8.0f} ×", flush=True)


def intervals(rounds: int) -> None:
    (output,), references = texts(2_000, 1)
    metric, theirs = ChrF(word_order=2), CHRF(word_order=2)
    functions = Functions(metric)
    table = metric.count(output, references, threads=1).to_numpy()
    stats = theirs._extract_corpus_statistics(output, [references])
    expected = theirs.corpus_score(output, [references], n_bootstrap=1_000)
    assert corpus_interval(table, functions.single).mean == expected._mean

    def end_to_end() -> Any:
        counted = metric.count(output, references, threads=1).to_numpy()
        return interval(bootstrap([counted], functions.score)[0], 0.0)

    taken = interleaved(
        {
            "chrfect": cpu(end_to_end),
            "sacreBLEU": cpu(lambda: CHRF(word_order=2).corpus_score(output, [references], n_bootstrap=1_000)),
        },
        rounds,
    )
    report("1,000 resamples, 2,000 segments, chrF++, texts to interval", taken)
    taken = interleaved(
        {
            "chrfect": cpu(lambda: bootstrap([table], functions.score)),
            "sacreBLEU": cpu(lambda: _bootstrap_resample(stats, theirs, 1_000)),
        },
        rounds,
    )
    report("the resampling alone", taken)


def paired(rounds: int) -> None:
    outputs, references = texts(2_000, 4)
    metric, theirs = ChrF(), CHRF()
    functions = Functions(metric)
    named = [(str(i), output) for i, output in enumerate(outputs)]

    def ours() -> Any:
        tables = [metric.count(output, references, threads=1).to_numpy() for output in outputs]
        return [result.p_value for result in paired_bootstrap(tables, functions.score, functions.single)]

    def their() -> Any:
        return [result.p_value for result in PairedTest(named, {"chrF": theirs}, [references], "bs")()[1]["chrF2"]]

    assert ours() == their()
    report(
        "paired bootstrap, 4 systems, 2,000 segments, chrF, end to end",
        interleaved({"chrfect": cpu(ours), "sacreBLEU": cpu(their)}, rounds),
    )


def exchanged(rounds: int, segments: int) -> None:
    outputs, references = texts(segments, 2)
    named = [(str(i), output) for i, output in enumerate(outputs)]
    for name, theirs in (("chrF", CHRF()), ("chrF++", CHRF(word_order=2)), ("BLEU", BLEU())):
        metric = parse(name)
        functions = Functions(metric)
        tables = [metric.count(output, references, threads=1).to_numpy() for output in outputs]
        p_values: dict[str, set[float]] = {"chrfect": set(), "sacreBLEU": set()}

        def test(tables: Any = tables, functions: Functions = functions) -> float:
            return randomize(tables, functions.score, [(0, 1)])[0]

        def ours(metric: Metric = metric, functions: Functions = functions, found: Any = p_values) -> None:
            counted = [metric.count(output, references, threads=1).to_numpy() for output in outputs]
            found["chrfect"].add(paired_randomization(counted, functions.score, functions.single)[1].p_value)

        def their(theirs: Any = theirs, found: Any = p_values) -> None:
            results = PairedTest(named, {"m": theirs}, [references], "ar")()[1]
            found["sacreBLEU"].add(next(each[1].p_value for key, each in results.items() if key != "System"))

        def their_counting(theirs: Any = theirs) -> Any:
            return [theirs._extract_corpus_statistics(output, [references]) for output in outputs]

        taken = interleaved(
            {
                "test": cpu(test),
                "chrfect": cpu(ours),
                "sacreBLEU": cpu(their),
                "counting": cpu(their_counting),
            },
            rounds if segments <= 2_000 else 1,
            warm=segments <= 2_000,
        )
        assert len(p_values["chrfect"]) == 1
        assert p_values["chrfect"] == p_values["sacreBLEU"]
        report(f"AR, 10,000 × {segments:,} × 2 systems, {name}, end to end", taken)
        taken["sacreBLEU"] = [a - b for a, b in zip(taken["sacreBLEU"], taken["counting"], strict=True)]
        report(f"  the test alone, {name}", taken, "test")


def all_pairs() -> None:
    outputs, references = texts(2_000, 20)
    systems = {str(i): output for i, output in enumerate(outputs)}
    start = time.process_time()
    found = evaluate(systems, references, ["chrF", "chrF++", "BLEU"])
    counted = time.process_time()
    found.compare(threads=1)
    end = time.process_time()
    named = [(name, systems[name]) for name in ("0", "1")]
    metrics = {"chrF": CHRF(), "chrF++": CHRF(word_order=2), "BLEU": BLEU()}
    began = time.process_time()
    PairedTest(named, metrics, [references], "ar")()
    one = time.process_time() - began
    pairs = len(list(combinations(systems, 2)))
    print(
        f"20 systems × 2,000 segments × 3 metrics, {pairs} pairs, 10,000 trials: {end - start:.1f} s of CPU time, of "
        f"which {counted - start:.1f} s count; sacreBLEU takes {one:.1f} s for one pair, so {pairs * one:,.0f} s for "
        "all",
        flush=True,
    )


def memory(segments: int) -> None:
    """Print the peak memory of approximate randomization, 10,000 trials, of two systems by chrF."""
    for who in ("texts", "chrfect", "sacreBLEU"):
        worker = [sys.executable, str(Path(__file__).with_name("peak.py")), who, str(segments)]
        peak = subprocess.run(worker, check=True, capture_output=True, text=True).stdout.strip()
        print(f"peak memory, 10,000 × {segments:,} × 2 systems, chrF, {who}: {peak} MB", flush=True)


if __name__ == "__main__":
    jobs = ("intervals", "paired", "pairs", "randomization", "memory")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=jobs, default=jobs)
    parser.add_argument("--segments", type=int, default=20_000, help="of the randomization (default: 20000)")
    arguments = parser.parse_args()
    if "intervals" in arguments.only:
        intervals(arguments.rounds)
    if "paired" in arguments.only:
        paired(arguments.rounds)
    if "pairs" in arguments.only:
        all_pairs()
    if "memory" in arguments.only:
        memory(arguments.segments)
    if "randomization" in arguments.only:
        exchanged(arguments.rounds, arguments.segments)
