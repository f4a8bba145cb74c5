"""The speed of chrfect compared with other programs, measured in one interleaved run, as Markdown and JSON.

Run by ``scripts/bench``; ``--only sentences --rounds 3`` runs a part. Jobs on one thread are measured in CPU time,
which depends little on other load; threads and whole processes in wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

import corpora
import numpy as np
import peers
import whole
from corpora import Corpus
from measure import Timer, cpu, interleaved, ratio, wall

from chrfect import Bleu, ChrF, Metric, Ter, catalogue, kernels, mbr, pairwise

MOJO = peers.Mojo()
BEST = kernels.level() or kernels.NAME


@dataclass(frozen=True)
class Row:
    """The ratio of the time of `peer` to that of `chrfect`."""

    job: str
    corpus: str
    chrfect: str
    peer: str
    times: float
    goal: str
    chrfect_seconds: float
    peer_seconds: float


def at_level(level: str, timer: Timer) -> Timer:
    """Return the timer with the compiled kernel at a vector level."""

    def timed() -> float:
        assert kernels.compiled is not None
        kernels.compiled.use_level(level)
        try:
            return timer()
        finally:
            kernels.compiled.use_level(kernels.compiled.levels()[-1])

    return timed


def levels(job: Callable[[], object]) -> dict[str, Timer]:
    """Return a timer of the job for each vector level of the processor."""
    assert kernels.compiled is not None
    return {name: at_level(name, cpu(job)) for name in reversed(kernels.compiled.levels())}


def compare(
    job: str, corpus: str, ours: dict[str, Timer], theirs: dict[str, Timer], goals: dict[str, str], rounds: int
) -> Iterator[Row]:
    """Measure both programs interleaved; the targets apply to the best level."""
    taken = interleaved({**ours, **theirs}, rounds)
    best = next(iter(ours))
    for own in ours:
        for peer in theirs:
            goal = goals.get(peer, "") if own == best else ""
            yield Row(job, corpus, own, peer, ratio(taken, peer, own), goal, median(taken[own]), median(taken[peer]))


def corpus_scores(rounds: int) -> Iterator[Row]:
    """Corpus scores from lists of strings, on one thread."""
    for word_order, name in ((0, "chrF"), (2, "chrF++")):
        metric = ChrF(word_order=word_order)
        for corpus in (corpora.latin(), corpora.cjk(), *corpora.real()):
            job, sacrebleu = corpus_job(metric, corpus), peers.sacrebleu_corpus(corpus, word_order)
            equal(job(), sacrebleu(), 0)
            ours, theirs = levels(job), {"sacreBLEU": cpu(sacrebleu)}
            mojo = MOJO.load(corpus, word_order)
            if mojo is not None:
                theirs["sacrebleu-mojo"], score = mojo
                equal(job(), score, 0.2 if word_order else 1e-9)
            goals = {"sacreBLEU": "150", "sacrebleu-mojo": "12"} if not word_order else {"sacreBLEU": "120"}
            if not word_order:
                nltk = peers.nltk_corpus(corpus)
                segments = metric.segments(corpus.hypotheses, corpus.references)
                equal(fmean(order.f or 0 for segment in segments for order in segment.orders), 100 * nltk(), 1e-9)
                theirs["NLTK"] = cpu(nltk)
                theirs["one Levenshtein distance a pair"] = cpu(peers.levenshtein(corpus))
                goals["one Levenshtein distance a pair"] = "0.83"
            yield from compare(f"corpus {name}", corpus.name, ours, theirs, goals, rounds)


BLEU_TOKENIZERS = (("de-en", "13a"), ("en-ru", "13a"), ("en-zh", "zh"), ("de-en", "none"), ("en-ru", "none"))


def bleu(rounds: int) -> Iterator[Row]:
    """Corpus BLEU and sentence BLEU in a loop, on one thread; all programs must return the same floats."""
    real = {corpus.name.split()[-1]: corpus for corpus in corpora.real((*corpora.REAL, corpora.RUSSIAN))}
    for pair, tokenize in [*BLEU_TOKENIZERS, ("latin", "13a"), ("latin", "none")]:
        if pair not in real and pair != "latin":
            continue
        corpus = real.get(pair) or corpora.latin()
        metric = Bleu(tokenize=tokenize)
        score = lambda m=metric, c=corpus: m.corpus(c.hypotheses, c.references, threads=1).score  # noqa: E731
        cold, warm = peers.sacrebleu_bleu(corpus, tokenize)
        peer = {"sacreBLEU": cold, "sacreBLEU, lines cached": warm}
        assert {job() for job in peer.values()} == {score()}
        theirs = {name: cpu(job) for name, job in peer.items()}
        yield from compare(f"corpus BLEU, {tokenize}", corpus.name, levels(score), theirs, {"sacreBLEU": "100"}, rounds)
        loop = lambda m=metric, c=corpus: [  # noqa: E731
            m.sentence(h, r).score for h, r in zip(c.hypotheses, c.references, strict=True)
        ]
        sentences = peers.sacrebleu_bleu_sentences(corpus, tokenize)
        assert sentences() == loop()
        theirs = {"sacreBLEU": cpu(sentences)}
        yield from compare(
            f"BLEU sentence calls, {tokenize}", corpus.name, levels(loop), theirs, {"sacreBLEU": "60"}, rounds
        )


def shares(rounds: int) -> Iterator[Row]:
    """The time of words relative to characters only, and of Arrow relative to lists."""
    import pyarrow

    for corpus in (corpora.latin(), corpora.cjk()):
        lists = corpus.hypotheses, corpus.references
        arrays = pyarrow.array(corpus.hypotheses), pyarrow.array(corpus.references)
        texts = tuple(map(kernels.arrow_texts, arrays))
        jobs: dict[str, Callable[[], float]] = {
            "chrF": lambda t=lists: ChrF().corpus(*t, threads=1).score,
            "chrF++": lambda t=lists: ChrF(word_order=2).corpus(*t, threads=1).score,
            "arrays": lambda t=arrays: ChrF().corpus(*t, threads=1).score,
            "texts": lambda t=texts: ChrF().corpus(*t, threads=1).score,
        }
        assert jobs["chrF"]() == jobs["arrays"]() == jobs["texts"]()
        taken = interleaved({name: cpu(job) for name, job in jobs.items()}, rounds)
        for job, peer, over, goal in (
            ("chrF", "chrF++", ("chrF++", "chrF"), "at most 1.7" if corpus.name == "latin" else ""),
            ("chrF from lists", "chrF from Arrow", ("arrays", "chrF"), "at most 1.2" if corpus.name == "cjk" else ""),
            ("chrF from Arrow", "chrF from ArrowTexts", ("texts", "arrays"), "1"),
        ):
            seconds = median(taken[over[1]]), median(taken[over[0]])
            yield Row(job, corpus.name, BEST, peer, ratio(taken, *over), goal, *seconds)


def threads(rounds: int) -> Iterator[Row]:
    """Two threads relative to one: the minimum wall time of many rounds, which depends least on other load."""
    corpus, metric = corpora.latin(20_000), ChrF()
    assert corpus_job(metric, corpus, 1)() == corpus_job(metric, corpus, 2)()
    timers = {str(number): wall(corpus_job(metric, corpus, number), 0) for number in (1, 2)}
    taken = interleaved(timers, 50 * rounds)
    one, two = min(taken["1"]), min(taken["2"])
    yield Row("corpus chrF, 20,000 lines, 2 threads", "latin", BEST, "1 thread", one / two, "1.8", two, one)


def ter(rounds: int) -> Iterator[Row]:
    """TER from lists of strings: sentences and paragraphs on one thread, and two threads relative to one."""
    metric = Ter()
    paragraphs = [Corpus(c.name, c.hypotheses[:100], c.references[:100]) for c in corpora.real()[:1]]
    for corpora_, goal in ((corpora.sentences(), "300"), (paragraphs, "200")):
        for corpus in corpora_:
            job, peer = corpus_job(metric, corpus), peers.sacrebleu_ter(corpus)
            assert job() == peer(), corpus.name
            theirs = {"sacreBLEU": cpu(peer)}
            yield from compare("corpus TER", corpus.name, levels(job), theirs, {"sacreBLEU": goal}, rounds)
    many = corpora.latin(20_000)
    assert corpus_job(metric, many, 1)() == corpus_job(metric, many, 2)()
    timers = {str(number): wall(corpus_job(metric, many, number), 0) for number in (1, 2)}
    taken = interleaved(timers, 20 * rounds)
    one, two = min(taken["1"]), min(taken["2"])
    yield Row("corpus TER, 20,000 lines, 2 threads", "latin", BEST, "1 thread", one / two, "1.8", two, one)


def corpus_job(metric: Metric, corpus: Corpus, threads: int = 1) -> Callable[[], float]:
    """Return a function that scores a corpus."""
    return lambda: metric.corpus(corpus.hypotheses, corpus.references, threads=threads).score


def sentences(rounds: int) -> Iterator[Row]:
    """2,000 sentence calls in a Python loop."""
    metric = ChrF()
    for corpus in (corpora.latin(), corpora.cjk(), *corpora.real()):
        pairs = list(zip(corpus.hypotheses, corpus.references, strict=True))
        job = lambda p=pairs: [metric.sentence(h, r).score for h, r in p]  # noqa: E731
        peer = {"sacreBLEU": peers.sacrebleu_sentences(corpus), "fastchrf (a batch)": peers.fastchrf_sentences(corpus)}
        for scores in peer.values():
            equal(job(), np.ravel(scores()), 0)
        theirs = {name: cpu(scores) for name, scores in peer.items()}
        yield from compare("sentence calls", corpus.name, levels(job), theirs, {"sacreBLEU": "60"}, rounds)
    (hypothesis,), (reference,) = (
        texts[:1] for texts in (corpora.latin(1, 100).hypotheses, corpora.latin(1, 100).references)
    )
    (taken,) = interleaved({"": cpu(lambda: metric.sentence(hypothesis, reference).score, 0.05)}, rounds).values()
    yield Row(
        "one sentence call, 100 characters", "latin", BEST, "3 µs", 3e-6 / median(taken), "1", median(taken), 3e-6
    )


def matrices(rounds: int) -> Iterator[Row]:
    """256 hypotheses × 256 references, on one thread."""
    for corpus in (corpora.latin(256), corpora.cjk(256)):
        fast = peers.fastchrf_pairwise(corpus, 256)
        equal(pairwise(ChrF(), corpus.hypotheses, corpus.references), fast(), 0)
        for metric in (ChrF(), ChrF(word_order=2)):
            ours = levels(lambda m=metric, c=corpus: pairwise(m, c.hypotheses, c.references, threads=1))
            theirs = {"fastchrf, chrF": cpu(fast)}
            goals = {"fastchrf, chrF": "20"} if not metric.word_order else {}
            yield from compare(f"pairwise 256 × 256 {metric}", corpus.name, ours, theirs, goals, rounds)


def candidates(rounds: int) -> Iterator[Row]:
    """The candidates of one source scored against each other, on one thread, after a check of the results."""
    chrf, plus = ChrF(), ChrF(word_order=2)
    for number in (8, 16, 24, 32, 128):
        corpus = corpora.candidates(number)
        job = lambda m=chrf, c=corpus: pairwise(m, c.hypotheses, c.references, threads=1)  # noqa: E731
        walk = with_bitsets(False, job)
        equal(job(), walk(), 0)
        theirs = {"cell by cell": cpu(walk)}
        goals = {"cell by cell": "1"}
        if number == 128:
            fast, aggregate = peers.fastchrf_pairwise(corpus, number), peers.fastchrf_aggregate(corpus)
            equal(job(), fast(), 0)
            equal(job().mean(1), aggregate(), 5)
            theirs |= {"fastchrf": cpu(fast), "fastchrf, approximate means of rows": cpu(aggregate)}
            theirs["itself with chrF++"] = cpu(lambda c=corpus: pairwise(plus, c.hypotheses, c.references, threads=1))
            goals |= {
                "fastchrf": "300",
                "fastchrf, approximate means of rows": "15",
                "itself with chrF++": "at most 1.5",
            }
        yield from compare(f"pairwise {number} × {number} chrF", corpus.name, levels(job), theirs, goals, rounds)


def with_bitsets(which: bool, job: Callable[[], object]) -> Callable[[], object]:
    """Return the job with or without bitsets for matrices."""

    def done() -> object:
        assert kernels.compiled is not None
        kernels.compiled.use_bitsets(which)
        try:
            return job()
        finally:
            kernels.compiled.use_bitsets(None)

    return done


def equal(ours: object, theirs: object, most: float) -> None:
    """Raise AssertionError if two arrays differ by more than a limit."""
    difference = float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())
    assert difference <= most, f"results differ by {difference}"


def calls(rounds: int) -> Iterator[Row]:
    """Tool calls from bytes to bytes, after a check of the answers."""
    corpus = corpora.latin(256)
    texts = {"hypotheses": corpus.hypotheses, "references": corpus.references}
    tokens = {
        "hypotheses": [text.split() for text in corpus.hypotheses],
        "references": [[text.split()] for text in corpus.references],
    }
    for id in catalogue.ids():
        example = catalogue.newest_contract(id)["examples"][0]["input"]
        bodies = {"its example": example}
        if "hypotheses" in example:
            bodies["256 segments"] = texts if isinstance(example["hypotheses"][0], str) else tokens
        for name, value in bodies.items():
            body = json.dumps(value, ensure_ascii=False).encode()
            job = lambda i=id, b=body: catalogue.answer(i, "1.0.0", b)  # noqa: E731
            strict = lambda i=id, b=body: strict_answer(i, b)  # noqa: E731
            assert job() == strict()
            yield from compare(f"call {id}", name, {BEST: cpu(job)}, {"strict reader": cpu(strict)}, {}, rounds)


def strict_answer(id: str, body: bytes) -> bytes:
    """Return a tool's answer with the strict reader and the json module."""
    return catalogue.dumps({"result": catalogue.run(id, "1.0.0", catalogue.loads(body))}).encode()


def decoding(rounds: int) -> Iterator[Row]:
    """Minimum Bayes risk decoding with 128 candidates for each source, on one thread."""
    made = [corpora.candidates(seed=seed).hypotheses for seed in range(20)]
    for name, sources in (("candidates", made), ("wmt19 de-en", corpora.real_candidates())):
        for metric in (ChrF(), ChrF(word_order=2)) if sources else ():
            values, loop = mbr.utilities(metric, sources[:1])[0], peers.sacrebleu_mbr(sources[0], 4, metric.word_order)
            assert all(abs(a - b) < 1e-9 for a, b in zip(values, loop(), strict=False))
            ours = {BEST: cpu(lambda m=metric, s=sources: mbr.select(m, s, threads=1))}
            theirs = {"sacreBLEU": scaled(cpu(loop), len(sources) * len(sources[0]) / 4)}
            goals = {"sacreBLEU": "2500"}
            if not metric.word_order:
                job = peers.fastchrf_mbr(sources[:1])
                assert all(abs(a - b) < 1e-9 for a, b in zip(values, job()[0], strict=True))
                equal(values, peers.fastchrf_mbr(sources[:1], aggregate=True)(), 5)
                theirs["fastchrf"] = scaled(cpu(job), len(sources))
                theirs["fastchrf's aggregate"] = cpu(peers.fastchrf_mbr(sources, aggregate=True))
                goals |= {"fastchrf": "300", "fastchrf's aggregate": "15"}
            yield from compare(f"MBR, 128 candidates, {metric}", name, ours, theirs, goals, rounds)


def scaled(timer: Timer, times: float) -> Timer:
    """Return a timer of a part of the work that is scaled to all of it."""
    return lambda: timer() * times


def commands(rounds: int) -> Iterator[Row]:
    """`chrfect score` and sacreBLEU's command as whole processes, in wall time."""
    ours, theirs = whole.commands(corpora.latin())
    yield from compare(
        "whole process, 2,000 lines", "latin", {BEST: ours}, {"sacreBLEU": theirs}, {"sacreBLEU": "6"}, rounds
    )


LENGTHS = [1, 3, 10, 30, 60, 120, 250, 500, 600, 1_000, 3_000, 10_000, 100_000, 1_000_000]


def growth(rounds: int) -> Iterator[Row]:
    """The time per character by length relative to the fastest length, and of a million relative to a thousand."""
    for made in (corpora.latin, corpora.cjk, corpora.symbols):
        timers = {}
        for length in LENGTHS:
            corpus = made(max(1, 100_000 // length), length)
            job = lambda c=corpus: ChrF().corpus(c.hypotheses, c.references, threads=1)  # noqa: E731
            timers[str(length)] = cpu(job, 0.02)
        taken = interleaved(timers, rounds)
        cost = {n: median(taken[str(n)]) / (2 * n * max(1, 100_000 // n)) for n in LENGTHS}
        cheapest = min(cost.values())
        for n in LENGTHS:
            yield Row(f"at {n:,}", made.__name__, BEST, "", cost[n] / cheapest, "12", cost[n], cheapest)
        last, first = cost[1_000_000], cost[1_000]
        yield Row("at 1,000,000 over 1,000", made.__name__, BEST, "", last / first, "2", last, first)


def many(rounds: int) -> Iterator[Row]:
    """Large jobs relative to the same work in small parts, whose time per item should be the same."""
    draw = random.Random(4)
    texts = [" ".join(str(draw.getrandbits(40)) for _ in range(15)) for _ in range(20_000)]
    parts = [texts[at : at + 200] for at in range(0, len(texts), 200)]
    chrf = ChrF(word_order=2)
    tokens = [[str(draw.getrandbits(40)) for _ in range(100)] for _ in range(3_000)]
    groups = [tokens[at : at + 100] for at in range(0, len(tokens), 100)]
    long, orders = "a" * 300_000, ChrF(char_order=12)
    jobs: dict[tuple[str, str], tuple[Callable[[], object], Callable[[], object]]] = {
        ("pairwise 1 × 20,000 chrF++", "200 columns at a time"): (
            lambda: pairwise(chrf, texts[:1], texts, threads=1),
            lambda: [pairwise(chrf, texts[:1], part, threads=1) for part in parts],
        ),
        ("BLEU's matches, 3,000 references", "100 at a time"): (
            lambda: kernels.bleu_rows(tokens[:1], tokens, [0, len(tokens)], None, 4),
            lambda: [kernels.bleu_rows(tokens[:1], group, [0, len(group)], None, 4) for group in groups],
        ),
        ("12 orders, a reference of 512", "one of 513"): (
            lambda: orders.sentence(long, "a" * 512),
            lambda: orders.sentence(long, "a" * 513),
        ),
    }
    for (job, peer), (whole_job, parted) in jobs.items():
        yield from compare(job, "random", {BEST: cpu(whole_job)}, {peer: cpu(parted)}, {peer: "0.25"}, rounds)


def million(_: int) -> Iterator[Row]:
    """A million scores with six decimals relative to Fraction; the results must be equal."""
    yield Row("six decimals of 1,000,000 rows", "random counts", BEST, "the Fraction route", *whole.million())


JOBS = {
    job.__name__: job
    for job in (
        corpus_scores,
        bleu,
        shares,
        threads,
        ter,
        sentences,
        matrices,
        candidates,
        decoding,
        calls,
        commands,
        many,
        growth,
        million,
    )
}


def described() -> str:
    """Return the processor, its vector level, and the Python."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(": ")[1] for line in info.read_text().splitlines() if "model name" in line] if info.exists() else []
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    name, python = names[0] if names else platform.machine(), platform.python_version()
    return f"{name}, {cores} cores, vector level {kernels.level()}, Python {python}"


def table(rows: list[Row]) -> str:
    """Return the ratios as Markdown with a column for each vector level."""
    assert kernels.compiled is not None
    names = list(reversed(kernels.compiled.levels()))
    cells: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        cells.setdefault((row.job, row.corpus, row.peer), {})[row.chrfect] = row
    return markdown(["job", "corpus", "against"], names, "to reach", cells)


def growth_table(rows: list[Row]) -> str:
    """Return the time per character by length as Markdown with a column for each corpus."""
    cells: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        cells.setdefault((row.job,), {})[row.corpus] = row
    return markdown(["a character"], list(dict.fromkeys(row.corpus for row in rows)), "at most", cells)


def markdown(left: list[str], names: list[str], goal: str, cells: dict[tuple[str, ...], dict[str, Row]]) -> str:
    """Return a table with a column for each name between the columns on the left and the target."""
    lines = [f"| {' | '.join([*left, *names, goal])} |", f"|{' --- |' * len(left)}{' ---: |' * (len(names) + 1)}"]
    for key, by_name in cells.items():
        ratios = [f"{by_name[name].times:.3g}" if name in by_name else "" for name in names]
        lines.append(f"| {' | '.join([*key, *ratios])} | {next(iter(by_name.values())).goal} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the tables, and write the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (default 7)")
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    parser.add_argument("--only", choices=JOBS, help="run only this job")
    arguments = parser.parse_args()
    done: dict[str, list[Row]] = {}
    for name, job in JOBS.items():
        if arguments.only in (None, name):
            print(f"{name} …", file=sys.stderr, flush=True)
            done[name] = list(job(arguments.rounds))
    rows = [row for name in done for row in done[name]]
    others = [row for name in done if name != "growth" for row in done[name]]
    tables = [table(others)] * bool(others) + [growth_table(done[name]) for name in done if name == "growth"]
    programs = [f"- *{name}*: {does}" for name, does in peers.PROGRAMS.items() if name in {row.peer for row in rows}]
    print(described(), *tables, *["\n".join(programs)] * bool(programs), sep="\n\n")
    if arguments.json:
        data = {"machine": described(), "rounds": arguments.rounds, "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
