"""Explain a signature: what was measured, and how to measure it again."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  chrfect signature 'chrF|references:1|char_order:6|word_order:0|beta:2|...'
  chrfect signature 'chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0'      sacreBLEU's
  chrfect signature 'chrF++(beta=3)'
"""

MEANINGS = {
    "references": "how many references each segment has",
    "char_order": "the longest n-grams of characters",
    "word_order": "the longest n-grams of words",
    "beta": "how many times more recall weighs than precision",
    "lowercase": "whether texts are lower-cased first",
    "whitespace": "whether whitespace is taken out before characters are counted",
    "averaging": "average precision and recall, then take F; or average the F of all orders",
    "unreferenced": "whether n-grams of an order that the reference lacks are dropped or counted",
    "unit": "what a character is",
    "max_order": "the longest n-grams of tokens",
    "smoothing": "what is put where no n-gram of an order matches",
    "smoothing_value": "the value that the smoothing puts or adds",
    "effective_order": "where orders for which a hypothesis is too short are left out",
    "tokenize": "the tokenizer, with its version",
    "normalize": "the Unicode form that the texts were brought into",
    "version": "the program that computed it",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("signature", metavar="STRING", help="a signature of chrfect or sacreBLEU, or a metric's name")


def run(arguments: argparse.Namespace) -> int:
    """Print what the signature says."""
    from chrfect.metrics import parse
    from chrfect.metrics.foreign import from_sacrebleu
    from chrfect.report.table import Table

    text = arguments.signature.strip()
    foreign = from_sacrebleu(text)
    metric = parse(text) if foreign is None else parse(foreign)
    signature = text if foreign is None and "|" in text else metric.signature
    if foreign is not None:
        print(f"A signature of sacreBLEU. The same metric here: {metric}\n")
    parts = [part.partition(":") for part in signature.split("|")[1:]]
    print(Table([str(metric), "value", "meaning"], [[k, v, MEANINGS.get(k, "")] for k, _, v in parts]).text())
    print(f"\nMeasure it again: chrfect score REF -i HYP -m '{metric}'")
    return 0
