"""Combination of the ratings of several raters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from chrfect.errors import ChrfectWarning
from chrfect.inference.outliers import OUTLYING, outliers
from chrfect.meta.sources.columns import Columns, keys
from chrfect.meta.sources.errors import TEST, points
from chrfect.meta.sources.scores import Key, Scores, key_text, number
from chrfect.meta.sources.sheet import Sheet

FEWEST = 5
"""The minimum number of ratings by a rater to compare the scale with those of others."""

SCALE = 5.0
"""The ratio of standard deviations from which the scales of two raters are different."""


class Rating(NamedTuple):
    """A rating: its line in the file, its key, the rater, and the rating or None if it is missing."""

    line: int
    key: Key
    rater: str
    value: float | None


def combine(
    name: str, origin: str, ratings: Iterable[Rating], *, by_position: bool = False, standardised: bool = False
) -> Scores:
    """Return the mean over raters of each cell.

    Parameters
    ----------
    name, origin : str
        The name and the file of the scores.
    ratings : iterable of Rating
        The ratings. Repeated ratings of a cell by one rater are averaged first, with a warning.
    by_position : bool
        Whether items are row numbers.
    standardised : bool
        Whether to transform the ratings of each rater to mean 0 and standard deviation 1 first.

    Notes
    -----
    Different scales of raters, and outliers among at least three ratings of a cell, cause a warning. No rating is
    excluded.
    """
    cells: dict[Key, dict[str, list[float]]] = {}
    repeated: list[Rating] = []
    for rating in ratings:
        raters = cells.setdefault(rating.key, {})
        if rating.value is not None:
            if rating.rater in raters:
                repeated.append(rating)
            raters.setdefault(rating.rater, []).append(rating.value)
    if repeated:
        first = repeated[0]
        _warn(
            f"{origin}: {len(repeated):,} ratings repeat one by the same rater, the first on line {first.line}: "
            f"{key_text(first.key)}, rater {first.rater!r}. The ratings of a cell by the same rater are averaged."
        )
    means = {key: {rater: fmean(values) for rater, values in raters.items()} for key, raters in cells.items()}
    by_rater: dict[str, list[float]] = {}
    for raters_means in means.values():
        for rater, value in raters_means.items():
            by_rater.setdefault(rater, []).append(value)
    if standardised:
        scales = {rater: (fmean(values), _deviation(values) or 1.0) for rater, values in by_rater.items()}
        means = {
            key: {rater: (value - scales[rater][0]) / scales[rater][1] for rater, value in one.items()}
            for key, one in means.items()
        }
    else:
        _check_scales(origin, by_rater)
    _check_outliers(origin, means)
    return Scores(name, origin, {key: fmean(one.values()) if one else None for key, one in means.items()}, by_position)


def table_ratings(sheet: Sheet, column: str, columns: Columns, rater: str, panel: str) -> list[Rating]:
    """Return the ratings in one column of a long table with a column of raters."""
    at = sheet.column(column)
    rows = zip(sheet.lines, keys(sheet, columns, panel), sheet.texts(rater), sheet.rows, strict=True)
    return [Rating(line, key, who, number(row[at], sheet.path, line, column)) for line, key, who, row in rows]


def error_ratings(sheet: Sheet, columns: Columns, rater: str | None, panel: str) -> list[Rating]:
    """Return the negative sum of points by cell and rater, from a table with one row for each MQM error."""
    category, severity = sheet.column("category"), sheet.column("severity")
    raters = sheet.texts(rater) if rater else [""] * len(sheet.rows)
    totals: dict[tuple[Key, str], tuple[int, list[float]]] = {}
    for line, key, who, row in zip(sheet.lines, keys(sheet, columns, panel), raters, sheet.rows, strict=True):
        if str(row[severity]).strip().lower() == TEST:
            continue
        error = {"category": row[category], "severity": row[severity]}
        totals.setdefault((key, who), (line, []))[1].append(points(sheet.path, line, error))
    return [Rating(line, key, who, 0.0 - math.fsum(lost)) for (key, who), (line, lost) in totals.items()]


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def _check_scales(origin: str, by_rater: dict[str, list[float]]) -> None:
    compared = {rater: values for rater, values in by_rater.items() if len(values) >= FEWEST and _deviation(values)}
    if len(compared) < 2:
        return
    deviations = [_deviation(values) for values in compared.values()]
    apart = max(min(values) for values in compared.values()) > min(max(values) for values in compared.values())
    if apart or max(deviations) > SCALE * min(deviations):
        listed = ", ".join(f"{rater} {min(values):g} to {max(values):g}" for rater, values in compared.items())
        _warn(
            f"{origin}: raters use different scales: {listed}. Their means are not comparable; --standardise maps "
            "the ratings of each rater to mean 0 and standard deviation 1."
        )


def _check_outliers(origin: str, means: dict[Key, dict[str, float]]) -> None:
    found = [(key, list(raters)[at]) for key, raters in means.items() for at in outliers(list(raters.values()))]
    if found:
        key, rater = found[0]
        _warn(
            f"{origin}: {len(found):,} ratings are outliers among those of their cell (more than {OUTLYING:g} scaled "
            f"median absolute deviations from the median), the first being {key_text(key)}, rater {rater!r}. They are "
            "kept."
        )


def _warn(text: str) -> None:
    warnings.warn(text, ChrfectWarning, stacklevel=4)
