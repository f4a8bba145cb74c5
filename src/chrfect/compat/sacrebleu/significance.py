"""The paired tests and intervals of sacreBLEU, with its random numbers, p-values and bounds."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chrfect.compat.sacrebleu.metrics.base import DEFAULT_SEED, Metric, Signature, Streams
from chrfect.inference import sacrebleu as tests
from chrfect.metrics.base import Metric as ScoredMetric
from chrfect.metrics.base import thread_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chrfect.counts import CountTable

Scores = Callable[["NDArray[np.int64]"], "NDArray[Any]"]

estimate_ci = tests.estimate


def _compute_p_value(stats: NDArray[Any], real_difference: float) -> float:
    """Return the p-value of a difference, given the differences of the trials; private in sacreBLEU, but imported."""
    larger = sum(difference > real_difference for difference in stats)
    return float((larger + 1) / (len(stats) + 1))


class Result:
    """The score of a system in a test, with its p-value against the baseline and its interval."""

    def __init__(
        self, score: float, p_value: float | None = None, mean: float | None = None, ci: float | None = None
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


class PairedTest:
    """Compare systems with the first by approximate randomization or by bootstrap resampling.

    Parameters
    ----------
    named_systems : list of (str, sequence of str)
        Names and hypotheses; the first is the baseline.
    metrics : mapping of str to Metric
        Metrics of this package.
    references : sequence of sequences of (str or None), or None
        One list for each reference set; None uses those of the metrics.
    test_type : {"ar", "bs"}
        Approximate randomization, or bootstrap.
    n_samples : int
        The number of trials or resamples; 0 for 10,000 or 1,000.
    n_ar_confidence : int
        The number of resamples for intervals with ``ar``; 0 for 1,000, -1 for no intervals.
    n_jobs : int
        Accepted for compatibility and ignored; threads are used.
    """

    _DEFAULT_SAMPLES = {"ar": 10_000, "bs": 1_000}  # noqa: RUF012

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric],
        references: Streams | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        assert test_type in ("ar", "bs"), f"Unknown test type {test_type!r}"
        self.test_type = test_type
        self.named_systems = named_systems
        self.references = references
        self.n_jobs = n_jobs
        self.n_systems = len(named_systems) - 1
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence if n_ar_confidence != 0 else self._DEFAULT_SAMPLES["bs"]
        self._seed = seed_of(os.environ.get("SACREBLEU_SEED", DEFAULT_SEED))
        self._metrics = metrics

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[str | Result]]]:
        """Return the signature of each metric, and a column of names and of results for each metric."""
        signatures: dict[str, Signature] = {}
        columns: dict[str, list[str | Result]] = {"System": [name for name, _ in self.named_systems]}
        for metric in self._metrics.values():
            scored, results = self._results(metric)
            columns[scored.name] = [*results]
            signature = metric.get_signature()
            signature.update("seed", str(self._seed).lower())
            signature.update(self.test_type, self.n_samples)
            if self.n_ar_confidence > 0:
                signature.update("bs", self.n_ar_confidence)
            signatures[scored.name] = signature
        return signatures, columns

    def _results(self, metric: Metric) -> tuple[Any, list[Result]]:
        tables = [metric._table(hypotheses, self.references) for _, hypotheses in self.named_systems]
        scores = [metric._summed(table, metric._metric) for table in tables]
        arrays = [table.to_numpy() for table in tables]
        scorer = metric._metric.for_recipe(tables[0].recipe)
        exact, single = _scorers(scorer)
        threads = thread_number(None)
        if self.test_type == "bs":
            tested = tests.paired_bootstrap(
                arrays, exact, single, trials=self.n_samples, seed=self._seed, threads=threads
            )
        else:
            tested = tests.paired_randomization(
                arrays,
                exact,
                single,
                trials=self.n_samples,
                resamples=max(self.n_ar_confidence, 0),
                seed=self._seed,
                threads=threads,
            )
        results = [
            Result(score.score, of_system.p_value, of_system.mean, of_system.half_width)
            for score, of_system in zip(scores, tested, strict=True)
        ]
        return scores[0], results


def resampled_interval(table: CountTable, metric: ScoredMetric, trials: int, seed: str) -> tuple[float, float]:
    """Return the mean and half the width of the interval of ``corpus_score(n_bootstrap=trials)``."""
    _, single = _scorers(metric.for_recipe(table.recipe))
    interval = tests.corpus_interval(
        table.to_numpy(), single, trials=trials, seed=seed_of(seed), threads=thread_number(None)
    )
    return interval.mean, 0.5 * (interval.upper - interval.lower)


def seed_of(stated: str) -> int | None:
    """Return the seed in ``SACREBLEU_SEED``; None for a random one."""
    return None if stated.lower() == "none" else int(stated)


def _scorers(metric: ScoredMetric) -> tuple[Scores, Scores]:
    """Return functions from sums of counts to scores: in double precision, and in that of sacreBLEU's bootstrap."""

    def rows(sums: NDArray[np.int64]) -> Any:
        return memoryview(np.ascontiguousarray(sums)).cast("B").cast("q")  # type: ignore[arg-type]

    return lambda sums: metric.float_array(rows(sums)), lambda sums: metric.single_precision(rows(sums))
