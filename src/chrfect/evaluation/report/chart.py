"""Small charts in the cells of a page, as SVG without styles of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WIDTH, HEIGHT = 150, 18
_EDGE = 6


def interval_bar(value: float, lower: float, upper: float, low: float, high: float) -> str:
    """Return a value with its interval, drawn on a scale from `low` to `high`, and its bounds as text."""
    at, start, end = (_place(number, low, high) for number in (value, lower, upper))
    drawn = (
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="9" y2="9"/><line class="range" x1="{start}" x2="{end}" y1="9" '
        f'y2="9"/><circle class="dot" cx="{at}" cy="9" r="4"/>'
    )
    return _svg(drawn) + f"{lower:.2f} to {upper:.2f}"


def box(values: Sequence[float]) -> str:
    """Return the distribution of scores from 0 to 100: a line from 5 % to 95 %, a box of the quartiles, the median."""
    points = np.quantile(np.clip(values, 0, 100), [0.05, 0.25, 0.5, 0.75, 0.95]).tolist()
    start, first, middle, third, end = (_place(point, 0, 100) for point in points)
    drawn = (
        f'<line class="axis" x1="0" x2="{WIDTH}" y1="9" y2="9"/><line class="zero" x1="{start}" x2="{end}" y1="9" '
        f'y2="9"/><rect class="bar" x="{first}" y="4" width="{max(third - first, 1):.1f}" height="10"/>'
        f'<line class="range" x1="{middle}" x2="{middle}" y1="1" y2="17"/>'
    )
    return _svg(drawn) + f"median {points[2]:.0f}, half from {points[1]:.0f} to {points[3]:.0f}"


def _place(value: float, low: float, high: float) -> float:
    return round(_EDGE + (WIDTH - 2 * _EDGE) * (value - low) / (high - low or 1), 1)


def _svg(drawn: str) -> str:
    return f'<svg aria-hidden="true" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">{drawn}</svg>'
