"""The human agreement with a score difference: the share of system pairs for which humans prefer the same system.

The curves are those of Kocmi et al. 2024, "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies"
(ACL 2024), fitted to human ratings of pairs of systems. They hold for chrF and BLEU as sacreBLEU computes them.
"""

from __future__ import annotations

import math

from chrfect.metrics import Bleu, ChrF, parse
from chrfect.metrics.scoring import Scoring

CITATION = "Kocmi et al. 2024"

_CURVES = {"chrF": (92.999999999972, 1.1142732157139852), "BLEU": (88.33333333333225, 0.9663926931178954)}
_CHANCE = 50.0


def human_agreement(metric: Scoring | str, difference: float) -> float | None:
    """Return the percentage of system pairs for which humans agree with a metric, given the score difference.

    Parameters
    ----------
    metric : Metric or str
        chrF with its default parameters, or BLEU with any tokenizer and otherwise default parameters; or the name.
    difference : float
        The difference of two corpus scores; the sign does not matter.

    Returns
    -------
    float or None
        A percentage above 50; None for other metrics, and if the curve is below 50 (chrF under .136, BLEU under .275).

    Examples
    --------
    >>> round(human_agreement("chrF", 1.0), 1), human_agreement(ChrF(), 0.1), human_agreement(ChrF(word_order=2), 1.0)
    (70.0, None, None)
    """
    curve = _curve(parse(metric) if isinstance(metric, str) else metric)
    if curve is None:
        return None
    most, slope = curve
    share = most / (1 + math.exp(-slope * abs(difference)))
    return share if share >= _CHANCE else None


def _curve(metric: Scoring) -> tuple[float, float] | None:
    for default, any_value in ((ChrF(), ()), (Bleu(tokenize="none"), ("tokenize",))):
        decisive = {key: value for key, value in default.parameters.items() if key not in any_value}
        if metric.name == default.name and decisive.items() <= metric.parameters.items():
            return _CURVES[metric.name]
    return None
