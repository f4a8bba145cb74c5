"""Significance tests and intervals beside sacreBLEU's, after checking that both give the same numbers.

    python bench/significance.py [--rounds N] [--quick]

Texts are made of random words from a fixed seed, 121 characters on average. Ratios are of CPU time, one thread, both
contestants in each round; medians of the rounds. "Test" excludes counting the texts, "end to end" includes it.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import combinations
from typing import Any

import numpy as np
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


def texts(segments: int, systems: int) -> tuple[list[list[str]], list[str]]:
    """Return systems that change some words of the references."""
    generator = np.random.default_rng(1)
    words = ["".join(generator.choice(list("etaoinshrdlucmf"), generator.integers(1, 10))) for _ in range(5_000)]
    references, outputs = [], [[] for _ in range(systems)]
    for _ in range(segments):
        line = generator.choice(words, max(1, generator.poisson(20))).tolist()
        references.append(" ".join(line) + ".")
        for place, output in enumerate(outputs):
            kept = generator.random(len(line)) < 0.6 + 0.004 * place
            output.append(
                " ".join(w if k else words[generator.integers(5_000)] for w, k in zip(line, kept, strict=True)) + "."
            )
    return outputs, references


class Functions:
    """The scores of a metric as the tests take them."""

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

        def test(tables: Any = tables, functions: Functions = functions) -> float:
            return randomize(tables, functions.score, [(0, 1)])[0]

        def ours(metric: Metric = metric, functions: Functions = functions) -> Any:
            counted = [metric.count(output, references, threads=1).to_numpy() for output in outputs]
            return paired_randomization(counted, functions.score, functions.single)[1].p_value

        def their(theirs: Any = theirs) -> Any:
            found = PairedTest(named, {"m": theirs}, [references], "ar")()[1]
            return next(results[1].p_value for key, results in found.items() if key != "System")

        def their_counting(theirs: Any = theirs) -> Any:
            return [theirs._extract_corpus_statistics(output, [references]) for output in outputs]

        assert ours() == their()
        taken = interleaved(
            {
                "test": cpu(test),
                "chrfect": cpu(ours),
                "sacreBLEU": cpu(their),
                "counting": cpu(their_counting),
            },
            rounds,
        )
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="2,000 segments instead of 20,000")
    arguments = parser.parse_args()
    intervals(arguments.rounds)
    paired(arguments.rounds)
    all_pairs()
    exchanged(1 if not arguments.quick else arguments.rounds, 2_000 if arguments.quick else 20_000)
