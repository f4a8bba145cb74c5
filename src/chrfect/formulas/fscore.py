"""From counts to F-scores: exact rationals, six decimals, and the floats of sacreBLEU.

A row of counts has three integers for each order: hypothesis n-grams *h*, reference n-grams *r*, matches *m*. Precision
is m/h and recall is m/r. With ``mean_precision_recall``, both are averaged over the *effective* orders (h > 0 and
r > 0), and F is computed from the averages (Popović 2015, equation 1). With ``per_order_f``, F is computed for each
order and averaged over all orders, with 10⁻¹⁶ if a total or a denominator is 0 (the original chrF++ tool).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from chrfect import kernels
from chrfect.formulas.decimals import six_decimals

if TYPE_CHECKING:
    from numpy import float32, float64
    from numpy.typing import NDArray

Averaging = Literal["mean_precision_recall", "per_order_f"]
Exact = int | Fraction

EPSILON = 1e-16
_INVERSE_EPSILON = 10**16
LEAST_BOUNDED_BETA = Fraction(1, 10**100)
"""The smallest beta for which the error bound of the compiled scores is valid; below, products could underflow."""


def triples(row: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (hypothesis n-grams, reference n-grams, matches) of each order of a row."""
    values = iter(row)
    return zip(values, values, values, strict=True)


def ratio(row: Sequence[int], beta: Exact, averaging: Averaging) -> tuple[int, int]:
    """Return the exact score on the scale 0 to 100 as numerator and denominator, not reduced.

    Examples
    --------
    >>> ratio((4, 5, 4), 2, "mean_precision_recall")
    (8000, 96)
    """
    over, under = beta.as_integer_ratio()
    over, under = over * over, under * under
    if averaging == "per_order_f":
        return _mean_of_fs(row, over, under)
    return _f_of_means(row, over, under)


def _f_of_means(row: Sequence[int], over: int, under: int) -> tuple[int, int]:
    means = mean_precision_recall(row)
    if means is None:
        return 0, 1
    (precision, h), (recall, r) = means
    denominator = over * precision * r + under * recall * h
    if not denominator:
        return 0, 1
    return 100 * (over + under) * precision * recall, denominator


def mean_precision_recall(row: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return precision and recall averaged over the effective orders, each as numerator and denominator (0 to 1).

    None without an effective order.

    Examples
    --------
    >>> mean_precision_recall((4, 2, 2, 3, 1, 0))
    ((6, 24), (2, 4))
    """
    precision, h_product, recall, r_product, effective = 0, 1, 0, 1, 0
    for h, r, m in triples(row):
        if h and r:
            precision, h_product = precision * h + m * h_product, h_product * h
            recall, r_product = recall * r + m * r_product, r_product * r
            effective += 1
    if not effective:
        return None
    return (precision, h_product * effective), (recall, r_product * effective)


def _mean_of_fs(row: Sequence[int], over: int, under: int) -> tuple[int, int]:
    total, product, orders = 0, 1, 0
    for h, r, m in triples(row):
        p_over, p_under = (m, h) if h else (1, _INVERSE_EPSILON)
        r_over, r_under = (m, r) if r else (1, _INVERSE_EPSILON)
        denominator = over * p_over * r_under + under * r_over * p_under
        numerator = (over + under) * p_over * r_over
        if not denominator:
            numerator, denominator = 1, _INVERSE_EPSILON
        total, product = total * denominator + numerator * product, product * denominator
        orders += 1
    return 100 * total, product * orders


def fraction(row: Sequence[int], beta: Exact, averaging: Averaging) -> Fraction:
    """Return the exact score on the scale 0 to 100, reduced.

    Examples
    --------
    >>> fraction((4, 5, 4), 2, "mean_precision_recall")
    Fraction(250, 3)
    """
    return Fraction(*ratio(row, beta, averaging))


def order_f(h: int, r: int, m: int, beta: Exact) -> Fraction | None:
    """Return the exact F of one order (0 to 100); None if either side has no n-gram of that order.

    Examples
    --------
    >>> order_f(4, 5, 4, 2), order_f(0, 5, 0, 2), order_f(3, 3, 0, 2)
    (Fraction(250, 3), None, Fraction(0, 1))
    """
    if not (h and r):
        return None
    over, under = beta.as_integer_ratio()
    if not m:
        return Fraction(0)
    return Fraction(100 * (over * over + under * under) * m, over * over * r + under * under * h)


def score(row: Sequence[int], beta: float, averaging: Averaging) -> float:
    """Return the score with the float operations of sacreBLEU in the same order, so that it is equal bit for bit.

    As in sacreBLEU, it may exceed 100 by one rounding.

    Examples
    --------
    >>> score((4, 5, 4), 2.0, "mean_precision_recall")
    83.33333333333334
    """
    if kernels.compiled is not None:
        try:
            return kernels.compiled.score(row, beta, averaging == "per_order_f")  # type: ignore[no-any-return]
        except OverflowError:  # a float cannot hold a count exactly; Python divides integers correctly
            pass
    return readable_score(row, beta, averaging)


def readable_score(row: Sequence[int], beta: float, averaging: Averaging) -> float:
    """Return the same as :func:`score`, in pure Python; the compiled function must return equal floats."""
    factor = beta**2
    f_sum = precision_sum = recall_sum = 0.0
    orders = effective = 0
    for h, r, m in triples(row):
        precision = m / h if h > 0 else EPSILON
        recall = m / r if r > 0 else EPSILON
        denominator = factor * precision + recall
        f_sum += ((1 + factor) * precision * recall / denominator) if denominator > 0 else EPSILON
        orders += 1
        if h > 0 and r > 0:
            precision_sum += precision
            recall_sum += recall
            effective += 1
    if averaging == "per_order_f":
        return 100 * f_sum / orders
    if not effective:
        return 0.0
    precision_sum /= effective
    recall_sum /= effective
    if not precision_sum + recall_sum:
        return 0.0
    f = (1 + factor) * precision_sum * recall_sum
    f /= (factor * precision_sum) + recall_sum
    return 100 * f


def scores(rows: Sequence[int], width: int, beta: float, averaging: Averaging) -> list[float]:
    """Return the float score of each row of a flattened table.

    Examples
    --------
    >>> scores([1, 1, 1, 2, 2, 0], 3, 2.0, "mean_precision_recall")
    [100.0, 0.0]
    """
    if kernels.compiled is not None:
        with suppress(OverflowError):
            return list(kernels.compiled.scores(rows, width, beta, averaging == "per_order_f"))
    return [readable_score(rows[at : at + width], beta, averaging) for at in range(0, len(rows), width)]


def score_array(rows: Sequence[int], width: int, beta: float, averaging: Averaging) -> NDArray[float64]:
    """Return :func:`scores` as a NumPy array, without a Python float for each from the compiled kernel.

    Examples
    --------
    >>> score_array([1, 1, 1, 2, 2, 0], 3, 2.0, "mean_precision_recall")
    array([100.,   0.])
    """
    import numpy as np

    if kernels.compiled is not None:
        with suppress(OverflowError):
            return np.frombuffer(kernels.compiled.scores(rows, width, beta, averaging == "per_order_f"))
    return np.array(scores(rows, width, beta, averaging))


def single_precision(rows: Sequence[int], width: int, beta: float, averaging: Averaging) -> NDArray[float32]:
    """Return the score of each row as the bootstrap of sacreBLEU computes it, with all operations in float32.

    Examples
    --------
    >>> single_precision([4, 5, 4, 2, 2, 0], 3, 2.0, "mean_precision_recall")
    array([83.33333,  0.     ], dtype=float32)
    """
    import numpy as np

    table = np.asarray(rows, np.float32).reshape(-1, width // 3, 3)
    hypothesis, reference, matches = np.moveaxis(table, 2, 0)
    factor, effective = beta**2, (hypothesis > 0) & (reference > 0)
    precisions, recalls, each_f = (np.zeros(len(table), np.float32) for _ in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(hypothesis > 0, matches / hypothesis, np.float32(EPSILON))
        recall = np.where(reference > 0, matches / reference, np.float32(EPSILON))
        below = factor * precision + recall
        f = np.where(below > 0, (1 + factor) * precision * recall / below, np.float32(EPSILON))
        for order in range(width // 3):
            precisions += np.where(effective[:, order], precision[:, order], np.float32(0))
            recalls += np.where(effective[:, order], recall[:, order], np.float32(0))
            each_f += f[:, order]
        if averaging == "per_order_f":
            each_f *= 100
            each_f /= width // 3
            return each_f
        orders = np.sum(effective, axis=1, dtype=np.float32)
        precisions /= orders
        recalls /= orders
        score = (1 + factor) * precisions * recalls
        score /= factor * precisions + recalls
    return np.where(precisions + recalls > 0, 100 * score, np.float32(0)).astype(np.float32, copy=False)


def texts(rows: Sequence[int], width: int, beta: Exact, averaging: Averaging) -> list[str]:
    """Return the exact score of each row of a flattened table at six decimals.

    The compiled kernel rounds most scores. The few that its error bound does not decide are computed exactly.

    Examples
    --------
    >>> texts([4, 5, 4, 2, 2, 0], 3, 2, "mean_precision_recall")
    ['83.333333', '0.000000']
    """
    decided: list[str | None] = [None] * (len(rows) // width)
    if kernels.compiled is not None and (isinstance(beta, int) or beta >= LEAST_BOUNDED_BETA):
        with suppress(OverflowError):
            decided = kernels.compiled.texts(rows, width, float(beta), averaging == "per_order_f")
    return [
        six_decimals(*ratio(rows[i * width : (i + 1) * width], beta, averaging)) if text is None else text
        for i, text in enumerate(decided)
    ]
