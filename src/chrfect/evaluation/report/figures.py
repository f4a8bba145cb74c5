"""The figures of a comparison as files: systems, pairs, distributions, and the differences of each pair."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from chrfect.evaluation.comparison import Comparison
from chrfect.evaluation.contrast import Contrast
from chrfect.evaluation.report.tables import MARK, ranked
from chrfect.evaluation.where import Contrasts
from chrfect.files.save import make_folder
from chrfect.inference.interval import percent
from chrfect.metrics.base import Metric
from chrfect.report import figures
from chrfect.report.visible import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")
LABELS = 20
"""The largest number of labels, such as documents, in a figure; of more, those that differ most are drawn."""


def write_figures(comparison: Comparison, folder: str) -> list[str]:
    """Write every figure of a comparison as SVG, PNG and PDF, and return the names of the files.

    Raises
    ------
    UsageError
        If matplotlib is not installed.
    WorkError
        If a file cannot be written.
    """
    make_folder(folder)
    names = []
    for name, figure in comparison_figures(comparison):
        for form in FORMATS:
            names.append(f"{_file_name(name)}.{form}")
            figures.save(figure, os.path.join(folder, names[-1]))
    return names


def comparison_figures(comparison: Comparison) -> Iterator[tuple[str, Figure]]:
    """Yield the figures with their names, for each metric: systems, pairs, distributions, and two for each pair.

    Where all pairs were compared, the pairs that have figures of their own are those with the best system.
    """
    for metric in comparison.evaluation.metrics:
        yield f"{metric}-systems", _systems(comparison, metric)
        yield f"{metric}-pairs", _pairs(comparison, metric)
        yield f"{metric}-distributions", _distributions(comparison, metric)
        shared = Contrasts(
            comparison.evaluation,
            metric,
            trials=comparison.resamples,
            level=comparison.level,
            seed=comparison.seed,
            threads=1,
        )
        best = comparison.baseline or ranked(comparison.evaluation, metric)[0]
        for system in ranked(comparison.evaluation, metric):
            if system != best:
                yield f"{metric}-{system}-segments", _segments(shared, best, system)
                yield f"{metric}-{system}-groups", _groups(shared.pair(best, system, 1))


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", text).strip("._")


def _systems(comparison: Comparison, metric: Metric) -> Figure:
    evaluation = comparison.evaluation
    names = ranked(evaluation, metric)
    bounds: list[Any] = []
    for name in names:
        score = evaluation.score(name, metric)
        interval = score.interval
        bounds.append((score.score, *((None, None) if interval is None else (interval.lower, interval.upper))))
    figure, axes = figures.canvas(6, 1 + 0.3 * len(names))
    title = f"{metric} with {percent(comparison.level)} intervals"
    figures.dots(axes[0, 0], [visible(name) for name in names], {str(metric): bounds}, title=title, x=str(metric))
    return figure


def _pairs(comparison: Comparison, metric: Metric) -> Figure:
    names = ranked(comparison.evaluation, metric)
    cells: dict[tuple[int, int], tuple[float, str]] = {}
    for found in comparison.differences:
        if found.metric == metric:
            mark = MARK if found.significant else ""
            row, column = names.index(found.system), names.index(found.baseline)
            for at, value in (((row, column), found.difference), ((column, row), -found.difference)):
                cells[at] = (-value if metric.lower_is_better else value), f"{value:+.1f}{mark}"
    figure, axes = figures.canvas(1.6 + 0.62 * len(names), 1.2 + 0.45 * len(names))
    title = f"{metric}: row minus column ({MARK}: corrected p is at most {1 - comparison.level:.3g})"
    figures.differences(axes[0, 0], [visible(name) for name in names], cells, title=title)
    return figure


def _distributions(comparison: Comparison, metric: Metric) -> Figure:
    names = ranked(comparison.evaluation, metric)
    scores = [comparison.evaluation.score(name, metric).runs[0].segments.score_array for name in names]
    figure, axes = figures.canvas(6, 1 + 0.3 * len(names))
    title = "Scores of segments: 5 % to 95 %, quartiles, median"
    figures.boxes(axes[0, 0], [visible(name) for name in names], scores, title=title, x=str(metric))
    return figure


def _segments(shared: Contrasts, baseline: str, system: str) -> Figure:
    systems = shared.evaluation.systems
    scores = shared.segment_scores
    differences = scores[systems.index(system)] - scores[systems.index(baseline)]
    figure, axes = figures.canvas(6, 3)
    title = visible(f"Segments: {system} minus {baseline}")
    lower = shared.metric.lower_is_better
    figures.histogram(axes[0, 0], differences, lower_is_better=lower, title=title, x=_difference_label(shared.metric))
    return figure


def _groups(contrast: Contrast) -> Figure:
    groups = sorted(contrast.groups, key=lambda group: -abs(group.difference) * group.segments**0.5)[:LABELS]
    shown = [group for group in contrast.groups if group in groups]
    labels = [visible(f"{group.group}: {group.label} ({group.segments:,})") for group in shown]
    bounds: list[Any] = [(group.difference, group.lower, group.upper) for group in shown]
    figure, axes = figures.canvas(6, 1 + 0.3 * len(shown))
    title = visible(f"{contrast.system} minus {contrast.baseline}, with {percent(contrast.level)} intervals")
    figures.dots(axes[0, 0], labels, {"difference": bounds}, title=title, x=_difference_label(contrast.metric))
    return figure


def _difference_label(metric: Metric) -> str:
    """Return the label of an axis of differences, with the direction of a metric of errors.

    Examples
    --------
    >>> from chrfect import ChrF, Ter
    >>> _difference_label(ChrF()), _difference_label(Ter())
    ('difference in chrF', 'difference in TER (lower is better)')
    """
    return f"difference in {metric}" + (" (lower is better)" if metric.lower_is_better else "")
