"""chrF, chrF+, chrF++ and word F: one family of metrics that differ in their n-gram orders."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from chrfect import kernels
from chrfect.counts import CountRecipe, CountTable, order_columns
from chrfect.errors import UsageError, quantity, shown
from chrfect.foreign_names import value_hint
from chrfect.formulas import fscore, fscore_shares
from chrfect.formulas.decimals import fraction_text, six_decimals
from chrfect.metrics.base import Metric
from chrfect.metrics.names import canonical_name, json_number
from chrfect.metrics.notices import are_unspaced, dropped
from chrfect.metrics.references import Aligned
from chrfect.metrics.result import Result
from chrfect.metrics.scoring import field_values, read_value
from chrfect.text.preparation import Preparation, Whitespace
from chrfect.text.units import Unit, grapheme_version

if TYPE_CHECKING:
    from numpy import float32, float64
    from numpy.typing import NDArray

    from chrfect.metrics.order import Order
    from chrfect.metrics.shares import Level, OrderShare

Unreferenced = Literal["drop", "count", "count_matched"]

CHOICES = {
    "whitespace": get_args(Whitespace),
    "averaging": get_args(fscore.Averaging),
    "unreferenced": get_args(Unreferenced),
    "unit": get_args(Unit),
}
FAMILIES = {"chrF": (6, 0), "chrF+": (6, 1), "chrF++": (6, 2), "wordF": (0, 4)}
"""The names of the family, with the character order and the word order of each."""

_NAME = re.compile(r"(chrF|wordF)(\d+(?:\.\d+)?)?(\+{0,2})", re.IGNORECASE)

MAX_ORDER = 1_000
MAX_BETA = 1_000_000
MAX_EXPONENT = 400


@dataclass(frozen=True, slots=True)
class ChrF(Metric):
    """An n-gram F-score over characters and words.

    Parameters
    ----------
    char_order : int
        The largest order of character n-grams, 0 to 1,000.
    word_order : int
        The largest order of word n-grams, 0 to 1,000. With ``char_order=6``, 0 is chrF, 1 is chrF+, 2 is chrF++.
    beta : int, Fraction, Decimal or float
        The weight of recall relative to precision, above 0 and at most 1,000,000. It is kept exactly; a float has the
        value of its decimal notation (``Fraction(str(beta))``).
    lowercase : bool
        Whether texts are lower-cased first (``str.lower``).
    whitespace : {"remove", "keep"}
        Whether whitespace is removed before characters are counted.
    averaging : {"mean_precision_recall", "per_order_f"}
        Compute F from precision and recall averaged over the effective orders (Popović 2015, equation 1), or average
        the F of all orders (the original chrF++ tool).
    unreferenced : {"drop", "count", "count_matched"}
        If the reference of a segment has no n-grams of an order: whether the hypothesis n-grams of that order are
        dropped from the sums, as in sacreBLEU, or counted, as in the contracts of the catalogue. With
        ``"count_matched"`` they are counted, and a reference that shares no character with the hypothesis is not
        counted, as in torchmetrics; this needs a `char_order` of at least 1.
    unit : {"codepoint", "byte", "grapheme"}
        What a character is. ``"grapheme"`` needs the extra ``grapheme``.

    Raises
    ------
    UsageError
        If a parameter is out of range, or both orders are 0.

    Notes
    -----
    With several references, a segment is counted against the reference with the highest score. Scores are compared as
    floats, and of equal scores the first is used, as in sacreBLEU.

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

    name: ClassVar[str] = "chrF"

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
                hint = value_hint(name, getattr(self, name))
                raise UsageError(f"{name} is {getattr(self, name)!r}; {listed} was expected.{hint}")
        if self.unreferenced == "count_matched" and not self.char_order:
            raise UsageError("unreferenced is 'count_matched', which compares characters; char_order is 0.")
        keep, drop = self.preparation.kernel_keeps_whitespace, self.unreferenced == "drop"
        object.__setattr__(self, "_plan", kernels.Plan(self.char_order, self.word_order, keep, drop))

    def __str__(self) -> str:
        base = "wordF" if not self.char_order else {1: "chrF+", 2: "chrF++"}.get(self.word_order, "chrF")
        return canonical_name(base, self, dict(zip(("char_order", "word_order"), FAMILIES[base], strict=True)))

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the family."""
        return tuple(FAMILIES)

    @classmethod
    def read_name(cls, name: str) -> dict[str, Any] | None:
        """Return the orders, and the beta if there is one, of a name such as ``chrF3++``."""
        found = _NAME.fullmatch(name)
        family = found and next((known for known in FAMILIES if known.lower() == (found[1] + found[3]).lower()), None)
        if not found or family is None:
            return None
        given: dict[str, Any] = dict(zip(("char_order", "word_order"), FAMILIES[family], strict=True))
        return given | ({"beta": exact_beta(cls.read_number("beta", found[2]))} if found[2] else {})

    @classmethod
    def read_parameter(cls, key: str, value: str) -> Any:
        """Return the value of a parameter as written in a name; beta exactly."""
        return exact_beta(cls.read_number(key, value)) if key == "beta" else read_value(cls, key, value)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready; with the Unicode versions that lower case and graphemes use."""
        parameters = {**field_values(self), "beta": json_number(self.exact_beta)}
        if self.lowercase:
            parameters["lowercase_unicode"] = unicodedata.unidata_version
        if self.unit == "grapheme":
            parameters["grapheme_unicode"] = grapheme_version()
        return parameters

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
    def columns(self) -> tuple[str, ...]:
        """The names of the count columns, three for each order."""
        return order_columns(self.char_order, self.word_order)

    @property
    def count_parameters(self) -> dict[str, str]:
        """The settings that change the counts; whitespace and unit only if characters are counted."""
        settings = {"case": self.preparation.case, "unreferenced": self.unreferenced}
        if self.char_order:
            settings["whitespace"] = self.whitespace
            settings["unit"] = f"grapheme (Unicode {grapheme_version()})" if self.unit == "grapheme" else self.unit
        return settings

    def project(self, table: CountTable) -> CountTable:
        """Return the table that this metric would have counted.

        For fewer orders, a subset of the columns is selected. Rows of single segments that were counted with
        ``unreferenced="count"`` are converted to ``"drop"``. Sums cannot be converted, nor ``"drop"`` to ``"count"``.
        """
        given = dict(table.recipe.parameters)
        if self.unreferenced == "drop" and given.get("unreferenced") == "count" and table.sizes is None:
            return Metric.project(self, _drop_unreferenced(Metric.project(replace(self, unreferenced="count"), table)))
        return Metric.project(self, table)

    def join(self, other: Metric) -> ChrF | None:
        """Return the metric with the larger orders of both, if both prepare texts in the same way."""
        if not isinstance(other, ChrF):
            return None
        mine, theirs = self.count_parameters, other.count_parameters
        if any(mine[key] != theirs[key] for key in mine.keys() & theirs.keys()):
            return None
        char_order, word_order = max(self.char_order, other.char_order), max(self.word_order, other.word_order)
        return replace(self if self.char_order else other, char_order=char_order, word_order=word_order)

    def float_score(self, values: Sequence[int]) -> float:
        """Return the score of a row of counts as sacreBLEU's float."""
        return fscore.score(values, float(self.beta), self.averaging)

    def decimal_score(self, values: Sequence[int]) -> str:
        """Return the exact score of a row of counts at six decimals."""
        return six_decimals(*fscore.ratio(values, self.exact_beta, self.averaging))

    def exact_score(self, values: Sequence[int]) -> Fraction:
        """Return the exact score of a row of counts."""
        return fscore.fraction(values, self.exact_beta, self.averaging)

    def float_scores(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each of many rows."""
        return fscore.scores(rows, len(self.columns), float(self.beta), self.averaging)

    def float_array(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`float_scores` as a NumPy array."""
        return fscore.score_array(rows, len(self.columns), float(self.beta), self.averaging)

    def single_precision(self, rows: Sequence[int]) -> NDArray[float32]:
        """Return the score of each of many rows as sacreBLEU's bootstrap computes it, in float32."""
        beta = self.exact_beta if isinstance(self.exact_beta, int) else float(self.exact_beta)
        return fscore.single_precision(rows, len(self.columns), beta, self.averaging)

    def decimal_scores(self, rows: Sequence[int]) -> list[str]:
        """Return the exact score of each of many rows at six decimals."""
        return fscore.texts(rows, len(self.columns), self.exact_beta, self.averaging)

    def orders(self, values: Sequence[int]) -> tuple[Order, ...]:
        """Return the orders of a row of counts, characters first."""
        from chrfect.metrics.order import Order

        names = [("character", n) for n in range(1, self.char_order + 1)]
        names += [("word", n) for n in range(1, self.word_order + 1)]
        return tuple(
            Order(kind, n, *triple, self.exact_beta)
            for (kind, n), triple in zip(names, fscore.triples(values), strict=True)
        )

    def mean_precision_recall(self, values: Sequence[int]) -> tuple[Fraction, Fraction] | None:
        """Return precision and recall averaged over the effective orders; None without any, or under per_order_f."""
        means = None if self.averaging == "per_order_f" else fscore.mean_precision_recall(values)
        return None if means is None else (100 * Fraction(*means[0]), 100 * Fraction(*means[1]))

    def details(self, values: Sequence[int]) -> dict[str, Any]:
        """Return the exact score, and the precision and recall (0 to 100) from which F is computed."""
        means = self.mean_precision_recall(values)
        precision, recall = (None, None) if means is None else map(float, means)
        return {
            "score_fraction": fraction_text(self.exact_score(values)),
            "precision": precision,
            "recall": recall,
        }

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels whose n-grams are counted; none with ``count_matched``, which drops some references."""
        if self.unreferenced == "count_matched":
            return ()
        from chrfect.metrics.shares import Level

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
        from chrfect.metrics.shares import order_shares

        worths = fscore_shares.worths(values, self.exact_beta, self.averaging)
        contributions = fscore_shares.contributions(values, self.exact_beta, self.averaging)
        return order_shares(self.orders(values), worths, contributions)

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the steps from the orders to the score, one on each line."""
        return fscore_shares.arithmetic(values, self.exact_beta, self.averaging)

    def changed_counts(self, values: Sequence[int], hypothesis: Sequence[int], matches: Sequence[int]) -> list[int]:
        """Return counts with hypothesis n-grams and matches added to each order."""
        changed = list(values)
        changed[0::3] = [n + more for n, more in zip(values[0::3], hypothesis, strict=True)]
        changed[2::3] = [n + more for n, more in zip(values[2::3], matches, strict=True)]
        return changed

    def count_pair(self, hypothesis: str, reference: str) -> Sequence[int]:
        """Return the counts of one hypothesis and one reference."""
        if self.unit != "codepoint" or self.unreferenced == "count_matched":
            return self._rows((hypothesis,), (reference,), 1)
        if self.lowercase:
            hypothesis, reference = hypothesis.lower(), reference.lower()
        return kernels.row(hypothesis, reference, self._plan)

    def _notices(self, aligned: Aligned, counted: Result | CountTable) -> Iterator[str]:
        if self.unreferenced == "drop":
            empty = dropped(aligned.hypotheses, aligned.references, aligned.starts)
            if empty:
                yield (
                    f"{self}: references are empty in {empty:,} of {quantity(len(aligned.hypotheses), 'segment')}, "
                    "whose hypotheses are not counted (unreferenced=drop); with unreferenced=count they are."
                )
        if self.word_order and are_unspaced(aligned.references):
            yield (
                f"{self} counts words between spaces, and most references are written without spaces; use chrF, "
                "without words."
            )

    def _pair(self, hypothesis: str, reference: str) -> Result:
        return Result(self, self.count_pair(hypothesis, reference), 1, self, None, 1)

    def _count(self, aligned: Aligned, threads: int) -> CountTable:
        return self._table(aligned, self._rows(*aligned.pairs, threads))

    def _sum(self, aligned: Aligned, threads: int) -> tuple[Sequence[int], CountRecipe | None]:
        is_simple = self.unit == "codepoint" and not self.lowercase and self.unreferenced != "count_matched"
        if aligned.starts is not None or not is_simple:
            return Metric._sum(self, aligned, threads)
        return kernels.total(aligned.hypotheses, aligned.references, self._plan, threads), None

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str], threads: int) -> array[int]:
        preparation, plan = self.preparation, self._plan
        hypotheses, references = preparation.cased(hypotheses), preparation.cased(references)
        if self.unit == "codepoint":
            return self._matched(kernels.rows(hypotheses, references, plan, threads))
        pairs = [preparation.unit_strings(pair) for pair in zip(hypotheses, references, strict=True)]
        units = [h for h, _ in pairs], [r for _, r in pairs]
        characters = kernels.rows(*units, plan._replace(word_order=0), threads)
        if not self.word_order:
            return self._matched(characters)
        words = kernels.rows(hypotheses, references, plan._replace(char_order=0), threads)
        return self._matched(_side_by_side(characters, 3 * self.char_order, words, 3 * self.word_order))

    def _matched(self, rows: array[int]) -> array[int]:
        """Return rows; under ``count_matched``, without the references that share no character with the hypothesis."""
        if self.unreferenced == "count_matched":
            width = len(self.columns)
            for at in range(0, len(rows), width):
                if not rows[at + 2]:
                    rows[at + 1 : at + width : 3] = array("q", bytes(8 * (width // 3)))
        return rows

    def _matrix(
        self, hypotheses: list[str], columns: list[list[str]], threads: int, stop: list[BaseException]
    ) -> NDArray[float64]:
        if kernels.compiled is None:
            return Metric._matrix(self, hypotheses, columns, threads, stop)
        import numpy as np

        out = np.empty((len(hypotheses), len(columns)))
        preparation = self.preparation
        texts = preparation.cased([*hypotheses, *chain.from_iterable(columns)])
        kernels.compiled.fill_matrix(
            out,
            preparation.unit_strings(texts),
            texts,
            list(accumulate(map(len, columns), initial=0)),
            self._plan,
            float(self.beta),
            self.averaging == "per_order_f",
            threads,
            stop,
        )
        return out


def exact_beta(beta: Any) -> int | Fraction:
    """Return beta as an exact number; raise UsageError if it is not a number or out of range."""
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


def _drop_unreferenced(table: CountTable) -> CountTable:
    """Return rows of single segments with no hypothesis n-grams of an order in which the reference has none."""
    import numpy as np

    rows = np.array(table.to_numpy())
    rows[:, 0::3][rows[:, 1::3] == 0] = 0
    parameters = tuple((key, "drop" if key == "unreferenced" else value) for key, value in table.recipe.parameters)
    return CountTable(
        replace(table.recipe, parameters=parameters),
        rows,
        offsets=table.offsets,
        origins=table.origins,
        labels=table.labels,
        references=table.references,
    )


def _side_by_side(left: array[int], left_width: int, right: array[int], right_width: int) -> array[int]:
    joined = array("q")
    for i in range(len(right) // right_width):
        joined.extend(left[i * left_width : (i + 1) * left_width])
        joined.extend(right[i * right_width : (i + 1) * right_width])
    return joined
