"""A metric for the library torchmetrics; importing this module imports PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
import torchmetrics
from torchmetrics.utilities import dim_zero_cat

from chrfect.counts import Counts
from chrfect.errors import UsageError
from chrfect.metrics import Metric
from chrfect.metrics.registry import as_metric

_NO_INDEX = -1


class ChrfectMetric(torchmetrics.Metric):  # type: ignore[misc]
    """A metric of chrfect as a metric of torchmetrics.

    Its state is one row of integers for each segment, which processes gather as they are, so the score of several
    processes is that of one. Texts are not kept.

    Parameters
    ----------
    metric : Metric or str
        A metric, or its name. TER takes one reference for each segment; :class:`chrfect.Evaluator` takes several.
    **options
        As for ``torchmetrics.Metric``.
    """

    is_differentiable = False
    full_state_update = False
    rows: list[torch.Tensor]

    def __init__(self, metric: Metric | str = "chrF", **options: Any) -> None:
        super().__init__(**options)
        self.metric = as_metric(metric)
        self.add_state("rows", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better; not for error rates."""
        return not self.metric.lower_is_better

    def update(
        self,
        preds: Sequence[str],
        target: Sequence[str] | Sequence[Sequence[str]],
        indices: Iterable[int] | None = None,
    ) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : sequence of str
            The hypotheses.
        target : sequence of str, or of sequences of str
            The reference of each hypothesis, or its references.
        indices : iterable of int, optional
            The number of each segment in the data set. A repeated number, as distributed samplers add to fill the last
            batch, counts once; without numbers, every row counts.
        """
        is_list = bool(target) and not isinstance(target[0], str)
        given: dict[str, Any] = {"references_per_segment" if is_list else "references": target}
        table = self.metric.count(preds, **given).choose(self.metric)
        width = len(self.metric.columns)
        if table.columns != self.metric.columns:
            raise UsageError(f"{self.metric} takes one reference for each segment here; chrfect.Evaluator takes more.")
        counts = torch.tensor(list(table.rows), dtype=torch.int64).reshape(-1, width)
        numbers = [_NO_INDEX] * len(table) if indices is None else [int(index) for index in indices]
        if len(numbers) != len(table):
            raise UsageError(f"There are {len(table)} hypotheses and {len(numbers)} indices; one for each is needed.")
        if indices is not None and min(numbers) < 0:
            raise UsageError(f"indices has {min(numbers)}; numbers from 0 were expected.")
        column = torch.tensor(numbers, dtype=torch.int64).reshape(-1, 1)
        self.rows.append(torch.cat([column, counts], dim=1).to(self.device))

    def compute(self) -> torch.Tensor:
        """Return the score of all segments as a 64-bit float.

        Raises
        ------
        UsageError
            If there is no segment, or an index has two rows that differ.
        """
        rows = self._empty() if not len(self.rows) else dim_zero_cat(self.rows)
        if not len(rows):
            raise UsageError("There is nothing to score: call update() first.")
        score = self._score(*torch.unique(rows.cpu(), dim=0, return_counts=True))
        return torch.tensor(score, dtype=torch.float64, device=self.device)

    def _score(self, rows: torch.Tensor, numbers: torch.Tensor) -> float:
        """Return the score of distinct rows, of which those without an index count as often as they occur."""
        indices = rows[:, 0]
        numbered = indices[indices != _NO_INDEX]
        if len(torch.unique(numbered)) < len(numbered):
            values, times = torch.unique(numbered, return_counts=True)
            raise UsageError(
                f"The index {int(values[times > 1][0])} was added with different counts: each segment has one "
                "hypothesis. Call reset() before the next checkpoint."
            )
        weights = torch.where(indices == _NO_INDEX, numbers, 1)
        sums = (rows[:, 1:] * weights[:, None]).sum(dim=0)
        counts = Counts(self.metric.count_recipe, tuple(sums.tolist()), int(weights.sum()))
        return self.metric.score(counts).score

    def _empty(self) -> torch.Tensor:
        return torch.empty((0, 1 + len(self.metric.columns)), dtype=torch.int64, device=self.device)

    def _sync_dist(self, *arguments: Any, **options: Any) -> None:
        if not len(self.rows):  # torchmetrics would send a tensor of another type and shape
            self.rows = [self._empty()]
        super()._sync_dist(*arguments, **options)
