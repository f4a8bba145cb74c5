"""What every metric can do: the same four calls over the same three layouts of references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from chrfect._version import __version__
from chrfect.errors import UsageError
from chrfect.kernels import default_threads
from chrfect.metrics.names import as_stated
from chrfect.metrics.references import Aligned, References, align, check_text
from chrfect.metrics.result import Order, Result, Segments
from chrfect.metrics.shares import Explainable

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


MAX_THREADS = 1_024


class Metric(Explainable, ABC):
    """A metric is a value: frozen, hashable, picklable; nothing remembers the last call."""

    __slots__ = ()

    @abstractmethod
    def __str__(self) -> str: ...

    @property
    @abstractmethod
    def recipe(self) -> dict[str, Any]:
        """Every parameter and its value, JSON-ready."""

    @property
    def signature(self) -> str:
        """The canonical text, every parameter, and the version: enough to repeat the measurement."""
        parts = [f"{key}:{as_stated(value)}" for key, value in self.recipe.items()]
        return "|".join([str(self), *parts, f"version:chrfect {__version__}"])

    def corpus(
        self,
        hypotheses: Sequence[str],
        references: References | None = None,
        *,
        references_per_segment: Sequence[Sequence[str | None]] | None = None,
        threads: int | None = None,
    ) -> Result:
        """Return the score of a corpus: the counts of all segments summed, then scored.

        Parameters
        ----------
        hypotheses : sequence of str
            One text a segment.
        references : sequence of str, or mapping of str to sequence of (str or None)
            One text a segment; or several named lists of them, None where one is missing.
        references_per_segment : sequence of sequences of (str or None)
            Instead of `references`: the references of each segment.
        threads : int, optional
            At least 1; by default ``CHRFECT_THREADS``, else the cores this process may use.

        Returns
        -------
        Result
            With no segments held: memory does not grow with the corpus.

        Raises
        ------
        UsageError
            If numbers differ, a layout is not one of the three, or something is no text.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().corpus(["the cat sat", "hi"], ["the cat sat", "ho"]).score_text
        '96.632997'
        >>> ChrF().corpus(["cat"], {"refA": ["dog"], "refB": ["cat"]}).score
        100.0
        """
        aligned = align(hypotheses, references, references_per_segment)
        return Result(self, self._total(aligned, thread_number(threads)), len(aligned.hypotheses))

    def segments(
        self,
        hypotheses: Sequence[str],
        references: References | None = None,
        *,
        references_per_segment: Sequence[Sequence[str | None]] | None = None,
        threads: int | None = None,
    ) -> Segments:
        """Return the score of each segment; parameters and errors are those of :meth:`corpus`.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().segments(["the cat sat", "hi"], ["the cat sat", "ho"]).scores
        [100.0, 25.0]
        """
        return self._segments(align(hypotheses, references, references_per_segment), thread_number(threads))

    def both(
        self,
        hypotheses: Sequence[str],
        references: References | None = None,
        *,
        references_per_segment: Sequence[Sequence[str | None]] | None = None,
        threads: int | None = None,
    ) -> Result:
        """Return the corpus result with its segments, from one pass; parameters and errors are those of :meth:`corpus`.

        Examples
        --------
        >>> from chrfect import ChrF
        >>> result = ChrF().both(["the cat sat", "hi"], ["the cat sat", "ho"])
        >>> result.score_text, result.mean_segment_score, result.segments.scores
        ('96.632997', 62.5, [100.0, 25.0])
        """
        segments = self.segments(hypotheses, references, references_per_segment=references_per_segment, threads=threads)
        return Result(self, segments.total(), len(segments), segments=segments)

    def sentence(self, hypothesis: str, references: str | Sequence[str | None]) -> Result:
        """Return the score of one segment against one reference (a str) or several (a sequence).

        Examples
        --------
        >>> from chrfect import ChrF
        >>> ChrF().sentence("cat", "the cat sat on the mat").score
        14.88248583092228
        >>> ChrF().sentence("cat", ["dog", "cat"]).reference
        1
        """
        if type(hypothesis) is str and type(references) is str:
            return self._pair(hypothesis, references)
        hypothesis = check_text(hypothesis, "hypothesis")
        if isinstance(references, str):
            return self._pair(hypothesis, check_text(references, "references"))
        if not isinstance(references, Sequence) or isinstance(references, bytes) or not references:
            got = "empty" if references == [] or references == () else f"a {type(references).__name__}"
            raise UsageError(f"references is {got}; one text, or a list of at least one, was expected.")
        return self._segments(align((hypothesis,), None, (references,)), 1)[0]

    @property
    def segmental(self) -> Metric:
        """The metric that scores single segments, where they follow another rule than a corpus does."""
        return self

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the count columns."""

    @abstractmethod
    def score_of(self, values: Sequence[int], segment: bool = False) -> float:
        """Return the score of counts as sacreBLEU's float; a segment's may follow another rule than a corpus's."""

    @abstractmethod
    def text_of(self, values: Sequence[int], segment: bool = False) -> str:
        """Return the exact score of counts at six decimals."""

    @abstractmethod
    def fraction_of(self, values: Sequence[int]) -> Fraction:
        """Return the exact score of counts; UsageError where it is irrational."""

    @abstractmethod
    def orders_of(self, values: Sequence[int]) -> tuple[Order, ...]:
        """Return the orders of counts."""

    @abstractmethod
    def details_of(self, values: Sequence[int], segment: bool = False) -> dict[str, Any]:
        """Return what stands between counts and score, JSON-ready."""

    def means_of(self, values: Sequence[int]) -> tuple[Fraction, Fraction] | None:
        """Return precision and recall (0 to 100) that F is taken of; None where it is not taken of such a pair."""
        return None

    def scores_of(self, rows: Sequence[int]) -> list[float]:
        """Return the score of each row of a flattened table of segments."""
        width = len(self.columns)
        return [self.score_of(rows[at : at + width], True) for at in range(0, len(rows), width)]

    def score_array_of(self, rows: Sequence[int]) -> NDArray[float64]:
        """Return :meth:`scores_of` as a NumPy array."""
        import numpy as np

        return np.array(self.scores_of(rows))

    def texts_of(self, rows: Sequence[int]) -> list[str]:
        """Return the exact score of each row of a flattened table of segments at six decimals."""
        width = len(self.columns)
        return [self.text_of(rows[at : at + width], True) for at in range(0, len(rows), width)]

    @abstractmethod
    def _segments(self, aligned: Aligned, threads: int) -> Segments: ...

    def _pair(self, hypothesis: str, reference: str) -> Result:
        return self._segments(Aligned((hypothesis,), (reference,)), 1)[0]

    @abstractmethod
    def _total(self, aligned: Aligned, threads: int) -> list[int]: ...


def thread_number(threads: int | None) -> int:
    """Return how many threads to use: those asked for, or the default; at most ``MAX_THREADS``."""
    if threads is None:
        return min(default_threads(), MAX_THREADS)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise UsageError(f"threads is {threads!r}; a whole number of at least 1 was expected.")
    return min(threads, MAX_THREADS)
