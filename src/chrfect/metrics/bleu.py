"""BLEU over texts: tokenized, counted, clipped over all references."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from chrfect import kernels
from chrfect.counts import CountTable
from chrfect.errors import UsageError, shown
from chrfect.foreign_names import value_hint
from chrfect.formulas import bleu, bleu_shares
from chrfect.metrics.base import Metric
from chrfect.metrics.notices import are_tokenized, are_unspaced
from chrfect.metrics.references import Aligned, References, ReferencesPerSegment, Texts, blocks
from chrfect.metrics.result import Result
from chrfect.metrics.scoring import read_value
from chrfect.metrics.tokenized import join_tokens
from chrfect.text.preparation import Preparation
from chrfect.text.sentencepiece import NAMES as MODELS
from chrfect.text.tokenizers import Split, described, names, tokenizer
from chrfect.text.tokens import BUILT_IN

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from chrfect.metrics.order import Order
    from chrfect.metrics.shares import Level, OrderShare

EffectiveOrder = Literal["segments", "always", "never"]

CHOICES = {
    "smoothing": get_args(bleu.Smoothing),
    "effective_order": get_args(EffectiveOrder),
}
MAX_ORDER = 1_000
WORD_TOKENIZERS = ("13a", "intl", "none")
"""Those that leave a script without spaces as it is."""

_ENTITIES = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
"""The characters by which the tokenizer 13a replaces entities."""


@dataclass(frozen=True, slots=True)
class Bleu(Metric):
    """BLEU: n-gram precision with a brevity penalty (Papineni et al. 2002), by default equal to sacreBLEU.

    Parameters
    ----------
    max_order : int
        The largest n-gram order, 1 to 1,000.
    smoothing : {"exp", "none", "floor", "add-k", "method1", "method2", "method3"}
        How to smooth an order without matches: one of the four methods of sacreBLEU, or methods 1 to 3 of Chen and
        Cherry (2014). The latter are floor with 0.1, add-k with 1, and exp. However, method1 and method3 count an order
        without hypothesis n-grams as one n-gram that did not match, unless the effective order excludes it.
    smoothing_value : float, optional
        The value of ``floor`` (default 0.1) or ``add-k`` (default 1), 0 to 1,000,000.
    effective_order : {"segments", "always", "never"}
        Which scores exclude the orders for which the hypothesis is too short. By default these are the scores of
        segments, which would be close to 0 otherwise. ``add-k`` and ``method2`` do not exclude orders: the added value
        makes such a precision 1, as in sacreBLEU.
    lowercase : bool
        Whether texts are lower-cased before they are tokenized (``str.lower``).
    tokenize : str
        ``"13a"``, ``"intl"``, ``"char"``, ``"zh"`` and ``"none"`` (split on whitespace) are built in and equal those of
        sacreBLEU. ``"ja-mecab"`` and ``"ko-mecab"`` need extras of sacreBLEU. ``"spm"``, ``"flores101"`` and
        ``"flores200"`` are SentencePiece models. Other names are registered with
        :func:`chrfect.register_tokenizer`. See ``docs/tokenizers.md``.
    spm_model : str, optional
        The file of the SentencePiece model. By default ``"flores101"`` and ``"flores200"`` are searched in the folder
        ``CHRFECT_MODELS`` and in the cache of sacreBLEU.

    Raises
    ------
    UsageError
        If a parameter is out of range, or does not apply to the chosen smoothing or tokenizer.

    Notes
    -----
    With ``tokenize="none"``, a segment can be given as a list of tokens instead of a text.

    With several references, the matches of an n-gram are clipped at its largest count in any one reference. The
    reference length is the one closest to the hypothesis length.

    Examples
    --------
    >>> metric = Bleu(max_order=2, smoothing="none", tokenize="none")
    >>> str(metric), metric.corpus(["the cat sat"], ["the cat sat down"]).score_text
    ('BLEU(max_order=2,smoothing=none,tokenize=none)', '71.653131')
    >>> metric.sentence("the cat", ["a cat", "the dog"]).score
    0.0
    """

    name: ClassVar[str] = "BLEU"

    max_order: int = 4
    smoothing: bleu.Smoothing = "exp"
    smoothing_value: float | None = None
    effective_order: EffectiveOrder = "segments"
    lowercase: bool = False
    tokenize: str = "13a"
    spm_model: str | None = None

    def __post_init__(self) -> None:
        order = self.max_order
        if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= MAX_ORDER:
            raise UsageError(f"max_order is {order!r}; a whole number from 1 to {MAX_ORDER:,} was expected.")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                listed = " or ".join(map(repr, choices))
                hint = value_hint(name, getattr(self, name))
                raise UsageError(f"{name} is {getattr(self, name)!r}; {listed} was expected.{hint}")
        if self.tokenize not in names():
            raise UsageError(
                f"tokenize is {shown(self.tokenize)}; {' or '.join(map(repr, names()))} was expected, or a name given "
                f"to register_tokenizer before.{value_hint('tokenize', self.tokenize)}"
            )
        if not isinstance(self.lowercase, bool):
            raise UsageError(f"lowercase is {self.lowercase!r}; True or False was expected.")
        if self.smoothing_value is not None:
            self._check_value(self.smoothing_value)
        if self.spm_model is None and self.tokenize == "spm":
            raise UsageError("tokenize=spm needs the file of its model: BLEU(tokenize=spm,spm_model=FILE).")
        if self.spm_model is not None and self.tokenize not in MODELS:
            raise UsageError(
                f"spm_model is the file of a SentencePiece model, which tokenize={self.tokenize} does not read; "
                f"{', '.join(MODELS)} do."
            )
        if self.spm_model is not None and not isinstance(self.spm_model, str):
            object.__setattr__(self, "spm_model", str(self.spm_model))

    def _check_value(self, value: Any) -> None:
        default = bleu.VALUES[self.smoothing]
        if default is None:
            raise UsageError(f"smoothing_value is {value!r}, but smoothing={self.smoothing} takes none.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1_000_000:
            raise UsageError(f"smoothing_value is {value!r}; a number from 0 to 1,000,000 was expected.")
        whole = int(value) if value == int(value) else value
        object.__setattr__(self, "smoothing_value", None if value == default else whole)

    @classmethod
    def read_parameter(cls, key: str, value: str) -> Any:
        """Return the value of a parameter as written in a name."""
        if key == "smoothing_value":
            return float(cls.read_number(key, value))
        if key == "spm_model":
            from urllib.parse import unquote

            return unquote(value)
        return read_value(cls, key, value)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready; with what the tokenizer and lower case depend on."""
        parameters: dict[str, Any] = {"max_order": self.max_order, "smoothing": self.smoothing}
        default = bleu.VALUES[self.smoothing]
        if default is not None:
            parameters["smoothing_value"] = default if self.smoothing_value is None else self.smoothing_value
        parameters["effective_order"] = self.effective_order
        parameters["lowercase"] = self.lowercase
        parameters["tokenize"] = described(self.tokenize, self.spm_model)
        if self.lowercase:
            parameters["lowercase_unicode"] = unicodedata.unidata_version
        return parameters

    @property
    def preparation(self) -> Preparation:
        """How texts are prepared before they are tokenized."""
        return Preparation(self.lowercase)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the count columns: two lengths, then two columns for each order."""
        orders = (f"token-{n}.{side}" for n in range(1, self.max_order + 1) for side in ("hypothesis", "matches"))
        return "hypothesis_length", "reference_length", *orders

    @property
    def count_parameters(self) -> dict[str, str]:
        """The settings that change the counts."""
        return {"case": self.preparation.case, "tokenizer": described(self.tokenize, self.spm_model)}

    @property
    def segmental(self) -> Bleu:
        """The metric that scores single segments: with effective order, unless ``effective_order="never"``."""
        return _always(self) if self.effective_order == "segments" else self

    def join(self, other: Metric) -> Bleu | None:
        """Return the metric with the larger order of both, if both tokenize texts in the same way."""
        if not isinstance(other, Bleu) or self.count_parameters != other.count_parameters:
            return None
        return self if self.max_order >= other.max_order else other

    def float_score(self, values: Sequence[int]) -> float:
        """Return the score of a row of counts as sacreBLEU's float."""
        return bleu.quick_score(values, *self._formula)

    def decimal_score(self, values: Sequence[int]) -> str:
        """Return the exact score of a row of counts at six decimals."""
        return bleu.text(values, *self._formula)

    def float_scores(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each of many concatenated rows."""
        return bleu.scores(rows, len(self.columns), *self._formula)

    def float_array(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`float_scores` as a NumPy array."""
        return bleu.score_array(rows, len(self.columns), *self._formula)

    def single_precision(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return the score of each of many rows as sacreBLEU's bootstrap computes it, with precisions in float32."""
        return bleu.single_precision(rows, len(self.columns), *self._formula)

    def exact_score(self, values: Sequence[int]) -> None:
        """Return None: BLEU, a root times an exponential, is irrational."""
        return

    def orders(self, values: Sequence[int]) -> tuple[Order, ...]:
        """Return the orders of a row of counts; BLEU does not count the n-grams of references."""
        from chrfect.metrics.order import Order

        pairs = zip(values[2::2], values[3::2], strict=True)
        return tuple(Order("token", n, total, None, matches, 1) for n, (total, matches) in enumerate(pairs, 1))

    def details(self, values: Sequence[int]) -> dict[str, Any]:
        """Return the brevity penalty, the lengths, and the precisions (0 to 100) that entered the score."""
        entering = bleu.precisions(values, *self._formula)
        return {
            "brevity_penalty": bleu.brevity_penalty(values),
            "brevity_penalty_exact": bleu.brevity_penalty_exact(values),
            "hypothesis_length": values[0],
            "reference_length": values[1],
            "precisions": [None if precision is None else float(100 * precision) for precision in entering],
        }

    @property
    def levels(self) -> tuple[Level, ...]:
        """The tokens whose n-grams are counted, clipped over all references."""
        from chrfect.metrics.shares import Level

        split = self._split
        rewritten = _ENTITIES if self.tokenize == "13a" else None
        locate = partial(self.preparation.tokens, split=split, rewritten=rewritten)
        return (Level("token", self.max_order, locate, over_all_references=True),)

    def shares(self, values: Sequence[int]) -> tuple[OrderShare, ...]:
        """Return each order with its contribution and its gain; contributions add up to the score's six decimals."""
        from chrfect.metrics.shares import order_shares

        formula = self._formula
        return order_shares(
            self.orders(values),
            bleu_shares.worths(values, *formula),
            bleu_shares.contributions(values, *formula),
            bleu_shares.precisions(values, *formula),
            bleu_shares.gains(values, *formula),
        )

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the steps from the precisions to the score, one on each line."""
        return bleu_shares.arithmetic(values, *self._formula)

    def changed_counts(self, values: Sequence[int], hypothesis: Sequence[int], matches: Sequence[int]) -> list[int]:
        """Return counts with hypothesis n-grams and matches added to each order; added unigrams increase the length."""
        changed = list(values)
        changed[0] += hypothesis[0]
        changed[2::2] = [n + more for n, more in zip(values[2::2], hypothesis, strict=True)]
        changed[3::2] = [n + more for n, more in zip(values[3::2], matches, strict=True)]
        return changed

    def shown_reference(self, candidates: Sequence[Sequence[int]], values: Sequence[int]) -> int:
        """Return the reference that is closest to the hypothesis in length."""
        return [candidate[1] for candidate in candidates].index(values[1])

    @property
    def _formula(self) -> tuple[bleu.Smoothing, float | None, bool]:
        return self.smoothing, self.smoothing_value, self.effective_order == "always"

    def _align(
        self, hypotheses: Texts, references: References | None, references_per_segment: ReferencesPerSegment | None
    ) -> Aligned:
        if isinstance(hypotheses, list | tuple) and hypotheses and isinstance(hypotheses[0], list | tuple):
            if self.tokenize != "none":
                raise UsageError(
                    f"hypotheses[0] is a {type(hypotheses[0]).__name__}, and tokenize={self.tokenize} splits texts. "
                    "Pass lists of tokens with tokenize=none."
                )
            hypotheses = join_tokens(hypotheses, "hypotheses")
            references = join_tokens(references, "references")
            references_per_segment = join_tokens(references_per_segment, "references_per_segment", 2)
        return Metric._align(self, hypotheses, references, references_per_segment)

    def count_pair(self, hypothesis: str, reference: str) -> Sequence[int]:
        """Return the counts of one hypothesis and one reference."""
        if self.tokenize not in BUILT_IN:
            return self._rows(Aligned((hypothesis,), (reference,)), 1)
        if self.lowercase:
            hypothesis, reference = hypothesis.lower(), reference.lower()
        return kernels.bleu_row(hypothesis, reference, self.tokenize, self.max_order)

    def _pair(self, hypothesis: str, reference: str) -> Result:
        return Result(self, self.count_pair(hypothesis, reference), 1, self.segmental, None, 1)

    def _count(self, aligned: Aligned, threads: int) -> CountTable:
        return CountTable(self.count_recipe, self._rows(aligned, threads), references=aligned.number)

    def _rows(self, aligned: Aligned, threads: int) -> array[int]:
        return kernels.bleu_rows(*self._prepared(aligned), self.max_order, threads)

    def _sum(self, aligned: Aligned, threads: int) -> tuple[Sequence[int], Any]:
        parts = [aligned] if self.tokenize in BUILT_IN and not self.lowercase else blocks(aligned)
        totals = [kernels.bleu_total(*self._prepared(part), self.max_order, threads) for part in parts]
        return [sum(column) for column in zip(*totals, strict=True)], None

    def _prepared(self, aligned: Aligned) -> tuple[Sequence[Any], Sequence[Any], Sequence[int] | None, str | None]:
        """Return hypotheses, references, starts and tokenizer for the kernel; tokenize here if the kernel cannot."""
        starts, references = aligned.starts, aligned.references
        if starts is not None and (starts[0] or starts[-1] < len(references)):  # a block
            first = starts[0]
            references = references[first : starts[-1]]
            starts = [start - first for start in starts]
        hypotheses, references = self.preparation.cased(aligned.hypotheses), self.preparation.cased(references)
        if self.tokenize in BUILT_IN:
            return hypotheses, references, starts, self.tokenize
        segments = range(aligned.first, aligned.first + len(hypotheses))
        of_references = segments if starts is None else _repeated(segments, starts)
        split = self._split
        cut = _cut(split, hypotheses, segments, "hypothesis"), _cut(split, references, of_references, "reference")
        return *cut, starts, None

    @property
    def _split(self) -> Split:
        """The function that splits a text into tokens."""
        if self.tokenize in BUILT_IN:
            return partial(kernels.split, tokenizer=self.tokenize)
        return tokenizer(self.tokenize, self.spm_model)

    def _notices(self, aligned: Aligned, counted: Result | CountTable) -> Iterator[str]:
        if self.tokenize != "none" and are_tokenized(aligned.hypotheses):
            yield (
                "Many hypotheses end in a full stop after a space, so they seem to be tokenized already; BLEU expects "
                "plain text, or tokenize=none."
            )
        if self.tokenize in WORD_TOKENIZERS and are_unspaced(aligned.references):
            yield (
                f"{self} counts words between spaces, and most references are written without spaces; use "
                "tokenize=zh, ja-mecab, char or spm."
            )
            return
        values = counted.values if isinstance(counted, Result) else counted.sum().values
        missing = next((n for n, total in enumerate(values[2::2], 1) if not total), None)
        if missing is not None and any(values[3::2]) and not self.float_score(values):
            yield (
                f"{self} is 0 because no hypothesis is as long as {missing} tokens; a metric with shorter n-grams, "
                "such as chrF, can measure such texts."
            )


def _cut(split: Split, texts: Sequence[str], segments: Iterable[int], side: str) -> list[list[str]]:
    """Return the tokens of each text; an error names the segment."""
    tokens = []
    for text, segment in zip(texts, segments, strict=True):
        try:
            tokens.append(split(text))
        except UsageError as error:
            raise UsageError(f"Segment {segment} (counted from 0), {side}: {error}") from error
    return tokens


def _repeated(segments: Iterable[int], starts: Sequence[int]) -> Iterator[int]:
    """Yield the number of each segment as often as the segment has references."""
    for segment, (start, stop) in zip(segments, pairwise(starts), strict=True):
        yield from repeat(segment, stop - start)


@lru_cache(maxsize=64)
def _always(metric: Bleu) -> Bleu:
    """Return the metric with effective order; cached, because each segment score needs it."""
    return replace(metric, effective_order="always")


def with_model(metrics: Sequence[Metric], spm_model: str) -> list[Metric]:
    """Return the metrics with the SentencePiece model set in each BLEU that has neither a model nor a tokenizer.

    Raises
    ------
    UsageError
        If there is no such BLEU.
    """
    changed: list[Metric] = []
    for metric in metrics:
        if isinstance(metric, Bleu) and metric.spm_model is None and metric.tokenize in ("13a", *MODELS):
            name = "spm" if metric.tokenize == "13a" else metric.tokenize
            metric = replace(metric, tokenize=name, spm_model=spm_model)
        changed.append(metric)
    if changed == list(metrics):
        raise UsageError("--spm-model needs a BLEU without a tokenize parameter, and there is none: add -m BLEU.")
    return changed
