"""The results of a meta-evaluation, as tables with their measures, and as figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chrfect.errors import quantity
from chrfect.inference.outliers import OUTLYING
from chrfect.meta.aggregate import task_name
from chrfect.meta.plotted import by_quantile
from chrfect.meta.statistics import STATISTICS
from chrfect.report.document import Block, Document, Heading, Image, Paragraph
from chrfect.report.table import Cell, Table, p_cell

if TYPE_CHECKING:
    from chrfect.meta.aggregate import Aggregate
    from chrfect.meta.judgement import Judged, Judgement
    from chrfect.meta.panel import Panel

SHOWN = 15
"""The number of metric pairs in a table of comparisons; the JSON output has all pairs."""

ENOUGH = 20
"""The minimum number of scores for a plot of their distribution."""

RULES = {
    "corrected": "a new one where the corrected p-value against the first metric of the last rank is below",
    "wmt": "a new one where the one-sided, uncorrected p-value against any metric of the last rank is at most",
}
"""The condition for a new rank, by rule."""

CAPTIONS = {
    "significance": "corrected p-values; dark where the metric of the row is surely better than that of the column",
    "scatter": "scores against human ratings, with the regression line and its 95% band",
    "distributions": "scores by quarter of human ratings, equal ratings together: median, quartiles, 5% and 95%",
    "calibration": "pairwise accuracy with ties against the tie threshold, the best threshold marked",
    "by-panel": "agreement by panel, with intervals",
}


def agreement_table(one: Judged, decimals: int = 3) -> Table:
    """Return the metrics of one panel and statistic, best first."""
    ranked, calibrated = bool(one.ranks), one.measure.statistic.name == "accuracy-calibrated"
    intervals = any(one.intervals.values())
    columns = [*(["rank"] if ranked else []), "metric", one.measure.statistic.name]
    columns += (["low", "high"] if intervals else []) + (["ties up to"] if calibrated else [])
    rows: list[list[Cell]] = []
    for agreement in one.agreements:
        row: list[Cell] = [one.ranks.get(agreement.metric)] if ranked else []
        row += [agreement.metric, agreement.value]
        if intervals:
            interval = one.intervals[agreement.metric]
            row += [interval.low, interval.high] if interval else [None, None]
        if calibrated:
            row.append(None if agreement.epsilon is None else f"{agreement.epsilon:.4g}")
        rows.append(row)
    return Table(columns, rows, decimals, f"{one.panel}: {one.measure.statistic.name}")


def comparison_table(one: Judged, decimals: int = 3) -> Table:
    """Return the tests between the metrics of one panel and statistic."""
    rows: list[list[Cell]] = [
        [c.first, c.second, c.difference, p_cell(c.p_value, decimals), p_cell(corrected, decimals)]
        for c, corrected in zip(one.comparisons, one.corrected, strict=True)
    ]
    columns = ["metric", "against", "difference", "p", "corrected p"]
    more = f" (the first {SHOWN} of {len(rows)})" if len(rows) > SHOWN else ""
    return Table(columns, rows[:SHOWN], decimals, f"{one.panel}: differences in {one.measure.statistic.name}{more}")


def panels_table(judgement: Judgement, judged: Sequence[Judged], decimals: int = 3) -> Table:
    """Return one statistic of every metric on every panel, and the means."""
    means, pooled = judgement.over_panels(judged[0].measure), judgement.pooled(judged[0].measure)
    names = sorted(means, key=lambda name: (means[name][0] is None, -(means[name][0] or 0.0)))
    at = {(one.panel, a.metric): a.value for one in judged for a in one.agreements}
    rows: list[list[Cell]] = [[one.panel, *(at.get((one.panel, name)) for name in names)] for one in judged]
    rows.append(["mean, where defined", *(means[name][0] for name in names)])
    if pooled:
        rows.append(["all pairs together", *(pooled[name] for name in names)])
    return Table(["panel", *names], rows, decimals, f"{judged[0].measure.statistic.name} by panel")


def tasks_table(judgement: Judgement, overall: Aggregate, decimals: int = 3) -> Table:
    """Return every metric's weighted mean over the tasks, and its value and rank in each; the best are in bold."""
    tasks = judgement.judged
    statistics = {one.measure.statistic.name for one in tasks}
    ranked = bool(overall.ranks)
    columns = [*(["rank"] if ranked else []), "metric", "mean"]
    for one in tasks:
        columns += [one.panel if len(statistics) == 1 else task_name(one), *(["rank"] if one.ranks else [])]
    rows: list[list[Cell]] = []
    bold: set[tuple[int, int]] = set()
    for place, (metric, mean) in enumerate(overall.values.items()):
        row: list[Cell] = [overall.ranks.get(metric)] if ranked else []
        row.append(metric)
        if overall.ranks.get(metric) == 1:
            bold.add((place, len(row)))
        row.append(mean)
        for one in tasks:
            if one.ranks.get(metric) == 1:
                bold.add((place, len(row)))
            row.append(next((a.value for a in one.agreements if a.metric == metric), None))
            if one.ranks:
                row.append(one.ranks.get(metric))
        rows.append(row)
    return Table(columns, rows, decimals, f"all {len(tasks)} tasks", frozenset(bold))


def tasks_lines(judgement: Judgement, overall: Aggregate) -> list[str]:
    """Return how the ranking over all tasks was made."""
    shares = ", ".join(f"{task_name(one)} {w:.3g}" for one, w in zip(judgement.judged, overall.weights, strict=True))
    lines = [f"weights: {shares}"]
    if overall.comparisons:
        settings = judgement.settings
        lines.append("test: the weighted sum of the differences drawn in each task, independently, two-sided")
        lines.append(f"correction: {settings.correction} over {quantity(len(overall.comparisons), 'comparison')}")
        lines.append(f"ranks: {RULES[settings.ranks]} {settings.alpha:g}")
    return lines


def recipe_lines(judgement: Judgement, one: Judged) -> list[str]:
    """Return the settings of one panel and statistic, one per line."""
    first = one.agreements[0]
    statistic = one.measure.statistic
    lines = [f"measure: {one.measure}; {STATISTICS[statistic.name]}"]
    if one.measure.level == "system" and first.items > 1:
        corpus = one.measure.statistic.name != "soft-accuracy" and first.corpus
        lines.append("human scores: the mean of each system over its rated items")
        more = f" over {first.segments:,} segments, of which {first.rated:,} are rated"
        lines.append(
            f"metric scores: {'the corpus score of' if corpus else 'the mean over the rated items of'} each system"
            f"{more if corpus and first.segments > first.rated else ''}"
        )
    if statistic.tie_rule:
        lines.append(f"ties: {statistic.tie_rule}")
    lines.append(f"mask: {first.mask}; {quantity(first.groups, 'group')} of at most {first.members:,}")
    lines.append(f"systems ({len(first.systems)}): {', '.join(first.systems)}")
    if first.outliers:
        lines.append(
            f"outliers: the human scores of {', '.join(first.outliers)} are more than {OUTLYING:g} scaled median "
            "absolute deviations from the median"
        )
    if undefined := [a for a in one.agreements if a.undefined_groups]:
        listed = ", ".join(f"{a.metric} in {a.undefined_groups:,}" for a in undefined)
        lines.append(f"undefined groups: {listed} of {first.groups:,}")
    interval = next((i for i in one.intervals.values() if i), None)
    if interval:
        lines.append(f"interval: {interval}")
    if drawn := {metric: i.undefined for metric, i in one.intervals.items() if i and i.undefined}:
        listed = ", ".join(f"{metric} in {number:,}" for metric, number in drawn.items())
        lines.append(f"undefined resamples, left out: {listed}")
    if one.comparisons:
        settings = judgement.settings
        lines.append(f"test: {one.comparisons[0].test}")
        lines.append(f"null hypothesis: {one.comparisons[0].null}")
        lines.append(f"correction: {settings.correction} over {quantity(len(one.comparisons), 'comparison')}")
        lines.append(f"ranks: {RULES[settings.ranks]} {settings.alpha:g}")
    return lines


def tables(judgement: Judgement, decimals: int = 3, overall: Aggregate | None = None) -> list[tuple[Table, list[str]]]:
    """Return every table with the lines below it."""
    result: list[tuple[Table, list[str]]] = []
    for one in judgement.judged:
        lines = recipe_lines(judgement, one)
        if one.comparisons:
            result.append((agreement_table(one, decimals), []))
            result.append((comparison_table(one, decimals), lines))
        else:
            result.append((agreement_table(one, decimals), lines))
    measures = list(dict.fromkeys(one.measure for one in judgement.judged))
    for measure in measures:
        judged = [one for one in judgement.judged if one.measure == measure]
        if len(judged) > 1:
            result.append((panels_table(judgement, judged, decimals), []))
    if overall:
        result.append((tasks_table(judgement, overall, decimals), tasks_lines(judgement, overall)))
    return result


def page(judgement: Judgement, decimals: int, images: Mapping[str, bytes], overall: Aggregate | None = None) -> str:
    """Return one HTML page with every table, its measure, and the figures (SVG bytes by name)."""
    blocks: list[Block] = [Heading("Metrics against human ratings", 1)]
    for table, lines in tables(judgement, decimals, overall):
        blocks.append(table)
        blocks += [Paragraph(line) for line in lines]
    blocks += [Image(name, _caption(name)) for name in images]
    return Document(blocks).html(images)


def _caption(name: str) -> str:
    stem, kind = next((name.removesuffix(f"-{kind}"), kind) for kind in CAPTIONS if name.endswith(f"-{kind}"))
    return f"{stem}: {CAPTIONS[kind]}"


def figures(judgement: Judgement, panels: Sequence[Panel], limit: int = 6) -> dict[str, Any]:
    """Return the figures by name without suffix: of the first `limit` metrics of each panel, the best ones.

    Per panel and statistic a significance triangle, and the tie calibration of accuracy-calibrated; per panel scatters
    and distributions by quantile of human ratings; per statistic the values by panel with their intervals.
    """
    from chrfect.report.figures import calibration, canvas, distributions, dots, scatter, triangle

    drawn: dict[str, Any] = {}
    by_name = {panel.name: panel for panel in panels}
    for one in judgement.judged:
        panel, stem = by_name[one.panel], _file_name(one.panel)
        names = [a.metric for a in one.agreements if a.value is not None][:limit]
        if not names:
            continue
        if one.comparisons and len(names) > 1:
            figure, axes = canvas(2.6 + 0.62 * len(names), 1.8 + 0.62 * len(names))
            p_values = {(c.first, c.second): p for c, p in zip(one.comparisons, one.corrected, strict=True)}
            triangle(axes[0, 0], names, p_values, title=f"{one.panel}\n{one.measure.statistic.name}: corrected p")
            drawn[f"{stem}-{one.measure.statistic.name}-significance"] = figure
        if f"{stem}-scatter" not in drawn:
            human = one.measure.arrange(panel.human).ravel()
            scores = {name: one.measure.arrange(one.measure.scores(panel, name)).ravel() for name in names}
            across = min(3, len(names))
            down = -(-len(names) // across)
            figure, axes = canvas(2.3 * across + 0.6, 2.4 * down + 0.3, down, across)
            for at, plot in enumerate(axes.ravel()):
                if at < len(names):
                    scatter(plot, human, scores[names[at]], title=f"{names[at]}\n{one.panel}", y="score")
                else:
                    plot.set_visible(False)
            drawn[f"{stem}-scatter"] = figure
            if one.agreements[0].members * one.agreements[0].groups >= ENOUGH:
                figure, axes = canvas(6.3, 3.6)
                quarters = by_quantile(human, {name: scores[name] for name in names[:4]})
                distributions(axes[0, 0], quarters, title=one.panel, y="score (deviations from the mean)")
                drawn[f"{stem}-distributions"] = figure
        curves = {a.metric: a.calibration for a in one.agreements[:limit] if a.calibration is not None}
        if curves:
            figure, axes = canvas(4.6, 3.4)
            calibration(axes[0, 0], curves, title=f"{one.panel}: {one.measure.statistic}")
            drawn[f"{stem}-{one.measure.statistic.name}-calibration"] = figure
    for measure in dict.fromkeys(one.measure for one in judgement.judged):
        judged = [one for one in judgement.judged if one.measure == measure]
        drawn[f"{measure.statistic.name}-by-panel"] = _by_panel(judgement, judged, limit, canvas, dots)
    return drawn


def _by_panel(judgement: Judgement, judged: Sequence[Judged], limit: int, canvas: Any, dots: Any) -> Any:
    means = judgement.over_panels(judged[0].measure)
    names = sorted(means, key=lambda name: (means[name][0] is None, -(means[name][0] or 0.0)))[:limit]
    series = {}
    for name in names:
        bounds = []
        for one in judged:
            agreement = next((a for a in one.agreements if a.metric == name), None)
            interval = one.intervals.get(name)
            value = agreement.value if agreement else None
            bounds.append((value, interval.low if interval else None, interval.high if interval else None))
        series[name] = bounds
    rows = len(judged)
    figure, axes = canvas(6.3, 1.2 + rows * (0.25 + 0.16 * len(names)))
    dots(axes[0, 0], [one.panel for one in judged], series, x=judged[0].measure.statistic.name)
    return figure


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.") or "panel"
