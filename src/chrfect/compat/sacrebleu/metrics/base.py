"""What sacreBLEU's metrics have in common: scores, signatures, and the calls."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from chrfect._version import __version__
from chrfect.compat.sacrebleu.version import version
from chrfect.errors import UsageError
from chrfect.metrics.base import Metric as ScoredMetric
from chrfect.metrics.base import thread_number
from chrfect.metrics.names import signature_value
from chrfect.metrics.references import Aligned, align

if TYPE_CHECKING:
    from chrfect.counts import CountTable

DEFAULT_SEED = "12345"


configure_logging: Callable[[], None] | None = None
"""What the command calls before the first message; importing `logging` would slow it down."""


def log(level: str, message: str) -> None:
    """Log a message as sacreBLEU does; the level is the name of a method of a logger."""
    import logging

    if configure_logging is not None:
        configure_logging()
    getattr(logging.getLogger("sacrebleu"), level)(message)


def warn(message: str) -> None:
    """Log a warning as sacreBLEU does."""
    log("warning", message)


Streams = Sequence[Sequence[str | None]]
"""References as sacreBLEU takes them: one list for each reference set, with a text (or None) for each segment."""


class TextTypeError(UsageError, TypeError, AttributeError):
    """Something is not a text; sacreBLEU raises TypeError or AttributeError, depending on its tokenizer."""


class Score:
    """A score with its printed form.

    Parameters
    ----------
    name : str
        The name of the metric.
    score : float
        The score.
    """

    _mean = -1.0
    _ci = -1.0

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score

    @property
    def _verbose(self) -> str:
        """What is printed behind the score."""
        return ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the score as sacreBLEU prints it.

        Parameters
        ----------
        width : int
            The number of decimals.
        score_only : bool
            Whether to return the number alone, unless `is_json`.
        signature : str
            The signature to print with it.
        is_json : bool
            Whether to return JSON; needs a signature.
        """
        number = f"{self.score:.{width}f}"
        shown = number
        interval = {}
        if self._mean > 0:
            center, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            text = f"μ = {center} ± {half}"
            shown = f"{number} ({text})"
            interval = {"confidence_mean": float(center), "confidence_var": float(half), "confidence": text}
        if score_only:
            return shown
        if is_json:
            import json

            parts = dict(part.split(":", 1) for part in signature.split("|"))
            verbose = {"verbose_score": self._verbose} if self._verbose else {}
            head = {"name": self.name, "score": float(number), "signature": signature}
            return json.dumps({**head, **interval, **verbose, **parts}, indent=1, ensure_ascii=False)
        title = f"{self.name}|{signature}" if signature else self.name
        return f"{title} = {shown}" + (f" {self._verbose}" if self._verbose else "")

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Keep the mean and the 95 % interval of the scores of resamples."""
        from statistics import mean

        ordered = sorted(score.score for score in scores)
        cut = len(ordered) // 40
        self._ci = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])
        self._mean = mean(ordered)

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """The settings of a measurement in sacreBLEU's form, with ``impl`` naming this package.

    Parameters
    ----------
    args : dict
        The attributes of a metric that has scored something.
    """

    abbreviations: ClassVar[dict[str, str]] = {
        "version": "v",
        "nrefs": "#",
        "test": "t",
        "lang": "l",
        "subset": "S",
        "origlang": "o",
        "bs": "bs",
        "ar": "ar",
        "seed": "rs",
        "impl": "impl",
    }

    def __init__(self, args: dict[str, Any]) -> None:
        if "num_refs" not in args:
            raise ValueError("Number of references unknown, please evaluate the metric first.")
        number = args["num_refs"]
        self._abbr = dict(self.abbreviations)
        self.info: dict[str, Any] = {
            "version": version,
            "impl": None if args.get("compat") else f"chrfect-{__version__}",
            "nrefs": "var" if number == -1 else number,
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }

    def format(self, short: bool = False) -> str:
        """Return the signature as text, with short names of its parts if `short`."""
        last = ("version", "impl")
        names = [*(name for name in self.info if name not in last), *last]
        stated = [(name, self.info[name]) for name in names if self.info[name] is not None]
        return "|".join(f"{self._abbr[name] if short else name}:{signature_value(value)}" for name, value in stated)

    def update(self, key: str, value: Any) -> None:
        """Add a part, or replace its value."""
        self.info[key] = value

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return self.format()


class Metric(ABC):
    """The calls of sacreBLEU's metrics, with the counts and scores of this package.

    Parameters
    ----------
    references : sequence of sequences of (str or None), optional
        References to score against where a call passes none.
    compat : bool
        Whether signatures leave out the name of this package, and so equal sacreBLEU's.
    """

    _SIGNATURE_TYPE: ClassVar[type[Signature]] = Signature

    def __init__(self, references: Streams | None, compat: bool) -> None:
        self.compat = compat
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._references: Streams | None = None
        if references is not None:
            self._references = _lists(references)
            for text in chain.from_iterable(self._references):
                if not isinstance(text, str | None):
                    raise TextTypeError(f"references has a {type(text).__name__}; a str or None was expected.")
            self.num_refs = _number(self._references)

    @property
    @abstractmethod
    def _metric(self) -> ScoredMetric:
        """The metric that counts and scores; this object applies the same rule to segments and to corpora."""

    @abstractmethod
    def _score(self, values: Sequence[int], metric: ScoredMetric) -> Any:
        """Return the score object of a row of counts."""

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> Any:
        """Return the score of a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
            One text for each segment.
        references : sequence of sequences of (str or None)
            One list for each reference set; None takes those passed to the constructor.
        n_bootstrap : int
            Above 1, the number of resamples for a 95 % interval.

        Raises
        ------
        TypeError, IndexError, RuntimeError
            Where sacreBLEU raises them.
        UsageError
            If a reference set has more or fewer texts than there are hypotheses.
        """
        self._check_corpus(hypotheses, references)
        aligned = self._aligned(hypotheses, references)
        metric = self._metric
        if n_bootstrap > 1:
            return self._with_interval(metric._chosen(aligned, thread_number(None)), metric, n_bootstrap)
        if metric.adds_in_order and aligned.starts is not None:
            return self._summed(metric._chosen(aligned, thread_number(None)), metric)
        values, recipe = metric._sum(aligned, thread_number(None))
        return self._score(values, metric if recipe is None else metric.for_recipe(recipe))

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> Any:
        """Return the score of one segment against one or more references.

        Raises
        ------
        TypeError, IndexError
            Where sacreBLEU raises them.
        """
        metric = self._metric
        if type(hypothesis) is str and type(references) is list and len(references) == 1 and type(references[0]) is str:
            self.num_refs = 1
            return self._score(metric.count_pair(hypothesis, references[0]), metric)
        self._check_sentence(hypothesis, references)
        aligned = self._aligned([hypothesis], [[reference] for reference in references])
        return self._summed(metric._chosen(aligned, 1), metric)

    def get_signature(self) -> Signature:
        """Return the signature; ValueError before the first score."""
        return self._SIGNATURE_TYPE(self.__dict__)

    def _table(self, hypotheses: Sequence[str], references: Streams | None) -> CountTable:
        """Return the counts of a corpus, one row for each segment."""
        self._check_corpus(hypotheses, references)
        return self._metric._chosen(self._aligned(hypotheses, references), thread_number(None))

    def _summed(self, table: CountTable, metric: ScoredMetric) -> Any:
        return self._score(table.sum().values, metric.for_sum(table))

    def _with_interval(self, table: CountTable, metric: ScoredMetric, trials: int) -> Any:
        from chrfect.compat.sacrebleu.significance import resampled_interval

        score = self._summed(table, metric)
        self.n_bootstrap = trials
        seed = os.environ.get("SACREBLEU_SEED", DEFAULT_SEED)
        self.seed = seed.lower()
        score._mean, score._ci = resampled_interval(table, metric, trials, seed)
        return score

    def _aligned(self, hypotheses: Sequence[str], references: Streams | None) -> Aligned:
        """Set hypotheses and reference streams side by side, and keep the number of references for the signature."""
        streams = _lists(references) if references else self._references
        if not streams:
            raise RuntimeError("No references provided and the cache is empty.")
        if len(streams[0]) != len(hypotheses):
            raise UsageError(_lengths_message(len(hypotheses), streams))
        self.num_refs = _number(streams)
        try:
            if len(streams) == 1 and self.num_refs == 1:
                return align(hypotheses, streams[0])  # type: ignore[arg-type]
            return align(hypotheses, None, list(zip(*streams, strict=True)))
        except UsageError as error:
            if all(isinstance(text, str | None) for text in chain(hypotheses, *streams)):
                raise
            raise TextTypeError(str(error)) from None

    def _check_corpus(self, hypotheses: Any, references: Any) -> None:
        message = None
        if not isinstance(hypotheses, Sequence):
            message = "`hyps` should be a sequence of strings."
        elif not isinstance(hypotheses[0], str):
            message = "Each element of `hyps` should be a string."
        elif any(text is None for text in hypotheses):
            message = "Undefined line in hypotheses stream!"
        if references is not None:
            if not isinstance(references, Sequence):
                message = "`refs` should be a sequence of sequence of strings."
            elif not isinstance(references[0], Sequence):
                message = "Each element of `refs` should be a sequence of strings."
            elif not isinstance(references[0][0], str) and references[0][0] is not None:
                message = "`refs` should be a sequence of sequence of strings."
        if message:
            raise TypeError(f"{type(self).__name__}: {message}")

    def _check_sentence(self, hypothesis: Any, references: Any) -> None:
        message = None
        if not isinstance(hypothesis, str):
            message = "The argument `hyp` should be a string."
        elif isinstance(references, str) or not isinstance(references, Sequence):
            message = "The argument `refs` should be a sequence of strings."
        elif not isinstance(references[0], str) and references[0] is not None:
            message = "Each element of `refs` should be a string."
        if message:
            raise TypeError(f"{type(self).__name__}: {message}")


def _lists(streams: Streams) -> list[Sequence[str | None]]:
    """Return reference sets as sequences of one length; UsageError where sacreBLEU would use a part of them only."""
    given = list(streams)
    if any(isinstance(stream, str) for stream in given):
        raise UsageError(
            "A reference set is a str, of which sacreBLEU would take each character for a reference; pass a list "
            "of lists: [references]."
        )
    lists = [stream if isinstance(stream, Sequence) else list(stream) for stream in given]
    if len({len(stream) for stream in lists}) > 1:
        raise UsageError(
            f"The reference sets have {', '.join(str(len(stream)) for stream in lists)} texts; each needs one text, "
            "or None, for each segment. sacreBLEU would drop the last segments of the longer ones."
        )
    return lists


def _number(streams: Sequence[Sequence[str | None]]) -> int:
    """Return how many references each segment has; -1 if that varies."""
    if len(streams) == 1 and type(None) not in set(map(type, streams[0])):  # pandas.NA equals nothing
        return 1 if streams[0] else -1
    numbers = {sum(text is not None for text in row) for row in zip(*streams, strict=True)}
    return numbers.pop() if len(numbers) == 1 else -1


def _lengths_message(hypotheses: int, streams: Sequence[Sequence[str | None]]) -> str:
    transposed = (
        " They look like one list for each segment; pass one list for each reference set: list(zip(*references))."
        if len(streams) == hypotheses
        else ""
    )
    return (
        f"There are {hypotheses} hypotheses, and {len(streams)} reference sets of {len(streams[0])} texts; each set "
        f"needs one text, or None, for each hypothesis. sacreBLEU would score a part of them only.{transposed}"
    )
