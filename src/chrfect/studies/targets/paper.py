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
            "Each configuration scores every system as a corpus against one reference, with precision and recall "
            "averaged over the orders. Agreement on a test set is Pearson's r between these scores and the official "
            "human scores of the systems; that of a target is the mean over its test sets. The configurations differ "
            "in the unit (code points without or with whitespace, UTF-8 bytes, graphemes), the longest character order "
            "(2 to 10, for bytes 2 to 18), the longest word order (0, 1 or 2), and beta (1, 2 or 3)."
        ),
        Paragraph(
            "The highest of so many values is high partly by chance. We therefore test the largest gain of all "
            "configurations at once: for randomly chosen systems, the z-scored scores of each configuration and of "
            f"chrF are swapped, the same systems for all configurations ({SWAPS:,} times, seed {SEED}), and the "
            "largest studentised gain is compared with the largest after each swap (max-T, one-sided). The null "
            "hypothesis is that the scores of all configurations and of chrF are exchangeable within each system. We "
            "also choose the best configuration on all test sets but one and measure its gain on the test set left "
            "out, for each test set in turn."
        ),
        Heading("By target language"),
        named_table(study),
        best_table(study),
        Paragraph(
            "“p of one alone” is the smallest p-value that a configuration would have if it were the only one tried. "
            "“p” is corrected for the number of configurations, and “p by Holm” for the number of languages as well."
        ),
        Heading("Chosen on the other test sets"),
        held_out_table(study),
        Paragraph(
            f"On the test set left out, the configuration chosen on the others gains {study.held_out_gain:+.4f} over "
            f"chrF on average, and is better on {sum(one.gain > 0 for one in study.held_out)} of {len(study.held_out)} "
            f"(p = {study.held_out_p:.3f} by a two-sided sign-flip test with test sets as units; test sets of one "
            f"target are not independent). {_held_out(study)}"
        ),
        Heading("Units, orders and beta"),
        Paragraph(_effects(study)),
        order_table(together),
        Heading("Limits"),
        Paragraph(
            "Most targets have one test set and about a dozen systems, so only large differences can be detected. A "
            "result that is not significant does not show that parameters do not matter. Pearson's r is dominated by "
            "systems whose scores are far apart. The study says nothing about single segments, about languages and "
            "scripts that are not among these (Chinese is the only script without spaces, and none runs from right to "
            "left), about other kinds of text, or about newer systems."
        ),
    ]
    return Document(blocks)


def _result(study: Study) -> str:
    names = [target.name for target in study.significant]
    if names:
        return f"After this correction, a configuration agrees significantly better than chrF for {', '.join(names)}."
    return (
        "After this correction, no configuration agrees significantly better than chrF, for any target or for all "
        "together."
    )


def _held_out(study: Study) -> str:
    if study.held_out_p < ALPHA:
        return "Choosing parameters on such data can be expected to change agreement on other test sets."
    return "This gain is not significantly different from 0."


def _recommendation(study: Study) -> str:
    together = study.targets[-1]
    at = {name: float(together.pearson[CONFIGURATIONS.index(one)]) for name, one in NAMED.items()}
    others = [value for name, value in at.items() if name != "chrF"]
    spread = (
        f"over all test sets, the common configurations have a mean correlation of {min(others):.3f} to "
        f"{max(others):.3f}, and chrF of {at['chrF']:.3f}"
    )
    least = min(study.targets, key=lambda target: target.corrected)
    if study.significant or study.held_out_p < ALPHA:
        where = ", ".join(target.name for target in study.significant) or "no single target"
        return (
            "We recommend no parameters by target language. After correction, a gain over chrF remains for "
            f"{where}; but {spread}, and "
            f"parameters chosen on other test sets change the correlation by {study.held_out_gain:+.4f} (p = "
            f"{study.held_out_p:.3f}). Use chrF or chrF++ with their default parameters for comparability, and treat "
            "any other choice for a language as a hypothesis to test on new data."
        )
    return (
        "We recommend no parameters by target language: these data do not support parameters other than the defaults "
        f"for any script. The smallest p-value after both corrections is {least.corrected:.3f} ({least.name}), and "
        f"{spread}. There may be gains that are too small to be detected with so few test sets. Use chrF or chrF++ "
        "with their default parameters, the same for all languages, and report the signature."
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
    chance = "" if study.significant else "; the test in that table covers these and finds no significant gain"
    return (
        f"Averaged over all other parameters and over all test sets, the correlation is {betas} by beta, and {words} "
        f"by the longest word order. The highest configuration has beta 1 in {first} of {len(study.targets)} rows of "
        f"the table by target{chance}. Graphemes differ from code points only in texts with combining characters, "
        "here mostly Gujarati."
    )
