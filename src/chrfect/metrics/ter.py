"""TER: the number of edits that turn the hypothesis into the reference, divided by the reference length."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from chrfect import kernels
from chrfect.counts import CountRecipe, CountTable
from chrfect.errors import UsageError
from chrfect.formulas import ter
from chrfect.formulas.decimals import fraction_text
from chrfect.kernels import readable_ter
from chrfect.metrics.base import Metric
from chrfect.metrics.notices import are_unspaced
from chrfect.metrics.references import Aligned
from chrfect.metrics.result import Result
from chrfect.metrics.shares import Edit
from chrfect.text.tercom import Tercom, reference_words, words

if TYPE_CHECKING:
    from numpy import float32, float64
    from numpy.typing import NDArray

KINDS: dict[str, Literal["keep", "substitute", "delete", "insert"]] = {
    readable_ter.KEEP: "keep",
    readable_ter.SUBSTITUTE: "substitute",
    readable_ter.DELETE: "delete",
    readable_ter.INSERT: "insert",
}


def word_edits(hypothesis: Sequence[str], reference: Sequence[str], unit: Fraction) -> Iterator[Edit]:
    """Yield the shifts, then groups of adjacent words with the same operation; each single edit has `unit` points.

    Examples
    --------
    >>> found = word_edits("the mat the cat sat on".split(), "the cat sat on the mat now".split(), Fraction(1))
    >>> [(edit.kind, " ".join(edit.hypothesis or edit.reference)) for edit in found]
    [('shift', 'the mat'), ('keep', 'the cat sat on'), ('keep', 'the mat'), ('insert', 'now')]
    """
    found = kernels.ter_edits(hypothesis, reference)
    order = list(range(len(hypothesis)))
    moved: dict[int, int] = {}
    for number, shift in enumerate(found.shifts):
        block = order[shift.start : shift.start + shift.length]
        moved.update(dict.fromkeys(block, number))
        yield Edit("shift", tuple(hypothesis[i] for i in block), (), block[0], None, True, unit)
        order = shift.apply(order)
    i = j = 0
    groups: list[tuple[str, int | None, list[int], list[int]]] = []
    for operation in found.operations:
        left = [] if operation == readable_ter.INSERT else [order[i]]
        right = [] if operation == readable_ter.DELETE else [j]
        i, j = i + len(left), j + len(right)
        shift_of = moved.get(left[0]) if left else None
        last = groups[-1] if groups else None
        if last and last[:2] == (operation, shift_of) and (not left or left[0] == last[2][-1] + 1):
            last[2].extend(left)
            last[3].extend(right)
        else:
            groups.append((operation, shift_of, left, right))
    for operation, shift_of, left, right in groups:
        yield Edit(
            KINDS[operation],
            tuple(hypothesis[k] for k in left),
            tuple(reference[k] for k in right),
            left[0] if left else None,
            right[0] if right else None,
            shift_of is not None,
            0 * unit if operation == readable_ter.KEEP else unit * max(len(left), len(right)),
        )


def number_text(value: Fraction) -> str:
    """Return a whole number as an integer, and any other number as a fraction."""
    return str(value.numerator) if value.denominator == 1 else fraction_text(value)


@dataclass(frozen=True, slots=True)
class Ter(Metric):
    """TER, translation edit rate (Snover et al. 2006), as computed by sacreBLEU; lower is better.

    Edits are shifts of up to ten words, insertions, deletions and substitutions. The score is 100 times the number of
    edits divided by the number of words of the reference; it can exceed 100.

    Parameters
    ----------
    normalized : bool
        Whether to split off punctuation and ``'s``, to join lines and to decode the entities of XML.
    no_punct : bool
        Whether to remove punctuation.
    asian_support : bool
        With `normalized`, whether each CJK character is a word; with `no_punct`, whether CJK punctuation is removed
        too. Without either it has no effect.
    case_sensitive : bool
        Whether case matters; by default texts are lower-cased (``str.lower``).

    Raises
    ------
    UsageError
        If a parameter is neither True nor False.

    Notes
    -----
    With several references, the edits are counted against the reference that needs the fewest edits; of several, the
    first. The reference length is the mean length of all references of the segment. If no reference has a word, the
    score is 100, or 0 if the hypothesis has no word either.

    With `normalized`, references are normalized twice, as sacreBLEU does it: in ``Martin's, …`` only the second time
    splits off the ``'s``, so a hypothesis that equals its reference may have edits.

    Examples
    --------
    >>> metric = Ter()
    >>> result = metric.sentence("the mat the cat sat on", "The cat sat on the mat now")
    >>> result.score_text, result.values
    ('28.571429', (1, 0, 0, 1, 7))
    >>> metric.sentence("a b", ["c", "a b c d e"]).score_fraction
    Fraction(200, 3)
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    _numbers: tuple[int, ...] = field(default=(1,), init=False, repr=False, compare=False)
    """The numbers of references for which the counts have a column."""
    _added: float | None = field(default=None, init=False, repr=False, compare=False)
    """The reference length of the counts as sacreBLEU sums it."""

    name: ClassVar[str] = "TER"
    lower_is_better: ClassVar[bool] = True
    adds_in_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for parameter in fields(self):
            value = getattr(self, parameter.name)
            if parameter.init and not isinstance(value, bool):
                raise UsageError(f"{parameter.name} is {value!r}; True or False was expected.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready; with the Unicode version that lower case uses."""
        parameters: dict[str, Any] = {name: getattr(self, name) for name in Tercom._fields}
        if not self.case_sensitive:
            parameters["lowercase_unicode"] = unicodedata.unidata_version
        return parameters

    @property
    def tercom(self) -> Tercom:
        """The options of the tokenizer."""
        return Tercom(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the count columns: the edits of each kind, and the lengths for each number of references."""
        return ter.columns(self._numbers)

    def for_recipe(self, recipe: CountRecipe) -> Ter:
        """Return the metric that reads counts with the columns of a recipe."""
        numbers = ter.numbers_of(recipe.columns)
        if numbers is None or (numbers == self._numbers and self._added is None):
            return self
        return self._reading(numbers)

    def for_sum(self, table: CountTable) -> Ter:
        """Return the metric that scores the sum of a table, adding lengths as sacreBLEU does."""
        numbers = ter.numbers_of(table.columns)
        if numbers is None or numbers == (1,):
            return self.for_recipe(table.recipe)
        return self._reading(numbers, ter.added_length(table.rows, numbers))

    def check_recipe(self, recipe: CountRecipe) -> None:
        """Raise UsageError if counts of this recipe cannot be scored by this metric; the message says why."""
        reader = self.for_recipe(recipe)
        super(Ter, reader).check_recipe(recipe)

    def project(self, table: CountTable) -> CountTable:
        """Return the table unchanged if its recipe is that of this metric; raise UsageError otherwise."""
        return super(Ter, self.for_recipe(table.recipe)).project(table)

    def exact_score(self, values: Sequence[int]) -> Fraction:
        """Return the exact score of a row of counts."""
        return ter.fraction(values, self._numbers)

    def float_score(self, values: Sequence[int]) -> float:
        """Return the score of a row of counts as sacreBLEU's float."""
        return ter.score(values, self._numbers, self._added)

    def float_scores(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each of many rows as sacreBLEU's float."""
        scores: list[float] = ter.scores(rows, self._numbers).tolist()
        return scores

    def float_array(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`float_scores` as a NumPy array."""
        return ter.scores(rows, self._numbers)

    def single_precision(self, rows: Sequence[int]) -> NDArray[float32]:
        """Return the score of each of many rows as sacreBLEU's bootstrap computes it, in float32."""
        return ter.single_precision(rows, self._numbers)

    def details(self, values: Sequence[int]) -> dict[str, Any]:
        """Return the exact score, the edits of each kind, and the reference length."""
        length = ter.length(values, self._numbers)
        return {
            "score_fraction": fraction_text(self.exact_score(values)),
            "edits": ter.edits(values),
            **dict(zip(ter.EDITS, values, strict=False)),
            "reference_length": float(length) if self._added is None else self._added,
            "reference_length_fraction": fraction_text(length),
        }

    def edits(self, hypothesis: str, reference: str, values: Sequence[int]) -> tuple[Edit, ...]:
        """Return the shifts, then the words of both sides in the order of the reference; points add up to the score."""
        number = ter.edits(values)
        unit = self.exact_score(values) / number if number else Fraction(0)
        return tuple(word_edits(words(hypothesis, self.tercom), reference_words(reference, self.tercom), unit))

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the edits, the reference length, and the score that follows from them."""
        length = ter.length(values, self._numbers)
        kinds = " + ".join(f"{kind} {count}" for kind, count in zip(ter.EDITS, values, strict=False))
        lengths = f"reference length {number_text(length)}"
        if not length:
            return f"{kinds}: edits {ter.edits(values)}", f"{lengths}: the score is {self.decimal_score(values)}"
        quotient = f"100 × {ter.edits(values)} ÷ {number_text(length)} = {self.decimal_score(values)}"
        return f"{kinds}: edits {ter.edits(values)}; {lengths}", quotient

    def shown_reference(self, candidates: Sequence[Sequence[int]], values: Sequence[int]) -> int:
        """Return the reference that needs the fewest edits, the first of several."""
        needed = [ter.edits(candidate) for candidate in candidates]
        return needed.index(min(needed))

    def count_pair(self, hypothesis: str, reference: str) -> Sequence[int]:
        """Return the counts of one hypothesis and one reference."""
        return kernels.ter_row(hypothesis, reference, self.tercom)

    def _count(self, aligned: Aligned, threads: int) -> CountTable:
        if aligned.starts is None:
            rows = kernels.ter_rows(aligned.hypotheses, aligned.references, self.tercom, threads)
            recipe = self._reading((1,)).count_recipe
            return CountTable(recipe, rows, origins=aligned.reference_names(), references=1)
        return self._fewest(aligned, threads)

    def _fewest(self, aligned: Aligned, threads: int) -> CountTable:
        """Return, for each segment, the row of the reference with the fewest edits, with the lengths of all."""
        assert aligned.starts is not None
        first = aligned.starts[0]
        bounds = [(start - first, stop - first) for start, stop in pairwise(aligned.starts)]
        pairs = kernels.ter_rows(*aligned.pairs, self.tercom, threads)
        width = ter.KINDS + 1
        edits = [ter.edits(pairs[at : at + width]) for at in range(0, len(pairs), width)]
        numbers = sorted({stop - start for start, stop in bounds})
        names = aligned.reference_names() or range(len(edits))
        rows, chosen = array("q"), []
        for start, stop in bounds:
            best = min(range(start, stop), key=edits.__getitem__)
            lengths = [0] * len(numbers)
            lengths[numbers.index(stop - start)] = sum(pairs[start * width + ter.KINDS : stop * width : width])
            rows.extend(pairs[best * width : best * width + ter.KINDS])
            rows.extend(lengths)
            chosen.append(names[best])
        recipe = self._reading(tuple(numbers)).count_recipe
        return CountTable(recipe, rows, origins=chosen, references=aligned.number)

    def _corpus(self, aligned: Aligned, threads: int) -> Result:
        if aligned.starts is None:
            return Metric._corpus(self, aligned, threads)
        return self.score(self._chosen(aligned, threads))  # lengths are added in the order of the segments

    def _reading(self, numbers: tuple[int, ...], added: float | None = None) -> Ter:
        reader = Ter(*self.tercom)
        object.__setattr__(reader, "_numbers", numbers)
        object.__setattr__(reader, "_added", added)
        return reader

    def _notices(self, aligned: Aligned, counted: Result | CountTable) -> Iterator[str]:
        if not (self.normalized and self.asian_support) and are_unspaced(aligned.references):
            yield (
                "The references are in a script without spaces, so TER takes whole sentences as single words. "
                "TER(normalized=yes,asian_support=yes) makes a word of each CJK character (asian_support alone does "
                "nothing); texts in other scripts, such as Thai, have to be split into words first."
            )
        if not any(map(str.strip, aligned.references)):
            yield "All references are empty: TER is 100 where the hypotheses have a word, and 0 otherwise."
