"""From the counts of BLEU to its score: the float of sacreBLEU, or exactly rounded decimals.

BLEU is 100 × BP × (p₁ × … × p_N)^(1/N) (Papineni et al. 2002, section 2.3). Rows are those of
:mod:`chrfect.kernels.readable_bleu`; the smoothings are described by Chen and Cherry (2014).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from chrfect import kernels
from chrfect.formulas.rounding import nearest

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Smoothing = Literal["none", "floor", "add-k", "exp", "method1", "method2", "method3"]

VALUES: dict[str, float | None] = {
    "none": None,
    "floor": 0.1,
    "add-k": 1,
    "exp": None,
    "method1": None,
    "method2": None,
    "method3": None,
}
"""The default value of every smoothing; None if the smoothing has no value."""

_LIKE = {"method1": "floor", "method2": "add-k", "method3": "exp"}
_MILLION = 10**6
_LOG_OF_ZERO = -9999999999
"""The logarithm of 0 in sacreBLEU; its exponential is 0.0."""


def score(
    row: Sequence[int], smoothing: Smoothing = "none", value: float | None = None, effective_order: bool = False
) -> float:
    """Return BLEU, 0 to 100, as sacreBLEU 2.6.0 computes it: the same operations in the same order.

    Parameters
    ----------
    row : sequence of int
        The counts of a segment or of a corpus.
    smoothing : str
        ``none``, ``floor``, ``add-k`` and ``exp`` are those of sacreBLEU. ``method1`` to ``method3`` of Chen and Cherry
        are floor with 0.1, add-k with 1, and exp, except that method1 and method3 count an order without hypothesis
        n-grams as one n-gram that did not match.
    value : float, optional
        The match count that ``floor`` uses instead of 0, or the number that ``add-k`` adds; by default from
        :data:`VALUES`.
    effective_order : bool
        Whether to stop before the first order for which the hypothesis is too short and the smoothing adds nothing.

    Notes
    -----
    Since Python 3.12, ``sum`` compensates rounding errors of floats, so the last bit may differ from Python 3.11, in
    sacreBLEU too. The decimals of :func:`text` never differ.

    Examples
    --------
    >>> score((4, 5, 4, 3, 3, 2, 2, 1, 1, 0), "exp")
    46.30777161991026
    """
    return _score(row, smoothing, value, effective_order, float)


def _score(
    row: Sequence[int], smoothing: Smoothing, value: float | None, effective_order: bool, real: type[Any]
) -> float:
    """Return BLEU with precisions of the type `real`: float or numpy.float32."""
    pairs = list(_pairs(row))
    if not any(matches for _, matches in pairs):
        return 0.0
    kind, amount, fill = _settings(smoothing, value, effective_order)
    effective = len(pairs)
    precisions = [0.0] * effective
    halving = 1.0
    for index, (total, matches) in enumerate(pairs):
        numerator, denominator = real(matches), real(total)
        if kind == "add-k" and index:
            numerator, denominator = numerator + amount, denominator + amount
        if not denominator:
            if not fill:
                break
            denominator = real(1)
        if effective_order:
            effective = index + 1
        if numerator:
            precisions[index] = 100.0 * numerator / denominator
        elif kind == "exp":
            halving *= 2
            precisions[index] = 100.0 / (halving * denominator)
        elif kind == "floor":
            precisions[index] = 100.0 * amount / denominator
    logarithms = [math.log(precision) if precision else _LOG_OF_ZERO for precision in precisions[:effective]]
    return brevity_penalty(row) * math.exp(sum(logarithms) / effective)


def quick_score(
    row: Sequence[int], smoothing: Smoothing = "none", value: float | None = None, effective_order: bool = False
) -> float:
    """Return :func:`score`, from the compiled kernel if there is one.

    Examples
    --------
    >>> quick_score((4, 5, 4, 3, 3, 2, 2, 1, 1, 0), "exp")
    46.30777161991026
    """
    if kernels.compiled is not None:
        try:  # quicker than `suppress`
            found: float = kernels.compiled.bleu_score(
                row, *_settings(smoothing, value, effective_order), effective_order
            )
            return found
        except OverflowError:
            pass
    return score(row, smoothing, value, effective_order)


def scores(
    rows: Sequence[int],
    width: int,
    smoothing: Smoothing = "none",
    value: float | None = None,
    effective_order: bool = False,
) -> list[float]:
    """Return :func:`score` of each row of a flattened table.

    Examples
    --------
    >>> scores([4, 5, 4, 3, 3, 2, 2, 1, 1, 0], 10, "exp")
    [46.30777161991026]
    """
    if kernels.compiled is not None:
        with suppress(OverflowError):
            return _compiled(rows, width, smoothing, value, effective_order, False).tolist()
    starts = range(0, len(rows), width)
    return [score(rows[at : at + width], smoothing, value, effective_order) for at in starts]


def score_array(
    rows: Sequence[int],
    width: int,
    smoothing: Smoothing = "none",
    value: float | None = None,
    effective_order: bool = False,
) -> NDArray[float64]:
    """Return :func:`scores` as a NumPy array, without a Python float for each from the compiled kernel.

    Examples
    --------
    >>> score_array([4, 5, 4, 3, 3, 2, 2, 1, 1, 0] * 2, 10, "exp")
    array([46.30777162, 46.30777162])
    """
    import numpy as np

    if kernels.compiled is not None:
        with suppress(OverflowError):
            return np.frombuffer(_compiled(rows, width, smoothing, value, effective_order, False))
    return np.array(scores(rows, width, smoothing, value, effective_order))


def single_precision(
    rows: Sequence[int],
    width: int,
    smoothing: Smoothing = "none",
    value: float | None = None,
    effective_order: bool = False,
) -> NDArray[float64]:
    """Return the score of each row of a flattened table as the bootstrap of sacreBLEU computes it.

    The precisions are float32; their logarithms and the score are not.

    Examples
    --------
    >>> single_precision([4, 5, 4, 3, 3, 2, 2, 1, 1, 0], 10, "exp")
    array([46.30777118])
    """
    import numpy as np

    if kernels.compiled is not None:
        with suppress(OverflowError):
            return np.frombuffer(_compiled(rows, width, smoothing, value, effective_order, True))
    single = np.float32
    starts = range(0, len(rows), width)
    return np.array([_score(rows[at : at + width], smoothing, value, effective_order, single) for at in starts])


def _compiled(
    rows: Sequence[int], width: int, smoothing: Smoothing, value: float | None, effective_order: bool, single: bool
) -> array[float]:
    assert kernels.compiled is not None
    kind, amount, fill = _settings(smoothing, value, effective_order)
    found: array[float] = kernels.compiled.bleu_scores(rows, width, kind, amount, fill, effective_order, single)
    return found


def precisions(
    row: Sequence[int], smoothing: Smoothing = "none", value: float | None = None, effective_order: bool = False
) -> list[Fraction | None]:
    """Return the exact precision, 0 to 1, of each order that enters the score, after smoothing.

    Parameters are those of :func:`score`; a float value has the exact value of its decimal notation. A precision is
    None if the hypothesis has no n-gram of that order and the smoothing does not replace it.

    Examples
    --------
    >>> precisions((2, 2, 2, 1, 1, 0, 0, 0), "method3")
    [Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)]
    """
    kind, amount, fill = _settings(smoothing, value, effective_order)
    exact = Fraction(str(amount)) if amount else 0
    found: list[Fraction | None] = []
    zeros = 0
    for index, (total, matches) in enumerate(_pairs(row)):
        numerator: int | Fraction = matches
        denominator: int | Fraction = total
        if kind == "add-k" and index:
            numerator, denominator = numerator + exact, denominator + exact
        if not denominator and effective_order:
            break
        if not denominator and not fill:
            found.append(None)
            continue
        if not numerator and kind == "exp":
            zeros += 1
            numerator = Fraction(1, 2**zeros)
        elif not numerator and kind == "floor":
            numerator = exact
        found.append(Fraction(numerator, denominator or 1))
    return found


def text(
    row: Sequence[int], smoothing: Smoothing = "none", value: float | None = None, effective_order: bool = False
) -> str:
    """Return the exact BLEU, 0 to 100, rounded once to six decimals, ties to even; parameters are those of score.

    Examples
    --------
    >>> text((6, 8, 6, 5, 5, 3, 4, 2, 3, 1))
    '38.498150'
    """
    entering = precisions(row, smoothing, value, effective_order)
    exponent = _exponent(row)
    factors = [precision or Fraction(0) for precision in entering]
    product = Fraction(math.prod(f.numerator for f in factors), math.prod(f.denominator for f in factors))
    if exponent is None or not any(matches for _, matches in _pairs(row)):
        return _decimals(0)
    return _decimals(nearest(100 * _MILLION, product, len(entering), exponent))


def brevity_penalty(row: Sequence[int]) -> float:
    """Return the brevity penalty, 0 to 1; it is 1 if hypothesis and reference are both empty.

    Examples
    --------
    >>> brevity_penalty((6, 8))
    0.7165313105737893
    """
    hypothesis, reference = row[:2]
    if hypothesis >= reference:
        return 1.0
    return math.exp(1 - reference / hypothesis) if hypothesis else 0.0


def brevity_penalty_text(row: Sequence[int]) -> str:
    """Return the exact brevity penalty rounded once to six decimals.

    Examples
    --------
    >>> brevity_penalty_text((6, 8))
    '0.716531'
    """
    exponent = _exponent(row)
    return _decimals(0 if exponent is None else nearest(_MILLION, Fraction(1), 1, exponent))


def brevity_penalty_exact(row: Sequence[int]) -> str:
    """Return the brevity penalty as a formula: ``1``, ``0``, or ``exp(1-r/c)`` with the integers as counted.

    Examples
    --------
    >>> brevity_penalty_exact((6, 8)), brevity_penalty_exact((0, 8)), brevity_penalty_exact((0, 0))
    ('exp(1-8/6)', '0', '1')
    """
    exponent = _exponent(row)
    if exponent is None:
        return "0"
    return f"exp(1-{row[1]}/{row[0]})" if exponent else "1"


def _settings(smoothing: str, value: float | None, effective_order: bool) -> tuple[str, float, bool]:
    """Return the smoothing in sacreBLEU, its value, and whether an order without n-grams counts as one n-gram."""
    kind = _LIKE.get(smoothing, smoothing)
    amount = VALUES[kind] if value is None else value
    return kind, amount or 0, smoothing in ("method1", "method3") and not effective_order


def _pairs(row: Sequence[int]) -> zip[tuple[int, int]]:
    """Yield (hypothesis n-grams, matches) of each order."""
    values = iter(row[2:])
    return zip(values, values, strict=True)


def _exponent(row: Sequence[int]) -> Fraction | None:
    """Return the natural logarithm of the brevity penalty; None if the penalty is 0."""
    hypothesis, reference = row[:2]
    if hypothesis >= reference:
        return Fraction(0)
    return 1 - Fraction(reference, hypothesis) if hypothesis else None


def _decimals(millionths: int) -> str:
    return f"{millionths // _MILLION}.{millionths % _MILLION:06d}"
