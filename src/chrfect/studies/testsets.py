"""WMT test sets with system outputs and system-level human scores, and their n-gram counts."""

from __future__ import annotations

import lzma
import math
import multiprocessing
import os
import warnings
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from chrfect.errors import ChrfectWarning, InputFileError
from chrfect.files.lines import decode_lines, read_bytes
from chrfect.formulas.fscore import Averaging, score_array
from chrfect.metrics import Bleu, ChrF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Unit = Literal["codepoint", "byte", "grapheme"]
Progress = Callable[[int, int], None]

CHARACTERS = {"codepoint": 10, "keep": 10, "byte": 18, "grapheme": 10}
"""The maximum character order for each unit; "keep" is code points including whitespace."""

LANGUAGES = {
    "en": "English",
    "de": "German",
    "cs": "Czech",
    "fi": "Finnish",
    "et": "Estonian",
    "lt": "Lithuanian",
    "ru": "Russian",
    "zh": "Chinese",
    "gu": "Gujarati",
    "kk": "Kazakh",
    "fr": "French",
}
"""The target languages."""

WORDS = 4
RESAMPLES = 300
SEED = 2024
WORKERS = 2

LAYOUT = (
    "The folder, or its subfolder wmt-systems, must have DA-syslevel.tsv with the columns testset, lp, system and da, "
    "and for each test set and language pair TESTSET.LP.tsv.xz with the columns segid, source, reference and one "
    "for each system: UTF-8, tab-separated, compressed by xz."
)


@dataclass(frozen=True)
class TestSet:
    """A test set of one language pair.

    Parameters
    ----------
    name : str
        A name such as ``"newstest2019.en-de"``.
    references : list of str
        One text for each segment.
    outputs : dict of str to list of str
        The outputs of each system with human scores.
    human : dict of str to float
        The human score of each system.
    """

    __test__ = False  # not a test class of pytest

    name: str
    references: list[str]
    outputs: dict[str, list[str]]
    human: dict[str, float]

    @property
    def target(self) -> str:
        """The code of the target language."""
        return self.name.rpartition("-")[2]


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a test set.

    Parameters
    ----------
    name, target : str
        The name and the target language of the test set.
    systems : tuple of str
        The systems in the order of the arrays.
    human : array of shape (systems,)
        Human scores.
    segments : int
        The number of segments.
    sums : dict of str to array of shape (systems, orders, 3)
        Summed counts for each unit: characters of orders 1 to `CHARACTERS` of the unit and, for code points, words of
        orders 1 to 4.
    means : dict of str to array of shape (systems,)
        Means of segment scores for each metric.
    bleu : array of shape (systems,)
        Corpus BLEU.
    similarity : array of shape (pairs,)
        chrF between the outputs of each pair of systems, averaged over both directions.
    significance : array of shape (pairs,)
        Two-sided p-value of the difference in chrF by the paired bootstrap over segments.
    """

    name: str
    target: str
    systems: tuple[str, ...]
    human: Floats
    segments: int
    sums: dict[str, Integers]
    means: dict[str, Floats]
    bleu: Floats
    similarity: Floats
    significance: Floats

    def scores(
        self,
        characters: int = 6,
        words: int = 0,
        unit: str = "codepoint",
        beta: float = 2.0,
        averaging: Averaging = "mean_precision_recall",
    ) -> Floats:
        """Return the corpus score of each system for the given orders."""
        counts = self.sums[unit][:, :characters]
        if words:
            start = CHARACTERS["codepoint"]
            counts = np.concatenate([counts, self.sums["codepoint"][:, start : start + words]], axis=1)
        return scored(counts, beta, averaging)


def scored(counts: Integers, beta: float = 2.0, averaging: Averaging = "mean_precision_recall") -> Floats:
    """Return the score of each row of counts (rows, orders, 3)."""
    return score_array(array("q", np.ascontiguousarray(counts).tobytes()), 3 * counts.shape[1], beta, averaging)


def read_names(folder: str) -> tuple[str, dict[tuple[str, str], dict[str, float]]]:
    """Return the folder of the test sets, and the human scores for each (testset, lp).

    Raises
    ------
    InputFileError
        If the table is missing or a score is not a finite number.
    """
    if os.path.isdir(below := os.path.join(folder, "wmt-systems")):
        folder = below
    path = os.path.join(folder, "DA-syslevel.tsv")
    if not os.path.isfile(path):
        raise InputFileError(f"{path}: no such file. {LAYOUT}")
    heading, *lines = (line.split("\t") for line in decode_lines(read_bytes(path), path))
    if heading != ["testset", "lp", "system", "da"]:
        raise InputFileError(f"{path}: line 1 has the columns {' '.join(heading)}. {LAYOUT}")
    human: dict[tuple[str, str], dict[str, float]] = {}
    for number, cells in enumerate(lines, 2):
        try:
            testset, pair, system, score = cells
            value = float(score)
            if not math.isfinite(value):
                raise ValueError
        except ValueError:
            raise InputFileError(
                f"{path}: line {number}: four columns were expected, of which the last is a number."
            ) from None
        human.setdefault((testset, pair), {})[system] = value
    return folder, human


def read_testset(folder: str, name: str, human: dict[str, float]) -> TestSet:
    """Read the outputs of the rated systems of one test set.

    Raises
    ------
    InputFileError
        If the file is missing or damaged, or a rated system has no column.
    """
    path = os.path.join(folder, f"{name}.tsv.xz")
    if not os.path.isfile(path):
        raise InputFileError(f"{path}: no such file. {LAYOUT}")
    try:
        lines = decode_lines(lzma.decompress(read_bytes(path)), path)
    except lzma.LZMAError as error:
        raise InputFileError(f"{path}: the file cannot be decompressed: {error}.") from None
    heading, *rows = (line.split("\t") for line in lines)
    wrong = next((number for number, row in enumerate(rows, 2) if len(row) != len(heading)), None)
    if wrong is not None:
        raise InputFileError(f"{path}: line {wrong} does not have {len(heading)} columns like the header.")
    missing = [column for column in ("reference", *human) if column not in heading]
    if missing:
        raise InputFileError(f"{path}: there is no column {missing[0]!r}. {LAYOUT}")
    columns = dict(zip(heading, zip(*rows, strict=True), strict=True))
    outputs = {system: list(columns[system]) for system in human}
    return TestSet(name, list(columns["reference"]), outputs, human)


def count(testset: TestSet) -> Counted:
    """Count the n-grams that the studies of systems need."""
    references, outputs = testset.references, list(testset.outputs.values())
    metrics = {
        "codepoint": ChrF(CHARACTERS["codepoint"], WORDS),
        "keep": ChrF(CHARACTERS["keep"], whitespace="keep"),
        "byte": ChrF(CHARACTERS["byte"], unit="byte"),
    }
    segments = len(references)
    rows = {unit: [_rows(metric, texts, references) for texts in outputs] for unit, metric in metrics.items()}
    sums = {unit: np.array([one.sum(axis=0) for one in some]) for unit, some in rows.items()}
    counts = rows["codepoint"]
    graphemes = [_grapheme_rows(one, texts, references) for one, texts in zip(counts, outputs, strict=True)]
    sums["grapheme"] = np.array([one.sum(axis=0) for one in graphemes])
    families = {"chrF": (6, 0), "chrF+": (6, 1), "chrF++": (6, 2), "word F": (0, 4)}
    means = {
        name: np.array([scored(_orders(one, *orders)).mean() for one in counts]) for name, orders in families.items()
    }
    bleu = Bleu(tokenize="zh" if testset.target == "zh" else "13a")
    both = [bleu.both(texts, references) for texts in outputs]
    means["BLEU"] = np.array([float(np.mean(one.segments.scores)) for one in both if one.segments is not None])
    chrf = ChrF()
    similarity = [
        (chrf.corpus(first, second).score + chrf.corpus(second, first).score) / 2
        for first, second in combinations(outputs, 2)
    ]
    return Counted(
        testset.name,
        testset.target,
        tuple(testset.outputs),
        np.array(list(testset.human.values())),
        segments,
        sums,
        means,
        np.array([one.score for one in both]),
        np.array(similarity),
        _significance(np.array([_orders(one, 6, 0) for one in counts])),
    )


def _rows(metric: ChrF, hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    counts: Integers = metric.count(hypotheses, references).to_numpy()
    return counts.reshape(len(hypotheses), -1, 3)


def _grapheme_rows(codepoints: Integers, hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    """Return the counts on graphemes, which are those on code points if every grapheme is one code point."""
    import regex

    joining = regex.compile(r"[^\p{GCB=Other}\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]")
    rows = codepoints[:, : CHARACTERS["grapheme"]].copy()
    pairs = list(zip(hypotheses, references, strict=True))
    at = [i for i, pair in enumerate(pairs) if any(map(joining.search, pair))]
    if at:
        metric = ChrF(CHARACTERS["grapheme"], unit="grapheme")
        rows[at] = _rows(metric, [hypotheses[i] for i in at], [references[i] for i in at])
    return rows


def _orders(counts: Integers, characters: int, words: int) -> Integers:
    start = CHARACTERS["codepoint"]
    return np.concatenate([counts[:, :characters], counts[:, start : start + words]], axis=1)


def _significance(counts: Integers) -> Floats:
    """Return the p-value of each pair of systems from counts (systems, segments, orders, 3)."""
    systems, segments = counts.shape[:2]
    generator = np.random.default_rng(SEED)
    weights = generator.multinomial(segments, np.full(segments, 1 / segments), RESAMPLES).astype(np.float64)
    flat = counts.reshape(systems, segments, -1).astype(np.float64)
    resampled = (weights @ flat).round().astype(np.int64)
    scores = [scored(one.reshape(RESAMPLES, -1, 3)) for one in resampled]
    p_values = []
    for first, second in combinations(scores, 2):
        sides = np.count_nonzero(first <= second), np.count_nonzero(first >= second)
        p_values.append(min(1.0, 2 * (1 + min(sides)) / (1 + RESAMPLES)))
    return np.array(p_values)


def count_testsets(folder: str, progress: Progress | None = None) -> list[Counted]:
    """Read and count all test sets of a folder, two at a time.

    Parameters
    ----------
    folder : str
        The folder of the test sets.
    progress : callable, optional
        Called with the numbers of processed and of all test sets.
    """
    folder, human = read_names(folder)
    tasks = [(f"{testset}.{pair}", scores) for (testset, pair), scores in human.items()]
    found = []
    fresh = multiprocessing.get_context("spawn")  # a fork of a process with threads can deadlock
    with ProcessPoolExecutor(min(WORKERS, os.cpu_count() or 1), fresh) as pool:
        for one in pool.map(partial(_read_and_count, folder), *zip(*tasks, strict=True)):
            found.append(one)
            if progress:
                progress(len(found), len(tasks))
    return found


def _read_and_count(folder: str, name: str, human: dict[str, float]) -> Counted:
    with warnings.catch_warnings():
        # some systems write a space before a full stop, and some texts are empty
        warnings.simplefilter("ignore", ChrfectWarning)
        return count(read_testset(folder, name, human))
