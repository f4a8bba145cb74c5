"""The hooks of a metric that explanations call; their values are in :mod:`chrfect.metrics.shares`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chrfect.metrics.shares import Edit, Level, OrderShare


class Explainable:
    """The hooks of a metric that explanations call. If a metric overrides none, they show its counts and score."""

    __slots__ = ()

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of n-grams that the metric counts, characters first; empty if matches have no positions."""
        return ()

    def shares(self, values: Sequence[int]) -> tuple[OrderShare, ...]:
        """Return each order of counts with its contribution, the orders of the first level first; empty by default.

        The contributions add up to the exact score, or for an irrational score to its six decimals.
        """
        return ()

    def edits(self, hypothesis: str, reference: str, values: Sequence[int]) -> tuple[Edit, ...]:
        """Return the edits that turn a hypothesis into a reference, with their contributions; empty by default.

        Shifts come first; then the words of both sides follow in the order of the reference. The points add up to the
        exact score.
        """
        return ()

    def arithmetic(self, values: Sequence[int]) -> tuple[str, ...]:
        """Return the steps from the counts to the score, one on each line; none by default."""
        return ()

    def changed_counts(self, values: Sequence[int], hypothesis: Sequence[int], matches: Sequence[int]) -> Sequence[int]:
        """Return counts with hypothesis n-grams and matches added to each order; negative numbers remove them.

        A metric with levels must define this method. It is used to compute the score without a mistake.
        """
        raise NotImplementedError(f"{type(self).__name__} has levels and must define changed_counts.")

    def shown_reference(self, candidates: Sequence[Sequence[int]], values: Sequence[int]) -> int | None:
        """Return the index of the reference to show, given the counts against each reference and against all.

        None selects the first reference with the best score.
        """
        return None
