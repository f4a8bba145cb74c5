"""A pytest fixture that fails a test if a score decreases significantly.

Enable it in ``conftest.py`` with ``pytest_plugins = ["chrfect.compat.pytest_plugin"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from chrfect.evaluation import Difference
    from chrfect.metrics import Metric


def assert_no_worse(
    hypotheses: Iterable[str],
    baseline: Iterable[str],
    references: Any,
    metric: Metric | str = "chrF",
    *,
    level: float = 0.95,
    trials: int = 10_000,
) -> Difference:
    """Fail the test if the hypotheses score significantly lower than those of a baseline.

    Parameters
    ----------
    hypotheses, baseline : iterable of str
        The outputs of the system and of the baseline, such as the last release.
    references
        As in :meth:`Metric.corpus`.
    metric : Metric or str
        A metric, or its name.
    level : float
        A decrease is significant if the p-value of paired randomization is at most 1 - `level`.
    trials : int
        The number of trials of the test.

    Returns
    -------
    Difference
        The difference with its p-value.

    Examples
    --------
    >>> new, old = ["the cat sat", "a dog ran", "it rained"], ["the cat sat", "a dog", "it rained"]
    >>> assert_no_worse(new, old, ["a cat sat", "the dog ran", "it rains"], trials=100).significant
    False
    """
    from chrfect.evaluation import evaluate

    found = evaluate({"baseline": baseline, "system": hypotheses}, references, metric)
    (difference,) = found.compare("baseline", level=level, trials=trials).differences
    is_worse = difference.difference > 0 if difference.metric.lower_is_better else difference.difference < 0
    if is_worse and difference.significant:
        scores = [found.score(name, difference.metric).score for name in ("baseline", "system")]
        pytest.fail(
            f"{difference.metric} went from {scores[0]:.2f} to {scores[1]:.2f} "
            f"({difference.difference:+.2f}, p = {difference.p_value:.4f}, {trials:,} trials).",
            pytrace=False,
        )
    return difference


@pytest.fixture
def score_is_no_worse() -> Callable[..., Difference]:
    """Return :func:`assert_no_worse`."""
    return assert_no_worse
