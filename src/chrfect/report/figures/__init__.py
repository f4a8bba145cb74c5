"""Figures as SVG, PNG or PDF, readable in print and for colour-blind readers (extra ``meta``)."""

from chrfect.report.figures.plots import (
    boxes,
    calibration,
    differences,
    distributions,
    dots,
    histogram,
    scatter,
    triangle,
)
from chrfect.report.figures.style import MISSING, available, canvas, save

__all__ = [
    "MISSING",
    "available",
    "boxes",
    "calibration",
    "canvas",
    "differences",
    "distributions",
    "dots",
    "histogram",
    "save",
    "scatter",
    "triangle",
]
