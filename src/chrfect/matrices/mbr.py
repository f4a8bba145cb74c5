"""Minimum Bayes risk decoding: the candidate with the best expected score against the other candidates.

Source: Shankar Kumar and William Byrne, Minimum Bayes-risk decoding for statistical machine translation, HLT-NAACL
2004; with sampled candidates as pseudo-references: Bryan Eikema and Wilker Aziz, Is MAP decoding all you need?,
COLING 2020.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import repeat
from math import isfinite, lcm
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from chrfect.errors import UsageError, shown
from chrfect.kernels import only_texts
from chrfect.matrices.aggregate import aggregate_scores
from chrfect.matrices.aggregate import check as check_aggregate
from chrfect.metrics import Metric
from chrfect.metrics.base import thread_number
from chrfect.metrics.references import Aligned, arrow_values
from chrfect.metrics.registry import as_metric

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

__all__ = ["Selected", "select", "utilities"]

Method = Literal["exact", "aggregate"]
Weight = int | float | Fraction
Progress = Callable[[int, int], None]
"""Called with the number of sources that are done, and the number of all."""

BLOCK = 2_048
"""The maximum numbers of candidates and of references whose scores are held by a thread."""

MARGIN = 1e-9
"""A bound of the difference between a float score and the exact one, relative to the largest score."""

BITS = 256
"""The number of binary places to which exact utilities are compared first."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate that was selected.

    Parameters
    ----------
    text : str
        The candidate.
    index : int
        Its index among the candidates of its source, from 0; the first of identical ones.
    utility : float
        Its expected score.
    """

    text: str
    index: int
    utility: float


@dataclass(frozen=True, slots=True)
class _Source:
    """The distinct candidates and pseudo-references of one source, with the sums of the weights of identical ones."""

    candidates: list[str]
    firsts: list[int]
    places: list[int]
    references: list[str]
    weights: list[Fraction | int]


def utilities(
    metric: Metric | str,
    candidates: Iterable[Iterable[str]],
    references: Iterable[Iterable[str]] | None = None,
    *,
    weights: Iterable[Iterable[Weight]] | None = None,
    method: Method = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[NDArray[float64]]:
    """Return the expected score of each candidate: the weighted mean of its scores against the pseudo-references.

    Parameters
    ----------
    metric : Metric or str
        Any metric, or its name. A cell is what ``metric.sentence(candidate, reference).score`` is.
    candidates : iterable of iterables of str
        The candidates of each source; at least one.
    references : iterable of iterables of str, optional
        The pseudo-references of each source; by default its candidates.
    weights : iterable of iterables of numbers, optional
        The weight of each pseudo-reference: finite, at least 0, and not all 0; a float as the number it is written
        as. They need not sum to 1. By default all weigh the same.
    method : {"exact", "aggregate"}
        ``"exact"`` scores against each pseudo-reference; ``"aggregate"`` against the mean of their n-gram counts
        (reference aggregation, Vamvas and Sennrich 2024), which approximates it, for n-gram F-scores alone.
    threads : int, optional
        At least 1; by default ``CHRFECT_THREADS``, else the cores this process may use.
    progress : callable, optional
        Called with the number of sources that are done, and the number of all.

    Returns
    -------
    list of numpy.ndarray of float64
        For each source, the utility of each candidate.

    Raises
    ------
    UsageError
        If a source has no candidate or no pseudo-reference, something is not a text or a weight, or numbers differ.

    Examples
    --------
    >>> utilities("chrF", [["the cat", "a cat", "the cat"]])[0].round(2)
    array([80.76, 54.17, 80.76])
    """
    metric, sources, threads = _prepared(metric, candidates, references, weights, method, threads)
    return _each(lambda source, inner, stop: _spread(metric, source, method, inner, stop), sources, threads, progress)


@overload
def select(
    metric: Metric | str,
    candidates: Iterable[Iterable[str]],
    references: Iterable[Iterable[str]] | None = None,
    *,
    top: None = None,
    weights: Iterable[Iterable[Weight]] | None = None,
    method: Method = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Selected]: ...
@overload
def select(
    metric: Metric | str,
    candidates: Iterable[Iterable[str]],
    references: Iterable[Iterable[str]] | None = None,
    *,
    top: int,
    weights: Iterable[Iterable[Weight]] | None = None,
    method: Method = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[list[Selected]]: ...
def select(
    metric: Metric | str,
    candidates: Iterable[Iterable[str]],
    references: Iterable[Iterable[str]] | None = None,
    *,
    top: int | None = None,
    weights: Iterable[Iterable[Weight]] | None = None,
    method: Method = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Selected] | list[list[Selected]]:
    """Return the candidate of each source with the best expected score.

    Utilities that may be equal are compared exactly; of equal ones the first candidate is selected. Where scores are
    irrational (BLEU), the exact sum of their floats is compared.

    Parameters
    ----------
    metric, candidates, references, weights, method, threads, progress
        As in :func:`utilities`.
    top : int, optional
        At least 1: return so many different candidates of each source, best first; all of them if there are fewer.

    Returns
    -------
    list of Selected, or list of lists of Selected
        One for each source; with `top`, a list for each.

    Raises
    ------
    UsageError
        As :func:`utilities`, or if `top` is not a whole number of at least 1.

    Examples
    --------
    >>> selected = select("chrF++", [["a cat sat", "the cat sat", "the cat sits"], ["yes"]])
    >>> [(choice.text, choice.index) for choice in selected]
    [('the cat sat', 1), ('yes', 0)]
    >>> [choice.text for choice in select("chrF", [["b", "a", "a"]], top=2)[0]]
    ['a', 'b']
    """
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
        raise UsageError(f"top is {shown(top)}; a whole number of at least 1 was expected.")
    metric, sources, threads = _prepared(metric, candidates, references, weights, method, threads)

    def ranked(source: _Source, inner: int, stop: list[BaseException]) -> list[Selected]:
        return _ranked(metric, source, method, top or 1, inner, stop)

    found = _each(ranked, sources, threads, progress)
    return found if top is not None else [choices[0] for choices in found]


def _prepared(
    metric: Metric | str, candidates: Any, references: Any, weights: Any, method: str, threads: int | None
) -> tuple[Metric, list[_Source], int]:
    metric = as_metric(metric)
    if method not in get_args(Method):
        raise UsageError(f"method is {shown(method)}; 'exact' or 'aggregate' was expected.")
    if method == "aggregate":
        check_aggregate(metric)
    every = _listed(candidates, "candidates")
    others: dict[str, Iterable[Any]] = {"references": repeat(None), "weights": repeat(None)}
    for name, given in (("references", references), ("weights", weights)):
        if given is not None:
            others[name] = listed = _listed(given, name)
            if len(listed) != len(every):
                raise UsageError(
                    f"There are {len(every)} lists of candidates and {len(listed)} lists of {name}; one of each is "
                    "needed for a source sentence."
                )
    together = zip(every, others["references"], others["weights"], strict=False)
    return metric, [_source(i, *given) for i, given in enumerate(together)], thread_number(threads)


def _listed(values: Any, name: str) -> Sequence[Any]:
    exported = arrow_values(values) if not hasattr(values, "to_pylist") else values.to_pylist()
    if exported is not None:
        return exported
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise UsageError(f"{name} is a {type(values).__name__}; a list was expected.")
    return list(values)


def _source(number: int, candidates: Any, references: Any, weights: Any) -> _Source:
    """Return one source, checked, with identical texts joined."""
    own = _texts(candidates, f"candidates[{number}]")
    pseudo = own if references is None else _texts(references, f"references[{number}]")
    given: Sequence[Fraction | int] = (1,) * len(pseudo)
    if weights is not None:
        given = [_weight(weight, f"weights[{number}]") for weight in _listed(weights, f"weights[{number}]")]
        if len(given) != len(pseudo):
            raise UsageError(
                f"weights[{number}] has {len(given)} entries for {len(pseudo)} pseudo-references; one for each was "
                "expected."
            )
        if not any(given):
            raise UsageError(f"weights[{number}] are all 0; at least one above 0 was expected.")
    places: dict[str, int] = {}
    of_candidate = [places.setdefault(text, len(places)) for text in own]
    firsts = dict(zip(reversed(of_candidate), range(len(own) - 1, -1, -1), strict=True))
    joined: dict[str, Fraction | int] = {}
    for text, weight in zip(pseudo, given, strict=True):
        joined[text] = joined.get(text, 0) + weight
    return _Source(
        list(places), [firsts[place] for place in range(len(places))], of_candidate, list(joined), list(joined.values())
    )


def _texts(values: Any, name: str) -> Sequence[str]:
    texts = _listed(values, name)
    if not texts:
        raise UsageError(f"{name} is empty; at least one text was expected.")
    if not only_texts(texts):
        for i, text in enumerate(texts):
            if isinstance(text, str):
                continue
            raise UsageError(f"{name}[{i}] is a {type(text).__name__}; a text (str) was expected.")
    return texts


def _weight(value: Any, name: str) -> Fraction | int:
    valid = isinstance(value, int | float | Fraction) and not isinstance(value, bool)
    if not valid or (isinstance(value, float) and not isfinite(value)) or value < 0:
        raise UsageError(f"{name} has {shown(value)}; a finite number of at least 0 was expected.")
    return Fraction(str(float(value))) if isinstance(value, float) else value


def _each(
    work: Callable[[_Source, int, list[BaseException]], Any],
    sources: Sequence[_Source],
    threads: int,
    progress: Progress | None,
) -> list[Any]:
    """Return what `work` returns for each source: sources in threads, or the threads within a single source."""
    inner, stop = threads if len(sources) < threads else 1, list[BaseException]()
    found = []
    with ThreadPoolExecutor(1 if inner > 1 else threads) as pool:
        try:
            each = map if threads == 1 else pool.map
            for result in each(work, sources, repeat(inner), repeat(stop)):
                found.append(result)
                if progress is not None:
                    progress(len(found), len(sources))
        except BaseException as error:  # Ctrl-C reaches this thread alone, and leaving the pool waits for the others
            stop.append(error)
            raise
    return found


def _spread(metric: Metric, source: _Source, method: str, threads: int, stop: list[BaseException]) -> NDArray[float64]:
    """Return the utility of each candidate, identical ones included."""
    import numpy as np

    if method == "aggregate":
        distinct = np.array([float(score) for score in _aggregated(metric, source)])
    else:
        distinct, _ = _expected(metric, source, threads, stop)
    return distinct if len(source.places) == len(source.candidates) else distinct[source.places]


def _aggregated(metric: Metric, source: _Source) -> list[Fraction]:
    denominator = lcm(*(weight.denominator for weight in source.weights))
    weights = [int(weight * denominator) for weight in source.weights]
    return aggregate_scores(metric, source.candidates, source.references, weights)


def _expected(
    metric: Metric, source: _Source, threads: int, stop: list[BaseException]
) -> tuple[NDArray[float64], float]:
    """Return the utility of each distinct candidate, and by how much one of them may be off."""
    import numpy as np

    columns = [[text] for text in source.references]
    whole = sum(source.weights)
    weights = np.array([float(weight / whole) for weight in source.weights])
    expected, largest = np.zeros(len(source.candidates)), 1.0
    for row in range(0, len(source.candidates), BLOCK):
        for column in range(0, len(columns), BLOCK):
            hypotheses = source.candidates[row : row + BLOCK]
            scores = metric._matrix(hypotheses, columns[column : column + BLOCK], threads, stop)
            expected[row : row + BLOCK] += scores @ weights[column : column + BLOCK]
            largest = max(largest, float(scores.max()), -float(scores.min()))
    return expected, largest * (MARGIN + len(columns) * 2.0**-50)


def _ranked(
    metric: Metric, source: _Source, method: str, top: int, threads: int, stop: list[BaseException]
) -> list[Selected]:
    """Return the best distinct candidates of a source, best first."""
    import numpy as np

    sign = 1 if metric.lower_is_better else -1
    if method == "aggregate":
        exact = [sign * score for score in _aggregated(metric, source)]
        order = sorted(range(len(exact)), key=exact.__getitem__)
        costs = np.array([float(cost) for cost in exact])
    else:
        expected, margin = _expected(metric, source, threads, stop)
        costs = sign * expected
        by_cost: list[int] = np.argsort(costs, kind="stable").tolist()
        order, at = [], 0
        while at < len(by_cost) and len(order) < top:
            end = at + 1
            while end < len(by_cost) and costs[by_cost[end]] - costs[by_cost[end - 1]] <= 2 * margin:
                end += 1
            order += by_cost[at:end] if end == at + 1 else _sorted_exactly(metric, source, by_cost[at:end], sign, stop)
            at = end
    return [Selected(source.candidates[i], source.firsts[i], sign * float(costs[i])) for i in order[:top]]


def _sorted_exactly(
    metric: Metric, source: _Source, close: Sequence[int], sign: int, stop: list[BaseException]
) -> list[int]:
    """Return candidates with almost the same utility in the order of their exact utilities, then of their positions."""
    exact = {}
    for place in close:
        if stop:
            raise stop[0]
        exact[place] = _exact_terms(metric, source, source.candidates[place])

    def order(one: int, other: int) -> int:
        return sign * _compare(exact[one], exact[other])

    return sorted(sorted(close), key=cmp_to_key(order))


def _exact_terms(metric: Metric, source: _Source, candidate: str) -> dict[Fraction, Fraction]:
    """Return the weight of each exact score that a candidate has against the pseudo-references."""
    number, scorer = len(source.references), metric.segmental
    terms: dict[Fraction, Fraction] = {}
    known: dict[tuple[int, ...], Fraction] = {}
    for at in range(0, number, BLOCK):
        references = source.references[at : at + BLOCK]
        table = metric._count(Aligned([candidate] * len(references), references), 1)
        of_recipe, width = scorer.for_recipe(table.recipe), len(table.columns)
        for i, weight in enumerate(source.weights[at : at + BLOCK]):
            row = tuple(table.rows[i * width : (i + 1) * width])
            score = known.get(row)
            if score is None:
                rational = of_recipe.exact_score(row)
                score = Fraction(of_recipe.float_scores(array("q", row))[0]) if rational is None else rational
                known[row] = score
            terms[score] = terms.get(score, Fraction(0)) + weight
    return terms


def _compare(one: dict[Fraction, Fraction], other: dict[Fraction, Fraction]) -> int:
    """Return -1, 0 or 1 as the sum of weights times scores is less than, equal to or greater than the other."""
    terms = [
        score * weight
        for score in {*one, *other}
        if (weight := one.get(score, Fraction(0)) - other.get(score, Fraction(0)))
    ]
    if not terms:
        return 0
    below = sum((term.numerator << BITS) // term.denominator for term in terms)
    if below > 0:
        return 1
    if below + len(terms) <= 0:
        return -1
    while len(terms) > 1:  # in pairs, so that denominators stay short for as long as possible
        terms = [sum(terms[i : i + 2], Fraction(0)) for i in range(0, len(terms), 2)]
    return (terms[0] > 0) - (terms[0] < 0)
