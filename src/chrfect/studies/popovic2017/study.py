"""The whole study as one value."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from chrfect._version import __version__
from chrfect.studies.popovic2017.cells import PLAIN_CHRF, READINGS, Cell, count_equal, make_cells
from chrfect.studies.popovic2017.claims import (
    LONGEST,
    Measure,
    Span,
    Spread,
    Variant,
    averagings,
    precision_weight,
    spans,
    spreads,
    sweep,
    unigram_weight,
)
from chrfect.studies.popovic2017.dataset import Text, read_texts
from chrfect.studies.popovic2017.gains import CONFIDENCE, RESAMPLES, SEED, Question, ask
from chrfect.studies.popovic2017.published import TEXTS
from chrfect.studies.popovic2017.rows import Orders

if TYPE_CHECKING:
    from chrfect.text.units import Unit

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Study:
    """All results of the study.

    Parameters
    ----------
    texts : list of Text
        The twelve texts of the paper and the seven unseen ones.
    orders : dict of (text, unit) to Orders
        The counts of each text and unit.
    cells : list of Cell
        The paper's tables, printed and recomputed.
    questions : list of Question
        Comparisons with tests and intervals.
    spreads, precision, unigrams, averagings, spans, sweep : list
        Results for the claims in the text of the paper, and further measurements.
    """

    texts: list[Text]
    orders: dict[tuple[str, str], Orders]
    cells: list[Cell]
    questions: list[Question]
    spreads: list[Spread]
    precision: list[Variant]
    unigrams: list[Variant]
    averagings: list[Variant]
    spans: list[Span]
    sweep: list[Variant]

    @property
    def seen(self) -> list[Text]:
        """The twelve texts of the paper."""
        return [text for text in self.texts if text.name in TEXTS]

    @property
    def verdict(self) -> str:
        """How many single-text cells equal the printed ones, with each row on the unit that the paper used."""
        equal, legible = count_equal(self.cells, "paper")
        return f"{equal} of {legible} single-text cells equal at three decimals"

    def question(self, first: str, second: str, target: str, units: tuple[str, str] = ("codepoint",) * 2) -> Question:
        """Return one comparison by its rows, units and target language."""
        sides = (first, units[0]), (second, units[1])
        return next(q for q in self.questions if (q.first, q.second) == sides and q.target == target)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as JSON-ready data, numbers in full precision."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "method": {
                "level": "segment",
                "grouping": "none, one text at a time",
                "statistic": "Pearson's r with direct assessments",
                "averaging": "per_order_f",
                "test": "Williams, two-sided, Holm over the texts of a group",
                "interval": f"{CONFIDENCE:.0%} bootstrap over segments, {RESAMPLES:,} resamples, seed {SEED}",
            },
            "segments": {text.name: len(text.human) for text in self.texts},
            "verdict": self.verdict,
            "equal_cells": {
                reading: {
                    "all": list(count_equal(self.cells, reading)),
                    "plain_chrf": list(count_equal(self.cells, reading, PLAIN_CHRF)),
                }
                for reading in READINGS
            },
            "cells": [cell.to_dict() for cell in self.cells],
            "questions": [question.to_dict() for question in self.questions],
            "spreads": [asdict(spread) for spread in self.spreads],
            "precision_weight": [variant.to_dict() for variant in self.precision],
            "unigram_weight": [variant.to_dict() for variant in self.unigrams],
            "spans": [asdict(span) for span in self.spans],
            "averagings": [variant.to_dict() for variant in self.averagings],
            "sweep": [variant.to_dict() for variant in self.sweep],
        }


def run_study(folder: str, progress: Callable[[int, int], None] | None = None) -> Study:
    """Read the texts and recompute everything.

    Parameters
    ----------
    folder : str
        The folder of the texts.
    progress : callable, optional
        Called with the numbers of completed and of all steps.

    Raises
    ------
    InputFileError
        If a text is missing or cannot be read.
    """
    texts = read_texts(folder)
    units: list[Unit] = ["codepoint", "byte"]
    if importlib.util.find_spec("regex"):
        units.append("grapheme")
    steps = len(texts) * len(units) + 3
    orders: dict[tuple[str, str], Orders] = {}
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, steps)

    seen = [text for text in texts if text.name in TEXTS]
    for text in texts:
        for unit in units:
            if text.name in TEXTS:
                orders[text.name, unit] = Orders(text.hypotheses, text.references, unit, LONGEST)
            elif unit != "grapheme":
                orders[text.name, unit] = Orders(text.hypotheses, text.references, unit)
            step()
    cells = make_cells(seen, orders)
    step()
    questions = ask(texts, orders)
    step()
    measure = Measure(seen, orders)
    study = Study(
        texts=texts,
        orders=orders,
        cells=cells,
        questions=questions,
        spreads=spreads(seen, orders),
        precision=precision_weight(measure),
        unigrams=unigram_weight(measure),
        averagings=averagings(measure),
        spans=spans(measure),
        sweep=sweep(measure),
    )
    step()
    return study
