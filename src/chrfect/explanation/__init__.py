"""Explanations of scores: matched, missed and invented n-grams and their positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chrfect.errors import UsageError, shown
from chrfect.explanation.value import (
    Candidate,
    CorpusExplanation,
    Example,
    Explanation,
    Frequent,
    Run,
    Runs,
    Shaded,
    Stretch,
    Token,
)
from chrfect.metrics import Metric
from chrfect.metrics.references import References, align
from chrfect.metrics.registry import as_metric

__all__ = [
    "Candidate",
    "CorpusExplanation",
    "Example",
    "Explanation",
    "Frequent",
    "Run",
    "Runs",
    "Shaded",
    "Stretch",
    "Token",
    "explain",
    "explain_corpus",
]

LIMIT = 20
"""The default maximum number of runs or n-grams in a list."""
TEXT_LIMIT = 10_000
"""The default maximum number of code points of a text."""


def explain(
    metric: Metric | str,
    hypothesis: str,
    references: str | Sequence[str | None] | Mapping[str, str | None],
    *,
    limit: int | None = LIMIT,
    text_limit: int | None = TEXT_LIMIT,
) -> Explanation:
    """Explain the score of one segment.

    Parameters
    ----------
    metric : Metric or str
        A metric, or its name such as ``"chrF++"``.
    hypothesis : str
    references : str, sequence of (str or None), or mapping of str to (str or None)
        One or several references, optionally by name; None is a missing reference.
    limit : int or None
        The maximum number of runs of each kind, at least 1; None for no limit. The total number of runs is also stored.
    text_limit : int or None
        The maximum number of code points of each text, at least 1; None for no limit.

    Returns
    -------
    Explanation
        The contributions of the orders sum to the exact score, as do those of all matched runs and the smoothing. If
        the metric does not define the contributions of orders, there are only the score and the counts.

    Raises
    ------
    UsageError
        If the metric is unknown, an argument is not a text, there is no reference, or a limit is below 1.

    Examples
    --------
    >>> why = explain("chrF", "The cats sat.", "The dogs sat.")
    >>> why
    <Explanation of chrF 36.076239: runs 2 matched, 1 missed, 1 invented>
    >>> [run.text for run in why.missed.shown], [run.text for run in why.matched.shown]
    (['dog'], ['s sat.', 'The'])
    >>> sum(order.contribution for order in why.orders) == why.result.score_fraction
    True
    """
    measured = as_metric(metric)
    _check_limit("limit", limit)
    _check_limit("text_limit", text_limit)
    from chrfect.explanation.segment import explain_segment

    return explain_segment(measured, hypothesis, references, limit, text_limit)


def explain_corpus(
    metric: Metric | str,
    hypotheses: Sequence[str],
    references: References | None = None,
    *,
    references_per_segment: Sequence[Sequence[str | None]] | None = None,
    limit: int = LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> CorpusExplanation:
    """Explain the score of a corpus: its orders, and what is missed more than invented, or invented more than missed.

    Parameters
    ----------
    metric : Metric or str
        A metric, or its name such as ``"chrF++"``.
    hypotheses, references, references_per_segment
        As in :meth:`chrfect.metrics.Metric.corpus`.
    limit : int
        The maximum number of n-grams in each list, at least 1.
    progress : callable, optional
        Called with the numbers of finished and of all steps.

    Returns
    -------
    CorpusExplanation

    Raises
    ------
    UsageError
        As :meth:`chrfect.metrics.Metric.corpus`, or if the limit is below 1.

    Examples
    --------
    >>> why = explain_corpus("wordF", ["a cat", "a dog sat"], ["the cat", "the dog sat"])
    >>> [(ngram.text, ngram.count) for ngram in why.missed]
    [('the', 2)]
    """
    measured = as_metric(metric)
    _check_limit("limit", limit, "")
    from chrfect.explanation.corpus import explain_aligned

    return explain_aligned(measured, align(hypotheses, references, references_per_segment), limit, progress)


def _check_limit(name: str, value: int | None, or_none: str = ", or None for no limit,") -> None:
    if value is None and or_none:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} is {shown(value)}; a whole number of at least 1{or_none} was expected.")
