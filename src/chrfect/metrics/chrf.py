"""chrF, chrF+, chrF++ and word F: one family, told apart by its orders."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

from chrfect import kernels
from chrfect.counts import order_columns
from chrfect.errors import UsageError, shown
from chrfect.formulas import fscore, fscore_shares
from chrfect.metrics.base import Metric
from chrfect.metrics.names import as_number, canonical
from chrfect.metrics.references import Aligned, blocks
from chrfect.metrics.result import Order, Result, Segments
from chrfect.metrics.shares import Level, OrderShare, order_shares
from chrfect.text.preparation import Preparation, Whitespace
from chrfect.text.units import Unit, grapheme_version

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Unreferenced = Literal["drop", "count"]

CHOICES = {
    "whitespace": get_args(Whitespace),
    "averaging": get_args(fscore.Averaging),
    "unreferenced": get_args(Unreferenced),
    "unit": get_args(Unit),
}
FAMILIES = {"chrF": (6, 0), "chrF+": (6, 1), "chrF++": (6, 2), "wordF": (0, 4)}
"""The names of the family and what they mean: the orders of characters and of words."""

MAX_ORDER = 1_000
MAX_BETA = 1_000_000
MAX_EXPONENT = 400


@dataclass(frozen=True, slots=True)
class ChrF(Metric):
    """An n-gram F-score over characters and words.

    Parameters
    ----------
    char_order : int
        The longest character n-grams, 0 to 1,000.
    word_order : int
        The longest word n-grams, 0 to 1,000. With characters 6: 0 is chrF, 1 chrF+, 2 chrF++.
    beta : int, Fraction, Decimal or float
        How many times more recall weighs than precision, above 0 and at most 1,000,000. Kept exactly, a float as the
        number it is written as (``Fraction(str(beta))``).
    lowercase : bool
        Whether texts are lower-cased first (``str.lower``).
    whitespace : {"remove", "keep"}
        Whether whitespace is taken out before characters are counted.
    averaging : {"mean_precision_recall", "per_order_f"}
        Average precision and recall over the effective orders, then take F (Popović 2015, equation 1); or average
        the F of all orders (the original chrF++ tool).
    unreferenced : {"drop", "count"}
        What becomes of a segment's hypothesis n-grams of an order in which its reference has none: dropped from the
        sums, as sacreBLEU does, or counted, as the catalogue's contracts do.
    unit : {"codepoint", "byte", "grapheme"}
        What a character is. ``"grapheme"`` needs the extra ``grapheme``.

    Raises
    ------
    UsageError
        If a parameter is out of its range, or both orders are 0.

    Notes
    -----
    With several references a segment counts against the first whose score, as a float, is strictly greater than those
    before it, as in sacreBLEU.

    Examples
    --------
    >>> str(ChrF()), str(ChrF(word_order=2, beta=3)), str(ChrF(char_order=0, word_order=4))
    ('chrF', 'chrF++(beta=3)', 'wordF')
    >>> ChrF(word_order=2).corpus(["a b c"], ["a b d"]).score_text
    '46.666667'
    >>> ChrF(char_order=0)
    Traceback (most recent call last):
        ...
    chrfect.errors.UsageError: char_order and word_order are both 0; at least one must be 1 or more.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int | Fraction | Decimal | float = 2
    lowercase: bool = False
    whitespace: Whitespace = "remove"
    averaging: fscore.Averaging = "mean_precision_recall"
    unreferenced: Unreferenced = "drop"
    unit: Unit = "codepoint"
    _plan: kernels.Plan = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("char_order", "word_order"):
            order = getattr(self, name)
            if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order <= MAX_ORDER:
                raise UsageError(f"{name} is {shown(order)}; a whole number from 0 to {MAX_ORDER:,} was expected.")
        if not (self.char_order or self.word_order):
            raise UsageError("char_order and word_order are both 0; at least one must be 1 or more.")
        object.__setattr__(self, "beta", exact_beta(self.beta))
        if not isinstance(self.lowercase, bool):
            raise UsageError(f"lowercase is {self.lowercase!r}; True or False was expected.")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                listed = " or ".join(map(repr, choices))
                raise UsageError(f"{name} is {getattr(self, name)!r}; {listed} was expected.")
        keep, drop = self.preparation.kernel_keeps_whitespace, self.unreferenced == "drop"
        plan = kernels.Plan(self.char_order, self.word_order, keep, drop)
        object.__setattr__(self, "_plan", plan)

    def __str__(self) -> str:
        base = "wordF" if not self.char_order else {1: "chrF+", 2: "chrF++"}.get(self.word_order, "chrF")
        return canonical(base, self, ChrF(*FAMILIES[base]))

    @property
    def recipe(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready; with the Unicode versions that lower case and graphemes use."""
        recipe: dict[str, Any] = {
            "char_order": self.char_order,
            "word_order": self.word_order,
            "beta": as_number(self.exact_beta),
            "lowercase": self.lowercase,
            "whitespace": self.whitespace,
            "averaging": self.averaging,
            "unreferenced": self.unreferenced,
            "unit": self.unit,
        }
        if self.lowercase:
            recipe["lowercase_unicode"] = unicodedata.unidata_version
        if self.unit == "grapheme":
            recipe["grapheme_unicode"] = grapheme_version()
        return recipe

    @property
    def exact_beta(self) -> int | Fraction:
        """Beta as an exact number."""
        assert isinstance(self.beta, int | Fraction)
        return self.beta

    @property
    def preparation(self) -> Preparation:
        """How texts are prepared before their n-grams are counted."""
        return Preparation(self.lowercase, self.whitespace, self.unit)

    @property
    def plan(self) -> kernels.Plan:
        """Which n-grams of prepared texts are counted."""
        return self._plan

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the count columns, three an order."""
        return order_columns(self.char_order, self.word_order)

    def score_of(self, values: Sequence[int], segment: bool = False) -> float:
        """Return the score of counts as sacreBLEU's float."""
        return fscore.score(values, float(self.beta), self.averaging)

    def text_of(self, values: Sequence[int], segment: bool = False) -> str:
        """Return the exact score of counts at six decimals."""
        return fscore.decimals(*fscore.ratio(values, self.exact_beta, self.averaging))

    def fraction_of(self, values: Sequence[int]) -> Fraction:
        """Return the exact score of counts."""
        return fscore.fraction(values, self.exact_beta, self.averaging)

    def scores_of(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each row of a flattened table of segments."""
        return fscore.scores(rows, len(self.columns), float(self.beta), self.averaging)

    def score_array_of(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`scores_of` as a NumPy array."""
        return fscore.score_array(rows, len(self.columns), float(self.beta), self.averaging)

    def texts_of(self, rows: Sequence[int]) -> list[str]:
        """Return the exact score of each row of a flattened table of segments at six decimals."""
        return fscore.texts(rows, len(self.columns), self.exact_beta, self.averaging)

    def orders_of(self, values: Sequence[int]) -> tuple[Order, ...]:
        """Return the orders of counts, characters first."""
        names = [("character", n) for n in range(1, self.char_order + 1)]
        names += [("word", n) for n in range(1, self.word_order + 1)]
        return tuple(
            Order(kind, n, *triple, self.exact_beta)
            for (kind, n), triple in zip(names, fscore.triples(values), strict=True)
        )

    def means_of(self, values: Sequence[int]) -> tuple[Fraction, Fraction] | None:
        """Return precision and recall averaged over the effective orders; None without any, or under per_order_f."""
        means = None if self.averaging == "per_order_f" else fscore.mean_precision_recall(values)
        return None if means is None else (100 * Fraction(*means[0]), 100 * Fraction(*means[1]))

    def details_of(self, values: Sequence[int], segment: bool = False) -> dict[str, Any]:
        """Return the exact score, and precision and recall (0 to 100) before F is taken of them."""
        means = self.means_of(values)
        precision, recall = (None, None) if means is None else map(float, means)
        return {
            "score_fraction": fscore.written(self.fraction_of(values)),
            "precision": precision,
            "recall": recall,
        }

    @property
    def levels(self) -> tuple[Level, ...]:
        """The characters and the words whose n-grams are counted."""
        preparation, drop = self.preparation, self.unreferenced == "drop"
        characters = Level("character", self.char_order, preparation.characters, unreferenced_dropped=drop)
        words = Level("word", self.word_order, preparation.tokens, unreferenced_dropped=drop)
        return tuple(level for level in (characters, words) if level.max_order)

    def shares(self, values: Sequence[int]) -> tuple[OrderShare, ...]:
        """Return each order with its contribution; contributions add up to the exact score.

        Examples
        --------
        >>> metric = ChrF(char_order=2)
        >>> [str(order.contribution) for order in metric.shares(metric.sentence("cat", "cats").values)]
        ['504250/12769', '456250/12769']
        """
        worths = fscore_shares.worths(values, self.exact_beta, self.averaging)
        contributions = fscore_shares.contributions(values, self.exact_beta, self.averaging)
        return order_shares(self.orders_of(values), worths, contributions)

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the steps from the orders to the score, one on each line."""
        return fscore_shares.arithmetic(values, self.exact_beta, self.averaging)

    def changed_counts(self, values: Sequence[int], hypothesis: Sequence[int], matches: Sequence[int]) -> list[int]:
        """Return counts with so many more hypothesis n-grams and matches of each order."""
        changed = list(values)
        changed[0::3] = [n + more for n, more in zip(values[0::3], hypothesis, strict=True)]
        changed[2::3] = [n + more for n, more in zip(values[2::3], matches, strict=True)]
        return changed

    def _pair(self, hypothesis: str, reference: str) -> Result:
        if self.unit != "codepoint":
            return Metric._pair(self, hypothesis, reference)
        if self.lowercase:
            hypothesis, reference = hypothesis.lower(), reference.lower()
        return Result(self, kernels.row(hypothesis, reference, self._plan), 1, None, None, True)

    def _segments(self, aligned: Aligned, threads: int) -> Segments:
        rows = array("q")
        chosen: list[int | str] = []
        for block in blocks(aligned):
            block_rows, block_chosen = self._best(block, threads)
            rows.extend(block_rows)
            chosen += block_chosen
        if aligned.starts is None and aligned.names is not None:
            chosen = [aligned.names[0]] * len(aligned.hypotheses)
        return Segments(self, rows, chosen or None)

    def _total(self, aligned: Aligned, threads: int) -> list[int]:
        if aligned.starts is None and self.unit == "codepoint" and not self.lowercase:
            return kernels.total(aligned.hypotheses, aligned.references, self._plan, threads)
        sums = [0] * len(self.columns)
        for block in blocks(aligned):
            part = kernels.column_sums(self._best(block, threads)[0], len(sums))
            sums = [a + b for a, b in zip(sums, part, strict=True)]
        return sums

    def _best(self, aligned: Aligned, threads: int) -> tuple[array[int], list[int | str]]:
        """Return the rows of the best reference of each segment, and which one it is where there were several."""
        if aligned.starts is None:
            return self._rows(aligned.hypotheses, aligned.references, threads), []
        starts, origins = aligned.starts, aligned.origins or ()
        spread = [
            hypothesis for i, hypothesis in enumerate(aligned.hypotheses) for _ in range(starts[i], starts[i + 1])
        ]
        rows = self._rows(spread, aligned.references[starts[0] : starts[-1]], threads)
        width = len(self.columns)
        scores = fscore.scores(rows, width, float(self.beta), self.averaging)
        best_rows = array("q")
        chosen: list[int | str] = []
        for start, end in pairwise(starts):
            best = max(range(start - starts[0], end - starts[0]), key=scores.__getitem__)
            best_rows.extend(rows[best * width : (best + 1) * width])
            origin = origins[best + starts[0]]
            chosen.append(origin if aligned.names is None else aligned.names[origin])
        return best_rows, chosen

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str], threads: int) -> array[int]:
        preparation, plan = self.preparation, self._plan
        hypotheses, references = preparation.cased(hypotheses), preparation.cased(references)
        if self.unit == "codepoint":
            return kernels.rows(hypotheses, references, plan, threads)
        pairs = [preparation.unit_strings(pair) for pair in zip(hypotheses, references, strict=True)]
        units = [h for h, _ in pairs], [r for _, r in pairs]
        characters = kernels.rows(*units, plan._replace(word_order=0), threads)
        if not self.word_order:
            return characters
        words = kernels.rows(hypotheses, references, plan._replace(char_order=0), threads)
        return _side_by_side(characters, 3 * self.char_order, words, 3 * self.word_order)


def exact_beta(beta: Any) -> int | Fraction:
    """Return beta as an exact number, a whole one as an int; UsageError if it is none or out of range."""
    try:
        if isinstance(beta, bool) or not isinstance(beta, int | Fraction | Decimal | float):
            raise ValueError
        if isinstance(beta, Decimal) and not -MAX_EXPONENT < beta.adjusted() < MAX_EXPONENT:
            raise ValueError
        exact = Fraction(beta) if isinstance(beta, int) else Fraction(str(beta))
        if not 0 < exact <= MAX_BETA or not (float(exact) ** 2):
            raise ValueError
    except ValueError:
        raise UsageError(f"beta is {shown(beta)}; a number above 0 and at most {MAX_BETA:,} was expected.") from None
    return exact.numerator if exact.denominator == 1 else exact


def _side_by_side(left: array[int], left_width: int, right: array[int], right_width: int) -> array[int]:
    joined = array("q")
    for i in range(len(right) // right_width):
        joined.extend(left[i * left_width : (i + 1) * left_width])
        joined.extend(right[i * right_width : (i + 1) * right_width])
    return joined
