"""What the interactive page shows of the entered texts: scores, orders, and shaded segments."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from chrfect import catalogue
from chrfect.errors import ChrfectWarning, ContractError
from chrfect.explanation.corpus import shown_first
from chrfect.explanation.many import LETTERS, MarkedText, marked_texts
from chrfect.explanation.report.shading import span
from chrfect.metrics import Bleu, ChrF, Metric
from chrfect.metrics.order import Order
from chrfect.metrics.references import align
from chrfect.metrics.result import CorpusResult
from chrfect.service.playground.form import FieldError, Form, place
from chrfect.text.tokenizers import tokenizer
from chrfect.text.words import split_words

TEXT_LIMIT = 10_000
"""How many code points of a text are shown."""


@dataclass(frozen=True, slots=True)
class System:
    """The hypotheses of one side: the tool's input and result, and the counts of each order."""

    side: str
    input: dict[str, Any]
    result: dict[str, Any]
    orders: tuple[Order, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """A hypothesis: its score, and the texts as HTML, shaded by what matched."""

    score: str
    hypothesis: str
    reference: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment (counted from 1) with the hypothesis of each side."""

    number: int
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """Everything that is shown.

    Parameters
    ----------
    systems : tuple of System
        One, or two with the same references.
    segments : tuple of Segment
        In the order that the form asks for.
    unit : str
        What is shaded: ``"character"`` or ``"word"``.
    """

    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    unit: str


def run(form: Form) -> Trial:
    """Score the texts of a form.

    Raises
    ------
    FieldError
        If the tool rejects them.
    """
    systems, columns = [], []
    for side in form.sides():
        system, column = _side(form, side)
        systems.append(system)
        columns.append(column)
    segments = [Segment(number, sides) for number, sides in enumerate(zip(*columns, strict=True), 1)]
    return Trial(
        tuple(systems), tuple(_sorted(segments, form.sort)), systems[0].orders[0].kind.replace("token", "word")
    )


def _side(form: Form, side: str) -> tuple[System, list[Side]]:
    input = form.input(side)
    try:
        result = catalogue.run(form.tool, form.version, input)
    except ContractError as error:
        raise FieldError(error.detail, *place(error, side, input)) from None
    metric = metric_of(form, input)
    hypotheses = form.segments(side)
    references = [several.split("\t") if form.is_bleu else [several] for several in form.segments("references")]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ChrfectWarning)
        counted = metric.both(hypotheses, references_per_segment=references)
    notes = tuple(str(warning.message) for warning in caught if issubclass(warning.category, ChrfectWarning))
    system = System(side, input, result, counted.orders, notes)
    scores = [result["score"]] if form.tool == "bleu-sentence-compute" else counted.segments.score_texts
    return system, _shaded(form, metric, counted, scores, hypotheses, references)


def metric_of(form: Form, input: dict[str, Any]) -> Metric:
    """Return the metric that counts what the tool counts.

    Segments of BLEU, which the tools for a corpus do not score, are smoothed as in sacreBLEU.
    """
    if form.is_bleu:
        return Bleu(max_order=input.get("max_order", 4), tokenize=form.tokenize)
    given = {name: input[name] for name in ChrF.__dataclass_fields__ if name in input}
    if form.tool == "chrf-plus-plus-compute":
        given["word_order"] = 2
    return ChrF(**given, unreferenced="count")


def _shaded(
    form: Form,
    metric: Metric,
    counted: CorpusResult,
    scores: Sequence[str],
    hypotheses: list[str],
    references: list[list[str]],
) -> list[Side]:
    segments = counted.segments
    ordered, _ = shown_first(metric, align(hypotheses, None, references), segments)
    marked = marked_texts(
        segments.scorer,
        [texts[0] for texts in ordered],
        [texts[1:] for texts in ordered],
        np.asarray(segments.table.to_numpy()),
        1,
        TEXT_LIMIT,
    )
    split = tokenizer(form.tokenize) if form.is_bleu else split_words
    counts_words = metric.levels[-1].kind != "character"
    return [
        Side(score, shaded(hypothesis), shaded(reference), tuple(split(text)) if counts_words else ())
        for score, (hypothesis, reference), text in zip(scores, marked, hypotheses, strict=True)
    ]


def shaded(text: MarkedText) -> str:
    """Return a text as HTML with its steps, and a note if it is cut."""
    units = text.shown.encode("utf-16-le", "surrogatepass")
    parts, at = [], 0
    for letter, number in re.findall(r"([a-z])(\d+)", text.steps):
        end = at + 2 * int(number)
        parts.append(span((units[at:end].decode("utf-16-le", "replace"), LETTERS.index(letter) - 1)))
        at = end
    if text.length:
        parts.append(f"<i> … ({TEXT_LIMIT:,} of {text.length:,} code points)</i>")
    return "".join(parts)


def difference(segment: Segment) -> Fraction:
    """Return by how much the second hypothesis scores higher than the first."""
    return Fraction(segment.sides[-1].score) - Fraction(segment.sides[0].score)


def _sorted(segments: list[Segment], sort: str) -> list[Segment]:
    if sort == "apart":
        return sorted(segments, key=lambda segment: -abs(difference(segment)))
    if sort == "given":
        return segments
    return sorted(segments, key=lambda segment: Fraction(segment.sides[0].score), reverse=sort == "high")
