"""The common style of all figures, and writing figures to files."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from chrfect.errors import UsageError
from chrfect.files.save import replacing

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")
MISSING = "Figures need matplotlib: pip install matplotlib."

BLUE, ORANGE, GREEN, PURPLE, SKY, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#5A5A5A"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, GREY)
"""The palette of Okabe and Ito, which people with any colour vision can distinguish."""

MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""The marker and the dash pattern of each colour, so that series differ in print without colour too."""

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 150,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.hashsalt": "chrfect",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, np.ndarray]:
    """Return a figure of `width` × `height` inches and its axes, an array of shape (rows, columns).

    Raises
    ------
    UsageError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(MISSING) from None
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False, **options)


def save(figure: Figure, path: str) -> None:
    """Write a figure atomically in the format of the suffix (svg, png, pdf); equal figures give equal bytes."""
    import matplotlib

    suffix = os.path.splitext(path)[1].lstrip(".").lower()
    if suffix not in FORMATS:
        raise UsageError(f"{path}: figures are written as {', '.join(FORMATS)}; the suffix is {suffix!r}.")
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[suffix]
    with replacing(path) as temporary, matplotlib.rc_context(_STYLE):
        figure.savefig(temporary, metadata=metadata, bbox_inches="tight", pad_inches=0.05)  # names are not cut off


def label(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Name a plot and its axes."""
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)


def legend(axes: Axes, *entries: Any, above: bool = False, **options: Any) -> None:
    """Explain the series, inside the plot or above it."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1.0), "borderaxespad": 0.2} if above else {"loc": "best"}
    axes.legend(*entries, frameon=False, fontsize=8.5, handletextpad=0.4, columnspacing=1.2, **place, **options)
