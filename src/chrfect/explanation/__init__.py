"""See why a score is what it is: which n-grams matched, which were missed, which were invented, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chrfect.errors import UsageError
from chrfect.metrics import Metric
from chrfect.metrics.references import References, align

if TYPE_CHECKING:
    from chrfect.explanation.value import CorpusExplanation, Explanation

__all__ = ["explain", "explain_corpus"]

LIMIT = 20
"""How many runs or n-grams are held unless asked otherwise."""
TEXT_LIMIT = 10_000
"""How many code points of a text are held unless asked otherwise."""


def explain(
    metric: Metric,
    hypothesis: str,
    references: str | Sequence[str | None],
    *,
    names: Sequence[str] | None = None,
    limit: int | None = LIMIT,
    text_limit: int | None = TEXT_LIMIT,
) -> Explanation:
    """Explain the score of one segment.

    Parameters
    ----------
    metric : Metric
        What to measure.
    hypothesis : str
    references : str, or sequence of (str or None)
        One reference, or several; None is a missing one.
    names : sequence of str, optional
        What to call the references; by default their places, counted from 0.
    limit : int or None
        How many runs of each kind to hold, at least 1; None for all. How many were left out is held too.
    text_limit : int or None
        How many code points of each text to hold, at least 1; None for all.

    Returns
    -------
    chrfect.explanation.value.Explanation
        The contributions of its orders add up to the exact score, and so do those of all matched runs with the
        smoothing.

    Raises
    ------
    UsageError
        If something is no text, a segment has no reference, or a limit is below 1.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> why = explain(ChrF(), "The cats sat.", "The dogs sat.")
    >>> [run.text for run in why.missed.shown], [run.text for run in why.matched.shown]
    (['dog'], ['s sat.', 'The'])
    >>> sum(order.contribution for order in why.orders) == why.result.score_fraction
    True
    """
    _check_metric(metric)
    _check_limit("limit", limit)
    _check_limit("text_limit", text_limit)
    if isinstance(names, str):
        raise UsageError(f"names is {names!r}; a list of names was expected, one a reference.")
    if names is not None and (isinstance(references, str) or len(names) != len(references)):
        number = 1 if isinstance(references, str) else len(references)
        raise UsageError(f"There are {len(names)} names for {number} references; as many, in a list, are needed.")
    from chrfect.explanation.build import explanation

    return explanation(metric, hypothesis, references, names, limit, text_limit)


def explain_corpus(
    metric: Metric,
    hypotheses: Sequence[str],
    references: References | None = None,
    *,
    references_per_segment: Sequence[Sequence[str | None]] | None = None,
    limit: int = LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> CorpusExplanation:
    """Explain the score of a corpus: its orders, and the n-grams most often missed and invented, with examples.

    Parameters
    ----------
    metric : Metric
        What to measure.
    hypotheses, references, references_per_segment
        As in :meth:`chrfect.metrics.Metric.corpus`.
    limit : int
        How many n-grams to list on each side, at least 1.
    progress : callable, optional
        Called with the steps done and their number.

    Returns
    -------
    chrfect.explanation.value.CorpusExplanation

    Raises
    ------
    UsageError
        As :meth:`chrfect.metrics.Metric.corpus`, or if the limit is below 1.

    Examples
    --------
    >>> from chrfect import parse
    >>> why = explain_corpus(parse("wordF"), ["a cat", "a dog sat"], ["the cat", "the dog sat"])
    >>> [(ngram.text, ngram.count) for ngram in why.missed]
    [('the', 2)]
    """
    _check_metric(metric)
    _check_limit("limit", limit, "")
    from chrfect.explanation.corpus import corpus_explanation

    aligned = align(hypotheses, references, references_per_segment)
    segments = metric.segments(hypotheses, references, references_per_segment=references_per_segment)
    return corpus_explanation(metric, aligned, segments, limit, progress)


def _check_metric(metric: Metric) -> None:
    if not isinstance(metric, Metric):
        raise UsageError(f"metric is {metric!r}; a metric was expected, such as ChrF() or parse('chrF++').")


def _check_limit(name: str, value: int | None, or_none: str = ", or None for no limit,") -> None:
    if value is None and or_none:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} is {value!r}; a whole number of at least 1{or_none} was expected.")
