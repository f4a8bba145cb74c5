"""The claims in the text of the paper, and further measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from chrfect.formulas.fscore import Averaging
from chrfect.meta.correlation import quantiles
from chrfect.studies.popovic2017.cells import r
from chrfect.studies.popovic2017.published import ENGLISH, RUSSIAN
from chrfect.studies.popovic2017.rows import CHARACTERS, ROWS, WORDS, Orders, Weights, uniform

if TYPE_CHECKING:
    from chrfect.studies.popovic2017.dataset import Text

QUANTILES = 4
LONGEST = 18
"""The longest character order, for which a byte n-gram spans nine Cyrillic letters."""
BETAS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0)
SHARES = (1.0, 0.5, 0.25, 0.0)


@dataclass(frozen=True)
class Spread:
    """How chrF and wordF spread over one quarter of the segments by human rating (section 3).

    Parameters
    ----------
    quarter : int
        1 holds the lowest ratings of each text, 4 the highest.
    chrf_mean, chrf_deviation, wordf_mean, wordf_deviation : float
        Mean score and standard deviation, each the mean over the twelve texts.
    chrf_relative, wordf_relative : float
        Coefficient of variation, the deviation relative to the mean, each the mean over the twelve texts.
    wider, relatively_wider : int
        Texts on which word F spreads more than chrF, by the deviation and by the coefficient of variation.
    """

    quarter: int
    chrf_mean: float
    chrf_deviation: float
    wordf_mean: float
    wordf_deviation: float
    chrf_relative: float
    wordf_relative: float
    wider: int
    relatively_wider: int


@dataclass(frozen=True)
class Variant:
    """A weighting, and its mean correlation over the texts of each target language.

    Parameters
    ----------
    name : str
        The name of the weighting.
    unit, averaging : str
        What a character is, and how orders are averaged.
    beta : float
        The weight of recall relative to precision.
    english, russian : float
        Mean of Pearson's r over the ten and the two texts.
    """

    name: str
    unit: str
    averaging: str
    beta: float
    english: float
    russian: float

    @property
    def mean(self) -> float:
        """The mean over all twelve texts, as the paper's last column."""
        return (self.english * len(ENGLISH) + self.russian * len(RUSSIAN)) / (len(ENGLISH) + len(RUSSIAN))

    def to_dict(self) -> dict[str, Any]:
        """Return the variant as JSON-ready data."""
        return asdict(self) | {"mean": self.mean}


class Measure:
    """Mean correlations of any weighting over the texts.

    Parameters
    ----------
    texts : sequence of Text
        The twelve texts.
    orders : mapping of (text, unit) to Orders
        Their counts.
    """

    def __init__(self, texts: Sequence[Text], orders: Mapping[tuple[str, str], Orders]) -> None:
        self._human = {text.name: text.human for text in texts}
        self._orders = orders
        self.units = sorted({unit for _, unit in orders}, key=["codepoint", "byte", "grapheme"].index)

    def r(self, text: str, weights: Weights, unit: str = "codepoint") -> float:
        """Return the correlation on one text."""
        return r(self._human[text], self._orders[text, unit].scores(weights))

    def variant(
        self,
        name: str,
        weights: Weights,
        beta: float = 2.0,
        unit: str = "codepoint",
        averaging: Averaging = "per_order_f",
    ) -> Variant:
        """Measure one weighting."""

        def mean(names: Sequence[str]) -> float:
            return fmean(
                r(self._human[name], self._orders[name, unit].scores(weights, beta, averaging)) for name in names
            )

        return Variant(name, unit, averaging, beta, mean(ENGLISH), mean(RUSSIAN))


def spreads(texts: Sequence[Text], orders: Mapping[tuple[str, str], Orders]) -> list[Spread]:
    """Compare the spread of chrF and word F by quarters of human ratings (section 3)."""
    found: dict[int, list[tuple[float, float, float, float]]] = {quarter: [] for quarter in range(1, QUANTILES + 1)}
    for text in texts:
        chrf, wordf = (orders[text.name, "codepoint"].scores(ROWS[row].weights) for row in ("chrF2", "wordF2"))
        of = quantiles(text.human, QUANTILES)
        for quarter, rows in found.items():
            members = of == quarter - 1
            (a, b), (c, d) = ((float(s[members].mean()), float(s[members].std(ddof=1))) for s in (chrf, wordf))
            rows.append((a, b, c, d))
    result = []
    for quarter, rows in found.items():
        means = [fmean(column) for column in zip(*rows, strict=True)]
        relative = [(a_deviation / a, b_deviation / b) for a, a_deviation, b, b_deviation in rows]
        chrf_relative, wordf_relative = (fmean(column) for column in zip(*relative, strict=True))
        wider = sum(row[3] > row[1] for row in rows)
        relatively_wider = sum(wordf > chrf for chrf, wordf in relative)
        result.append(
            Spread(
                quarter,
                means[0],
                means[1],
                means[2],
                means[3],
                chrf_relative,
                wordf_relative,
                wider,
                relatively_wider,
            )
        )
    return result


def precision_weight(measure: Measure) -> list[Variant]:
    """Vary beta from weight on precision to weight on recall (section 4.1)."""
    weightings = {"chrF": uniform(6, 0), "chrF++": uniform(6, 2), "wordF": uniform(0, 4)}
    return [measure.variant(name, weights, beta) for name, weights in weightings.items() for beta in BETAS]


def unigram_weight(measure: Measure) -> list[Variant]:
    """Reduce the weight of character unigrams down to 0 (section 4.2)."""
    return [
        measure.variant(f"{name}, weight of chr1 {share:g}", {**weights, ("character", 1): share})
        for name, weights in {"chrF": uniform(6, 0), "chrF++": uniform(6, 2)}.items()
        for share in SHARES
    ]


def averagings(measure: Measure) -> list[Variant]:
    """Compare averaging F over the orders, as in the paper's tool, with averaging precision and recall first."""
    weightings = {"chrF": uniform(6, 0), "chrF+": uniform(6, 1), "chrF++": uniform(6, 2), "wordF": uniform(0, 4)}
    choices: tuple[Averaging, ...] = ("per_order_f", "mean_precision_recall")
    return [
        measure.variant(name, weights, averaging=averaging)
        for name, weights in weightings.items()
        for averaging in choices
    ]


@dataclass(frozen=True)
class Span:
    """Character n-grams 1 to `order` alone, on code points and on bytes.

    Parameters
    ----------
    order : int
        The longest order.
    russian_codepoint, russian_byte, english_byte : float
        Mean of Pearson's r.
    """

    order: int
    russian_codepoint: float
    russian_byte: float
    english_byte: float


def spans(measure: Measure) -> list[Span]:
    """Measure longer orders on bytes, whose n-grams span as many letters as shorter n-grams of code points."""

    def mean(names: Sequence[str], order: int, unit: str) -> float:
        return fmean(measure.r(name, uniform(order, 0), unit) for name in names)

    return [
        Span(order, mean(RUSSIAN, order, "codepoint"), mean(RUSSIAN, order, "byte"), mean(ENGLISH, order, "byte"))
        for order in range(6, LONGEST + 1)
    ]


def sweep(measure: Measure) -> list[Variant]:
    """Measure every number of character and word orders, beta 1 to 3, and every unit."""
    return [
        measure.variant(f"c{characters}w{words}", uniform(characters, words), beta, unit)
        for unit in measure.units
        for beta in (1.0, 2.0, 3.0)
        for characters in range(CHARACTERS + 1)
        for words in range(WORDS + 1)
        if characters or (words and unit == "codepoint")
    ]
