"""sacreBLEU's BLEU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any, ClassVar

from chrfect.compat.sacrebleu.metrics.base import Metric, Score, Signature, Streams, warn
from chrfect.errors import UsageError
from chrfect.metrics.base import Metric as ScoredMetric

MAX_NGRAM_ORDER = 4
_LOG_OF_ZERO = -9999999999
_MECAB = {"ja-mecab": "TokenizerJaMecab", "ko-mecab": "TokenizerKoMecab"}
_PERIODS = 100
"""The number of hypotheses ending in a separate period that cause the warning about tokenized text."""


def _get_tokenizer(name: str) -> Any:
    """Return the class of a tokenizer; private in sacreBLEU, but imported."""
    from chrfect.compat.sacrebleu.tokenizers import MODULES, Flores200Tokenizer

    if name in _MECAB:
        return _mecab(name)
    kinds = {kind.NAME: kind for of_module in MODULES.values() for kind in of_module}
    return {"spm": Flores200Tokenizer, **kinds}[name]


class BLEUSignature(Signature):
    """The settings of a BLEU."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "eff": "e", "tok": "tok", "smooth": "s"}
        smoothing = args["smooth_method"]
        default = BLEU.SMOOTH_DEFAULTS[smoothing]
        if default is not None:
            value = default if args["smooth_value"] is None else args["smooth_value"]
            smoothing += f"[{value:.2f}]"
        self.info |= {
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "yes" if args["effective_order"] else "no",
            "tok": args["tokenizer_signature"],
            "smooth": smoothing,
        }


class BLEUScore(Score):
    """A BLEU score with its counts, precisions and lengths."""

    def __init__(
        self,
        score: float,
        counts: list[int],
        totals: list[int],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.name = "BLEU"  # without super(), which would be a tenth of the time of a sentence
        self.score = score
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.ratio = sys_len / ref_len if ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions as they are printed."""
        return "/".join(f"{precision:.1f}" for precision in self.precisions)

    @property
    def _verbose(self) -> str:
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d}"
        return f"{self.prec_str} (BP = {self.bp:.3f} {lengths})"


class BLEU(Metric):
    """BLEU with sacreBLEU's parameters.

    Parameters
    ----------
    lowercase : bool
        Whether texts are lower-cased.
    force : bool
        Whether to leave out the warning about texts that look tokenized.
    tokenize : str, optional
        The tokenizer; by default that of `trg_lang`, or ``13a``.
    smooth_method : {"exp", "floor", "add-k", "none"}
        What replaces a precision of 0.
    smooth_value : float, optional
        The value of ``floor`` and ``add-k``.
    max_ngram_order : int
        The longest n-grams.
    effective_order : bool
        Whether to leave out the orders for which the hypothesis is too short.
    trg_lang : str
        The target language; chooses the tokenizer for ``zh``, ``ja`` and ``ko``.
    references : sequence of sequences of (str or None), optional
        References to score against where a call passes none.
    compat : bool
        Whether signatures equal sacreBLEU's.

    Examples
    --------
    >>> BLEU().corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]])
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
    """

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"
    TOKENIZERS: ClassVar[tuple[str, ...]] = (
        "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K",
    )  # fmt: skip
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _LANGUAGES: ClassVar[dict[str, str]] = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}
    _SIGNATURE_TYPE: ClassVar[type[Signature]] = BLEUSignature

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
        *,
        compat: bool = False,
    ) -> None:
        from chrfect.metrics.bleu import Bleu  # a command needs one of the metrics

        _check_smoothing(smooth_method)
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        best = self._TOKENIZER_MAP.get(trg_lang)
        if tokenize is not None and best is not None and tokenize != best:
            warn(f"Consider using the '{best}' or 'spm' tokenizer for {self._LANGUAGES[trg_lang]}.")
        self._tokenize = tokenize or best or self.TOKENIZER_DEFAULT
        if self._tokenize not in self.TOKENIZERS:
            raise KeyError(self._tokenize)
        self.tokenizer_signature = _tokenizer_signature(self._tokenize)
        self._bleu = Bleu(
            max_order=max_ngram_order,
            smoothing=smooth_method,  # type: ignore[arg-type]
            smoothing_value=smooth_value if self.SMOOTH_DEFAULTS[smooth_method] is not None else None,
            effective_order="always" if effective_order else "never",
            lowercase=bool(lowercase),
            tokenize="flores200" if self._tokenize == "spm" else self._tokenize,
        )
        super().__init__(references, compat)

    @property
    def tokenizer(self) -> Callable[[str], str]:
        """The tokenizer as a function from a text to its tokens, separated by spaces."""
        from chrfect.text.tokenizers import tokenizer

        split = tokenizer(self._bleu.tokenize, self._bleu.spm_model)
        return lambda text: " ".join(split(text))

    @property
    def _metric(self) -> ScoredMetric:
        return self._bleu

    @staticmethod
    def compute_bleu(
        correct: list[Any],
        total: list[Any],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Return BLEU from counts, with the operations of sacreBLEU in their order.

        Parameters
        ----------
        correct, total : list of int
            Matches and hypothesis n-grams of each order; ``add-k`` adds to them in place.
        sys_len, ref_len : int
            The lengths.
        smooth_method, smooth_value, effective_order, max_ngram_order
            As in :class:`BLEU`.
        """
        is_exp = smooth_method == "exp"
        adds = smooth_method == "add-k"
        value: Any = None
        if not is_exp:
            _check_smoothing(smooth_method)
            value = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
        penalty = 1.0
        if sys_len < ref_len:
            penalty = exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        precisions = [0.0] * max_ngram_order
        if not any(correct):
            return BLEUScore(0.0, correct, total, precisions, penalty, sys_len, ref_len)
        halvings, entering = 1.0, max_ngram_order
        for i in range(max_ngram_order):
            if adds and i:
                correct[i] += value
                total[i] += value
            ngrams = total[i]
            if ngrams == 0:
                break
            if effective_order:
                entering = i + 1
            matches = correct[i]
            if matches:
                precisions[i] = 100.0 * matches / ngrams
            elif is_exp:
                halvings *= 2
                precisions[i] = 100.0 / (halvings * ngrams)
            elif smooth_method == "floor":
                precisions[i] = 100.0 * value / ngrams
        if 0.0 in precisions:
            logarithms = [log(precision) if precision else _LOG_OF_ZERO for precision in precisions[:entering]]
        else:
            logarithms = [*map(log, precisions[:entering])]
        score = penalty * exp(sum(logarithms) / entering)
        return BLEUScore(score, correct, total, precisions, penalty, sys_len, ref_len)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """Return the score of one segment; as :meth:`Metric.sentence_score`, with sacreBLEU's advice."""
        if not self.effective_order:
            warn("It is recommended to enable `effective_order` for sentence-level BLEU.")
        score: BLEUScore = Metric.sentence_score(self, hypothesis, references)
        return score

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> BLEUScore:
        """Return the score of a corpus; as :meth:`Metric.corpus_score`, with sacreBLEU's warning about tokens."""
        score: BLEUScore = super().corpus_score(hypotheses, references, n_bootstrap)
        if not self._force and sum(text.endswith(" .") for text in hypotheses) >= _PERIODS:
            warn("That's 100 lines that end in a tokenized period ('.')")
            warn("It looks like you forgot to detokenize your test data, which may hurt your score.")
            warn(
                "If you insist your data is detokenized, or don't care, you can suppress this message with the "
                "`force` parameter."
            )
        return score

    def _score(self, values: Sequence[int], metric: ScoredMetric) -> BLEUScore:  # noqa: ARG002
        return self.compute_bleu(
            list(values[3::2]),
            list(values[2::2]),
            values[0],
            values[1],
            self.smooth_method,
            self.smooth_value,
            self.effective_order,
            self.max_ngram_order,
        )


def _check_smoothing(method: str) -> None:
    if method not in BLEU.SMOOTH_DEFAULTS:
        raise AssertionError(f"Unknown smooth_method {method!r}")


def _tokenizer_signature(name: str) -> str:
    """Return the tokenizer as sacreBLEU's signature names it: with its dictionary, for MeCab."""
    if name in _MECAB:
        signature: str = _mecab(name)().signature()
        return signature
    return "flores200" if name == "spm" else name


def _mecab(name: str) -> Any:
    """Return sacreBLEU's class of a tokenizer that uses MeCab."""
    try:
        from importlib import import_module

        module = import_module(f"sacrebleu.tokenizers.tokenizer_{name.replace('-', '_')}")
    except ImportError:
        raise UsageError(f"The tokenizer {name} needs sacreBLEU: pip install 'sacrebleu[{name[:2]}]'.") from None
    return getattr(module, _MECAB[name])
