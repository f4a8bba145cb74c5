"""Figures as SVG, PNG or PDF, readable in print and for colour-blind readers (extra ``meta``)."""

from chrfect.report.figures.plots import calibration, distributions, dots, scatter, triangle
from chrfect.report.figures.style import MISSING, available, canvas, save

__all__ = ["MISSING", "available", "calibration", "canvas", "distributions", "dots", "save", "scatter", "triangle"]
