"""Does one row of the paper agree better with humans than another? Text by text, and over all of a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.inference.corrections import adjust
from chrfect.meta.correlation import moments, pearson
from chrfect.meta.significance import williams
from chrfect.studies.popovic2017.published import ENGLISH, PUBLISHED, RUSSIAN
from chrfect.studies.popovic2017.rows import ROWS, Orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.studies.popovic2017.texts import Text

    Floats = NDArray[np.float64]

RESAMPLES = 1000
SEED = 2017
CONFIDENCE = 0.95

Side = tuple[str, str]  # row and unit

QUESTIONS: tuple[tuple[Side, Side], ...] = (
    (("c6w2", "codepoint"), ("chrF2", "codepoint")),
    (("c6w1", "codepoint"), ("chrF2", "codepoint")),
    (("c6w2", "codepoint"), ("c6w1", "codepoint")),
    (("c6w2", "byte"), ("chrF2", "byte")),
    (("c6w1", "byte"), ("chrF2", "byte")),
    (("c6w2", "codepoint"), ("chrF2", "byte")),
    (("c6w1", "codepoint"), ("chrF2", "byte")),
    (("chrF2", "codepoint"), ("chrF2", "byte")),
    (("chrF2", "codepoint"), ("chrF1", "codepoint")),
    (("chrF3", "codepoint"), ("chrF2", "codepoint")),
    (("chrF2", "codepoint"), ("wordF2", "codepoint")),
    (("word2F", "codepoint"), ("wordF2", "codepoint")),
)
"""The pairs compared. (c6w2 on code points, chrF2 on bytes) is the comparison that the paper printed."""


@dataclass(frozen=True)
class Gain:
    """The difference of two correlations on one text.

    Parameters
    ----------
    text : str
        The text.
    published : float or None
        The printed difference, at three decimals, where both cells are legible.
    difference : float
        Correlation of the first row minus that of the second.
    low, high : float
        Bootstrap interval over segments.
    p_value, corrected : float
        Williams's two-sided p-value, as it is and by Holm over the texts of the same target language.
    """

    text: str
    published: float | None
    difference: float
    low: float
    high: float
    p_value: float
    corrected: float


@dataclass(frozen=True)
class Question:
    """One comparison over all texts of one target language.

    Parameters
    ----------
    first, second : (row, unit)
        What is compared.
    target : str
        ``"English"`` or ``"Russian"``.
    gains : tuple of Gain
        Text by text.
    mean, low, high : float
        Mean difference over the texts and its bootstrap interval, segments drawn anew within every text.
    """

    first: Side
    second: Side
    target: str
    gains: tuple[Gain, ...]
    mean: float
    low: float
    high: float

    @property
    def better(self) -> int:
        """Texts on which the first is higher."""
        return sum(gain.difference > 0 for gain in self.gains)

    @property
    def significant(self) -> int:
        """Texts on which the difference is significant at .05 after correction."""
        return sum(gain.corrected < 0.05 for gain in self.gains)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as JSON-ready data."""
        return {
            "first": {"row": self.first[0], "unit": self.first[1]},
            "second": {"row": self.second[0], "unit": self.second[1]},
            "target": self.target,
            "mean": {"difference": self.mean, "low": self.low, "high": self.high},
            "texts_better": self.better,
            "texts_significant": self.significant,
            "texts": [vars(gain) for gain in self.gains],
        }


def ask(texts: Sequence[Text], orders: Mapping[tuple[str, str], Orders]) -> list[Question]:
    """Answer every question for both target languages."""
    sides = sorted({side for question in QUESTIONS for side in question})
    by_name = {text.name: text for text in texts}
    scores = {
        (text, side): orders[text, side[1]].scores(ROWS[side[0]].weights, ROWS[side[0]].beta)
        for text in by_name
        for side in sides
    }
    drawn = {name: _draws(text, {side: scores[name, side] for side in sides}) for name, text in by_name.items()}
    return [
        _answer(first, second, target, names, by_name, scores, drawn)
        for first, second in QUESTIONS
        for target, names in (("English", ENGLISH), ("Russian", RUSSIAN))
    ]


def _draws(text: Text, scores: Mapping[Side, Floats]) -> dict[Side, Floats]:
    """Correlations on the same resamples of one text's segments, for every side."""
    generator = np.random.default_rng([SEED, *text.name.encode()])
    picked = generator.integers(0, len(text.human), (RESAMPLES, len(text.human)))
    human = text.human[picked]
    return {side: pearson(moments(human, values[picked])) for side, values in scores.items()}


def _answer(
    first: Side,
    second: Side,
    target: str,
    names: Sequence[str],
    texts: Mapping[str, Text],
    scores: Mapping[tuple[str, Side], Floats],
    drawn: Mapping[str, Mapping[Side, Floats]],
) -> Question:
    differences, p_values, bounds = [], [], []
    for name in names:
        human, one, two = texts[name].human, scores[name, first], scores[name, second]
        r12, r13, r23 = (float(pearson(moments(a, b))) for a, b in ((human, one), (human, two), (one, two)))
        differences.append(r12 - r13)
        p_values.append(williams(r12, r13, r23, len(human))[1])
        bounds.append(_bounds(drawn[name][first] - drawn[name][second]))
    gains = tuple(
        Gain(name, _published(first, second, name), difference, *interval, p, float(corrected or 0.0))
        for name, difference, interval, p, corrected in zip(
            names, differences, bounds, p_values, adjust(p_values, "holm"), strict=True
        )
    )
    means = np.mean([drawn[name][first] - drawn[name][second] for name in names], axis=0)
    return Question(first, second, target, gains, fmean(differences), *_bounds(means))


def _bounds(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _published(first: Side, second: Side, text: str) -> float | None:
    one, two = PUBLISHED.get((first[0], text)), PUBLISHED.get((second[0], text))
    return None if one is None or two is None else round(one - two, 3)
