"""Ratings of several raters, put together into one score a cell."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from chrfect.errors import ChrfectWarning
from chrfect.inference.outliers import OUTLYING, outliers
from chrfect.meta.sources.columns import Columns, keys
from chrfect.meta.sources.errors import points
from chrfect.meta.sources.scores import Key, Scores, key_text, number
from chrfect.meta.sources.sheet import Sheet

FEWEST = 5
"""Ratings of a rater from which on the rater's scale is compared with the others'."""

SCALE = 5.0
"""How many times larger the deviation of one rater's ratings is than another's where scales differ."""


class Rating(NamedTuple):
    """One rating: the line of the file, what is rated, who rates, and the rating or None where it is missing."""

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
        Of the scores.
    ratings : iterable of Rating
        A rater's repeated ratings of one cell are averaged first, with a warning.
    by_position : bool
        Whether items are the numbers of rows.
    standardised : bool
        Whether each rater's ratings are first brought to mean 0 and standard deviation 1.

    Notes
    -----
    Raters whose scales differ, and ratings that are outliers among at least three of their cell, are warned of; nothing
    is left out.
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
            f"{key_text(first.key)}, rater {first.rater!r}. The mean of a rater's ratings of a cell is taken."
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
    """Return minus the points of all errors by cell and rater, of a table of MQM errors: a row an error."""
    category, severity = sheet.column("category"), sheet.column("severity")
    raters = sheet.texts(rater) if rater else [""] * len(sheet.rows)
    totals: dict[tuple[Key, str], tuple[int, list[float]]] = {}
    for line, key, who, row in zip(sheet.lines, keys(sheet, columns, panel), raters, sheet.rows, strict=True):
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
            f"{origin}: raters use different scales: {listed}. Their means are not comparable; --standardise brings "
            "each rater to mean 0 and deviation 1."
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
