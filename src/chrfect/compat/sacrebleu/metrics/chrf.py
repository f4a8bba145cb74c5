"""sacreBLEU's CHRF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from chrfect.compat.sacrebleu.metrics.base import Metric, Score, Signature, Streams
from chrfect.metrics.base import Metric as ScoredMetric


class CHRFSignature(Signature):
    """The settings of a CHRF."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "eff": "e", "nc": "nc", "nw": "nw", "space": "s"}
        self.info |= {
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "no" if args["eps_smoothing"] else "yes",
            "nc": args["char_order"],
            "nw": args["word_order"],
            "space": "yes" if args["whitespace"] else "no",
        }


class CHRFScore(Score):
    """A chrF score with the parameters that its name states."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order


class CHRF(Metric):
    """chrF and chrF++ with sacreBLEU's parameters.

    Parameters
    ----------
    char_order, word_order : int
        The longest n-grams of each kind; word order 2 is chrF++.
    beta : int
        How many times more recall weighs than precision.
    lowercase : bool
        Whether texts are lower-cased.
    whitespace : bool
        Whether whitespace counts as characters.
    eps_smoothing : bool
        Whether to average the F-score of each order with an epsilon, as chrF++.py does.
    references : sequence of sequences of (str or None), optional
        References to score against where a call passes none.
    compat : bool
        Whether signatures equal sacreBLEU's.

    Examples
    --------
    >>> metric = CHRF(word_order=2)
    >>> metric.corpus_score(["the cat sat"], [["the cat sat down"]])
    chrF2++ = 68.36
    >>> str(CHRF(compat=True, references=[["a"]]).get_signature())
    'nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0'
    """

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2
    _SIGNATURE_TYPE: ClassVar[type[Signature]] = CHRFSignature

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
        *,
        compat: bool = False,
    ) -> None:
        from chrfect.metrics.chrf import ChrF  # a command needs one of the metrics

        super().__init__(references, compat)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        self._chrf = ChrF(
            char_order,
            word_order,
            beta,
            lowercase=bool(lowercase),
            whitespace="keep" if whitespace else "remove",
            averaging="per_order_f" if eps_smoothing else "mean_precision_recall",
        )

    @property
    def _metric(self) -> ScoredMetric:
        return self._chrf

    def _score(self, values: Sequence[int], metric: ScoredMetric) -> CHRFScore:
        return CHRFScore(metric.float_score(values), self.char_order, self.word_order, self.beta)
