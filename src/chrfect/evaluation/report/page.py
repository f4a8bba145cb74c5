"""The page of a comparison: where systems differ, and why, in one file that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from chrfect.evaluation.comparison import Comparison
from chrfect.evaluation.human import CITATION
from chrfect.evaluation.report.chart import box, interval_bar
from chrfect.evaluation.report.data import Progress, index, packed, text_blocks
from chrfect.evaluation.report.tables import CORRECTED, MARK, clamped, p_text, ranked
from chrfect.evaluation.value import Evaluation
from chrfect.evaluation.where import text_counts
from chrfect.inference.interval import percent
from chrfect.metrics.base import Metric
from chrfect.report.document import fragment, page
from chrfect.report.visible import visible

DETAILED = 8
"""The largest number of systems for which the cells of a heat map have p and the agreement of humans too."""
_SECTIONS = {"systems": "Systems", "pairs": "Pairs", "difference": "Where they differ", "segments": "Segments"}


def comparison_page(comparison: Comparison, title: str = "", progress: Progress | None = None) -> str:
    """Return the page of a comparison as HTML.

    Parameters
    ----------
    comparison : Comparison
    title : str
        What was compared; by default the metrics and the number of systems.
    progress : callable, optional
        Called with the number of blocks of segments that are done and that of all.
    """
    evaluation = comparison.evaluation
    heading = title or f"{', '.join(map(str, evaluation.metrics))}: {len(evaluation.systems)} systems"
    links = "".join(f'<li><a href="#{name}">{text}</a></li>' for name, text in _SECTIONS.items())
    blobs = [_data("index", packed(index(comparison)))]
    blobs += [_data(f"texts-{place}", packed(block)) for place, block in enumerate(text_blocks(comparison, progress))]
    body = "\n".join(
        [
            '<a class="skip" href="#main">Skip to the content</a>',
            f'<nav aria-label="Sections"><ul>{links}</ul></nav>',
            '<main id="main">',
            f'<h1 dir="auto">{html.escape(visible(heading))}</h1>',
            f"<p>{_summary(comparison)}</p>",
            _static(comparison),
            _scripted(),
            _settings(comparison),
            "</main>",
            *blobs,
        ]
    )
    return page(heading, body, _script())


def comparison_fragment(comparison: Comparison) -> str:
    """Return the systems and their pairs as HTML for a notebook."""
    return fragment(f"<p>{_summary(comparison)}</p>\n{_static(comparison, 3)}\n{_settings(comparison)}")


def evaluation_fragment(evaluation: Evaluation) -> str:
    """Return the systems as HTML for a notebook."""
    signatures = "<br>".join(f"<code>{html.escape(signature)}</code>" for signature in evaluation.signatures)
    return fragment(f'{systems_table(evaluation, None)}\n<p class="quiet">{signatures}</p>')


@cache
def _script() -> str:
    return files("chrfect.evaluation.report").joinpath("static", "page.js").read_text(encoding="utf-8")


def _data(name: str, text: str) -> str:
    return f'<script type="application/octet-stream" id="data-{name}">{text}</script>'


def _summary(comparison: Comparison) -> str:
    evaluation = comparison.evaluation
    metric = evaluation.metrics[0]
    first, *others = ranked(evaluation, metric)
    score = clamped(evaluation.score(first, metric).score)
    text = f"{evaluation.segment_count:,} segments. By {metric}, <b>{_escaped(first)}</b> is best ({score:.2f})"
    if comparison.baseline is None:
        differences = [found for found in comparison.differences if found.metric == metric and found.significant]
        different = {frozenset((found.baseline, found.system)) for found in differences}
        tied = [name for name in others if frozenset((first, name)) not in different]
        text += f"; {_listed(tied)} may be as good" if tied else ", significantly better than every other system"
    return text + "."


def _listed(names: Sequence[str]) -> str:
    shown = [f"<b>{_escaped(name)}</b>" for name in names[:3]]
    if len(names) > 3:
        shown = [*shown[:2], f"{len(names) - 2} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _escaped(text: str) -> str:
    return f"<bdi>{html.escape(visible(text))}</bdi>"


def _static(comparison: Comparison, level: int = 2) -> str:
    """Return the parts that need no script: the systems and the heat maps."""
    evaluation = comparison.evaluation
    parts = [
        f'<section id="systems" aria-labelledby="systems-title"><h{level} id="systems-title">Systems</h{level}>',
        systems_table(evaluation, comparison),
        "</section>",
        f'<section id="pairs" aria-labelledby="pairs-title"><h{level} id="pairs-title">Pairs of systems</h{level}>',
        f'<p class="quiet">The row minus the column. {_cells_explained(comparison)}</p>',
        *(heat_map(comparison, metric) for metric in evaluation.metrics),
        "</section>",
    ]
    return "\n".join(parts)


def _cells_explained(comparison: Comparison) -> str:
    """Return what the mark, p and the share of humans in the cells of heat maps mean."""
    corrected = CORRECTED[comparison.correction]
    text = f"{MARK}: {corrected} is at most {1 - comparison.level:.3g}."
    if len(comparison.evaluation.systems) > DETAILED:
        return f"{text} Choose a cell to see its p below."
    text += "" if corrected == "p" else f" The p in the cells is {corrected}."
    if any(found.human_agreement is not None for found in comparison.differences):
        text += " Humans: the share of pairs with such a difference for which humans prefer the same system "
        text += f"({CITATION})."
    return text


def systems_table(evaluation: Evaluation, comparison: Comparison | None) -> str:
    """Return the systems, the best first, with their scores, intervals, distributions and counts."""
    metric = evaluation.metrics[0]
    counts = {count.system: count for count in text_counts(evaluation)}
    names = ranked(evaluation, metric)
    scores = {name: evaluation.score(name, metric) for name in names}
    bounds = [
        b
        for s in scores.values()
        for b in ([s.score] if s.interval is None else [s.interval.lower, s.interval.upper, s.score])
    ]
    low, high = min(bounds), max(bounds)
    has_ranks = comparison is not None and comparison.baseline is None
    has_intervals = all(score.interval is not None for score in scores.values())
    columns = ["system", *(["rank"] if has_ranks else []), str(metric)]
    if has_intervals:
        level = next(iter(scores.values())).interval.level  # type: ignore[union-attr]
        columns.append(f"{percent(level)} interval")
    columns += [f"{metric} of segments", *(str(other) for other in evaluation.metrics[1:])]
    columns += ["length", "= reference", *(["= source"] if evaluation.texts.sources else []), "empty"]
    rows = []
    for name in names:
        score, count = scores[name], counts[name]
        cells = [_escaped(name)]
        if comparison is not None and has_ranks:
            rank = comparison.ranks[str(metric), name]
            cells.append(str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}")
        cells.append(f"{clamped(score.score):.2f}")
        if score.interval is not None and has_intervals:
            cells.append(interval_bar(score.score, score.interval.lower, score.interval.upper, low, high))
        cells.append(box([v for run in score.runs for v in run.segments.scores]))
        cells += [f"{clamped(evaluation.score(name, other).score):.2f}" for other in evaluation.metrics[1:]]
        cells.append("–" if count.length_ratio is None else f"{100 * count.length_ratio:.1f} %")
        cells += [f"{count.equal_to_reference:,}", *([f"{count.copies:,}"] if count.copies is not None else [])]
        rows.append([*cells, f"{count.empty:,}"])
    return _table(columns, rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th role="columnheader" scope="col">{html.escape(column)}</th>' for column in columns)
    body = []
    for row in rows:
        cells = [f'<th role="rowheader" scope="row">{row[0]}</th>']
        for column, cell in zip(columns[1:], row[1:], strict=True):
            kind = "" if cell.startswith("<svg") else ' class="count"'
            cells.append(f'<td role="cell" data-label="{html.escape(column)}"{kind}><div>{cell}</div></td>')
        body.append(f'<tr role="row">{"".join(cells)}</tr>')
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Scores of the systems"><table role="table" '
        'aria-label="Scores of the systems">'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">{"".join(body)}</tbody>'
        "</table></div>"
    )


def heat_map(comparison: Comparison, metric: Metric) -> str:
    """Return a table of the differences of all pairs that were compared, coloured by sign and size."""
    evaluation = comparison.evaluation
    names = ranked(evaluation, metric)
    known = {}
    for found in comparison.differences:
        if found.metric == metric:
            known[found.system, found.baseline] = found, 1
            known[found.baseline, found.system] = found, -1
    columns = names if comparison.baseline is None else [comparison.baseline]
    largest = max((abs(found.difference) for found, _ in known.values()), default=0.0)
    lower = metric.lower_is_better
    lines = [f'<div class="wide" tabindex="0" role="region" aria-label="Pairs by {html.escape(str(metric))}">']
    many = " many" if len(columns) > DETAILED else ""
    lines.append(
        f'<table class="matrix{many}"><caption>Pairs by {html.escape(str(metric))}</caption><thead><tr><td></td>'
    )
    lines += [f'<th scope="col">{_escaped(name)}</th>' for name in columns]
    lines.append("</tr></thead><tbody>")
    for row in names:
        if comparison.baseline == row:
            continue
        lines.append(f'<tr><th scope="row">{_escaped(row)}</th>')
        for column in columns:
            if row == column:
                lines.append("<td></td>")
                continue
            found, sign = known[row, column]
            value = sign * found.difference
            better = -value if lower else value
            small = ""
            if len(names) <= DETAILED:
                humans = "" if found.human_agreement is None else f"<small>humans {found.human_agreement:.0f} %</small>"
                small = f"<small>p {p_text(found.corrected)}</small>{humans}"
            link = f"#metric={evaluation.metrics.index(metric)}&amp;a={evaluation.systems.index(found.baseline)}"
            link += f"&amp;b={evaluation.systems.index(found.system)}"
            mark = MARK if found.significant else ""
            lines.append(
                f'<td class="{_shade(better, largest)}"><a class="cell" href="{link}">{_signed(value)}{mark}{small}'
                "</a></td>"
            )
        lines.append("</tr>")
    return "".join([*lines, "</tbody></table></div>", _scale(metric, largest)])


def _shade(better: float, largest: float) -> str:
    if not largest or not better:
        return "d0"
    step = 1 + min(2, int(3 * abs(better) / largest))
    return f"{'d' if better > 0 else 'e'}{step}"


def _scale(metric: Metric, largest: float) -> str:
    """Return the legend of the colours: the differences at which they change, thirds of the largest one."""
    if not largest:
        return ""
    bounds = [largest / 3, 2 * largest / 3]
    texts = [f"up to {bounds[0]:.2f}", f"up to {bounds[1]:.2f}", f"up to {largest:.2f}"]
    sides = [
        f"{name} by " + " ".join(f'<span class="{side}{step}">{text}</span>' for step, text in enumerate(texts, 1))
        for side, name in (("d", "row better"), ("e", "column better"))
    ]
    return f'<p class="legend">{html.escape(str(metric))}: {"; ".join(sides)}</p>'


def _signed(value: float) -> str:
    text = f"{value:+.2f}"
    return text.replace("-", "−") if float(text) else "0.00"


def _scripted() -> str:
    """Return the frame of the parts that the script fills."""
    return """\
<p id="unscripted" class="quiet">Where two systems differ, and the segments, need JavaScript and a browser of 2023 or \
later.</p>
<section id="difference" aria-labelledby="difference-title"><h2 id="difference-title">Where they differ</h2>
<div id="difference-body"></div></section>
<section id="segments" aria-labelledby="segments-title"><h2 id="segments-title">Segments</h2>
<div id="segments-body"></div></section>"""


def _settings(comparison: Comparison) -> str:
    """Return the settings of the test and the signatures."""
    signatures = "<br>".join(f"<code>{html.escape(text)}</code>" for text in comparison.evaluation.signatures)
    interval = html.escape(str(comparison.differences[0].interval))
    return (
        f'<p class="quiet">p: {comparison.test}, {comparison.trials:,} trials, seed {comparison.seed}. Intervals of '
        f"differences: {interval}.<br>{signatures}</p>"
    )
