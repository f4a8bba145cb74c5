"""What each order contributes to a score, whatever the metric."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chrfect.explanation import of_bleu, of_chrf
from chrfect.explanation.value import OrderShare
from chrfect.metrics import Bleu, ChrF, Result


def exact_score(result: Result) -> Fraction:
    """Return the score that contributions add up to: the exact one; for BLEU, which is irrational, at six decimals."""
    return Fraction(result.score_text) if isinstance(result.metric, Bleu) else result.score_fraction


def shares(result: Result) -> tuple[OrderShare, ...]:
    """Return what each order contributes to a result's score; the sum is :func:`exact_score`.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> result = ChrF(char_order=2).sentence("cat", "cats")
    >>> [str(order.contribution) for order in shares(result)], str(result.score_fraction)
    (['504250/12769', '456250/12769'], '8500/113')
    """
    metric = result.metric
    if isinstance(metric, Bleu):
        worths, wholes = of_bleu.worths(metric, result), of_bleu.wholes(metric, result)
        precisions = of_bleu.precisions(metric, result)
    else:
        assert isinstance(metric, ChrF)
        worths, wholes = of_chrf.worths(metric, result), of_chrf.wholes(metric, result)
        precisions = [order.precision_fraction for order in result.orders]
    return tuple(
        OrderShare(
            kind=order.kind,
            n=order.n,
            hypothesis_ngrams=order.hypothesis_ngrams,
            reference_ngrams=order.reference_ngrams,
            matches=order.matches,
            precision=precision,
            recall=order.recall_fraction,
            f=order.f_fraction,
            worth=worth,
            contribution=whole,
        )
        for order, precision, worth, whole in zip(result.orders, precisions, worths, wholes, strict=True)
    )


def arithmetic(result: Result) -> tuple[str, ...]:
    """Return the steps from the orders to the score, one a line, in digits from which the score comes out."""
    metric = result.metric
    if isinstance(metric, Bleu):
        return of_bleu.arithmetic(metric, result)
    assert isinstance(metric, ChrF)
    return of_chrf.arithmetic(metric, result)


def changed(result: Result, hypothesis: Sequence[int], matches: Sequence[int]) -> Fraction:
    """Return the score if each order had so many more hypothesis n-grams and matches (negative for fewer).

    Examples
    --------
    >>> from chrfect import ChrF
    >>> changed(ChrF(char_order=1).sentence("cat", "cats"), [1], [1])
    Fraction(100, 1)
    """
    metric = result.metric
    first, width = (2, 2) if isinstance(metric, Bleu) else (0, 3)
    values = list(result.values)
    if isinstance(metric, Bleu):
        values[0] += hypothesis[0]
    for i, (more, matched) in enumerate(zip(hypothesis, matches, strict=True)):
        values[first + width * i] += more
        values[first + width * i + width - 1] += matched
    return exact_score(Result(metric, values, is_segment=result.is_segment))
