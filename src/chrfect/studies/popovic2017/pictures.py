"""The figures of the study: the two of the paper, gains in correlation, and spreads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.meta.correlation import quantiles
from chrfect.report import figures
from chrfect.studies.popovic2017.layouts import short
from chrfect.studies.popovic2017.published import ENGLISH, TEXTS
from chrfect.studies.popovic2017.rows import ROWS

if TYPE_CHECKING:
    from chrfect.studies.popovic2017.study import Study

PLOTTED = ("ru-en.2016", "en-ru.2016")

CAPTIONS = {
    "figure1.svg": "Figure 1: word F and chrF against direct assessments, Russian to English and English to Russian",
    "figure2.svg": "Figure 2: word F with orders 1 to 4, word F with orders 1 and 2, chrF, and chrF++",
    "gains.svg": "What chrF++ and chrF+ gain over chrF in correlation, with 95% bootstrap intervals",
    "spread.svg": "Scores by quarter of human ratings, all twelve texts: median, quartiles, 5% and 95%",
}


def draw(study: Study) -> dict[str, Any]:
    """Return every figure by file name."""
    return {
        "figure1.svg": _scatters(study, {"word F": "wordF2", "chrF": "chrF2"}, 6.3, 5.4),
        "figure2.svg": _scatters(
            study,
            {"(a) word F, n = 4": "wordF2", "(b) word F, n = 2": "word2F", "(c) chrF": "chrF2", "(d) chrF++": "c6w2"},
            9.6,
            5.0,
        ),
        "gains.svg": _gains(study),
        "spread.svg": _spread(study),
    }


def _scatters(study: Study, metrics: dict[str, str], width: float, height: float) -> Any:
    human = {text.name: text.human for text in study.seen}
    figure, axes = figures.canvas(width, height, len(PLOTTED), len(metrics), sharex=True, sharey=True)
    for down, text in enumerate(PLOTTED):
        for across, (label, row) in enumerate(metrics.items()):
            scores = study.orders[text, "codepoint"].scores(ROWS[row].weights)
            r = next(c.codepoint for c in study.cells if (c.row, c.text) == (row, text))
            figures.scatter(
                axes[down, across],
                human[text],
                scores,
                title=f"{label}\n{short(text)}, r = {r:.3f}",
                y="score" if across == 0 else "",
                x="direct assessment (z)" if down == len(PLOTTED) - 1 else "",
            )
            axes[down, across].set_ylim(-3, 103)
    return figure


def _gains(study: Study) -> Any:
    figure, axes = figures.canvas(6.3, 5.8)
    series = {}
    for label, row in (("chrF++ over chrF", "c6w2"), ("chrF+ over chrF", "c6w1")):
        for unit in ("codepoint", "byte"):
            found: dict[str, tuple[float, float, float]] = {}
            for target in ("English", "Russian"):
                question = study.question(row, "chrF2", target, (unit, unit))
                found |= {gain.text: (gain.difference, gain.low, gain.high) for gain in question.gains}
            if unit == "codepoint" or row == "c6w2":
                name = label if unit == "codepoint" else f"{label}, on bytes"
                series[name] = [found[text] for text in TEXTS]
    figures.dots(axes[0, 0], [short(text) for text in TEXTS], series, x="difference of Pearson's r")
    axes[0, 0].axhline(len(ENGLISH) - 0.5, color="#5A5A5A", linewidth=0.9)
    return figure


def _spread(study: Study) -> Any:
    figure, axes = figures.canvas(6.3, 3.6)
    quarters = np.concatenate([quantiles(text.human, 4) for text in study.seen])  # of each text's own ratings
    metrics = {}
    for label, row in (("chrF", "chrF2"), ("chrF++", "c6w2"), ("word F", "wordF2")):
        scores = np.concatenate([study.orders[t.name, "codepoint"].scores(ROWS[row].weights) for t in study.seen])
        metrics[label] = [scores[quarters == part] for part in range(4)]
    figures.distributions(axes[0, 0], metrics)
    return figure
