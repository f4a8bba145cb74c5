"""Corrections of p-values for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from chrfect.errors import UsageError

Correction = Literal["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"]


def adjust(p_values: Sequence[float | None], correction: Correction) -> list[float | None]:
    """Return corrected p-values; an undefined one (None) stays undefined and is not counted as a test.

    Parameters
    ----------
    p_values : sequence of (float or None)
        Each between 0 and 1.
    correction : {"none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"}
        "bonferroni" and "holm" (step-down) bound the probability of any false positive. The other two bound the
        expected share of false positives, "benjamini-yekutieli" under any dependence.

    Raises
    ------
    UsageError
        If a p-value is not between 0 and 1, or the correction does not exist.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    >>> adjust([0.01, None, 0.04], "bonferroni")
    [0.02, None, 0.08]
    """
    if correction not in get_args(Correction):
        raise UsageError(f"correction is {correction!r}; one of {', '.join(get_args(Correction))} was expected.")
    known = np.array([p for p in p_values if p is not None], float)
    if not np.all((known >= 0) & (known <= 1)):
        raise UsageError(f"the p-values are {known.tolist()}; numbers from 0 to 1, or None, were expected.")
    count = len(known)
    order = np.argsort(known, kind="stable")
    ordered, rank = known[order], np.arange(1, count + 1)
    if correction == "bonferroni":
        ordered = ordered * count
    elif correction == "holm":
        ordered = np.maximum.accumulate(ordered * (count - rank + 1))
    elif correction != "none":
        factor = count * (float(np.sum(1 / rank)) if correction == "benjamini-yekutieli" else 1.0)
        ordered = np.minimum.accumulate((ordered * factor / rank)[::-1])[::-1]
    corrected = np.empty(count)
    corrected[order] = np.minimum(ordered, 1.0)
    values = iter(corrected.tolist())
    return [None if p is None else next(values) for p in p_values]
