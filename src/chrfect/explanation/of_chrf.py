"""What each order, and each match in it, contributes to an F-score: exact, and adding up.

Under ``mean_precision_recall`` the score is F(P, R) = 100 (1 + β²) P R ÷ (β² P + R), with P and R the means of the
orders' precisions and recalls. F doubles when P and R double, so by Euler's theorem F = P ∂F/∂P + R ∂F/∂R with

    ∂F/∂P = 100 (1 + β²) R² ÷ (β² P + R)²        ∂F/∂R = 100 (1 + β²) β² P² ÷ (β² P + R)²

and the means are sums over orders and matches: one match of an order with h hypothesis and r reference n-grams, among k
effective orders, contributes (∂F/∂P ÷ h + ∂F/∂R ÷ r) ÷ k. (It is also the value of Aumann and Shapley, 1974, because
the slopes are the same all the way from no match to these matches.) Under ``per_order_f`` the score is a mean of the
orders' F, and the matches of an order share what it contributes equally.
"""

from __future__ import annotations

from fractions import Fraction

from chrfect.formulas import fscore
from chrfect.formulas.decimals import written
from chrfect.metrics import ChrF, Order, Result


def worths(metric: ChrF, result: Result) -> list[Fraction]:
    """Return what one match of each order contributes; 0 for an order without any."""
    if metric.averaging == "per_order_f":
        return [
            whole / order.matches if order.matches else Fraction(0)
            for whole, order in zip(wholes(metric, result), result.orders, strict=True)
        ]
    precision, recall = result.precision_fraction, result.recall_fraction
    if not (precision and recall):
        return [Fraction(0) for _ in result.orders]
    square = Fraction(metric.exact_beta) ** 2
    scale = (1 + square) / (square * precision + recall) ** 2
    effective = sum(order.effective for order in result.orders)
    slopes = 100 * scale * recall**2 / effective, 100 * scale * square * precision**2 / effective
    return [_worth(order, *slopes) for order in result.orders]


def _worth(order: Order, of_precision: Fraction, of_recall: Fraction) -> Fraction:
    if not (order.hypothesis_ngrams and order.reference_ngrams):
        return Fraction(0)
    return of_precision / order.hypothesis_ngrams + of_recall / order.reference_ngrams


def wholes(metric: ChrF, result: Result) -> list[Fraction]:
    """Return what each order contributes; under ``per_order_f`` with its smoothing."""
    if metric.averaging == "per_order_f":
        beta, number = metric.exact_beta, len(result.orders)
        return [fscore.fraction(triple, beta, "per_order_f") / number for triple in fscore.triples(result.values)]
    return [order.matches * worth for order, worth in zip(result.orders, worths(metric, result), strict=True)]


def arithmetic(metric: ChrF, result: Result) -> tuple[str, ...]:
    """Return the steps from the orders to the score, with as many digits as redoing them needs."""
    beta = metric.exact_beta
    square = f"{beta}²" if isinstance(beta, int) else f"({beta})²"
    if metric.averaging == "per_order_f":
        f_score = f"100 × (1 + {square}) × match ÷ ({square} × ref. + hyp.)"
        return (f"score = the mean F, {f_score}, over all {len(result.orders)} orders = {result.score_text}",)
    precision, recall = result.precision_fraction, result.recall_fraction
    if precision is None or recall is None:
        return ("score = 0, because no order has n-grams on both sides",)
    effective = sum(order.effective for order in result.orders)
    p, r = _enough(precision, recall, Fraction(beta) ** 2, result.score_text)
    over = f"over the {effective} orders that have n-grams on both sides" if effective > 1 else "of the one order"
    return (
        f"P = the mean precision, 100 × match ÷ hyp., {over} = {p}",
        f"R = the mean recall, 100 × match ÷ ref., {over} = {r}",
        f"score = (1 + {square}) × P × R ÷ ({square} × P + R) = {result.score_text}",
    )


def _enough(precision: Fraction, recall: Fraction, square: Fraction, score: str) -> tuple[str, str]:
    """Return both means at the fewest decimals, six or more, from which the score comes out as printed."""
    for decimals in range(6, 31):
        scale = 10**decimals
        p, r = Fraction(round(precision * scale), scale), Fraction(round(recall * scale), scale)
        below = square * p + r
        if below and round((1 + square) * p * r / below * 10**6) == round(Fraction(score) * 10**6):
            return written(p, decimals), written(r, decimals)
    return str(precision), str(recall)
