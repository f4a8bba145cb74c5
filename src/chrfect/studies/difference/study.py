"""Agreement of metrics with humans on pairs of systems, by the size of the difference in score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect._version import __version__
from chrfect.inference.intervals import percentile_bounds
from chrfect.studies.testsets import RESAMPLES as SEGMENT_RESAMPLES
from chrfect.studies.testsets import Counted, Progress, count_testsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

RESAMPLES = 1000
CURVE_RESAMPLES = 100
SEED = 2019
CONFIDENCE = 0.95
BEST = 5
"""Systems of each test set, by human score, that count as its best."""

EDGES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, math.inf)
"""The bounds of the bins of differences in score."""

COARSE = (0.0, 1.0, 2.0, 4.0, math.inf)
"""The bounds of the bins where pairs are divided further."""

LEVELS = (0.8, 0.9, 0.95)
MARGINS = (0.0, 0.05, 0.1)

PUBLISHED = {"chrF": (0.93, 1.1142732), "BLEU": (0.88333333, 0.9663927)}
"""The curves of Kocmi et al. (2024): accuracy a / (1 + exp(-b d)) at a difference of d, as in their tool."""


def published(metric: str, difference: float) -> float:
    """Return the accuracy of a published curve at a difference in score."""
    limit, steepness = PUBLISHED[metric]
    return limit / (1 + math.exp(-steepness * difference))


METRICS: dict[str, Callable[[Counted], Floats]] = {
    "chrF": lambda c: c.scores(),
    "chrF+": lambda c: c.scores(words=1),
    "chrF++": lambda c: c.scores(words=2),
    "word F": lambda c: c.scores(characters=0, words=4),
    "BLEU": lambda c: c.bleu,
    "chrF, bytes": lambda c: c.scores(unit="byte"),
    "chrF, bytes, order 10": lambda c: c.scores(10, unit="byte"),
    "chrF, graphemes": lambda c: c.scores(unit="grapheme"),
    "chrF, whitespace kept": lambda c: c.scores(unit="keep"),
    "chrF, order 4": lambda c: c.scores(4),
    "chrF, order 8": lambda c: c.scores(8),
    "chrF, beta 1": lambda c: c.scores(beta=1.0),
    "chrF, beta 3": lambda c: c.scores(beta=3.0),
    "chrF, F of each order averaged": lambda c: c.scores(averaging="per_order_f"),
    "chrF, mean of segments": lambda c: c.means["chrF"],
    "chrF++, mean of segments": lambda c: c.means["chrF++"],
    "BLEU, mean of segments": lambda c: c.means["BLEU"],
}
MAIN = ("chrF", "chrF++", "BLEU")


@dataclass(frozen=True)
class Share:
    """How often the metric orders the two systems of a pair as humans do.

    Parameters
    ----------
    pairs : int
        Pairs compared.
    value, low, high : float or None
        The share, and its bootstrap interval over test sets and systems; None without pairs.
    difference : float or None
        The mean difference in score of the pairs.
    """

    pairs: int
    value: float | None
    low: float | None
    high: float | None
    difference: float | None

    @property
    def short(self) -> str:
        """The share at two decimals, or a dash."""
        return "–" if self.value is None else f"{self.value:.2f}"


@dataclass(frozen=True)
class Needed:
    """The difference in score from which on a share of pairs is ordered as humans do.

    Parameters
    ----------
    level : float
        The share.
    value, low, high : float or None
        The difference by monotone regression, and its bootstrap interval; None where the share is not reached.
    """

    level: float
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems of all test sets.

    Parameters
    ----------
    human : array of shape (pairs,)
        Differences of human scores.
    metrics : dict of str to array of shape (pairs,)
        Differences of scores by metric.
    target : array of shape (pairs,)
        Codes of target languages.
    best : array of shape (pairs,)
        Whether both systems are among the best of their test set.
    similarity, significance : array of shape (pairs,)
        See `Counted`.
    weights : array of shape (resamples, pairs)
        How often each pair is in each resample of test sets and systems.
    """

    human: Floats
    metrics: dict[str, Floats]
    target: NDArray[np.str_]
    best: Flags
    similarity: Floats
    significance: Floats
    weights: Floats

    def share(self, metric: str, low: float = 0.0, high: float = math.inf, kept: Flags | None = None) -> Share:
        """Return the agreement of the pairs whose difference is in [low, high), of those that are kept."""
        size = np.abs(self.metrics[metric])
        chosen = (self.human != 0) & (size >= low) & (size < high)
        if kept is not None:
            chosen &= kept
        if not chosen.any():
            return Share(0, None, None, None, None)
        agrees = self.agrees(metric)[chosen]
        weights = self.weights[:, chosen]
        total = weights.sum(axis=1)
        resampled = (weights @ agrees)[total > 0] / total[total > 0]
        bounds = percentile_bounds(resampled, CONFIDENCE)
        return Share(int(chosen.sum()), float(agrees.mean()), *bounds, float(size[chosen].mean()))

    def agrees(self, metric: str) -> Floats:
        """Return 1 for each pair that the metric orders as humans do, else 0."""
        agrees: Floats = (np.sign(self.metrics[metric]) == np.sign(self.human)).astype(float)
        return agrees

    def gain(self, first: str, second: str) -> tuple[float, float, float]:
        """Return the difference of the agreement of two metrics on all pairs, and its interval."""
        kept = self.human != 0
        apart = (self.agrees(first) - self.agrees(second))[kept]
        weights = self.weights[:, kept]
        return float(apart.mean()), *percentile_bounds((weights @ apart) / weights.sum(axis=1), CONFIDENCE)

    def needed(self, metric: str) -> tuple[Needed, ...]:
        """Return the differences from which on the shares of `LEVELS` are reached."""
        kept = self.human != 0
        size, agrees = np.abs(self.metrics[metric])[kept], self.agrees(metric)[kept]
        order = np.argsort(size, kind="stable")
        size, agrees, weights = size[order], agrees[order], self.weights[:CURVE_RESAMPLES, kept][:, order]
        values = _thresholds(size, agrees, np.ones(len(size)))
        resampled = np.array([_thresholds(size, agrees, one) for one in weights])
        result = []
        for at, level in enumerate(LEVELS):
            value = values[at]
            low, high = np.quantile(resampled[:, at], [0.025, 0.975], method="nearest")
            result.append(Needed(level, *(float(x) if math.isfinite(x) else None for x in (value, low, high))))
        return tuple(result)


def _thresholds(size: Floats, agrees: Floats, weights: Floats) -> list[float]:
    """Return for each level the size from which on a monotone regression of agreement reaches it."""
    blocks: list[list[float]] = []  # weight, weighted sum, first size
    for one, right, weight in zip(size.tolist(), agrees.tolist(), weights.tolist(), strict=True):
        if weight == 0:
            continue
        blocks.append([weight, weight * right, one])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][0] >= blocks[-1][1] * blocks[-2][0]:
            weight, total, _ = blocks.pop()
            blocks[-1][0] += weight
            blocks[-1][1] += total
    return [next((start for w, total, start in blocks if total / w >= level), math.inf) for level in LEVELS]


@dataclass(frozen=True, eq=False)
class Study:
    """Everything measured.

    Parameters
    ----------
    counted : list of Counted
        The test sets.
    pairs : Pairs
        The pairs of their systems.
    bins : dict of str to tuple of Share
        Agreement by bin of `EDGES`, by metric.
    overall : dict of str to Share
        Agreement on all pairs, by metric.
    gains : dict of str to (value, low, high)
        Agreement minus that of chrF, by metric.
    needed : dict of str to tuple of Needed
        By metric.
    margins : dict of float to tuple of Share
        Agreement of chrF by bin, without pairs whose human scores differ by less.
    groups : dict of str to tuple of Share
        Agreement of chrF by bin of `COARSE`, by group of pairs.
    targets : dict of str to Share
        Agreement of chrF on all pairs, by target language.
    """

    counted: list[Counted]
    pairs: Pairs
    bins: dict[str, tuple[Share, ...]]
    overall: dict[str, Share]
    gains: dict[str, tuple[float, float, float]]
    needed: dict[str, tuple[Needed, ...]]
    margins: dict[float, tuple[Share, ...]]
    groups: dict[str, tuple[Share, ...]]
    targets: dict[str, Share]

    @property
    def verdict(self) -> str:
        """The main result in one line."""
        overall, (small, large) = self.overall["chrF"], (self.bins["chrF"][at] for at in (2, 6))
        return (
            f"chrF orders {overall.short} of {overall.pairs:,} pairs of systems as humans do; {small.short} at "
            f"differences of 1 to 1.5, {large.short} at 4 to 6"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the study as JSON-ready data."""

        def shares(found: Mapping[Any, Sequence[Share]]) -> dict[str, Any]:
            return {str(name): [asdict(share) for share in some] for name, some in found.items()}

        return {
            "version": __version__,
            "edges": [edge for edge in EDGES if math.isfinite(edge)],
            "coarse_edges": [edge for edge in COARSE if math.isfinite(edge)],
            "bins": shares(self.bins),
            "overall": {name: asdict(share) for name, share in self.overall.items()},
            "gains_over_chrF": {name: list(gain) for name, gain in self.gains.items()},
            "needed": {name: [asdict(one) for one in some] for name, some in self.needed.items()},
            "margins": shares(self.margins),
            "groups": shares(self.groups),
            "targets": {name: asdict(share) for name, share in self.targets.items()},
            "verdict": self.verdict,
        }


def run_study(folder: str, progress: Progress | None = None) -> Study:
    """Count the test sets of a folder and measure everything.

    Raises
    ------
    InputFileError
        If a test set is missing or cannot be read.
    """
    return measure(count_testsets(folder, progress))


def measure(counted: list[Counted]) -> Study:
    """Measure everything on counted test sets."""
    pairs = pair_up(counted)
    bins = {metric: _by_bin(pairs, metric, EDGES) for metric in METRICS}
    median = float(np.median(pairs.similarity))
    significant, english = pairs.significance < 0.05, pairs.target == "en"
    groups = {
        "into English": english,
        "into other languages": ~english,
        "similar outputs": pairs.similarity >= median,
        "dissimilar outputs": pairs.similarity < median,
        f"both among the {BEST} best systems": pairs.best,
        "significant on the test set": significant,
        "not significant on the test set": ~significant,
    }
    return Study(
        counted,
        pairs,
        bins,
        {metric: pairs.share(metric) for metric in METRICS},
        {metric: pairs.gain(metric, "chrF") for metric in METRICS if metric != "chrF"},
        {metric: pairs.needed(metric) for metric in METRICS},
        {margin: _by_bin(pairs, "chrF", EDGES, np.abs(pairs.human) >= margin) for margin in MARGINS},
        {name: _by_bin(pairs, "chrF", COARSE, kept) for name, kept in groups.items()},
        {code: pairs.share("chrF", kept=pairs.target == code) for code in sorted(set(pairs.target.tolist()))},
    )


def _by_bin(pairs: Pairs, metric: str, edges: Sequence[float], kept: Flags | None = None) -> tuple[Share, ...]:
    return tuple(pairs.share(metric, low, high, kept) for low, high in pairwise(edges))


def pair_up(counted: Sequence[Counted]) -> Pairs:
    """Return all pairs of systems within a test set."""
    human, target, best = [], [], []
    metrics: dict[str, list[Floats]] = {name: [] for name in METRICS}
    for one in counted:
        first, second = np.triu_indices(len(one.systems), 1)
        human.append(one.human[first] - one.human[second])
        target.append(np.full(len(first), one.target))
        leading = np.argsort(np.argsort(-one.human, kind="stable"), kind="stable") < BEST
        best.append(leading[first] & leading[second])
        for name, scores in METRICS.items():
            values = scores(one)
            metrics[name].append(values[first] - values[second])
    return Pairs(
        np.concatenate(human),
        {name: np.concatenate(some) for name, some in metrics.items()},
        np.concatenate(target),
        np.concatenate(best),
        np.concatenate([one.similarity for one in counted]),
        np.concatenate([one.significance for one in counted]),
        _weights([len(one.systems) for one in counted]),
    )


def _weights(sizes: Sequence[int]) -> Floats:
    """Draw test sets, then systems within each, and return how often each pair of different systems is drawn."""
    generator = np.random.default_rng(SEED)
    drawn = generator.integers(0, len(sizes), (RESAMPLES, len(sizes)))
    blocks = []
    for at, size in enumerate(sizes):
        resample = np.nonzero(drawn == at)[0]
        numbers = generator.multinomial(size, np.full(size, 1 / size), len(resample))
        first, second = np.triu_indices(size, 1)
        block = np.zeros((RESAMPLES, len(first)))
        np.add.at(block, resample, numbers[:, first] * numbers[:, second])
        blocks.append(block)
    return np.concatenate(blocks, axis=1)


SEGMENT_TEST = f"paired bootstrap over segments, {SEGMENT_RESAMPLES} resamples"
