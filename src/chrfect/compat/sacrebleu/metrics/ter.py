"""sacreBLEU's TER."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from chrfect.compat.sacrebleu.metrics.base import Metric, Score, Signature, Streams
from chrfect.formulas import ter
from chrfect.metrics.base import Metric as ScoredMetric


class TERSignature(Signature):
    """The settings of a TER."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}
        self.info |= {
            "case": "mixed" if args["case_sensitive"] else "lc",
            "tok": args["tokenizer_signature"],
            "norm": args["normalized"],
            "punct": not args["no_punct"],
            "asian": args["asian_support"],
        }


class TERScore(Score):
    """A TER score with its edits and its reference length."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class TER(Metric):
    """TER with sacreBLEU's parameters.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive : bool
        As in :class:`chrfect.Ter`.
    references : sequence of sequences of (str or None), optional
        References to score against where a call passes none.
    compat : bool
        Whether signatures equal sacreBLEU's.

    Examples
    --------
    >>> TER().corpus_score(["the cat sat"], [["the cat sat down"]])
    TER = 25.00
    """

    _SIGNATURE_TYPE: ClassVar[type[Signature]] = TERSignature

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
        *,
        compat: bool = False,
    ) -> None:
        from chrfect.metrics.ter import Ter  # a command needs one of the metrics

        super().__init__(references, compat)
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer_signature = "tercom"
        self._ter = Ter(bool(normalized), bool(no_punct), bool(asian_support), bool(case_sensitive))

    @property
    def _metric(self) -> ScoredMetric:
        return self._ter

    def _score(self, values: Sequence[int], metric: ScoredMetric) -> TERScore:
        single = metric is self._ter  # with several references the length is a mean
        length = float(values[-1]) if single else metric.details(values)["reference_length"]
        return TERScore(metric.float_score(values), ter.edits(values), length)
