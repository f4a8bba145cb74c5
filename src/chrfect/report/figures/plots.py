"""The plots of evaluations and meta-evaluations, each drawn into given axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.meta.plotted import regression
from chrfect.report.figures.style import BLUE, COLOURS, GREY, LINES, MARKERS, ORANGE, label, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from chrfect.meta import Calibration

    Floats = NDArray[np.float64]

FEW = 50
"""The number of points up to which a scatter plot draws them large, above its band."""

Bounds = tuple[float | None, float | None, float | None]  # value, low, high


def scatter(
    axes: Axes, human: Floats, scores: Floats, *, title: str = "", y: str = "", x: str = "human rating"
) -> None:
    """Draw scores against ratings with the regression line and its 95% band."""
    known = ~(np.isnan(human) | np.isnan(scores))
    ratings, values = human[known], scores[known]
    size, alpha, above = (30, 0.9, 3) if len(values) <= FEW else (9, 0.45, 1)
    rasterized = len(values) > 5000
    axes.scatter(ratings, values, s=size, color=BLUE, alpha=alpha, linewidths=0, zorder=above, rasterized=rasterized)
    if line := regression(ratings, values):
        axes.fill_between(line.x, line.low, line.high, color=ORANGE, alpha=0.25, linewidth=0)
        axes.plot(line.x, line.y, color=ORANGE, linewidth=1.6)
    label(axes, title, x, y)


def dots(
    axes: Axes, names: Sequence[str], series: Mapping[str, Sequence[Bounds]], *, title: str = "", x: str = ""
) -> None:
    """Draw one row for each name, with a dot and an interval for each series; None leaves a gap."""
    step = 0.7 / max(1, len(series))
    for at, (name, values) in enumerate(series.items()):
        offset = (at - (len(series) - 1) / 2) * step
        colour, marker = COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]
        for row, (_, low, high) in enumerate(values):
            if low is not None and high is not None:
                axes.plot([low, high], [row + offset] * 2, color=colour, linewidth=1.2, solid_capstyle="butt")
        axes.plot(
            [math.nan if value is None else value for value, _, _ in values],
            [row + offset for row in range(len(values))],
            linestyle="none",
            marker=marker,
            markersize=5,
            color=colour,
            label=name,
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    for row in range(1, len(names)):
        axes.axhline(row - 0.5, color="#EEEEEE", linewidth=0.6, zorder=0)
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=GREY, linewidth=0.9)
    label(axes, title, x)
    if len(series) > 1:
        legend(axes, above=True, ncols=min(3, len(series)))
        axes.set_title(title, loc="left", fontsize=9.5, pad=8 + 14 * math.ceil(len(series) / 3))


def triangle(
    axes: Axes, names: Sequence[str], p_values: Mapping[tuple[str, str], float | None], *, title: str = ""
) -> None:
    """Draw a square for each pair of metrics, best first; darker squares have more certain differences."""
    levels = ((0.001, "#08306B", "white"), (0.01, "#2171B5", "white"), (0.05, "#9ECAE1", "black"))
    size = len(names)
    for row, better in enumerate(names):
        for column in range(row + 1, size):
            worse = names[column]
            p = p_values.get((better, worse), p_values.get((worse, better)))
            face, ink = "#F2F2F2", "#444444"
            for limit, shade, text in levels:
                if p is not None and p < limit:
                    face, ink = shade, text
                    break
            axes.fill([column - 0.5, column + 0.5, column + 0.5, column - 0.5], [row - 0.5] * 2 + [row + 0.5] * 2, face)
            written = "–" if p is None else ("<.001" if p < 0.001 else f"{p:.3f}".lstrip("0"))
            axes.text(column, row, written, ha="center", va="center", color=ink, fontsize=7.5)
    axes.set_xlim(0.5, size - 0.5)
    axes.set_ylim(size - 1.5, -0.5)
    axes.set_xticks(range(1, size), names[1:], rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(size - 1), names[:-1])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title, loc="left", fontsize=9.5, pad=8)


def calibration(axes: Axes, curves: Mapping[str, Calibration], *, title: str = "") -> None:
    """Draw accuracy against the tie threshold, in standard deviations of each metric, the best threshold marked."""
    for at, (name, curve) in enumerate(curves.items()):
        colour, marker, scale = COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)], curve.deviation or 1.0
        line = LINES[at % len(LINES)]
        axes.plot(
            curve.epsilons / scale,
            curve.accuracies,
            color=colour,
            linewidth=1.4,
            linestyle=line,
            drawstyle="steps-post",
            marker=marker,
            markersize=6,
            markevery=[int(np.searchsorted(curve.epsilons, curve.epsilon))],
            label=f"{name}: {curve.accuracy:.3f} at {curve.epsilon:.3g}",
        )
    legend(axes)
    label(axes, title, "tie threshold (in deviations of the metric)", "pairwise accuracy with ties")


def distributions(axes: Axes, metrics: Mapping[str, Sequence[Floats]], *, title: str = "", y: str = "score") -> None:
    """Draw the scores of each metric by quantile of human ratings as boxes: median, quartiles, 5% and 95%."""
    quantiles = len(next(iter(metrics.values())))
    width = 0.7 / len(metrics)
    handles: list[Any] = []
    for at, values in enumerate(metrics.values()):
        colour = COLOURS[at % len(COLOURS)]
        drawn = axes.boxplot(
            values,
            positions=np.arange(quantiles) + (at - (len(metrics) - 1) / 2) * width,
            widths=width * 0.85,
            whis=(5, 95),
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": colour, "alpha": 0.55, "linewidth": 0.8, "hatch": ("", "///", "...", "xxx")[at % 4]},
            medianprops={"color": "black", "linewidth": 1.4},
            whiskerprops={"linewidth": 0.8},
            capprops={"linewidth": 0.8},
        )
        handles.append(drawn["boxes"][0])
    names = [f"{part + 1}" for part in range(quantiles)]
    names[0], names[-1] = "1\n(lowest ratings)", f"{quantiles}\n(highest ratings)"
    axes.set_xticks(range(quantiles), names)
    axes.set_xlim(-0.6, quantiles - 0.4)
    axes.grid(axis="x", visible=False)
    label(axes, title, "quantile of human ratings", y)
    legend(axes, handles, list(metrics), above=True, ncols=min(4, len(metrics)))
    axes.set_title(title, loc="left", fontsize=9.5, pad=8 + 14 * math.ceil(len(metrics) / 4))


def differences(
    axes: Axes, names: Sequence[str], cells: Mapping[tuple[int, int], tuple[float, str]], *, title: str = ""
) -> None:
    """Draw a square for each pair of systems, with its text: blue where the row is better, orange where the column is.

    Parameters
    ----------
    cells : mapping of (row, column) to (float, str)
        How much better the row is, and what is written.
    """
    steps = {1: ("#EAF2FB", "#BCD7F2", "#0B5CAB"), -1: ("#FDF0E6", "#F8CFAE", "#A34300")}
    largest = max((abs(value) for value, _ in cells.values()), default=0.0) or 1.0
    for (row, column), (value, text) in cells.items():
        step = min(2, int(3 * abs(value) / largest))
        face = steps[1 if value > 0 else -1][step] if value else "#F2F2F2"
        axes.fill([column - 0.5, column + 0.5, column + 0.5, column - 0.5], [row - 0.5] * 2 + [row + 0.5] * 2, face)
        ink = "white" if value and step == 2 else "black"
        axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=7.5)
    size = len(names)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_xticks(range(size), names, rotation=40, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(size), names)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title, loc="left", fontsize=9.5, pad=8)


def boxes(axes: Axes, names: Sequence[str], values: Sequence[Floats], *, title: str = "", x: str = "") -> None:
    """Draw a row for each name with the distribution of its values: median, quartiles, 5% and 95%."""
    axes.boxplot(
        list(values),
        orientation="horizontal",
        positions=range(len(names)),
        widths=0.55,
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": BLUE, "alpha": 0.55, "linewidth": 0.8},
        medianprops={"color": "black", "linewidth": 1.4},
        whiskerprops={"linewidth": 0.8},
        capprops={"linewidth": 0.8},
    )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    label(axes, title, x)


def histogram(axes: Axes, values: Floats, *, lower_is_better: bool = False, title: str = "", x: str = "") -> None:
    """Draw how many values there are of each size: better ones than zero in orange, worse ones in blue and hatched."""
    edge = float(np.max(np.abs(values), initial=1.0))
    counts, edges = np.histogram(values, 41, (-edge, edge))
    middle = len(counts) // 2
    worse, better = (BLUE, "///"), (ORANGE, "")
    below, above = (better, worse) if lower_is_better else (worse, better)
    for part, (colour, hatch) in (
        (slice(0, middle), below),
        (slice(middle, middle + 1), (GREY, "")),
        (slice(middle + 1, None), above),
    ):
        axes.bar(edges[:-1][part], counts[part], np.diff(edges)[part], align="edge", color=colour, hatch=hatch)
    axes.axvline(0, color=GREY, linewidth=0.9)
    label(axes, title, x, "segments")
