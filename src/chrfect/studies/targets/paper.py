"""The study of target languages written as a short paper; every number in it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chrfect.report.document import Block, Document, Heading, Paragraph
from chrfect.report.table import Cell, Table
from chrfect.studies.targets.study import ALPHA, CONFIGURATIONS, NAMED, SEED, SWAPS, Configuration

if TYPE_CHECKING:
    from chrfect.studies.targets.study import Study, Target


def paper(study: Study) -> Document:
    """Return the short paper."""
    together = study.targets[-1]
    blocks: list[Block] = [
        Heading("Which chrF for which target language?", 1),
        Paragraph(
            "chrF has parameters: what a character is, the longest n-grams, how recall is weighted, whether words and "
            f"whitespace count. We compare {len(CONFIGURATIONS)} configurations with plain chrF on "
            f"{together.testsets} test sets of WMT 2018 and 2019 with {len(study.targets) - 1} target languages and "
            f"{together.systems} systems, and correct for the number of configurations tried. {_result(study)}"
        ),
        Heading("Recommendation"),
        Paragraph(_recommendation(study)),
        Heading("Data and method"),
        Paragraph(
            "Each configuration scores every system as a corpus against one reference, precision and recall averaged "
            "over the orders. Agreement on a test set is Pearson's r between these scores and the official human "
            "scores of the systems; that of a target is the mean over its test sets. Varied are the unit (code points "
            "without and with whitespace, UTF-8 bytes, graphemes), the longest character order (2 to 10, bytes to 18), "
            "words of orders up to 0, 1 or 2, and beta 1, 2 or 3."
        ),
        Paragraph(
            "The highest of so many values is high partly by chance. We therefore test the largest gain of "
            "all configurations at once: the z-scored scores of a system are swapped between each configuration and "
            f"chrF, the same systems for all configurations ({SWAPS:,} random swaps, seed {SEED}), and the largest "
            "studentised gain is compared with the largest after each swap (max-T, one-sided). The null hypothesis is "
            "that the scores of all configurations and of chrF are exchangeable within each system. We also choose the "
            "best configuration on all test sets but one and measure it on the one left out, for each in turn."
        ),
        Heading("By target language"),
        named_table(study),
        best_table(study),
        Paragraph(
            "“p of one alone” is what the most extreme configuration would have had if it had been the only one tried; "
            "“p” is corrected for the number of configurations, and “p by Holm” for the number of languages as well."
        ),
        Heading("Chosen on the other test sets"),
        held_out_table(study),
        Paragraph(
            f"The configuration chosen on the other test sets gains {study.held_out_gain:+.4f} over chrF on the one "
            f"left out, higher on {sum(one.gain > 0 for one in study.held_out)} of {len(study.held_out)}; p = "
            f"{study.held_out_p:.3f} by flipping the signs of test sets (two-sided; test sets of one target are not "
            f"independent). {_held_out(study)}"
        ),
        Heading("Units, orders and beta"),
        Paragraph(_effects(study)),
        order_table(together),
        Heading("Limits"),
        Paragraph(
            "Most targets have one test set and about a dozen systems, so that only large differences can be found; a "
            "result that is not significant does not show that parameters do not matter. Systems far apart dominate "
            "Pearson's r. The study says nothing about single segments, about languages and scripts that are not "
            "among these (Chinese is the only script without spaces, and none runs from right to left), about other "
            "kinds of text, or about newer systems."
        ),
    ]
    return Document(blocks)


def _result(study: Study) -> str:
    names = [target.name for target in study.significant]
    if names:
        return f"After this correction a configuration agrees better than chrF for {', '.join(names)}."
    return "After this correction none agrees better than chrF, for any target or for all together."


def _held_out(study: Study) -> str:
    if study.held_out_p < ALPHA:
        return "Choosing parameters on such data can be expected to change agreement on other test sets."
    return "A gain from choosing parameters on such data cannot be told from none."


def _recommendation(study: Study) -> str:
    together = study.targets[-1]
    at = {name: float(together.pearson[CONFIGURATIONS.index(one)]) for name, one in NAMED.items()}
    others = [value for name, value in at.items() if name != "chrF"]
    spread = (
        f"over all test sets the common configurations lie between {min(others):.3f} and {max(others):.3f}, chrF at "
        f"{at['chrF']:.3f}"
    )
    least = min(study.targets, key=lambda target: target.corrected)
    if study.significant or study.held_out_p < ALPHA:
        where = ", ".join(target.name for target in study.significant) or "no single target"
        return (
            "There is none by target language. A gain over chrF remains after correction for "
            f"{where}; but {spread}, and "
            f"parameters chosen on other test sets change the correlation by {study.held_out_gain:+.4f} (p = "
            f"{study.held_out_p:.3f}). Use chrF or chrF++ with their default parameters for comparability, and treat "
            "any other choice for a language as a hypothesis to test on new data."
        )
    return (
        "There is none by target language: these data do not support parameters other than the defaults for any "
        f"script; the smallest p-value after both corrections is {least.corrected:.3f} ({least.name}), and {spread}. "
        "A gain that is too small to be found with so few test sets is possible. Use chrF or chrF++ with their "
        "default parameters, the same for all languages, and report the signature."
    )


def named_table(study: Study) -> Table:
    """Return the correlation of well-known configurations by target."""
    rows: list[list[Cell]] = []
    for name, one in NAMED.items():
        at = CONFIGURATIONS.index(one)
        rows.append([name, *(float(target.pearson[at]) for target in study.targets)])
    columns = ["configuration", *(target.name for target in study.targets)]
    return Table(columns, rows, 3, "Mean Pearson's r with human scores of systems, by target")


def best_table(study: Study) -> Table:
    """Return the best configuration of each target, with p-values."""
    rows: list[list[Cell]] = [
        [t.name, t.testsets, t.systems, str(t.best), t.gain, *(f"{p:.3f}" for p in (t.alone, t.p_value, t.corrected))]
        for t in study.targets
    ]
    columns = ["target", "test sets", "systems", "highest", "over chrF", "p of one alone", "p", "p by Holm"]
    return Table(columns, rows, 4, f"The highest of {len(CONFIGURATIONS)} configurations by target")


def held_out_table(study: Study) -> Table:
    """Return the gain of the chosen configuration on each test set left out."""
    rows: list[list[Cell]] = [[one.testset, str(one.chosen), one.gain] for one in study.held_out]
    return Table(["left out", "chosen on the others", "over chrF"], rows, 4, "Pearson's r minus that of chrF")


def order_table(together: Target) -> Table:
    """Return the correlation by unit and order, without words, beta 2."""
    units = ("codepoint", "keep", "byte", "grapheme")
    at = {one: float(r) for one, r in zip(CONFIGURATIONS, together.pearson, strict=True)}
    longest = max(one.characters for one in CONFIGURATIONS)
    rows: list[list[Cell]] = [
        [order, *(at.get(Configuration(unit, order)) for unit in units)] for order in range(2, longest + 1)
    ]
    columns = ["longest order", "code points", "whitespace kept", "bytes", "graphemes"]
    return Table(columns, rows, 4, "Mean Pearson's r over all test sets, no words, beta 2")


def _effects(study: Study) -> str:
    together = study.targets[-1]

    def mean(name: str, value: float) -> float:
        values = zip(CONFIGURATIONS, together.pearson.tolist(), strict=True)
        return float(np.mean([r for one, r in values if getattr(one, name) == value]))

    betas = ", ".join(f"{mean('beta', beta):.4f} (beta {beta:g})" for beta in (1.0, 2.0, 3.0))
    words = ", ".join(f"{mean('words', words):.4f} ({words})" for words in (0, 1, 2))
    first = sum(target.best.beta == 1 for target in study.targets)
    chance = "" if study.significant else "; the test there includes them, and does not exclude chance"
    return (
        f"Averaged over all other parameters and over all test sets, the correlation is {betas} by beta, and {words} "
        f"by the longest word order. The highest configuration has beta 1 in {first} of {len(study.targets)} rows of "
        f"the table by target{chance}. Graphemes differ from code points only in texts with combining characters, "
        "here mostly Gujarati."
    )
