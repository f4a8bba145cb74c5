"""Hints for options of other tools and for missing commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_NO_SETS = "not available, because test sets are not downloaded: name reference files"

SACREBLEU = {
    ("-w", "--width"): "--decimals N",
    ("-lc", "--lowercase"): "-m 'BLEU(lowercase=yes)' or 'chrF(lowercase=yes)'",
    ("-tok", "--tokenize"): "-m 'BLEU(tokenize=zh)'",
    ("-s", "--smooth-method"): "-m 'BLEU(smoothing=floor)'",
    ("-sv", "--smooth-value"): "-m 'BLEU(smoothing=floor,smoothing_value=0.5)'",
    ("--force",): "not needed: a warning about tokenized texts does not change the score",
    ("-cc", "--chrf-char-order"): "-m 'chrF(char_order=4)'",
    ("-cw", "--chrf-word-order"): "-m chrF++ (word order 2) or 'chrF(word_order=1)'",
    ("--chrf-beta",): "-m 'chrF(beta=3)'",
    ("--chrf-whitespace",): "-m 'chrF(whitespace=keep)'",
    ("--chrf-lowercase",): "-m 'chrF(lowercase=yes)'",
    ("--chrf-eps-smoothing",): "-m 'chrF(averaging=per_order_f)'",
    ("--ter-case-sensitive",): "-m 'TER(case_sensitive=yes)'",
    ("--ter-asian-support",): "-m 'TER(normalized=yes,asian_support=yes)'",
    ("--ter-no-punct",): "-m 'TER(no_punct=yes)'",
    ("--ter-normalized",): "-m 'TER(normalized=yes)'",
    ("-sl", "--sentence-level"): "chrfect score --segments",
    ("-b", "--score-only"): "--format tsv, or --json and a program such as jq",
    ("-nr", "--num-refs"): "one file for each reference (chrfect score ref1.txt ref2.txt -i hyp.txt), or "
    "--reference-separator",
    ("-e", "--encoding"): "not available: files are UTF-8; convert them with a program such as iconv",
    ("-f",): "--format",
    ("-ci", "--confidence"): "chrfect score --intervals",
    ("-cin", "--confidence-n"): "chrfect score --intervals --trials N",
    ("-pbs", "--paired-bs"): "chrfect compare --test sacrebleu-bs",
    ("-par", "--paired-ar"): "chrfect compare --test sacrebleu-ar",
    ("-pbsn", "--paired-bs-n", "-parn", "--paired-ar-n"): "chrfect compare --test sacrebleu-bs --trials N",
    ("-j", "--paired-jobs"): "--threads N",
    ("-q", "--quiet"): "not needed: messages go to standard error, which 2>/dev/null discards",
    ("-sh", "--short"): "not available: signatures have one form, which `chrfect signature` explains",
    ("-nc", "--no-color"): "not needed: scores are printed without colours",
    ("-d", "--detail"): "--by FILE, with the original language or the domain of each segment",
    ("-V", "--version"): "chrfect --version",
    ("-t", "--test-set"): f"{_NO_SETS}, or use `chrfect sacrebleu -t`, which reads sacreBLEU's cache",
    ("-ol", "--origlang"): f"{_NO_SETS}; or --by FILE, with the original language of each segment",
    ("--subset",): f"{_NO_SETS}; or --by FILE, with the label of each segment",
    ("--download",): _NO_SETS,
    ("--echo",): _NO_SETS,
    ("--list",): _NO_SETS,
    ("--citation", "--cite"): "not available for test sets; `chrfect cite` prints how to cite the metrics",
    ("-l", "--language-pair"): "not needed: select the tokenizer for the language, as in -m 'BLEU(tokenize=zh)'",
}
"""Options of sacreBLEU and the equivalents of this program."""


def for_options(unknown: Sequence[str]) -> str:
    """Return a hint for the first unknown option that is one of sacreBLEU, or an empty string."""
    for option in unknown:
        name = option.partition("=")[0]
        for names, meaning in SACREBLEU.items():
            if name in names:
                here = "" if meaning.startswith("not ") else "here "
                return (
                    f" {name} is an option of sacreBLEU; {here}it is {meaning}. `chrfect sacrebleu` takes sacreBLEU's "
                    "arguments."
                )
    return ""


def for_command(word: str | None, rest: Sequence[str], commands: Iterable[str]) -> str:
    """Return a hint if the word is a file or similar to a command, or an empty string."""
    if word is not None and os.path.exists(word):
        return f" {word} is a file; did you mean `chrfect score {' '.join(rest)}`?"
    near = get_close_matches((word or "")[:60], list(commands), 1)
    return f" Did you mean `chrfect {near[0]}`?" if near else ""
