"""Figures for people: SVG, PNG or PDF, readable in print and without telling red from green (extra ``meta``)."""

from chrfect.report.figures.canvas import canvas, save
from chrfect.report.figures.plots import calibration, distributions, dots, scatter, triangle

__all__ = ["calibration", "canvas", "distributions", "dots", "save", "scatter", "triangle"]
