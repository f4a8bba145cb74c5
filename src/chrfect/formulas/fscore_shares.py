"""The contribution of each order, and of each match, to an F-score. Contributions are exact and add up to the score.

With ``mean_precision_recall`` the score is F(P, R) = 100 (1 + β²) P R ÷ (β² P + R), where P and R are the means of the
orders' precisions and recalls. F doubles when P and R double, so F = P ∂F/∂P + R ∂F/∂R by Euler's theorem, with

    ∂F/∂P = 100 (1 + β²) R² ÷ (β² P + R)²        ∂F/∂R = 100 (1 + β²) β² P² ÷ (β² P + R)²

P and R are sums over orders and matches. One match of an order with h hypothesis and r reference n-grams, among k
effective orders, contributes (∂F/∂P ÷ h + ∂F/∂R ÷ r) ÷ k. This equals the value of Aumann and Shapley (1974), because
the slopes are constant on the line from no match to these matches. Under ``per_order_f`` the score is the mean of the
orders' F, and the matches of an order share its contribution equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chrfect.formulas import fscore
from chrfect.formulas.decimals import fixed, six_decimals
from chrfect.formulas.fscore import Averaging, Exact


def worths(row: Sequence[int], beta: Exact, averaging: Averaging) -> list[Fraction]:
    """Return the contribution of one match of each order; 0 for an order that cannot have matches.

    Examples
    --------
    >>> [str(worth) for worth in worths((3, 4, 3, 2, 3, 2), 2, "mean_precision_recall")]
    ['504250/38307', '228125/12769']
    """
    triples = list(fscore.triples(row))
    if averaging == "per_order_f":
        parts = contributions(row, beta, averaging)
        return [part / m if m else Fraction(0) for part, (_, _, m) in zip(parts, triples, strict=True)]
    means = fscore.mean_precision_recall(row)
    if means is None or not (means[0][0] and means[1][0]):
        return [Fraction(0)] * len(triples)
    precision, recall = Fraction(*means[0]), Fraction(*means[1])
    square = Fraction(beta) ** 2
    effective = sum(bool(h and r) for h, r, _ in triples)
    scale = 100 * (1 + square) / (square * precision + recall) ** 2 / effective
    of_precision, of_recall = scale * recall**2, scale * square * precision**2
    return [of_precision / h + of_recall / r if h and r else Fraction(0) for h, r, _ in triples]


def contributions(row: Sequence[int], beta: Exact, averaging: Averaging) -> list[Fraction]:
    """Return the contribution of each order; with ``per_order_f``, it includes the constant that replaces a missing F.

    Examples
    --------
    >>> parts = contributions((3, 4, 3, 2, 3, 2), 2, "mean_precision_recall")
    >>> [str(part) for part in parts], str(sum(parts))
    (['504250/12769', '456250/12769'], '8500/113')
    """
    triples = list(fscore.triples(row))
    if averaging == "per_order_f":
        return [fscore.fraction(triple, beta, averaging) / len(triples) for triple in triples]
    return [m * worth for worth, (_, _, m) in zip(worths(row, beta, averaging), triples, strict=True)]


def arithmetic(row: Sequence[int], beta: Exact, averaging: Averaging) -> tuple[str, ...]:
    """Return the steps from the orders to the score, one on each line, with enough digits to repeat them.

    Examples
    --------
    >>> arithmetic((4, 5, 4), 2, "mean_precision_recall")[2]
    'score = (1 + 2²) × P × R ÷ (2² × P + R) = 83.333333'
    """
    score = six_decimals(*fscore.ratio(row, beta, averaging))
    triples = list(fscore.triples(row))
    square = f"{beta}²" if isinstance(beta, int) else f"({beta})²"
    if averaging == "per_order_f":
        f_score = f"100 × (1 + {square}) × match ÷ ({square} × ref. + hyp.)"
        return (f"score = the mean F, {f_score}, over all {len(triples)} orders = {score}",)
    means = fscore.mean_precision_recall(row)
    if means is None:
        return ("score = 0, because no order has n-grams on both sides",)
    effective = sum(bool(h and r) for h, r, _ in triples)
    p, r = _sufficient(100 * Fraction(*means[0]), 100 * Fraction(*means[1]), Fraction(beta) ** 2, score)
    over = f"over the {effective} orders that have n-grams on both sides" if effective > 1 else "of the one order"
    return (
        f"P = the mean precision, 100 × match ÷ hyp., {over} = {p}",
        f"R = the mean recall, 100 × match ÷ ref., {over} = {r}",
        f"score = (1 + {square}) × P × R ÷ ({square} × P + R) = {score}",
    )


def _sufficient(precision: Fraction, recall: Fraction, square: Fraction, score: str) -> tuple[str, str]:
    """Return both means with the fewest decimals, at least six, from which the printed score follows."""
    for decimals in range(6, 31):
        scale = 10**decimals
        p, r = Fraction(round(precision * scale), scale), Fraction(round(recall * scale), scale)
        below = square * p + r
        if below and round((1 + square) * p * r / below * 10**6) == round(Fraction(score) * 10**6):
            return fixed(p, decimals), fixed(r, decimals)
    return str(precision), str(recall)
