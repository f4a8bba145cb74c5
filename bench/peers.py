"""The same jobs in other libraries; each function returns a callable, or None if the library is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from corpora import Corpus

Job = Callable[[], object]

PROGRAMS = {
    "sacreBLEU": "its corpus score, its sentence score in a loop, or its command; the same floats. Before each call of "
    "BLEU its cache of tokenized lines is emptied. For MBR, one call for each pair of 4 of 128 candidates, times 32.",
    "sacreBLEU, lines cached": "the same with the lines that an earlier call tokenized.",
    "sacrebleu-mojo": "its corpus score, measured in its own process; chrF the same to nine decimals, chrF++ of real "
    "texts up to 0.2 points different.",
    "NLTK": "its corpus score, which is the mean of the F of six orders of all sentences, not of the counts; the same "
    "to nine decimals as the mean computed from chrfect's segments.",
    "one Levenshtein distance a pair": "rapidfuzz's edit distance of each pair in a loop, for comparison; no metric.",
    "fastchrf (a batch)": "the scores of all pairs in one call; the same floats.",
    "fastchrf, chrF": "its matrix of chrF, also where chrfect computes chrF++; the same floats.",
    "fastchrf": "its matrix of chrF, and for MBR the means of its rows; the same floats.",
    "fastchrf, approximate means of rows": "the means of the rows without the matrix; they differ by up to 5 points.",
    "fastchrf's aggregate": "the same for MBR.",
    "cell by cell": "chrfect without bitsets; the same floats.",
    "itself with chrF++": "chrfect's matrix of chrF++.",
    "strict reader": "chrfect with the json module in place of msgspec; the same bytes.",
}
"""What each program does, and how its results compare with those of chrfect, which is checked before they are timed."""


def sacrebleu_corpus(corpus: Corpus, word_order: int) -> Job:
    """sacreBLEU's corpus score."""
    from sacrebleu.metrics import CHRF

    metric = CHRF(word_order=word_order)
    return lambda: metric.corpus_score(corpus.hypotheses, [corpus.references]).score


def sacrebleu_ter(corpus: Corpus) -> Job:
    """sacreBLEU's corpus TER."""
    from sacrebleu.metrics import TER

    metric = TER()
    return lambda: metric.corpus_score(corpus.hypotheses, [corpus.references]).score


def sacrebleu_sentences(corpus: Corpus) -> Job:
    """sacreBLEU's sentence score in a loop."""
    from sacrebleu.metrics import CHRF

    metric, pairs = CHRF(), list(zip(corpus.hypotheses, corpus.references, strict=True))
    return lambda: [metric.sentence_score(h, [r]).score for h, r in pairs]


def sacrebleu_bleu(corpus: Corpus, tokenize: str) -> tuple[Job, Job]:
    """sacreBLEU's corpus BLEU: with empty caches, and with the cache of tokenized lines from an earlier call."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize=tokenize)

    def warm() -> float:
        return float(metric.corpus_score(corpus.hypotheses, [corpus.references]).score)

    def cold() -> float:
        _forget(metric.tokenizer)
        return warm()

    return cold, warm


def sacrebleu_bleu_sentences(corpus: Corpus, tokenize: str) -> Job:
    """sacreBLEU's sentence BLEU in a loop, which starts with empty caches."""
    from sacrebleu.metrics import BLEU

    metric, pairs = (
        BLEU(tokenize=tokenize, effective_order=True),
        list(zip(corpus.hypotheses, corpus.references, strict=True)),
    )

    def scores() -> list[float]:
        _forget(metric.tokenizer)
        return [metric.sentence_score(h, [r]).score for h, r in pairs]

    return scores


def _forget(tokenizer: object) -> None:
    """Empty the caches of a tokenizer of sacreBLEU and of the tokenizer that it uses."""
    for part in (tokenizer, getattr(tokenizer, "_post_tokenizer", None)):
        clear = getattr(type(part).__call__, "cache_clear", None)
        if clear is not None:
            clear()


def nltk_corpus(corpus: Corpus) -> Job:
    """NLTK's corpus score, a mean of sentence scores."""
    from nltk.translate.chrf_score import corpus_chrf

    return lambda: corpus_chrf(corpus.references, corpus.hypotheses, max_len=6, beta=2)


def fastchrf_pairwise(corpus: Corpus, number: int) -> Job:
    """fastchrf's matrix, on one thread."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    import fastchrf

    hypotheses, references = corpus.hypotheses[:number], corpus.references[:number]
    return lambda: fastchrf.pairwise_chrf([hypotheses], [references])


def fastchrf_aggregate(corpus: Corpus) -> Job:
    """fastchrf's approximation of the mean of each row of a matrix, on one thread."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    import fastchrf

    return lambda: fastchrf.aggregate_chrf([corpus.hypotheses], [corpus.references])


def fastchrf_mbr(sources: list[list[str]], *, aggregate: bool = False) -> Job:
    """fastchrf's utilities of the candidates of many sources: from all pairs, or from its aggregate; on one thread."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    import fastchrf

    if aggregate:
        return lambda: fastchrf.aggregate_chrf(sources, sources)
    return lambda: [[sum(row) / len(row) for row in m] for m in fastchrf.pairwise_chrf(sources, sources)]


def sacrebleu_mbr(candidates: list[str], number: int, word_order: int) -> Job:
    """sacreBLEU's scores of the first candidates against all candidates of a source, one call for each pair."""
    from sacrebleu.metrics import CHRF

    metric = CHRF(word_order=word_order)
    return lambda: [
        sum(metric.sentence_score(h, [r]).score for r in candidates) / len(candidates) for h in candidates[:number]
    ]


def fastchrf_sentences(corpus: Corpus) -> Job:
    """fastchrf's sentence scores, one batch of pairs."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    import fastchrf

    hypotheses, references = [[h] for h in corpus.hypotheses], [[r] for r in corpus.references]
    return lambda: fastchrf.pairwise_chrf(hypotheses, references)


def levenshtein(corpus: Corpus) -> Job | None:
    """rapidfuzz's edit distance of each pair in a loop, as a baseline."""
    if not find_spec("rapidfuzz"):
        return None
    from rapidfuzz.distance import Levenshtein

    distance, pairs = Levenshtein.distance, list(zip(corpus.hypotheses, corpus.references, strict=True))

    def loop() -> None:
        for hypothesis, reference in pairs:
            distance(hypothesis, reference)

    return loop


class Mojo:
    """sacrebleu-mojo in the Python interpreter named by CHRFECT_MOJO_PYTHON; it measures its own time."""

    def __init__(self) -> None:
        python = os.environ.get("CHRFECT_MOJO_PYTHON")
        command = [python or sys.executable, str(Path(__file__).with_name("mojo_worker.py"))]
        self.process = (
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) if python else None
        )

    def load(self, corpus: Corpus, word_order: int) -> tuple[Callable[[], float], float] | None:
        """Send a corpus; return a callable that scores it once and returns the seconds, and the score."""
        if self.process is None:
            return None
        message = {"hypotheses": corpus.hypotheses, "references": corpus.references, "word_order": word_order}
        return lambda: self._ask({})[0], self._ask(message)[1]

    def _ask(self, message: dict[str, object]) -> tuple[float, float]:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(message), file=self.process.stdin, flush=True)
        seconds, score = json.loads(self.process.stdout.readline())
        return seconds, score
