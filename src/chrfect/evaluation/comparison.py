"""Comparisons of systems: differences with intervals, tests, corrections, and ranks."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from chrfect._version import __version__
from chrfect.errors import UsageError, shown, without_surrogates
from chrfect.evaluation.human import CITATION
from chrfect.evaluation.tabular import Tabular
from chrfect.evaluation.value import SCHEMA, Evaluation
from chrfect.inference.interval import Interval
from chrfect.inference.ranges import Rank
from chrfect.metrics.base import Metric

if TYPE_CHECKING:
    from chrfect.inference.corrections import Correction

Test = Literal["randomization", "sacrebleu-ar", "sacrebleu-bs"]

TRIALS: dict[str, int] = {"randomization": 10_000, "sacrebleu-ar": 10_000, "sacrebleu-bs": 1_000}


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two systems by a metric.

    Parameters
    ----------
    metric : Metric
    baseline, system : str
        The system and the baseline; the difference is system minus baseline.
    difference : float
        The difference of the corpus scores.
    interval : Interval
        Its confidence interval, from resamples shared by both systems.
    p_value : float
        The two-sided p-value of the test.
    holm, benjamini_hochberg : float
        The p-value corrected for the number of comparisons by this metric.
    corrected : float
        The p-value with the chosen correction, which decides significance.
    effect_size : float or None
        The mean of the segment score differences divided by their standard deviation (Cohen's d of paired samples);
        None if the differences do not vary.
    wins, losses, ties : int
        The number of segments for which the system scores higher than, lower than, or the same as the baseline.
    human_agreement : float or None
        The percentage of system pairs for which humans agree with such a difference; see :func:`human_agreement`.
    significant : bool
        Whether `corrected` is at most 1 - level.
    """

    metric: Metric
    baseline: str
    system: str
    difference: float
    interval: Interval
    p_value: float
    holm: float
    benjamini_hochberg: float
    corrected: float
    effect_size: float | None
    wins: int
    losses: int
    ties: int
    human_agreement: float | None
    significant: bool


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Tabular):
    """The differences between systems, and their ranks if all pairs were compared.

    Parameters
    ----------
    evaluation : Evaluation
        The scores with their intervals.
    baseline : str or None
        The system with which the others were compared; None for all pairs.
    differences : tuple of Difference
        Metrics first, then pairs.
    ranks : dict of (metric name, system) to Rank
        The ranks of the systems; empty if a baseline was given.
    test : str
    trials, resamples : int
    level : float
    correction : str
    seed : int or None
        The settings of the test.
    """

    evaluation: Evaluation
    baseline: str | None
    differences: tuple[Difference, ...]
    ranks: dict[tuple[str, str], Rank]
    test: Test
    trials: int
    resamples: int
    level: float
    correction: Correction
    seed: int | None

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"the baseline {self.baseline}"
        return f"<Comparison of {len(self.evaluation.systems)} systems, {against}, {self.test}>"

    def _repr_html_(self) -> str:
        from chrfect.evaluation.report.page import comparison_fragment

        return comparison_fragment(self)

    def save(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Write the comparison to a file: a page that shows where systems differ and why (.html), or JSON (.json).

        Parameters
        ----------
        path : str or path-like
            The file; its ending decides the format. An existing file is replaced.
        title : str
            What was compared, for the page.

        Raises
        ------
        UsageError
            If the ending is not that of a supported format.
        WorkError
            If the file cannot be written.
        """
        from chrfect.evaluation.report.page import comparison_page
        from chrfect.files.save import write_text

        name = os.fspath(path)
        ending = os.path.splitext(name)[1].lower()
        if ending not in (".html", ".htm", ".json"):
            raise UsageError(f"{shown(name)} ends in {shown(ending)}; .html or .json was expected.")
        if ending == ".json":
            text = without_surrogates(json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"
        else:
            text = comparison_page(self, title)
        write_text(name, text)

    def difference(self, baseline: str, system: str, metric: Metric | str | None = None) -> Difference:
        """Return one difference; raise UsageError if this pair was not compared in this direction."""
        name = str(self.evaluation.score(system, metric).metric)
        for found in self.differences:
            if (found.baseline, found.system, str(found.metric)) == (baseline, system, name):
                return found
        raise UsageError(f"{system} was not compared with the baseline {baseline} by {name}.")

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each metric and pair of systems."""
        return [
            {
                "metric": str(found.metric),
                "baseline": found.baseline,
                "system": found.system,
                "difference": found.difference,
                "lower": found.interval.lower,
                "upper": found.interval.upper,
                "p_value": found.p_value,
                "holm": found.holm,
                "benjamini_hochberg": found.benjamini_hochberg,
                "corrected": found.corrected,
                "significant": found.significant,
                "effect_size": found.effect_size,
                "wins": found.wins,
                "losses": found.losses,
                "ties": found.ties,
                "human_agreement": found.human_agreement,
            }
            for found in self.differences
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data, floats in full precision; see ``docs/evaluation.md``."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "baseline": self.baseline,
            "test": self.test,
            "trials": self.trials,
            "resamples": self.resamples,
            "level": self.level,
            "correction": self.correction,
            "seed": self.seed,
            "human_agreement_source": CITATION,
            "evaluation": self.evaluation.to_dict(),
            "differences": [
                record | {"interval": found.interval.to_dict()}
                for record, found in zip(self.records(), self.differences, strict=True)
            ],
            "ranks": [
                {"metric": metric, "system": system, **asdict(rank)} for (metric, system), rank in self.ranks.items()
            ],
        }
