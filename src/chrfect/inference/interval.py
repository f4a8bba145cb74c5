"""The confidence interval from a bootstrap over segments."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Method = Literal["percentile", "bca"]


def percent(level: float) -> str:
    """Return a confidence level in per cent, with the decimals that it needs.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.6g}%"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and its method.

    Parameters
    ----------
    lower, upper : float
        The bounds.
    mean : float
        The mean over the resamples.
    level : float
        The confidence level, between 0 and 1.
    method : str
        ``"percentile"``, ``"bca"`` or ``"sacrebleu"``.
    trials : int
        The number of resamples.
    seed : int or None
        The random seed; None if the operating system selected it.
    half_width : float or None
        Half the width as rounded by sacreBLEU, for the method ``"sacrebleu"``; None for others.
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
        return f"{percent(self.level)} {self.method} bootstrap, {self.trials:,} trials, seed {self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that can be serialized as JSON."""
        return asdict(self)
