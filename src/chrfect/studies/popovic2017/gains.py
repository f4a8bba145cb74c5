"""Comparisons of rows of the paper by their correlation with humans, on each text and on groups of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.inference.corrections import adjust
from chrfect.inference.intervals import percentile_bounds
from chrfect.inference.resample import draw, exchanges
from chrfect.meta.correlation import moments, pearson
from chrfect.meta.significance import williams
from chrfect.studies.popovic2017.published import ENGLISH, PUBLISHED, RUSSIAN, UNSEEN
from chrfect.studies.popovic2017.rows import ROWS, Orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.studies.popovic2017.dataset import Text

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


GROUPS = {"English": ENGLISH, "Russian": RUSSIAN, "English, unseen": UNSEEN}
"""The texts over which differences are averaged."""


@dataclass(frozen=True)
class Gain:
    """The difference of two correlations on one text.

    Parameters
    ----------
    text : str
        The text.
    published : float or None
        The printed difference at three decimals; None unless both cells are legible.
    first, second : float
        The correlation of each row.
    difference : float
        The first minus the second.
    low, high : float
        Bootstrap interval over segments.
    p_value, corrected : float
        Williams's two-sided p-value, uncorrected and corrected by Holm over the texts of the group.
    """

    text: str
    published: float | None
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    corrected: float


@dataclass(frozen=True)
class Question:
    """One comparison over a group of texts.

    Parameters
    ----------
    first, second : (row, unit)
        What is compared.
    target : str
        A key of `GROUPS`.
    gains : tuple of Gain
        The difference on each text.
    mean, low, high : float
        Mean difference over the texts, and its bootstrap interval from resampling segments within each text. It
        applies to other segments of the same texts.
    texts_low, texts_high : float
        The interval if texts are resampled as well. It applies to other texts.
    texts_p : float
        Two-sided p-value of the sign-flip test with texts as units: of all ways to choose the signs of the differences
        of the texts, the share whose mean is at least as far from 0.
    first_mean, second_mean : float
        Mean correlation of each row.
    """

    first: Side
    second: Side
    target: str
    gains: tuple[Gain, ...]
    mean: float
    low: float
    high: float
    texts_low: float
    texts_high: float
    texts_p: float
    first_mean: float
    second_mean: float

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
            "means": {"first": self.first_mean, "second": self.second_mean},
            "mean": {"difference": self.mean, "low": self.low, "high": self.high},
            "texts_as_units": {"low": self.texts_low, "high": self.texts_high, "p_value": self.texts_p},
            "texts_better": self.better,
            "texts_significant": self.significant,
            "texts": [vars(gain) for gain in self.gains],
        }


def ask(texts: Sequence[Text], orders: Mapping[tuple[str, str], Orders]) -> list[Question]:
    """Make every comparison for every group of texts."""
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
        for target, names in GROUPS.items()
    ]


def _draws(text: Text, scores: Mapping[Side, Floats]) -> dict[Side, Floats]:
    """Return the correlation of every side on the same resamples of the segments of one text."""
    generator = np.random.default_rng([SEED, *text.name.encode()])
    picked = draw(generator, RESAMPLES, len(text.human))
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
    agreements: tuple[list[float], list[float]] = ([], [])
    for name in names:
        human, one, two = texts[name].human, scores[name, first], scores[name, second]
        r12, r13, r23 = (float(pearson(moments(a, b))) for a, b in ((human, one), (human, two), (one, two)))
        differences.append(r12 - r13)
        agreements[0].append(r12)
        agreements[1].append(r13)
        p_values.append(williams(r12, r13, r23, len(human))[1])
        bounds.append(_bounds(drawn[name][first] - drawn[name][second]))
    gains = tuple(
        Gain(name, _published(first, second, name), r12, r13, r12 - r13, low, high, p, float(corrected or 0.0))
        for name, r12, r13, (low, high), p, corrected in zip(
            names, *agreements, bounds, p_values, adjust(p_values, "holm"), strict=True
        )
    )
    resampled = np.array([drawn[name][first] - drawn[name][second] for name in names])
    picked = np.random.default_rng([SEED, len(names)]).integers(0, len(names), resampled.shape[::-1])
    flips = 1.0 - 2.0 * exchanges(len(names))
    flipped = np.abs(flips @ np.array(differences))
    return Question(
        first,
        second,
        target,
        gains,
        fmean(differences),
        *_bounds(resampled.mean(axis=0)),
        *_bounds(np.take_along_axis(resampled.T, picked, axis=1).mean(axis=1)),
        float(np.mean(flipped >= abs(sum(differences)) - 1e-12)),
        *map(fmean, agreements),
    )


def _bounds(values: Floats) -> tuple[float, float]:
    return percentile_bounds(values, CONFIDENCE)


def _published(first: Side, second: Side, text: str) -> float | None:
    one, two = PUBLISHED.get((first[0], text)), PUBLISHED.get((second[0], text))
    return None if one is None or two is None else round(one - two, 3)
