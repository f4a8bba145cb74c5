"""Evaluations of several test sets, and averages over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from chrfect._version import __version__
from chrfect.errors import UsageError
from chrfect.evaluation.comparison import Comparison
from chrfect.evaluation.systems import evaluate
from chrfect.evaluation.tabular import Tabular
from chrfect.evaluation.value import SCHEMA, Evaluation
from chrfect.inference.interval import Method
from chrfect.metrics.base import Metric


@dataclass(frozen=True, slots=True, repr=False)
class TestSets(Tabular):
    """Evaluations of test sets by name; made by :func:`chrfect.evaluate_sets`.

    Parameters
    ----------
    evaluations : dict of str to Evaluation
        By the name of the test set.
    """

    __test__ = False  # not a test of pytest

    evaluations: dict[str, Evaluation]

    def __repr__(self) -> str:
        return f"<TestSets: {', '.join(self.evaluations)}>"

    def means(self) -> dict[tuple[str, str], float]:
        """Return the macro average over the test sets, for each metric and each system that is in all test sets."""
        evaluations = list(self.evaluations.values())
        shared = [name for name in evaluations[0].systems if all(name in other.systems for other in evaluations)]
        return {
            (system, str(metric)): fmean(one.score(system, metric).score for one in evaluations)
            for system in shared
            for metric in evaluations[0].metrics
        }

    def with_intervals(self, method: Method = "percentile", **options: Any) -> TestSets:
        """Return the evaluations with intervals; parameters are those of :meth:`Evaluation.with_intervals`."""
        return TestSets({name: found.with_intervals(method, **options) for name, found in self.evaluations.items()})

    def compare(self, baseline: str | None = None, **options: Any) -> dict[str, Comparison]:
        """Return a comparison for each test set; parameters are those of :meth:`Evaluation.compare`."""
        return {name: found.compare(baseline, **options) for name, found in self.evaluations.items()}

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each test set, system and metric."""
        return [{"test_set": name} | record for name, found in self.evaluations.items() for record in found.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data, floats in full precision; see ``docs/evaluation.md``."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "test_sets": {name: found.to_dict() for name, found in self.evaluations.items()},
            "means": [
                {"system": system, "metric": metric, "score": score} for (system, metric), score in self.means().items()
            ],
        }


def mean_differences(comparisons: Mapping[str, Comparison]) -> list[dict[str, Any]]:
    """Return the macro average of the differences of each pair that was compared on every test set, by each metric."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for comparison in comparisons.values():
        for one in comparison.differences:
            found.setdefault((str(one.metric), one.baseline, one.system), []).append(one.difference)
    return [
        {"metric": metric, "baseline": baseline, "system": system, "difference": fmean(differences)}
        for (metric, baseline, system), differences in found.items()
        if len(differences) == len(comparisons)
    ]


def evaluate_sets(
    test_sets: Mapping[str, Mapping[str, Any]],
    metrics: Metric | str | Iterable[Metric | str] = ("chrF",),
    *,
    threads: int | None = None,
) -> TestSets:
    """Evaluate systems on several test sets.

    Parameters
    ----------
    test_sets : mapping of str to mapping
        For each test set the parameters of :func:`evaluate`: ``systems``, ``references``, and others if needed.
    metrics, threads
        As in :func:`evaluate`.

    Raises
    ------
    UsageError
        As :func:`evaluate`; the message names the test set.

    Examples
    --------
    >>> found = evaluate_sets({
    ...     "news": {"systems": {"A": ["a cat"], "B": ["cat"]}, "references": ["the cat"]},
    ...     "talks": {"systems": {"A": ["hi"], "B": ["ho"]}, "references": ["hi"]},
    ... })
    >>> [f"{system} {score:.2f}" for (system, _), score in found.means().items()]
    ['A 65.62', 'B 34.36']
    """
    if not isinstance(test_sets, Mapping) or not test_sets:
        raise UsageError("test_sets is empty or not a mapping; names with the parameters of evaluate were expected.")
    listed = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    found = {}
    for name, parameters in test_sets.items():
        try:
            found[str(name)] = evaluate(**parameters, metrics=listed, threads=threads)
        except UsageError as error:
            raise UsageError(f"Test set {name}: {error}") from None
        except TypeError as error:
            raise UsageError(f"Test set {name}: {error}; the parameters of evaluate were expected.") from None
    return TestSets(found)
