"""Figures for people: SVG, PNG or PDF, readable in print and without telling red from green (extra ``meta``)."""

from chrfect.report.figures.plots import calibration, distributions, dots, scatter, triangle
from chrfect.report.figures.style import MISSING, available, canvas, save

__all__ = ["MISSING", "available", "calibration", "canvas", "distributions", "dots", "save", "scatter", "triangle"]
