"""The contribution of each order, and of each match, to BLEU, and the possible gain of each order.

BLEU is 100 × BP × (p₁ × … × p_N)^(1/N). Its logarithm is a sum: each order adds ln p_n ÷ N, and the brevity penalty
adds ln BP. The geometric mean doubles if all precisions double, so by Euler's theorem each order contributes one Nth of
the score. This contribution is divided equally among the matches of the order, including those added by smoothing.
Contributions show what a run of matches is worth, but not which order is weak. The gain of an order shows that: it is
the increase of the score if all hypothesis n-grams of the order matched.

BLEU is irrational. The score that is divided is the exact score, rounded once to six decimals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from chrfect.formulas import bleu
from chrfect.formulas.bleu import Smoothing


def precisions(row: Sequence[int], smoothing: Smoothing, value: float | None, effective: bool) -> list[Fraction | None]:
    """Return the precision of each order after smoothing, 0 to 100; None for an order that does not enter the score.

    Parameters are those of :func:`chrfect.formulas.bleu.score`.
    """
    entering = bleu.precisions(row, smoothing, value, effective)
    found = [None if precision is None else 100 * precision for precision in entering]
    return found + [None] * (len(row) // 2 - 1 - len(found))


def contributions(row: Sequence[int], smoothing: Smoothing, value: float | None, effective: bool) -> list[Fraction]:
    """Return the contribution of each order, including its smoothing: equal parts of the score.

    Examples
    --------
    >>> contributions((2, 2, 2, 1, 1, 1), "none", None, False)
    [Fraction(35355339, 1000000), Fraction(35355339, 1000000)]
    """
    entering = precisions(row, smoothing, value, effective)
    number = sum(precision is not None for precision in entering)
    score = Fraction(bleu.text(row, smoothing, value, effective))
    return [Fraction(0) if precision is None else score / number for precision in entering]


def worths(row: Sequence[int], smoothing: Smoothing, value: float | None, effective: bool) -> list[Fraction]:
    """Return the contribution of one match of each order; 0 if there is nothing to divide."""
    added = Fraction(0)
    if smoothing in ("add-k", "method2"):
        added = Fraction(str(bleu.VALUES["add-k"] if value is None else value))
    found = []
    for n, part in enumerate(contributions(row, smoothing, value, effective), 1):
        sharing = row[2 * n + 1] + (added if n > 1 else 0)
        found.append(part / sharing if sharing else Fraction(0))
    return found


def gains(row: Sequence[int], smoothing: Smoothing, value: float | None, effective: bool) -> list[Fraction]:
    """Return, for each order, the increase of the score if all hypothesis n-grams of the order matched.

    The other counts are unchanged, and the score is computed again from all counts.

    Examples
    --------
    >>> [float(gain) for gain in gains((3, 3, 3, 3, 2, 1), "none", None, False)]
    [0.0, 29.289322]
    """
    score = Fraction(bleu.text(row, smoothing, value, effective))
    found = []
    for at in range(2, len(row), 2):
        perfect = [*row[: at + 1], row[at], *row[at + 2 :]]
        changed = perfect != list(row)
        found.append(Fraction(bleu.text(perfect, smoothing, value, effective)) - score if changed else Fraction(0))
    return found


def arithmetic(row: Sequence[int], smoothing: Smoothing, value: float | None, effective: bool) -> tuple[str, ...]:
    """Return the steps from the precisions to the score, one on each line, with enough digits to repeat them.

    Examples
    --------
    >>> arithmetic((3, 3, 3, 2, 2, 1), "none", None, False)[-1]
    'score = BP × the geometric mean of 2 precisions = 57.735027'
    """
    hypothesis, reference = row[:2]
    score = bleu.text(row, smoothing, value, effective)
    if not any(row[3::2]):
        return ("score = 0, because no n-gram matches",)
    entering = bleu.precisions(row, smoothing, value, effective)
    number = len(entering)
    positive = [precision for precision in entering if precision]
    if len(positive) < number:
        return ("score = 0, because an order has no match, and no smoothing replaces it",)
    logarithms = [min(0.0, 1 - reference / hypothesis), *(math.log(precision) / number for precision in positive)]
    decimals = 6
    while decimals < 15 and _score(logarithms, decimals) != score:
        decimals += 1
    terms = " ".join(f"{'-' if value < 0 else '+'} {abs(value):.{decimals}f}" for value in logarithms[1:])
    formula = (
        f"exp(1 - {reference}/{hypothesis})" if hypothesis < reference else f"1 ({hypothesis} >= {reference} tokens)"
    )
    return (
        *_smoothed(row, positive, smoothing),
        f"BP = the brevity penalty = {formula}; ln BP = {logarithms[0]:.{decimals}f}",
        f"ln (score ÷ 100) = ln BP + the mean of ln (precision ÷ 100) = {logarithms[0]:.{decimals}f} {terms}",
        f"score = BP × the geometric mean of {number} precisions = {score}",
    )


def _smoothed(row: Sequence[int], entering: Sequence[Fraction], smoothing: Smoothing) -> list[str]:
    """Return one line with the exact precisions that smoothing changed; no line if there are none."""
    changed = [
        f"token {n} {precision}" for n, precision in enumerate(entering, 1) if precision * row[2 * n] != row[2 * n + 1]
    ]
    return [f"precision ÷ 100 after {smoothing} smoothing: {', '.join(changed)}"] if changed else []


def _score(logarithms: Sequence[float], decimals: int) -> str:
    """Return the score that follows from the logarithms as printed."""
    return f"{100 * math.exp(math.fsum(round(value, decimals) for value in logarithms)):.6f}"
