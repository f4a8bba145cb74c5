"""Several runs of one system."""

from __future__ import annotations

from typing import Any

from chrfect.errors import UsageError
from chrfect.metrics.references import Texts


class Runs(tuple[Any, ...]):
    """The outputs of several runs of one system, such as trainings from different random seeds.

    Examples
    --------
    >>> from chrfect import evaluate
    >>> found = evaluate({"A": Runs(["a cat"], ["the cat"])}, ["the cat"]).score("A")
    >>> len(found.runs), found.score == (found.runs[0].score + found.runs[1].score) / 2
    (2, True)
    """

    def __new__(cls, *runs: Texts) -> Runs:
        if not runs:
            raise UsageError("Runs() has no run; the texts of at least one were expected.")
        return super().__new__(cls, runs)
