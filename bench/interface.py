"""The speed of chrfect through sacreBLEU's own interface, and of its command, as Markdown.

Functions are measured in CPU time on one thread (``CHRFECT_THREADS=1``), commands and workers in wall time. Outputs are
compared before they are timed. Run it as ``python bench/interface.py [--rounds N]``.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import corpora
import sacrebleu.metrics
import sacrebleu.significance
from corpora import Corpus
from measure import cpu, interleaved, ratio, wall
from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

import chrfect
from chrfect import Evaluator
from chrfect.compat.sacrebleu import metrics, significance

os.environ["CHRFECT_THREADS"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands start from bytecode, as installed ones do
MODULES = {"chrfect": metrics, "sacreBLEU": sacrebleu.metrics}
CALLS: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("`CHRF().corpus_score`", "CHRF", {}, "150"),
    ("`CHRF(word_order=2).corpus_score`", "CHRF", {"word_order": 2}, "150"),
    ("`BLEU().corpus_score`", "BLEU", {"force": True}, "60"),
    ("`TER().corpus_score`", "TER", {}, "100"),
)
SENTENCES: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("`CHRF().sentence_score`, 2,000 calls", "CHRF", {}, "30"),
    ("`BLEU(effective_order=True).sentence_score`, 2,000 calls", "BLEU", {"effective_order": True}, "30"),
)


def report(name: str, taken: dict[str, list[float]], target: str) -> None:
    times, seconds = ratio(taken, "sacreBLEU", "chrfect"), median(taken["chrfect"])
    print(f"| {name} | {times:.3g} | {target} | {1_000 * seconds:.3g} ms |", flush=True)


def uncached(job: Callable[[], Any]) -> Callable[[], Any]:
    """Return a job that first empties sacreBLEU's cache of tokenized lines."""

    def run() -> Any:
        tokenizer_13a.Tokenizer13a.__call__.cache_clear()
        tokenizer_re.TokenizerRegexp.__call__.cache_clear()
        return job()

    return run


def calls(corpus: Corpus, rounds: int) -> None:
    """Corpus scores, then sentence scores in a loop, with new metric objects each time."""
    for name, kind, parameters, target in CALLS:
        number = 300 if kind == "TER" else 2_000
        texts = corpus.hypotheses[:number], [corpus.references[:number]]
        jobs = {program: partial(corpus_score, module, kind, parameters, texts) for program, module in MODULES.items()}
        measure(name if number == 2_000 else f"{name}, 300 lines", jobs, target, rounds)
    for name, kind, parameters, target in SENTENCES:
        jobs = {program: partial(loop, module, kind, parameters, corpus) for program, module in MODULES.items()}
        measure(name, jobs, target, rounds)


def corpus_score(module: Any, kind: str, parameters: dict[str, Any], texts: tuple[Any, Any]) -> str:
    return str(getattr(module, kind)(**parameters).corpus_score(*texts))


def loop(module: Any, kind: str, parameters: dict[str, Any], corpus: Corpus) -> list[Any]:
    score = getattr(module, kind)(**parameters).sentence_score
    return [score(text, [reference]) for text, reference in zip(corpus.hypotheses, corpus.references, strict=True)]


def scripts(corpus: Corpus, rounds: int) -> None:
    """Several references, an interval, and a paired test, as on the page about coming from sacreBLEU."""
    texts, streams = corpus.hypotheses, [corpus.references, [text[:-9] for text in corpus.references]]
    jobs = {
        program: partial(corpus_score, module, "CHRF", {"beta": 3}, (texts, streams))
        for program, module in MODULES.items()
    }
    measure("`CHRF(beta=3).corpus_score`, two references", jobs, "", rounds)
    jobs = {program: partial(with_interval, module, texts, streams[:1]) for program, module in MODULES.items()}
    measure("`CHRF().corpus_score(n_bootstrap=1000)`", jobs, "", rounds)
    jobs = {
        program: partial(paired, module, test, texts, streams[:1])
        for (program, module), test in zip(MODULES.items(), (significance, sacrebleu.significance), strict=True)
    }
    measure('`PairedTest(…, {"BLEU": BLEU()}, …, "ar", 1000)`', jobs, "", rounds)


def with_interval(module: Any, texts: list[str], streams: list[list[str]]) -> str:
    return str(module.CHRF(references=streams).corpus_score(texts, None, n_bootstrap=1_000))


def paired(module: Any, test: Any, texts: list[str], streams: list[list[str]]) -> list[float]:
    systems = [("base", texts), ("other", [text[5:] for text in texts])]
    _, columns = test.PairedTest(systems, {"BLEU": module.BLEU(force=True)}, streams, "ar", 1_000)()
    return [columns["BLEU"][0].score, columns["BLEU"][1].score, columns["BLEU"][1].p_value]


def measure(name: str, jobs: dict[str, Callable[[], Any]], target: str, rounds: int) -> None:
    assert str(jobs["chrfect"]()) == str(jobs["sacreBLEU"]())
    timers = {"chrfect": cpu(jobs["chrfect"]), "sacreBLEU": cpu(uncached(jobs["sacreBLEU"]))}
    report(name, interleaved(timers, rounds), target)


def command(lines: int, metric: str, target: str, rounds: int) -> None:
    """A whole process on files."""
    corpus = corpora.latin(lines)
    compileall.compile_dir(next(iter(chrfect.__path__)), quiet=1)  # as in an installation; sacreBLEU is compiled too
    with tempfile.TemporaryDirectory(prefix="chrfect-bench-") as folder:
        for name, texts in (("hypotheses", corpus.hypotheses), ("references", corpus.references)):
            (Path(folder) / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
        programs = Path(sys.executable).parent
        last = ["references", "-i", "hypotheses", "-m", metric, "-w", "4", "-b"]

        def printed(*words: str) -> str:
            command = [str(programs / words[0]), *words[1:], *last]
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

        ours, theirs = partial(printed, "chrfect", "sacrebleu"), partial(printed, "sacrebleu")
        assert ours() == theirs()
        taken = interleaved({"chrfect": wall(ours), "sacreBLEU": wall(theirs)}, rounds)
        report(f"the command, `-m {metric}`, {lines:,} lines", taken, target)


def merged(rounds: int) -> None:
    """`compute()` of an evaluator after it merged 8 workers of 2,000 segments."""
    corpus = corpora.latin(16_000)
    workers = [Evaluator(["chrF++", "BLEU"], corpus.references) for _ in range(8)]
    for i, worker in enumerate(workers):
        part = range(2_000 * i, 2_000 * (i + 1))
        worker.add_batch(corpus.hypotheses[part.start : part.stop], part)
    evaluator, *others = workers
    evaluator.merge(*others)
    seconds = median(cpu(evaluator.compute)() for _ in range(rounds))
    print(f"\n`Evaluator.compute()` of chrF++ and BLEU over 8 merged workers: {1_000 * seconds:.3f} ms (target: 1 ms)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each comparison (default 5)")
    parser.add_argument("--skip-large", action="store_true", help="without the commands on 100,000 lines")
    parser.add_argument("--only", choices=["calls", "scripts", "commands", "merged"], help="run only this part")
    arguments = parser.parse_args()
    only = arguments.only
    print("| call | times as fast as sacreBLEU | target | chrfect |\n| --- | --- | --- | --- |")
    if only in (None, "calls"):
        calls(corpora.latin(), arguments.rounds)
    if only in (None, "scripts"):
        scripts(corpora.latin(), arguments.rounds)
    if only in (None, "commands"):
        for metric in ("bleu", "chrf"):
            command(2_000, metric, "6", 2 * arguments.rounds)
        for metric in ("bleu", "chrf") if not arguments.skip_large else ():
            command(100_000, metric, "20", 1)
    if only in (None, "merged"):
        merged(arguments.rounds)


if __name__ == "__main__":
    main()
