"""Names of sacreBLEU's interface, and what to write here."""

from __future__ import annotations

import sys
from typing import Any

ATTRIBUTES = {
    "corpus_score": "corpus(hypotheses, references)",
    "sentence_score": "sentence(hypothesis, references)",
    "get_signature": "the attribute signature",
}
PARAMETERS = {
    "eps_smoothing": "averaging='per_order_f'",
    "remove_whitespace": "whitespace='remove'",
    "smooth_method": "smoothing",
    "smooth_value": "smoothing_value",
    "max_ngram_order": "max_order",
    "use_effective_order": "effective_order='always'",
    "trg_lang": "tokenize, such as 'zh'",
    "force": "a filter for warnings of the class chrfect.ChrfectWarning",
    "references": "an argument of corpus and sentence, and of chrfect.Evaluator, which scores several systems",
    "n_bootstrap": "chrfect.evaluate(systems, references, metrics).with_intervals(trials=N)",
}
VALUES: dict[str, dict[Any, str]] = {
    "whitespace": {True: "'keep'", False: "'remove'"},
    "effective_order": {True: "'always'", False: "'never'"},
    "tokenize": {None: "'13a'"},
}
RESULTS = {
    "format": "a format such as f'{result:.2f}'",
    "bp": "to_dict()['brevity_penalty']",
    "precisions": "[order.precision for order in result.orders]",
    "prec_str": "[order.precision for order in result.orders]",
    "totals": "[order.hypothesis_ngrams for order in result.orders]",
    "sys_len": "to_dict()['hypothesis_length']",
    "ref_len": "to_dict()['reference_length']",
    "ratio": "the quotient of to_dict()['hypothesis_length'] and to_dict()['reference_length']",
    "num_edits": "to_dict()['edits']",
    "ref_length": "to_dict()['reference_length']",
    "name": "the attribute metric",
    "char_order": "metric.char_order",
    "word_order": "metric.word_order",
    "beta": "metric.beta",
}
_NO_DOWNLOADS = "not available: chrfect downloads no test sets; save them with sacrebleu -t SET -l PAIR --echo src ref"
_NO_COUNTERS = "not available: chrfect counts n-grams in its kernel; see the method count and chrfect.explain"
_SCORES = "Result"
_TOKENIZER = "the parameter tokenize of Bleu, or chrfect.register_tokenizer"

DOWNLOADS = (
    "download_file",
    "download_test_set",
    "extract_tarball",
    "filter_subset",
    "get_available_origlangs",
    "get_available_subsets",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_md5sum",
    "get_reference_files",
    "get_source_file",
    "print_test_set",
)
"""The functions of sacreBLEU that need its catalogue of test sets."""

PUBLIC = {
    "CHRF": "ChrF",
    "BLEU": "Bleu",
    "TER": "Ter",
    "METRICS": "the function chrfect.parse, such as parse('chrF++')",
    "Score": _SCORES,
    "BLEUScore": _SCORES,
    "CHRFScore": _SCORES,
    "TERScore": _SCORES,
    "Signature": "the attribute signature of metrics and results",
    "BLEUSignature": "the attribute signature of metrics and results",
    "CHRFSignature": "the attribute signature of metrics and results",
    "TERSignature": "the attribute signature of metrics and results",
    "corpus_chrf": "ChrF().corpus",
    "corpus_bleu": "Bleu().corpus",
    "corpus_ter": "Ter().corpus",
    "raw_corpus_bleu": "Bleu(smoothing='floor', effective_order='always', tokenize='none').corpus",
    "sentence_chrf": "ChrF().sentence",
    "sentence_bleu": "Bleu().sentence",
    "sentence_ter": "Ter().sentence",
    "corpus_score": "ChrF().corpus",
    "sentence_score": "ChrF().sentence",
    "significance": "chrfect.evaluate(systems, references, metrics).compare()",
    "PairedTest": "chrfect.evaluate(systems, references, metrics).compare()",
    "estimate_ci": "chrfect.evaluate(systems, references, metrics).with_intervals()",
    "helpers": _NO_COUNTERS,
    "lib_ter": "Ter",
    "translation_edit_rate": "Ter().sentence",
    "trace_to_alignment": "chrfect.explain with Ter()",
    "BeamEditDistance": "Ter",
    **dict.fromkeys(
        (
            "extract_word_ngrams",
            "extract_char_ngrams",
            "extract_all_word_ngrams",
            "extract_all_char_ngrams",
        ),
        _NO_COUNTERS,
    ),
    **dict.fromkeys(
        (
            "tokenizers",
            "BaseTokenizer",
            "NoneTokenizer",
            "Tokenizer13a",
            "TokenizerRegexp",
            "TokenizerV14International",
            "TokenizerChar",
            "TokenizerZh",
            "TokenizerJaMecab",
            "TokenizerKoMecab",
            "TokenizerSPM",
            "Flores101Tokenizer",
            "Flores200Tokenizer",
            "spBLEU1KTokenizer",
            "SPM_MODELS",
        ),
        _TOKENIZER,
    ),
    "TercomTokenizer": "the parameters of Ter",
    "smart_open": "not available: open a file with open or gzip.open; the commands read compressed files",
    "my_log": "math.log",
    "sum_of_lists": "the method sum of a table of counts",
    "Color": "not available: tables are printed without colours",
    **dict.fromkeys(
        ("print_results_table", "print_single_results", "print_subset_results", "args_to_dict", "sanity_check_lengths"),
        "not available: the command chrfect sacrebleu prints what sacrebleu prints",
    ),
    **dict.fromkeys(
        (
            "DATASETS",
            "SUBSETS",
            "COUNTRIES",
            "DOMAINS",
            "Dataset",
            "FakeSGMLDataset",
            "IWSLTXMLDataset",
            "PlainTextDataset",
            "TSVDataset",
            "WMTXMLDataset",
            "WMTAdditionDataset",
            "SACREBLEU_DIR",
            "USERHOME",
            "dataset",
            "utils",
            *DOWNLOADS,
        ),
        _NO_DOWNLOADS,
    ),
}


def hint(names: dict[str, str], name: str) -> str:
    """Return a sentence about a name of sacreBLEU; empty for other names."""
    if name not in names:
        return ""
    here = "" if names[name].startswith("not available") else " here"
    return f" sacreBLEU's {name} is {names[name]}{here}; chrfect.compat.sacrebleu has sacreBLEU's own names."


def value_hint(name: str, value: object) -> str:
    """Return a sentence about a value that a parameter has in sacreBLEU; empty for other values."""
    if isinstance(value, bool | None) and value in VALUES.get(name, ()):
        return f" sacreBLEU's {name}={value} is {name}={VALUES[name][value]} here."
    return ""


def missing(module: str, name: str) -> AttributeError | ImportError:
    """Return the error for a name that a package does not have.

    It is an ImportError in ``from package import name``, which would replace the message of an AttributeError. The
    caller is called by ``__getattr__`` of the package.
    """
    message = f"module {module!r} has no attribute {name!r}.{hint(PUBLIC, name)}"
    if name in PUBLIC and sys._getframe(3).f_code.co_name == "_handle_fromlist":
        return ImportError(message, name=module)
    return AttributeError(message, name=name)


class ForeignName:
    """An attribute of sacreBLEU's classes; reading it raises AttributeError with what to write instead.

    A ``__getattr__`` could do this as well, but makes every other attribute of the class slower.
    """

    def __init__(self, names: dict[str, str], name: str) -> None:
        self._names, self._name = names, name

    def __get__(self, instance: object, owner: type) -> None:
        message = f"{owner.__name__!r} has no attribute {self._name!r}.{hint(self._names, self._name)}"
        raise AttributeError(message, name=self._name, obj=instance)


def refuse_names(owner: type, names: dict[str, str]) -> None:
    """Make each of these names an attribute of a class that raises AttributeError."""
    for name in names:
        setattr(owner, name, ForeignName(names, name))


def check_parameters(kind: type, given: dict[str, Any]) -> None:
    """Raise TypeError for a parameter of sacreBLEU that the metric does not have."""
    for name in given:
        if name in PARAMETERS and name not in getattr(kind, "__dataclass_fields__", ()):
            raise TypeError(f"{kind.__name__} has no parameter {name!r}.{hint(PARAMETERS, name)}")
