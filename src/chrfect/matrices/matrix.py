"""Matrices of scores of every hypothesis against every reference, for minimum Bayes risk decoding or clustering."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from chrfect import kernels
from chrfect.errors import UsageError
from chrfect.metrics import Metric
from chrfect.metrics.base import thread_number
from chrfect.metrics.references import arrow_values
from chrfect.metrics.registry import as_metric

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Column = str | Iterable[str]
"""One reference, or several references that are used together, as in :meth:`Metric.sentence`."""


@overload
def pairwise(
    metric: Metric | str,
    hypotheses: Iterable[str],
    references: Iterable[Column],
    *,
    by_source: Literal[False] = False,
    threads: int | None = None,
) -> NDArray[float64]: ...
@overload
def pairwise(
    metric: Metric | str,
    hypotheses: Iterable[Iterable[str]],
    references: Iterable[Iterable[Column]],
    *,
    by_source: Literal[True],
    threads: int | None = None,
) -> list[NDArray[float64]]: ...
def pairwise(
    metric: Metric | str,
    hypotheses: Iterable[Any],
    references: Iterable[Any],
    *,
    by_source: bool = False,
    threads: int | None = None,
) -> NDArray[float64] | list[NDArray[float64]]:
    """Return the score of each hypothesis against each reference.

    Parameters
    ----------
    metric : Metric or str
        Any metric, or its name.
    hypotheses : iterable of str, or iterable of iterables of str
        The hypotheses; with `by_source`, a list of hypotheses for each source sentence.
    references : iterable of (str or iterable of str), or one such iterable for each source sentence
        One column for each element. A column of several references is scored as by :meth:`Metric.sentence`.
    by_source : bool
        Whether `hypotheses` and `references` have a list for each source sentence.
    threads : int, optional
        At least 1; by default ``CHRFECT_THREADS``, else the cores this process may use.

    Returns
    -------
    numpy.ndarray of float64, or list of them
        Hypotheses × references; each element equals ``metric.sentence(hypothesis, reference).score``. With `by_source`,
        one matrix for each source sentence.

    Raises
    ------
    UsageError
        If an element is not a text, a column has no reference, or the numbers of source sentences differ.

    Examples
    --------
    >>> pairwise("chrF", ["the cat", "a dog"], ["the cat", ["a dog", "a cat"]]).round(2)
    array([[100.  ,  42.28],
           [  4.46, 100.  ]])
    >>> matrices = pairwise("chrF", [["a", "b"], ["c"]], [["a"], ["b", "c", "d"]], by_source=True)
    >>> [matrix.shape for matrix in matrices]
    [(2, 1), (1, 3)]
    """
    metric = as_metric(metric)
    hypotheses, references = _listed(hypotheses, "hypotheses"), _listed(references, "references")
    threads = thread_number(threads)
    if not by_source:
        return _matrix(metric, hypotheses, references, threads, [])
    if len(hypotheses) != len(references):
        raise UsageError(
            f"There are {len(hypotheses)} lists of hypotheses and {len(references)} lists of references; "
            "one of each is needed for a source sentence."
        )
    sources = [
        (_listed(h, f"hypotheses[{i}]"), _listed(r, f"references[{i}]"))
        for i, (h, r) in enumerate(zip(hypotheses, references, strict=True))
    ]
    if threads == 1:
        return [_matrix(metric, h, r, 1, []) for h, r in sources]
    from concurrent.futures import ThreadPoolExecutor

    stop: list[BaseException] = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(lambda source: _matrix(metric, source[0], source[1], 1, stop), sources))
        except BaseException as error:  # only this thread gets Ctrl-C; leaving the pool waits for the others
            stop.append(error)
            raise


def _listed(values: Any, name: str) -> list[Any]:
    exported = arrow_values(values)
    if exported is not None:
        return exported
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise UsageError(
            f"{name} is a {type(values).__name__}; a list was expected. One text belongs in a list: [text]."
        )
    return list(values)


def _matrix(
    metric: Metric, hypotheses: list[Any], references: list[Any], threads: int, stop: list[BaseException]
) -> NDArray[float64]:
    if kernels.only_texts(hypotheses) and kernels.only_texts(references):
        return metric._matrix(hypotheses, [[text] for text in references], threads, stop)
    columns = [
        [column] if isinstance(column, str) else _listed(column, f"references[{j}]")
        for j, column in enumerate(references)
    ]
    for j, column in enumerate(columns):
        if not column:
            raise UsageError(f"references[{j}] is empty; a column needs at least one reference.")
    for name, texts in (("hypotheses", [hypotheses]), ("references", columns)):
        for text in (text for column in texts for text in column):
            if not isinstance(text, str):
                hint = " Pass by_source=True for a list of texts for each source." if isinstance(text, list) else ""
                raise UsageError(f"A text of {name} is a {type(text).__name__}; a text (str) was expected.{hint}")
    return metric._matrix(hypotheses, columns, threads, stop)
