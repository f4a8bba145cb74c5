"""The interval that a bootstrap over segments gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Method = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and how it was made.

    Parameters
    ----------
    lower, upper : float
        The bounds.
    mean : float
        The mean over the resamples.
    level : float
        The confidence, between 0 and 1.
    method : str
        ``"percentile"``, ``"bca"`` or ``"sacrebleu"``.
    trials : int
        How many resamples were drawn.
    seed : int or None
        The seed of the draws; None where the operating system chose it.
    half_width : float or None
        Half the width as sacreBLEU rounds it, for the method ``"sacrebleu"``; None for the others.
    """

    lower: float
    upper: float
    mean: float
    level: float
    method: str
    trials: int
    seed: int | None
    half_width: float | None = None

    def __str__(self) -> str:
        return f"{self.level:.0%} {self.method} bootstrap, {self.trials:,} trials, seed {self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as JSON-ready data."""
        return asdict(self)
