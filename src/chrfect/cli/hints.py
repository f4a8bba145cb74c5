"""Hints for options of other tools and for missing commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

SACREBLEU = {
    "-w": "--decimals N",
    "--width": "--decimals N",
    "-lc": "-m 'BLEU(lowercase=yes)' or 'chrF(lowercase=yes)'",
    "-tok": "-m 'BLEU(tokenize=zh)'",
    "--tokenize": "-m 'BLEU(tokenize=zh)'",
    "--chrf-word-order": "-m chrF++ (word order 2) or 'chrF(word_order=1)'",
    "--chrf-char-order": "-m 'chrF(char_order=4)'",
    "--chrf-beta": "-m 'chrF(beta=3)'",
    "--chrf-lowercase": "-m 'chrF(lowercase=yes)'",
    "--chrf-whitespace": "-m 'chrF(whitespace=keep)'",
    "--chrf-eps-smoothing": "-m 'chrF(averaging=per_order_f)'",
    "--smooth-method": "-m 'BLEU(smoothing=floor)'",
    "-s": "-m 'BLEU(smoothing=floor)'",
    "-sl": "--segments",
    "--sentence-level": "--segments",
    "-b": "--format tsv, or --json and a program such as jq",
    "--score-only": "--format tsv, or --json and a program such as jq",
    "-nr": "one file for each reference: chrfect score ref1.txt ref2.txt -i hyp.txt",
    "--num-refs": "one file for each reference: chrfect score ref1.txt ref2.txt -i hyp.txt",
    "-f": "--format",
    "--confidence": "--intervals",
    "--confidence-n": "--intervals --trials N",
    "--paired-bs": "chrfect compare --test sacrebleu-bs",
    "--paired-ar": "chrfect compare --test sacrebleu-ar",
    "-t": "reference files; test sets are not downloaded",
    "--test-set": "reference files; test sets are not downloaded",
    "-l": "not needed: select the tokenizer for the language, as in -m 'BLEU(tokenize=zh)'",
    "--language-pair": "not needed: select the tokenizer for the language, as in -m 'BLEU(tokenize=zh)'",
}
"""Options of sacreBLEU and the equivalents of this program."""


def for_options(unknown: Sequence[str]) -> str:
    """Return a hint for the first unknown option that is one of sacreBLEU, or an empty string."""
    for option in unknown:
        name = option.partition("=")[0]
        if name in SACREBLEU:
            return (
                f" {name} is an option of sacreBLEU; here it is {SACREBLEU[name]}. `chrfect sacrebleu` takes "
                "sacreBLEU's arguments."
            )
    return ""


def for_command(word: str | None, rest: Sequence[str], commands: Iterable[str]) -> str:
    """Return a hint if the word is a file or similar to a command, or an empty string."""
    if word is not None and os.path.exists(word):
        return f" {word} is a file; did you mean `chrfect score {' '.join(rest)}`?"
    near = get_close_matches((word or "")[:60], list(commands), 1)
    return f" Did you mean `chrfect {near[0]}`?" if near else ""
