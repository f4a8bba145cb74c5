"""Every hypothesis against every reference, as minimum Bayes risk decoding and clustering need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from chrfect import kernels
from chrfect.errors import UsageError
from chrfect.metrics import ChrF
from chrfect.metrics.base import thread_number
from chrfect.metrics.references import from_arrow

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Column = str | Sequence[str]
"""One reference, or several of which each hypothesis takes the best."""


@overload
def pairwise(  # type: ignore[overload-overlap]
    metric: ChrF, hypotheses: Sequence[str], references: Sequence[Column], *, threads: int | None = None
) -> NDArray[float64]: ...
@overload
def pairwise(
    metric: ChrF,
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Column]],
    *,
    threads: int | None = None,
) -> list[NDArray[float64]]: ...
def pairwise(
    metric: ChrF, hypotheses: Sequence[Any], references: Sequence[Any], *, threads: int | None = None
) -> NDArray[float64] | list[NDArray[float64]]:
    """Return the score of each hypothesis against each reference.

    Parameters
    ----------
    metric : ChrF
        Any value of it.
    hypotheses : sequence of str, or sequence of sequences of str
        The hypotheses of one source sentence, or a list of them for each of several source sentences.
    references : sequence of (str or sequence of str), or one such sequence a source sentence
        One column each; a column of several references takes the best of their scores.
    threads : int, optional
        At least 1; by default ``CHRFECT_THREADS``, else the cores this process may use.

    Returns
    -------
    numpy.ndarray of float64, or list of them
        Hypotheses by references, 0 to 100, each what ``metric.sentence(hypothesis, reference).score`` is; one matrix
        for each source sentence where there are several.

    Raises
    ------
    UsageError
        If the metric is no ChrF, something is no text, a column has no reference, or the numbers of source sentences
        differ.

    Examples
    --------
    >>> from chrfect import ChrF
    >>> pairwise(ChrF(), ["the cat", "a dog"], ["the cat", ["a dog", "a cat"]]).round(2)
    array([[100.  ,  42.28],
           [  4.46, 100.  ]])
    >>> [matrix.shape for matrix in pairwise(ChrF(), [["a", "b"], ["c"]], [["a"], ["b", "c", "d"]])]
    [(2, 1), (1, 3)]
    """
    if not isinstance(metric, ChrF):
        raise UsageError(f"metric is a {type(metric).__name__}; pairwise scores ChrF metrics.")
    hypotheses, references = _listed(hypotheses, "hypotheses"), _listed(references, "references")
    threads = thread_number(threads)
    if not hypotheses or isinstance(hypotheses[0], str):
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
        except BaseException as error:  # Ctrl-C comes to this thread alone, and leaving the pool waits for the others
            stop.append(error)
            raise


def _listed(values: Any, name: str) -> list[Any]:
    exported = from_arrow(values)
    if exported is not None:
        return list(exported)
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise UsageError(
            f"{name} is a {type(values).__name__}; a list was expected. One text belongs in a list: [text]."
        )
    return list(values)


def _matrix(
    metric: ChrF, hypotheses: list[Any], columns: list[Any], threads: int, stop: list[BaseException]
) -> NDArray[float64]:
    import numpy as np

    flat: list[str] = []
    starts = [0]
    for j, column in enumerate(columns):
        flat += (column,) if isinstance(column, str) else _listed(column, f"references[{j}]")
        if len(flat) == starts[-1]:
            raise UsageError(f"references[{j}] is empty; a column needs at least one reference.")
        starts.append(len(flat))
    for name, texts in (("hypotheses", hypotheses), ("references", flat)):
        for text in texts:
            if not isinstance(text, str):
                raise UsageError(f"A text of {name} is a {type(text).__name__}; a text (str) was expected.")
    out = np.empty((len(hypotheses), len(columns)))
    if kernels.compiled is None:
        for j in range(len(columns)):
            for i, hypothesis in enumerate(hypotheses):
                out[i, j] = max(metric.sentence(hypothesis, text).score for text in flat[starts[j] : starts[j + 1]])
        return out
    preparation = metric.preparation
    texts = list(preparation.cased(hypotheses + flat))
    kernels.compiled.fill_matrix(
        out,
        list(preparation.unit_strings(texts)),
        texts,
        starts,
        metric.plan,
        float(metric.beta),
        metric.averaging == "per_order_f",
        threads,
        stop,
    )
    return out
