"""Explanations of scores: which n-grams matched, which were missed, which were invented, and where."""

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
"""The default number of runs or n-grams in a list."""
TEXT_LIMIT = 10_000
"""The default number of code points that are kept of a text."""


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
        What to measure: a metric, or its name such as ``"chrF++"``.
    hypothesis : str
    references : str, sequence of (str or None), or mapping of str to (str or None)
        One reference, or several, or several by name; None is a missing one.
    limit : int or None
        How many runs of each kind to keep, at least 1; None for all. The number of the others is kept, too.
    text_limit : int or None
        How many code points of each text to keep, at least 1; None for all.

    Returns
    -------
    Explanation
        The contributions of its orders add up to the exact score, and so do those of all matched runs with the
        smoothing. A metric that does not say what its orders contribute has its score and its counts only.

    Raises
    ------
    UsageError
        If the name is not that of a metric, something is not a text, there is no reference, or a limit is below 1.

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
        What to measure: a metric, or its name such as ``"chrF++"``.
    hypotheses, references, references_per_segment
        As in :meth:`chrfect.metrics.Metric.corpus`.
    limit : int
        How many missed and how many invented n-grams to list, at least 1.
    progress : callable, optional
        Called with the number of steps that are done and the number of all steps.

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
