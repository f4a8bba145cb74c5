"""The tables of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, get_args

from chrfect.report.table import Cell, Table, p_cell
from chrfect.studies.popovic2017.cells import READINGS, Reading, count_equal
from chrfect.studies.popovic2017.published import MEAN, TEXTS
from chrfect.studies.popovic2017.rows import CHARACTERS, ROWS, TABLES, WORDS

if TYPE_CHECKING:
    from chrfect.studies.popovic2017 import cells
    from chrfect.studies.popovic2017.claims import Variant
    from chrfect.studies.popovic2017.gains import Question
    from chrfect.studies.popovic2017.study import Study

GROUPS = {
    "chrF, beta 1 to 3": ("chrF1", "chrF2", "chrF3"),
    "word F, beta 1 to 3": ("wordF1", "wordF2", "wordF3"),
    "single character orders": tuple(f"chr{n}" for n in range(1, 7)),
    "single word orders": tuple(f"word{n}" for n in range(1, 5)),
    "combinations": ("word2F", "c6w4", "c6w3", "c6w2", "c6w1"),
}
UNIT_NAMES = {"codepoint": "code points", "byte": "bytes", "grapheme": "graphemes"}
_CAPTIONS = {1: "beta 1 to 3", 2: "single orders", 3: "combinations"}


def short(text: str) -> str:
    """Name a text in a heading: ``cs-en.2016`` as ``cs-en 16``."""
    pair, _, year = text.partition(".")
    return f"{pair} {year[2:]}" if year else text


def paper_table(study: Study, number: int) -> Table:
    """Return one table of the paper: each row as printed, on code points and on bytes."""
    at = {(cell.row, cell.text): cell for cell in study.cells}
    rows: list[list[Cell]] = []
    for row in TABLES[number]:
        cells = [at[row, text] for text in (*TEXTS, MEAN)]
        rows.append([ROWS[row].label, "printed", *(cell.published for cell in cells)])
        rows.append(["", "code points", *(cell.codepoint for cell in cells)])
        if not row.startswith("word"):
            rows.append(["", "bytes", *(cell.byte for cell in cells)])
    caption = f"Table {number} of the paper, {_CAPTIONS[number]}: Pearson's r with direct assessments"
    return Table(["row", "reading", *map(short, TEXTS), MEAN], rows, 3, caption)


def equal_table(study: Study) -> Table:
    """Count the cells that equal the print at three decimals, by group of rows and reading."""
    rows: list[list[Cell]] = []
    for name, members in (*GROUPS.items(), ("all", tuple(ROWS))):
        counts = [count_equal(study.cells, reading, members) for reading in get_args(Reading)]
        rows.append([name, counts[0][1], *(equal for equal, _ in counts)])
    columns = [
        "rows",
        "legible cells",
        "equal on code points",
        "equal on bytes",
        "equal, bytes for plain chrF alone",
        "the same by the stated formula",
    ]
    return Table(columns, rows, caption="Single-text cells that equal the print at three decimals")


def unequal(study: Study) -> list[cells.Cell]:
    """Return the single-text cells that differ from the print although plain chrF is on bytes."""
    return [c for c in study.cells if c.text != MEAN and c.published is not None and not c.equal("paper")]


def unequal_table(study: Study) -> Table:
    """List the cells that differ from the print although plain chrF is on bytes."""
    rows: list[list[Cell]] = [[ROWS[c.row].label, short(c.text), f"{c.published:.3f}", c.paper] for c in unequal(study)]
    return Table(["row", "text", "printed", "recomputed"], rows, 5, "Cells that differ from the print")


def side(row: str, unit: str) -> str:
    """Name one side of a comparison."""
    names = {"c6w2": "chrF++", "c6w1": "chrF+", "chrF2": "chrF", "wordF2": "word F", "word2F": "word F, orders 1 and 2"}
    name = names.get(row, f"{row[:-1]}, beta {row[-1]}")
    return name if unit == "codepoint" else f"{name} on {UNIT_NAMES[unit]}"


def name(question: Question) -> str:
    """Name a comparison."""
    return f"{side(*question.first)} over {side(*question.second)}"


def questions_table(questions: Sequence[Question], caption: str) -> Table:
    """Return the mean difference of each comparison, with intervals over segments and over texts."""
    rows: list[list[Cell]] = [
        [
            name(q),
            q.target,
            q.mean,
            q.low,
            q.high,
            f"{q.better} of {len(q.gains)}",
            q.texts_low,
            q.texts_high,
            q.texts_p,
        ]
        for q in questions
    ]
    columns = [
        "comparison",
        "texts",
        "mean",
        "low",
        "high",
        "texts better",
        "low, texts resampled",
        "high",
        "p by texts",
    ]
    return Table(columns, rows, 4, caption)


def unseen_table(study: Study) -> Table:
    """Return the correlations of chrF, chrF+ and chrF++ on the texts that the paper does not use."""
    plus, plus_plus = (study.question(row, "chrF2", "English, unseen") for row in ("c6w1", "c6w2"))
    at = {(gain.text, question.first[0]): gain for question in (plus, plus_plus) for gain in question.gains}
    rows: list[list[Cell]] = [
        [
            short(gain.text),
            gain.second,
            at[gain.text, "c6w1"].first,
            gain.first,
            at[gain.text, "c6w1"].difference,
            gain.difference,
        ]
        for gain in plus_plus.gains
    ]
    rows.append(["mean", plus.second_mean, plus.first_mean, plus_plus.first_mean, plus.mean, plus_plus.mean])
    columns = ["text", "chrF", "chrF+", "chrF++", "chrF+ over chrF", "chrF++ over chrF"]
    return Table(columns, rows, 4, "Pearson's r on texts that the paper does not use, code points")


def span_table(study: Study) -> Table:
    """Return chrF by its longest order, on code points and on bytes."""
    rows: list[list[Cell]] = [[s.order, s.russian_codepoint, s.russian_byte, s.english_byte] for s in study.spans]
    columns = ["longest order", "Russian, code points", "Russian, bytes", "English, bytes"]
    return Table(columns, rows, 4, "Mean Pearson's r of chrF (characters alone) by its longest order")


def means_table(study: Study) -> Table:
    """Return the printed means that differ from the mean of the printed cells of their row."""
    rows: list[list[Cell]] = []
    for key, row in ROWS.items():
        cells = [cell for cell in study.cells if cell.row == key]
        mean = cells[-1]
        printed = [cell.published for cell in cells[:-1] if cell.published is not None]
        if len(printed) == len(TEXTS) and mean.published is not None and round(fmean(printed), 3) != mean.published:
            rows.append([row.label, f"{mean.published:.3f}", fmean(printed), mean.paper])
    columns = ["row", "printed mean", "mean of the printed cells", "recomputed mean"]
    return Table(columns, rows, 4, "Printed means that differ from the mean of their row's printed cells")


def gains_table(questions: Sequence[Question]) -> Table:
    """Return one comparison on each text, for all target languages."""
    gains = [gain for question in questions for gain in question.gains]
    rows: list[list[Cell]] = [
        [
            short(gain.text),
            None if gain.published is None else f"{gain.published:+.3f}",
            gain.difference,
            gain.low,
            gain.high,
            p_cell(gain.p_value, 3),
            p_cell(gain.corrected, 3),
        ]
        for gain in gains
    ]
    columns = ["text", "printed", "difference", "low", "high", "Williams p", "p by Holm"]
    return Table(columns, rows, 3, f"{name(questions[0])}, text by text")


def spread_table(study: Study) -> Table:
    """Return the spread of chrF and word F by quarters of human ratings."""
    rows: list[list[Cell]] = [
        [
            s.quarter,
            f"{s.chrf_mean:.1f}",
            f"{s.chrf_deviation:.1f}",
            f"{s.chrf_relative:.2f}",
            f"{s.wordf_mean:.1f}",
            f"{s.wordf_deviation:.1f}",
            f"{s.wordf_relative:.2f}",
            f"{s.wider}, {s.relatively_wider}",
        ]
        for s in study.spreads
    ]
    columns = ["quarter", "chrF mean", "deviation", "relative", "word F mean", "deviation", "relative", "word F wider"]
    caption = (
        "Mean, standard deviation and coefficient of variation of scores by quarter of human ratings, 1 the lowest; "
        f"on how many of {len(TEXTS)} texts word F is wider by the deviation and by the coefficient"
    )
    return Table(columns, rows, 1, caption)


def by_target(variants: Mapping[tuple[str, str], Variant], caption: str) -> Table:
    """Return mean correlations, with a line for each metric and target language and a column for each choice."""
    metrics, choices = (list(dict.fromkeys(part)) for part in zip(*variants, strict=True))
    rows: list[list[Cell]] = [
        [metric, target.capitalize(), *(getattr(variants[metric, choice], target) for choice in choices)]
        for metric in metrics
        for target in ("english", "russian")
    ]
    return Table(["metric", "target", *choices], rows, 3, caption)


def beta_table(study: Study) -> Table:
    """Return chrF, chrF++ and word F at every beta."""
    found = {(v.name, f"beta {v.beta:g}"): v for v in study.precision}
    return by_target(found, "Mean Pearson's r by beta, code points")


def unigram_table(study: Study) -> Table:
    """Return chrF and chrF++ with decreasing weights of character unigrams."""
    found = {(v.name.partition(", ")[0], v.name.rpartition(" ")[2]): v for v in study.unigrams}
    return by_target(found, "Mean Pearson's r by weight of character unigrams (other orders: 1), code points")


def sweep_table(study: Study, target: str, unit: str = "codepoint", beta: float = 2.0) -> Table:
    """Return mean correlations for every number of character orders (down) and word orders (across)."""
    at = {v.name: getattr(v, target) for v in study.sweep if (v.unit, v.beta) == (unit, beta)}
    rows: list[list[Cell]] = [
        [characters, *(at.get(f"c{characters}w{words}") for words in range(WORDS + 1))]
        for characters in range(CHARACTERS + 1)
    ]
    caption = f"Mean Pearson's r, {target.capitalize()} as target, {UNIT_NAMES[unit]}, beta {beta:g}"
    return Table(["characters up to", "no words", *(f"words up to {n}" for n in range(1, WORDS + 1))], rows, 3, caption)


def best(study: Study, target: str, unit: str = "codepoint", beta: float = 2.0) -> Variant:
    """Return the best number of orders for a target language."""
    return max((v for v in study.sweep if (v.unit, v.beta) == (unit, beta)), key=lambda v: getattr(v, target))


def unit_table(study: Study) -> Table:
    """Return chrF, chrF+ and chrF++ on every unit that was counted."""
    names = {"c6w0": "chrF", "c6w1": "chrF+", "c6w2": "chrF++"}
    found = {(names[v.name], UNIT_NAMES[v.unit]): v for v in study.sweep if v.beta == 2.0 and v.name in names}
    return by_target(found, "Mean Pearson's r by unit")


def averaging_table(study: Study) -> Table:
    """Return chrF, chrF+, chrF++ and word F by what is averaged over the orders."""
    names = {"per_order_f": "F of each order", "mean_precision_recall": "precision and recall"}
    found = {(v.name, names[v.averaging]): v for v in study.averagings}
    return by_target(found, "Mean Pearson's r by what is averaged over the orders, code points, beta 2")


def summary_table(study: Study) -> Table:
    """Return a line for each row of the paper: printed and recomputed mean, and numbers of equal cells."""
    rows: list[list[Cell]] = []
    for key, row in ROWS.items():
        cells = [cell for cell in study.cells if cell.row == key]
        mean = next(cell for cell in cells if cell.text == MEAN)
        equal = [count_equal(cells, reading) for reading in READINGS]
        rows.append(
            [row.label, mean.published, mean.codepoint, mean.byte, equal[0][1], *(count for count, _ in equal[:2])]
        )
    columns = ["row", "printed", "code points", "bytes", "legible", "= code p.", "= bytes"]
    return Table(columns, rows, 3, "Mean Pearson's r over the twelve texts, and cells equal at three decimals")
