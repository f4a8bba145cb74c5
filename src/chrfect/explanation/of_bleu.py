"""What each order, and each match in it, contributes to BLEU.

BLEU is 100 × BP × (p₁ × … × p_N)^(1/N): its logarithm is a sum, to which each order adds ln p_n ÷ N and the brevity
penalty ln BP. In points, the geometric mean doubles when all precisions double, so by Euler's theorem every order
contributes one Nth of the score, and its matches share that equally; what a smoothing puts beside them has its part.
BLEU is irrational: the score that is shared out is the exact one rounded once, at six decimals.
"""

from __future__ import annotations

import math
from fractions import Fraction

from chrfect.formulas import bleu
from chrfect.metrics import Bleu, Result


def precisions(metric: Bleu, result: Result) -> list[Fraction | None]:
    """Return the precision of each order, 0 to 100, smoothed; None for those that do not enter, or have no n-gram."""
    entering = _entering(metric, result)
    found = [None if precision is None else 100 * precision for precision in entering]
    return found + [None] * (metric.max_order - len(found))


def _entering(metric: Bleu, result: Result) -> list[Fraction | None]:
    effective = metric.effective_order == "always" or (metric.effective_order == "segments" and result.is_segment)
    return bleu.precisions(result.values, metric.smoothing, metric.smoothing_value, effective)


def worths(metric: Bleu, result: Result) -> list[Fraction]:
    """Return what one match of each order contributes; 0 where nothing can."""
    added = Fraction(0)
    if metric.smoothing in ("add-k", "method2"):
        value = metric.smoothing_value
        added = Fraction(str(bleu.VALUES["add-k"] if value is None else value))
    worths = []
    for order, whole in zip(result.orders, wholes(metric, result), strict=True):
        sharing = order.matches + (added if order.n > 1 else 0)
        worths.append(whole / sharing if sharing else Fraction(0))
    return worths


def wholes(metric: Bleu, result: Result) -> list[Fraction]:
    """Return what each order contributes, with its smoothing."""
    entering = precisions(metric, result)
    number = sum(precision is not None for precision in entering)
    score = Fraction(result.score_text)
    return [Fraction(0) if precision is None else score / number for precision in entering]


def arithmetic(metric: Bleu, result: Result) -> tuple[str, ...]:
    """Return the steps from the precisions to the score, with as many digits as redoing them needs."""
    hypothesis, reference = result.values[:2]
    if not any(order.matches for order in result.orders):
        return ("score = 0, because no n-gram matches",)
    entering = [precision for precision in _entering(metric, result) if precision]
    number = len(_entering(metric, result))
    if len(entering) < number:
        return ("score = 0, because an order has no match, and no smoothing puts anything in its place",)
    logarithms = [min(0.0, 1 - reference / hypothesis), *(math.log(precision) / number for precision in entering)]
    decimals = 6
    while decimals < 15 and _score(logarithms, decimals) != result.score_text:
        decimals += 1
    terms = " ".join(f"{'-' if value < 0 else '+'} {abs(value):.{decimals}f}" for value in logarithms[1:])
    formula = (
        f"exp(1 - {reference}/{hypothesis})" if hypothesis < reference else f"1 ({hypothesis} >= {reference} tokens)"
    )
    return (
        *_smoothed(metric, result),
        f"BP = the brevity penalty = {formula}; ln BP = {logarithms[0]:.{decimals}f}",
        f"ln (score ÷ 100) = ln BP + the mean of ln (precision ÷ 100) = {logarithms[0]:.{decimals}f} {terms}",
        f"score = BP × the geometric mean of {number} precisions = {result.score_text}",
    )


def _smoothed(metric: Bleu, result: Result) -> list[str]:
    """Return, where smoothing changes precisions, what it makes of them, exactly."""
    orders = zip(result.orders, _entering(metric, result), strict=False)
    changed = [
        f"token {order.n} {precision}"
        for order, precision in orders
        if precision and precision * order.hypothesis_ngrams != order.matches
    ]
    return [f"precision ÷ 100 after {metric.smoothing} smoothing: {', '.join(changed)}"] if changed else []


def _score(logarithms: list[float], decimals: int) -> str:
    """Return what comes out of the logarithms as printed."""
    return f"{100 * math.exp(math.fsum(round(value, decimals) for value in logarithms)):.6f}"
