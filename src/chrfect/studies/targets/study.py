"""Agreement of many configurations of chrF with humans, by target language, corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect._version import __version__
from chrfect.inference.corrections import adjust
from chrfect.inference.resample import coins, exchanges
from chrfect.meta.correlation import moments, pearson
from chrfect.meta.pairs import accuracy, pair_sums
from chrfect.studies.testsets import CHARACTERS, LANGUAGES, Counted, Progress, count_testsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SWAPS = 1000
SEED = 2018
ALPHA = 0.05
BETAS = (1.0, 2.0, 3.0)
WORDS = (0, 1, 2)
LEAST_ORDER = 2

UNITS = {"codepoint": "code points", "keep": "code points, whitespace kept", "byte": "bytes", "grapheme": "graphemes"}
ALL = "all"


@dataclass(frozen=True)
class Configuration:
    """One way to compute chrF.

    Parameters
    ----------
    unit : str
        A key of `UNITS`.
    characters, words : int
        The longest orders.
    beta : float
        The weight of recall relative to precision.
    """

    unit: str = "codepoint"
    characters: int = 6
    words: int = 0
    beta: float = 2.0

    def __str__(self) -> str:
        words = f", words {self.words}" if self.words else ""
        return f"{UNITS[self.unit]}, order {self.characters}{words}, beta {self.beta:g}"


BASELINE = Configuration()
NAMED = {
    "chrF": BASELINE,
    "chrF+": Configuration(words=1),
    "chrF++": Configuration(words=2),
    "whitespace kept": Configuration("keep"),
    "bytes": Configuration("byte"),
    "bytes, order 10": Configuration("byte", 10),
    "graphemes": Configuration("grapheme"),
    "order 4": Configuration(characters=4),
    "order 8": Configuration(characters=8),
    "beta 1": Configuration(beta=1.0),
    "beta 3": Configuration(beta=3.0),
}
"""Configurations that are shown for every target; the others are compared with the first."""

CONFIGURATIONS = tuple(
    Configuration(unit, characters, words, beta)
    for unit, longest in CHARACTERS.items()
    for characters in range(LEAST_ORDER, longest + 1)
    for words in WORDS
    for beta in BETAS
)


@dataclass(frozen=True, eq=False)
class Target:
    """The configurations on the test sets of one target language, or of all.

    Parameters
    ----------
    code : str
        The language, or "all".
    testsets, systems : int
        Test sets, and systems on all of them.
    pearson, accuracy : array of shape (configurations,)
        Means over the test sets of the correlation and of the pairwise accuracy with human scores of systems.
    best : Configuration
        The one of the highest correlation.
    gain : float
        Its correlation minus that of chrF.
    alone : float
        The smallest one-sided p-value that a configuration would have if it had been the only one tried.
    p_value : float
        Of the largest studentised gain, corrected for the number of configurations (see `family_p_value`).
    corrected : float
        The same, corrected by Holm for the number of languages as well; for "all" as it is.
    """

    code: str
    testsets: int
    systems: int
    pearson: Floats
    accuracy: Floats
    best: Configuration
    gain: float
    alone: float
    p_value: float
    corrected: float

    @property
    def name(self) -> str:
        """The language in words."""
        return LANGUAGES.get(self.code, "all targets")

    def to_dict(self) -> dict[str, Any]:
        """Return the target as JSON-ready data."""
        values = zip(CONFIGURATIONS, self.pearson.tolist(), self.accuracy.tolist(), strict=True)
        return {
            "target": self.code,
            "test_sets": self.testsets,
            "systems": self.systems,
            "best": asdict(self.best),
            "gain": self.gain,
            "p_value_alone": self.alone,
            "p_value": self.p_value,
            "p_value_corrected": self.corrected,
            "configurations": [asdict(one) | {"pearson": r, "accuracy": a} for one, r, a in values],
        }


@dataclass(frozen=True)
class HeldOut:
    """The configuration chosen on all other test sets, on the one that was left out.

    Parameters
    ----------
    testset : str
        The one left out.
    chosen : Configuration
        The best on the others.
    gain : float
        Its correlation minus that of chrF on the test set left out.
    """

    testset: str
    chosen: Configuration
    gain: float


@dataclass(frozen=True, eq=False)
class Study:
    """Everything measured.

    Parameters
    ----------
    targets : tuple of Target
        Each language, and all together at the end.
    held_out : tuple of HeldOut
        Each test set left out once.
    held_out_p : float
        Two-sided sign-flip p-value of the mean gain over the test sets left out.
    """

    targets: tuple[Target, ...]
    held_out: tuple[HeldOut, ...]
    held_out_p: float

    @property
    def held_out_gain(self) -> float:
        """The mean gain on test sets left out."""
        return float(np.mean([one.gain for one in self.held_out]))

    @property
    def significant(self) -> tuple[Target, ...]:
        """The targets on which a configuration agrees better than chrF after both corrections."""
        return tuple(target for target in self.targets if target.corrected < ALPHA)

    @property
    def verdict(self) -> str:
        """The main result in one line."""
        names = ", ".join(target.name for target in self.significant)
        if names:
            return f"of {len(CONFIGURATIONS)} configurations, one agrees better than chrF after correction for: {names}"
        return f"none of {len(CONFIGURATIONS)} configurations agrees better than chrF after correction, for any target"

    def to_dict(self) -> dict[str, Any]:
        """Return the study as JSON-ready data."""
        return {
            "version": __version__,
            "targets": [target.to_dict() for target in self.targets],
            "held_out": [asdict(one) for one in self.held_out],
            "held_out_p": self.held_out_p,
            "verdict": self.verdict,
        }


def run_study(folder: str, progress: Progress | None = None) -> Study:
    """Count the test sets of a folder and measure every configuration.

    Raises
    ------
    InputFileError
        If a test set is missing or cannot be read.
    """
    return measure(count_testsets(folder, progress))


def measure(counted: Sequence[Counted]) -> Study:
    """Measure every configuration on counted test sets."""
    scores = [np.array([_scores(one, configuration) for configuration in CONFIGURATIONS]) for one in counted]
    r = np.array([pearson(moments(one.human, some)) for one, some in zip(counted, scores, strict=True)])
    right = np.array([accuracy(pair_sums(one.human, some)) for one, some in zip(counted, scores, strict=True)])
    swapped = [_swapped(one.human, some, at) for at, (one, some) in enumerate(zip(counted, scores, strict=True))]
    base = CONFIGURATIONS.index(BASELINE)
    codes = [one.target for one in counted]
    found = []
    for code in (*(code for code in LANGUAGES if code in codes), ALL):
        at = [i for i, one in enumerate(codes) if code in (one, ALL)]
        means = r[at].mean(axis=0)
        best = int(np.argmax(means))
        family, alone = family_p_value(means - means[base], np.mean([swapped[i] for i in at], axis=0))
        systems = sum(len(counted[i].systems) for i in at)
        gain = float(means[best] - means[base])
        accuracies = right[at].mean(axis=0)
        found.append(
            Target(code, len(at), systems, means, accuracies, CONFIGURATIONS[best], gain, alone, family, family)
        )
    corrected = adjust([target.p_value for target in found[:-1]], "holm")
    targets = [replace(target, corrected=float(p or 0)) for target, p in zip(found[:-1], corrected, strict=True)]
    targets.append(found[-1])
    held_out = []
    for i, one in enumerate(counted):
        others = np.delete(r, i, axis=0).mean(axis=0)
        chosen = int(np.argmax(others))
        held_out.append(HeldOut(one.name, CONFIGURATIONS[chosen], float(r[i, chosen] - r[i, base])))
    return Study(tuple(targets), tuple(held_out), _sign_flip([one.gain for one in held_out]))


def _scores(counted: Counted, configuration: Configuration) -> Floats:
    return counted.scores(configuration.characters, configuration.words, configuration.unit, configuration.beta)


def _swapped(human: Floats, scores: Floats, at: int) -> Floats:
    """Swap z-scored system scores of each configuration with those of chrF: gains of shape (SWAPS, configurations).

    The same systems are swapped for every configuration, so that their dependence is kept.
    """
    standard = (scores - scores.mean(axis=1, keepdims=True)) / scores.std(axis=1, keepdims=True)
    base = standard[CONFIGURATIONS.index(BASELINE)]
    gains = np.empty((SWAPS, len(scores)))
    for row, flip in enumerate(coins(np.random.default_rng([SEED, at]), (SWAPS, len(human)))):
        one, two = np.where(flip, base, standard), np.where(flip, standard, base)
        gains[row] = pearson(moments(human, one)) - pearson(moments(human, two))
    return gains


def family_p_value(gains: Floats, swapped: Floats) -> tuple[float, float]:
    """Return the one-sided p-value of the largest studentised gain among all, and the smallest of one alone.

    The null hypothesis is that the z-scored system scores of every configuration and of chrF are exchangeable within
    each system. Gains are divided by their deviation under swaps, so that no configuration dominates (max-T, Westfall
    and Young 1993).

    Parameters
    ----------
    gains : array of shape (configurations,)
        Observed.
    swapped : array of shape (swaps, configurations)
        After each swap.
    """
    deviation = swapped.std(axis=0)
    moving = deviation > 1e-12
    observed = gains[moving] / deviation[moving]
    null = swapped[:, moving] / deviation[moving]
    family = np.count_nonzero(null.max(axis=1) >= observed.max() - 1e-12)
    alone = np.count_nonzero(null >= observed - 1e-12, axis=0).min()
    return (1 + int(family)) / (1 + len(swapped)), (1 + int(alone)) / (1 + len(swapped))


def _sign_flip(gains: Sequence[float]) -> float:
    """Return the two-sided p-value of the mean of some gains, over all ways to flip their signs."""
    sums = np.abs((1.0 - 2.0 * exchanges(len(gains))) @ np.array(gains))
    return float(np.mean(sums >= abs(sum(gains)) - 1e-12))
