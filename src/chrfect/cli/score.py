"""Score translations against references, one segment a line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

EXAMPLES = """\
examples:
  chrfect score reference.txt -i system.txt
  chrfect score reference.txt -i systemA.txt systemB.txt -m chrF chrF++ 'chrF(beta=3,lowercase=yes)'
  chrfect score reference.txt -i system.txt -m BLEU chrF 'BLEU(tokenize=zh)'
  chrfect score refA.txt refB.txt -i system.txt --json      several references: the best one of each segment counts
  translate < source.txt | chrfect score reference.txt --segments
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("references", nargs="+", metavar="REF", help="reference files; - is standard input")
    parser.add_argument(
        "-i",
        "--input",
        nargs="+",
        default=["-"],
        metavar="HYP",
        help="hypothesis files, one a system (default: standard input)",
    )
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        default=["chrF"],
        metavar="METRIC",
        help="chrF, chrF+, chrF++, wordF, BLEU, with parameters such as chrF++(beta=3) or BLEU(tokenize=zh) "
        "(default: chrF)",
    )
    parser.add_argument(
        "--spm-model",
        metavar="FILE",
        help="tokenize with this SentencePiece model for each BLEU that names no other tokenizer than 13a",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print everything behind the scores, in full precision")
    form.add_argument(
        "--segments",
        action="store_true",
        help="print one line a segment: its scores, systems first, then metrics, separated by tabs",
    )
    parser.add_argument("--decimals", type=int, metavar="N", help="decimals in the table (default: 2)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all cores)")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, score every system with every metric, and print."""
    from chrfect.cli.inputs import file_names, warn_of_marks
    from chrfect.errors import UsageError
    from chrfect.files.texts import read_aligned
    from chrfect.metrics import parse
    from chrfect.metrics.bleu import with_model
    from chrfect.metrics.family import score_corpus

    metrics = [parse(text) for text in arguments.metrics]
    if arguments.spm_model is not None:
        metrics = with_model(metrics, arguments.spm_model)
    decimals = 2 if arguments.decimals is None else arguments.decimals
    if not 0 <= decimals <= 15:
        raise UsageError(f"--decimals is {decimals}; a whole number from 0 to 15 was expected.")
    if arguments.decimals is not None and (arguments.json or arguments.segments):
        raise UsageError("--decimals is for the table; --json and --segments print full precision. Leave one out.")
    texts = read_aligned([*arguments.references, *arguments.input])
    number = len(arguments.references)
    references: Any = (
        texts[0] if number == 1 else dict(zip(file_names(arguments.references), texts[:number], strict=True))
    )
    warn_of_marks([*arguments.references, *arguments.input], texts)
    segments = arguments.json or arguments.segments
    results = {
        name: score_corpus(metrics, hypotheses, references, segments=segments, threads=arguments.threads)
        for name, hypotheses in zip(file_names(arguments.input), texts[number:], strict=True)
    }
    if arguments.json:
        _print_json(arguments.references, results)
    elif arguments.segments:
        _print_segments(results)
    else:
        _print_table(number, results, decimals)
    return 0


def _print_table(references: int, results: dict[str, list[Any]], decimals: int) -> None:
    from chrfect.report import Table

    first = next(iter(results.values()))
    rows: list[list[str | float]] = [
        [name, *(_clamped(result.score) for result in row)] for name, row in results.items()
    ]
    print(Table(["system", *(str(result.metric) for result in first)], rows, decimals).text())
    print()
    print(f"{_number(first[0].segment_count, 'segment')}, {_number(references, 'reference')}")
    for result in first:
        print(result.signature)


def _clamped(score: float) -> float:
    """Return the score without the rounding by which a float may exceed 100; BLEU's floor may exceed it in earnest."""
    return 100.0 if 100.0 < score < 100.000001 else score


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _print_json(references: Sequence[str], results: dict[str, list[Any]]) -> None:
    from chrfect import __version__
    from chrfect.cli.output import print_json

    document = {
        "version": __version__,
        "references": list(references),
        "systems": [{"system": name, "results": [result.to_dict() for result in row]} for name, row in results.items()],
    }
    print_json(document)


def _print_segments(results: dict[str, list[Any]]) -> None:
    columns = [result.segments.scores for row in results.values() for result in row]
    print("\n".join("\t".join(map(repr, row)) for row in zip(*columns, strict=True)))
