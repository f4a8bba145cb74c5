"""Tables of evaluations and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chrfect.evaluation.groups import in_order
from chrfect.inference.interval import percent
from chrfect.report.table import Cell, Table

if TYPE_CHECKING:  # a table of scores needs none of them
    from chrfect.evaluation.comparison import Comparison, Difference
    from chrfect.evaluation.contrast import Contrast
    from chrfect.evaluation.value import Evaluation, SystemScore
    from chrfect.metrics.base import Metric

LOCATIONS = 5
"""How many segments are named for an n-gram."""
SPREAD = "sd of runs"
MARK = "†"
"""Marks values that differ significantly from the baseline."""
CORRECTED = {
    "none": "p",
    "holm": "p (Holm)",
    "benjamini-hochberg": "p (BH)",
    "benjamini-yekutieli": "p (BY)",
    "bonferroni": "p (Bonferroni)",
}
"""The p-values that decide significance, as the columns name them."""


def scores_table(evaluation: Evaluation, decimals: int = 2) -> Table:
    """Return the scores: a row for each system, columns for each metric, the best of each metric in bold."""
    columns, rows = ["system"], [[name] for name in evaluation.systems]
    best: set[tuple[int, int]] = set()
    joined: set[int] = set()
    cells: list[list[Cell]] = [list(row) for row in rows]
    for metric in evaluation.metrics:
        found = [evaluation.score(name, metric) for name in evaluation.systems]
        best |= {(row, len(columns)) for row in _best(metric, found)}
        beside = _beside(found)
        joined |= set(range(len(columns) + 1, len(columns) + 1 + len(beside)))
        columns += [str(metric), *beside]
        for row, score in zip(cells, found, strict=True):
            row += _cells(score, beside)
    bold = frozenset(best if len(cells) > 1 else ())
    return Table(columns, cells, decimals, bold=bold, joined=frozenset(joined))


def groups_table(evaluation: Evaluation, metric: Metric, name: str, decimals: int = 2) -> Table:
    """Return the scores of documents or buckets by one metric: a row for each, a column for each system."""
    found = [evaluation.score(system, metric) for system in evaluation.systems]
    labels = in_order(name, dict.fromkeys(group.label for score in found for group in score.groups[name]))
    by_label = [{group.label: group for group in score.groups[name]} for score in found]
    rows: list[list[Cell]] = []
    for label in labels:
        sizes = {groups[label].segments for groups in by_label if label in groups}
        scores = [groups[label].score if label in groups else None for groups in by_label]
        rows.append([str(label), sizes.pop() if len(sizes) == 1 else None, *scores])
    rows.append(["mean", None, *(score.group_mean(name) for score in found)])
    return Table([name, "segments", *evaluation.systems], rows, decimals, f"{metric} by {name}")


def comparison_tables(comparison: Comparison, decimals: int = 2) -> list[Table]:
    """Return a table of systems and a table of differences for each metric."""
    tables = []
    for metric in comparison.evaluation.metrics:
        if comparison.baseline is None:
            tables.append(_ranks(comparison, metric, decimals))
        tables.append(_differences(comparison, metric, decimals))
    return tables


def contrast_tables(contrast: Contrast, decimals: int = 2) -> list[Table]:
    """Return where two systems differ: a table for each grouping, and tables of segments and n-grams."""
    pair = f"{contrast.metric}: {contrast.system} minus {contrast.baseline}"
    interval = [f"{percent(contrast.level)} from", "to"]
    same: list[list[Cell]] = [[contrast.system, contrast.baseline, contrast.identical]]
    tables = [Table(["system", "baseline", "identical"], same, decimals, f"{pair}, identical outputs")]
    for name in dict.fromkeys(group.group for group in contrast.groups):
        rows: list[list[Cell]] = [
            [g.label, g.segments, g.baseline, g.system, g.difference, g.lower, g.upper, g.wins, g.losses]
            for g in contrast.groups
            if g.group == name
        ]
        columns = [name, "segments", contrast.baseline, contrast.system, "difference", *interval, "wins", "losses"]
        tables.append(Table(columns, rows, decimals, f"{pair}, by {name}", joined=frozenset((5, 6, 7, 8))))
    for what, segments in (
        ("the segments with the most influence on the difference", contrast.influential),
        ("the segments that gain most", contrast.better),
        ("the segments that lose most", contrast.worse),
    ):
        rows = [[str(s.segment + 1), s.baseline, s.system, s.difference, f"{s.influence:+.4f}"] for s in segments]
        columns = ["segment", contrast.baseline, contrast.system, "difference", "influence"]
        tables.append(Table(columns, rows, decimals, f"{pair}, {what}"))
    sides = (contrast.system, contrast.baseline), (contrast.baseline, contrast.system)
    for (one, other), ngrams in zip(sides, (contrast.matched, contrast.missed), strict=True):
        rows = [[n.text, n.count, n.opposite, _numbers(n.segments)] for n in ngrams]
        columns = ["n-gram", "this only", "other only", "segments"]
        tables.append(Table(columns, rows, decimals, f"What {one} matches and {other} misses"))
    return [table for table in tables if table.rows]


def _numbers(segments: Sequence[int]) -> str:
    """Return the numbers of the first segments, from 1.

    Examples
    --------
    >>> _numbers([0, 4]), _numbers(range(9))
    ('1, 5', '1, 2, 3, 4, 5 and 4 more')
    """
    shown = ", ".join(str(segment + 1) for segment in segments[:LOCATIONS])
    return shown if len(segments) <= LOCATIONS else f"{shown} and {len(segments) - LOCATIONS:,} more"


def counts_table(evaluation: Evaluation) -> Table:
    """Return how many hypotheses of each system are empty, equal to a reference, or copies of the source."""
    from chrfect.evaluation.where import text_counts  # imports NumPy, which a table of scores does not need

    rows: list[list[Cell]] = [
        [
            count.system,
            None if count.length_ratio is None else 100 * count.length_ratio,
            count.equal_to_reference,
            count.copies,
            count.empty,
        ]
        for count in text_counts(evaluation)
    ]
    return Table(["system", "length %", "= reference", "= source", "empty"], rows, 1, "The texts")


def p_text(p: float) -> str:
    """Return a p-value with three decimals; smaller values as an upper bound.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.0001), p_text(1.0)
    ('0.031', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def ranked(evaluation: Evaluation, metric: Metric) -> list[str]:
    """Return the systems, the best by a metric first."""
    sign = 1 if metric.lower_is_better else -1
    return sorted(evaluation.systems, key=lambda name: sign * evaluation.score(name, metric).score)


def clamped(score: float) -> float:
    """Return the score without a rounding error above 100. BLEU with floor smoothing can really exceed 100."""
    return 100.0 if 100.0 < score < 100.000001 else score


def _differences(comparison: Comparison, metric: Metric, decimals: int) -> Table:
    shown = [found for found in comparison.differences if found.metric == metric]
    humans = any(found.human_agreement is not None for found in shown)
    columns = ["system", "baseline", "score", "difference", "", f"{percent(comparison.level)} from", "to"]
    columns += [*_p_values(comparison, shown[0]), "effect", "wins", "losses", "ties", *(["humans %"] if humans else [])]
    rows = [_difference_row(comparison, found, humans) for found in shown]
    return Table(columns, rows, decimals, f"{metric}: differences", keys=2, joined=frozenset((4, 5, 6)))


def _difference_row(comparison: Comparison, found: Difference, humans: bool) -> list[Cell]:
    score = comparison.evaluation.score(found.system, found.metric).score
    p_values = _p_values(comparison, found).values()
    row: list[Cell] = [found.system, found.baseline, clamped(score), found.difference]
    row += [MARK if found.significant else "", found.interval.lower, found.interval.upper, *map(p_text, p_values)]
    row += [found.effect_size, found.wins, found.losses, found.ties]
    return [*row, found.human_agreement] if humans else row


def _p_values(comparison: Comparison, found: Difference) -> dict[str, float]:
    """Return the p-values by the names of their columns; the one that decides significance is among them."""
    p_values = {"p": found.p_value, "p (Holm)": found.holm, "p (BH)": found.benjamini_hochberg}
    return p_values | {CORRECTED[comparison.correction]: found.corrected}


def _ranks(comparison: Comparison, metric: Metric, decimals: int) -> Table:
    evaluation = comparison.evaluation
    found = [evaluation.score(name, metric) for name in ranked(evaluation, metric)]
    beside = _beside(found)
    rows: list[list[Cell]] = []
    for score in found:
        rank = comparison.ranks[str(metric), score.system]
        places = str(rank.best) if rank.best == rank.worst else f"{rank.best}-{rank.worst}"
        rows.append([places, str(rank.cluster), score.system, *_cells(score, beside)])
    columns = ["rank", "cluster", "system", str(metric), *beside]
    best = frozenset((row, 3) for row in _best(metric, found))
    return Table(columns, rows, decimals, f"{metric}: ranks", best, keys=3)


def _best(metric: Metric, found: Sequence[SystemScore]) -> list[int]:
    scores = [score.score for score in found]
    best = min(scores) if metric.lower_is_better else max(scores)
    return [row for row, score in enumerate(scores) if score == best]


def _beside(found: Sequence[SystemScore]) -> list[str]:
    """Return the columns beside the scores; that of the runs is there if any system has several."""
    bounds = found[0].interval
    interval = [] if bounds is None else [f"{percent(bounds.level)} from", "to"]
    if bounds is not None and bounds.half_width is not None:
        interval = ["mean", f"± {percent(bounds.level)}"]
    return interval + ([SPREAD] if any(score.deviation is not None for score in found) else [])


def _cells(score: SystemScore, beside: Sequence[str]) -> list[Cell]:
    bounds = score.interval
    interval: list[Cell] = [] if bounds is None else [bounds.lower, bounds.upper]
    if bounds is not None and bounds.half_width is not None:
        interval = [bounds.mean, bounds.half_width]
    return [clamped(score.score), *interval, *([score.deviation] if SPREAD in beside else [])]
