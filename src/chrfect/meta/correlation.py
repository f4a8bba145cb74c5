"""Pearson and Spearman correlation along the last axis, from sums of products for each group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_EXTREME = 128  # scale scores above 2**128, or if all are below 2**-128
_SMALLEST = 2.0**-900


def moments(human: Floats, metric: Floats) -> Floats:
    """Return centred sums of products: (..., members) to (..., 3) as Sxy, Sxx, Syy; NaN members are ignored.

    Extreme scores are scaled first, by the same factor in all groups, so that squares neither overflow nor underflow.
    """
    human, metric = scaled(human), scaled(metric)
    missing = np.isnan(human) | np.isnan(metric)
    if missing.any():
        human, metric = _centred_present(human, missing), _centred_present(metric, missing)
    else:
        human, metric = _centred(human), _centred(metric)
    products = np.einsum("...i,...i->...", human, metric)
    squares = [np.einsum("...i,...i->...", side, side) for side in (human, metric)]
    return np.stack(np.broadcast_arrays(products, *squares), axis=-1)


def scaled(values: Floats) -> Floats:
    """Divide by a power of two if squares could overflow or underflow; the significant digits do not change.

    Examples
    --------
    >>> scaled(np.array([2.0**400, -(2.0**399)])).tolist()
    [0.5, -0.25]
    """
    largest = max(
        -float(np.fmin.reduce(values, axis=None, initial=0)), float(np.fmax.reduce(values, axis=None, initial=0))
    )
    exponent = math.frexp(largest)[1]
    return np.ldexp(values, -exponent) if abs(exponent) > _EXTREME else values


def scaled_groups(values: Floats) -> Floats:
    """Divide each group along the last axis by its own power of two if its squares could overflow or underflow.

    Examples
    --------
    >>> scaled_groups(np.array([[2.0**400, 2.0**399], [2.0**-400, 2.0**-401], [1.0, 2.0]])).tolist()
    [[0.5, 0.25], [0.5, 0.25], [1.0, 2.0]]
    """
    extent = np.fmax.reduce(np.abs(values), axis=-1, initial=0, keepdims=True)
    exponents = np.frexp(extent)[1]
    extreme = np.abs(exponents) > _EXTREME
    return np.ldexp(values, np.where(extreme, -exponents, 0)) if extreme.any() else values


def _centred(values: Floats) -> Floats:
    """Return deviations from the mean; exactly 0 for constant values, even if their mean is rounded."""
    centred: Floats = values - values[..., :1]
    centred -= np.einsum("...i->...", centred)[..., None] / values.shape[-1]
    return centred


def _centred_present(values: Floats, missing: NDArray[np.bool_]) -> Floats:
    """Return deviations from the mean of the values that are not missing, and 0 for missing values."""
    values = np.broadcast_to(values, missing.shape)
    first = np.argmin(missing, axis=-1)[..., None]
    centred = np.where(missing, 0.0, values - np.take_along_axis(values, first, axis=-1))
    mean = centred.sum(axis=-1, keepdims=True) / np.maximum((~missing).sum(axis=-1, keepdims=True), 1)
    return np.where(missing, 0.0, centred - mean)


def pearson(sums: Floats) -> Floats:
    """Return r = Sxy / sqrt(Sxx Syy); NaN if the ratings or the scores are constant."""
    products, human, metric = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        under = human * metric  # one square root has a smaller rounding error than two, but a tiny product underflows
        r = products / np.where(under > _SMALLEST, np.sqrt(under), np.sqrt(human) * np.sqrt(metric))
    return np.where((human > 0) & (metric > 0), np.clip(r, -1.0, 1.0), np.nan)


def rank_moments(human: Floats, metric: Floats) -> Floats:
    """Return the moments of average ranks, whose Pearson correlation is Spearman's rho."""
    human, metric = np.broadcast_arrays(human, metric)
    missing = np.isnan(human) | np.isnan(metric)
    return moments(
        ranks(np.where(missing, np.nan, human)),
        ranks(np.where(missing, np.nan, metric)),
    )


def ranks(values: Floats) -> Floats:
    """Return ranks from 1 along the last axis; equal values get their mean rank, and NaN stays NaN.

    Examples
    --------
    >>> ranks(np.array([20.0, 10.0, 20.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    members = values.shape[-1]
    if members == 0:
        return values
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    position = np.arange(members)
    new = np.ones(ordered.shape, bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(ordered.shape, bool)
    ends[..., :-1] = new[..., 1:]
    first = np.maximum.accumulate(np.where(new, position, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, position, members)[..., ::-1], axis=-1)[..., ::-1]
    result = np.empty(ordered.shape)
    np.put_along_axis(result, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(values), np.nan, result)


def quantiles(values: Floats, number: int) -> NDArray[np.int64]:
    """Return the quantile of each value, -1 for NaN; equal values share one, so that there may be fewer than `number`.

    Examples
    --------
    >>> quantiles(np.array([3.0, 1.0, 2.0, 2.0]), 2).tolist()
    [1, 0, 1, 1]
    """
    present = ~np.isnan(values)
    result = np.full(values.shape, -1)
    doubled = 2 * ranks(values[present]) - 1
    result[present] = np.unique(doubled * number // max(1, 2 * len(doubled)), return_inverse=True)[1]
    return result
