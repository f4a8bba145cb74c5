"""The corpora of the benchmarks: synthetic texts with fixed seeds, and real system outputs if available."""

from __future__ import annotations

import lzma
import os
import random
from dataclasses import dataclass
from pathlib import Path

LATIN = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllcccuuummwwffggyyppbbvk"
CJK = [chr(0x4E00 + 7 * i) for i in range(2_000)]
REAL = (("de-en", "hyp_ONLINE-W", "ref_refA"), ("en-zh", "hyp_ONLINE-W", "ref_refA"))


@dataclass(frozen=True)
class Corpus:
    """Hypotheses and references."""

    name: str
    hypotheses: list[str]
    references: list[str]


def latin(lines: int = 2_000, characters: int = 120, seed: int = 1) -> Corpus:
    """Return words with the letter frequencies of English; an eighth of the characters of a hypothesis differ."""
    return _made("latin", lambda draw: " " if draw.random() < 0.17 else draw.choice(LATIN), lines, characters, seed)


def cjk(lines: int = 2_000, characters: int = 120, seed: int = 2) -> Corpus:
    """Return random characters from a set of 2,000, few of which are frequent."""
    return _made("cjk", lambda draw: CJK[min(int(draw.paretovariate(0.7)), 1_999)], lines, characters, seed)


def symbols(lines: int = 2_000, characters: int = 120, seed: int = 3) -> Corpus:
    """Return uniformly random characters from a set of 100,000, which is the worst case for long texts."""
    return _made("symbols", lambda draw: chr(draw.randrange(0x10000, 0x286A0)), lines, characters, seed)


def candidates(number: int = 128, characters: int = 120, seed: int = 4) -> Corpus:
    """Return candidates for one source, which are also references; one word in six is one of four alternatives."""
    draw = random.Random(seed)
    words = latin(1, characters, seed).references[0].split()
    places = [[word, *("".join(draw.choices("etaoinshrdlu", k=len(word))) for _ in range(4))] for word in words]
    texts = [" ".join(draw.choices(place, (20, 1, 1, 1, 1))[0] for place in places) for _ in range(number)]
    return Corpus("candidates", texts, texts)


RUSSIAN = ("en-ru", "hyp_ONLINE-W", "ref_refA")


def real(pairs: tuple[tuple[str, str, str], ...] = REAL) -> list[Corpus]:
    """Return WMT 2023 outputs from the folder in CHRFECT_DATA."""
    folder = os.environ.get("CHRFECT_DATA")
    corpora = []
    for pair, hypothesis, reference in pairs if folder else ():
        lines = (Path(folder or "") / "wmt23" / f"generaltest2023.{pair}.tsv").read_bytes().decode().split("\n")
        head, *rows = [line.split("\t") for line in lines if line]
        left, right = head.index(_like(head, hypothesis)), head.index(_like(head, reference))
        corpora.append(Corpus(f"wmt23 {pair}", [row[left] for row in rows], [row[right] for row in rows]))
    return corpora


def sentences(lines: int = 500) -> list[Corpus]:
    """Return sentences of a system of WMT 2019, German to English, from the folder in CHRFECT_DATA."""
    folder = os.environ.get("CHRFECT_DATA")
    if not folder:
        return []
    path = Path(folder) / "wmt-systems" / "newstest2019.de-en.tsv.xz"
    head, *rows = [line.split("\t") for line in lzma.decompress(path.read_bytes()).decode().split("\n") if line]
    left, right, rows = head.index("reference") + 1, head.index("reference"), rows[:lines]
    return [Corpus("wmt19 de-en", [row[left] for row in rows], [row[right] for row in rows])]


def real_candidates(number: int = 128, sources: int = 20) -> list[list[str]]:
    """Return outputs of WMT 2019 systems with a word removed, for sources with enough different ones."""
    folder = os.environ.get("CHRFECT_DATA")
    if not folder:
        return []
    path = Path(folder) / "wmt-systems" / "newstest2019.de-en.tsv.xz"
    head, *rows = [line.split("\t") for line in lzma.decompress(path.read_bytes()).decode().split("\n") if line]
    first, draw, made = head.index("reference") + 1, random.Random(6), []
    for row in rows:
        outputs: dict[str, None] = {}
        for _ in range(4 * number):
            words = draw.choice(row[first:]).split(" ")
            del words[draw.randrange(len(words))]
            if len(words) > 1 and draw.random() < 0.7:
                i = draw.randrange(len(words) - 1)
                words[i : i + 2] = words[i + 1], words[i]
            outputs[" ".join(words)] = None
        if len(outputs) >= number:
            made.append(list(outputs)[:number])
        if len(made) == sources:
            break
    return made


def _like(head: list[str], wanted: str) -> str:
    return wanted if wanted in head else next(name for name in head if name.startswith(wanted[:4]))


def _made(name: str, symbol, lines: int, characters: int, seed: int) -> Corpus:  # type: ignore[no-untyped-def]
    draw = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(lines):
        text = [symbol(draw) for _ in range(characters)]
        other = [symbol(draw) if draw.random() < 0.125 else c for c in text]
        references.append("".join(text))
        hypotheses.append("".join(other))
    return Corpus(name, hypotheses, references)


def outputs_of_systems(segments: int, systems: int) -> tuple[list[list[str]], list[str]]:
    """Return systems that change some words of the references, and the references; about 121 characters a segment."""
    import numpy as np

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
