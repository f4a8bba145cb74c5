"""Measurements of whole processes, and of a million exact roundings."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

from corpora import Corpus

from chrfect.formulas import fscore
from chrfect.formulas.decimals import six_decimals

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands start from bytecode, as installed ones do


def commands(corpus: Corpus) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return timers of `chrfect score` and `sacrebleu -m chrf` on files of the corpus."""
    folder = Path(tempfile.mkdtemp(prefix="chrfect-bench-"))
    for name, texts in (("hypotheses", corpus.hypotheses), ("references", corpus.references)):
        (folder / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    programs = Path(sys.executable).parent

    def run(command: list[str]) -> bytes:
        done = subprocess.run([str(programs / command[0]), *command[1:]], cwd=folder, check=True, capture_output=True)
        return done.stdout

    def timer(command: list[str]) -> Callable[[], float]:
        def timed() -> float:
            start = time.perf_counter()
            run(command)
            return time.perf_counter() - start

        return timed

    ours = ["chrfect", "score", "references", "-i", "hypotheses", "-m", "chrF"]
    theirs = ["sacrebleu", "references", "-i", "hypotheses", "-m", "chrf"]
    (system,) = json.loads(run([*ours, "--json"]))["systems"]
    assert abs(system["results"][0]["score"] - json.loads(run([*theirs, "-w", "12"]))["score"]) < 1e-11
    return timer(ours), timer(theirs)


def million(number: int = 1_000_000) -> tuple[float, str, float, float]:
    """Return the ratio of the time of Fraction, no target, and both times; fail unless the texts are equal.

    An eighth of the rows are ties at the seventh decimal or differ from a tie by one match.
    """
    draw = random.Random(3)
    rows = array("q")
    for i in range(number):
        if i % 8:
            for _ in range(6):
                h, r = draw.randint(0, 150), draw.randint(0, 150)
                rows.extend((h, r, draw.randint(0, min(h, r))))
        else:
            ngrams = 512 << draw.randint(0, 8)
            matches = (2 * draw.randint(0, 255) + 1) * (ngrams >> 9) + draw.choice((0, 0, 1 if ngrams > 512 else 0))
            rows.extend((ngrams, ngrams, matches) * 6)
    start = time.process_time()
    fast = fscore.texts(rows, 18, 2, "mean_precision_recall")
    middle = time.process_time()
    exact = [
        six_decimals(*fscore.ratio(rows[at : at + 18], 2, "mean_precision_recall")) for at in range(0, len(rows), 18)
    ]
    end = time.process_time()
    if fast != exact:
        raise SystemExit("Six decimals differ from the Fraction route.")
    return (end - middle) / (middle - start), "", middle - start, end - middle
