"""Explain a signature: the parameters of the metric, and how to repeat the measurement."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from textwrap import wrap

WIDTH, NARROWEST = 80, 20

EXAMPLES = """\
examples:
  chrfect signature "$(chrfect score reference.txt -i system.txt | tail -n 1)"
  chrfect signature 'chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0'      of sacreBLEU
  chrfect signature 'chrF++(beta=3)'
"""

MEANINGS = {
    "references": "the number of references of each segment",
    "char_order": "the maximum order of character n-grams",
    "word_order": "the maximum order of word n-grams",
    "beta": "the weight of recall relative to precision",
    "lowercase": "whether texts are lower-cased",
    "whitespace": "whether whitespace is removed before characters are counted",
    "averaging": "F of the averaged precision and recall, or the average of F over all orders",
    "unreferenced": "whether n-grams of an order that the reference lacks are ignored or counted; count_matched also "
    "ignores references that share no character with the hypothesis",
    "unit": "the unit of a character",
    "max_order": "the maximum order of token n-grams",
    "smoothing": "the value for orders without a matching n-gram",
    "smoothing_value": "the parameter of the smoothing",
    "effective_order": "where orders longer than the hypothesis are ignored",
    "tokenize": "the tokenizer with its version",
    "normalized": "whether punctuation is split off",
    "no_punct": "whether punctuation is removed",
    "asian_support": "whether Chinese and Japanese characters are words",
    "case_sensitive": "whether upper and lower case differ",
    "lowercase_unicode": "the version of Unicode that lower-casing follows",
    "grapheme_unicode": "the version of Unicode that graphemes follow",
    "normalize": "the Unicode normalization form of the texts",
    "version": "the program and its version",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("signature", metavar="STRING", help="a signature of chrfect or sacreBLEU, or a metric's name")


def run(arguments: argparse.Namespace) -> int:
    """Print the meaning of the signature."""
    from chrfect.metrics import parse
    from chrfect.metrics.foreign import from_sacrebleu
    from chrfect.report.table import Table

    text = arguments.signature.strip()
    foreign = from_sacrebleu(text)
    metric = parse(text) if foreign is None else parse(foreign)
    signature = text if foreign is None and "|" in text else metric.signature
    if foreign is not None:
        print(f"This is a signature of sacreBLEU. The equivalent metric is {metric}\n")
    parts = [part.partition(":") for part in signature.split("|")[1:]]
    head, *rows = _rows([("parameter", "value", "meaning"), *((k, v, MEANINGS.get(k, "")) for k, _, v in parts)])
    print(f"{metric}\n\n{Table(head, rows).text()}")
    print(f"\nRepeat the measurement: chrfect score REF -i HYP -m '{metric}'")
    return 0


def _rows(rows: Sequence[tuple[str, str, str]]) -> Iterator[list[str]]:
    """Yield the rows with their last cells broken into lines, so that the table fits."""
    beside = sum(max(map(len, column)) + 2 for column in list(zip(*rows, strict=True))[:2])
    for name, value, meaning in rows:
        first, *rest = wrap(meaning, max(WIDTH - beside, NARROWEST)) or [""]
        yield [name, value, first]
        yield from (["", "", line] for line in rest)
