"""Select translations by minimum Bayes risk: the candidate with the best expected score against the others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from chrfect.cli.engine import add_engine, check_engine

if TYPE_CHECKING:
    from chrfect.matrices.mbr import Progress, Selected
    from chrfect.metrics import Metric

EXAMPLES = """\
examples:
  chrfect mbr samples.jsonl > translations.txt                   one list of candidates and one translation per line
  chrfect mbr samples.jsonl -m chrF++ --top 5 -o best.jsonl
  chrfect mbr samples.parquet#candidates --weights samples.parquet#probabilities
  chrfect mbr beams.jsonl --references samples.jsonl -m BLEU
  chrfect mbr samples.jsonl --method aggregate                   against the mean n-gram counts of all candidates
  chrfect mbr samples.jsonl --engine ray --address auto          on the Ray cluster of this machine

inputs:
  JSONL whose lines are lists or objects with a list, or Parquet with a column of lists, optionally compressed.
  FILE#COLUMN selects the key or the column; - is standard input. Line i of each file is source i. Identical candidates
  are counted once, with the sum of their weights. Among candidates with equal utilities the first is selected.
"""

SOURCES = 256
"""The number of sources that are decoded between writes to the output."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("candidates", metavar="CANDIDATES", help="a list of candidates for each source")
    parser.add_argument("-m", "--metric", default="chrF", metavar="METRIC", help="the utility (default: chrF)")
    parser.add_argument(
        "--references", metavar="FILE", help="a list of pseudo-references for each source (default: the candidates)"
    )
    parser.add_argument("--weights", metavar="FILE", help="a list of weights of the pseudo-references for each source")
    parser.add_argument("--top", type=int, metavar="K", help="write the K best candidates as JSONL")
    parser.add_argument(
        "--method",
        choices=("exact", "aggregate"),
        default="exact",
        help="score against each pseudo-reference, or approximately against their mean n-gram counts (default: exact)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "jsonl"),
        help="one translation per line, or objects with index and utility (default: text; with --top, jsonl)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all cores)")
    add_engine(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the lists, select candidates, and print them."""
    from chrfect.cli.output import check_output, write_output
    from chrfect.cli.progress import bar
    from chrfect.errors import UsageError
    from chrfect.files.lists import read_lists
    from chrfect.files.texts import split_column
    from chrfect.metrics import parse

    check_engine(arguments)
    metric, form = parse(arguments.metric), arguments.format or ("text" if arguments.top is None else "jsonl")
    if form == "text" and arguments.top not in (None, 1):
        raise UsageError("--format text writes one translation per line; omit --format to write the K best as JSONL.")
    files = {name: getattr(arguments, name) for name in ("candidates", "references", "weights")}
    paths = [split_column(file)[0] for file in files.values() if file is not None]
    if paths.count("-") > 1:
        raise UsageError("- (standard input) is given more than once; it can only be read once.")
    if arguments.output is not None:
        check_output(arguments.output, paths)
    lists = {name: read_lists(file) for name, file in files.items() if file is not None}
    number = len(lists["candidates"])
    for name, others in lists.items():
        if len(others) != number:
            raise UsageError(
                f"{files['candidates']} has {number:,} lists and {files[name]} has {len(others):,}; one list for each "
                "source was expected."
            )
    with bar("decoding") as draw:
        pieces = [_line(choices, form) for choices in _decoded(arguments, metric, files, lists, draw)]
    write_output(arguments.output, "".join(pieces))
    unfinished = _unfinished(arguments)
    if unfinished is not None:
        from chrfect.engines.count import forget

        forget(unfinished)
    return 0


def _unfinished(arguments: argparse.Namespace) -> str | None:
    """Return the folder in which a run on a cluster keeps the results of complete tasks."""
    if arguments.engine is None or arguments.output is None:
        return None
    from chrfect.engines.data import UNFINISHED

    return str(arguments.output + UNFINISHED)


def _decoded(
    arguments: argparse.Namespace, metric: Metric, files: dict[str, Any], lists: dict[str, Any], draw: Progress | None
) -> Iterator[list[Selected]]:
    """Yield the best candidates of each source, decoded on this machine or on a cluster."""
    from chrfect.errors import UsageError

    settings = {"top": 1 if arguments.top is None else arguments.top, "method": arguments.method}
    if arguments.engine == "ray":
        from chrfect.matrices import ray

        try:
            places = {"address": arguments.address, "unfinished": _unfinished(arguments)}
            yield from ray.select(metric, **lists, **settings, **places, progress=draw)
        except UsageError as error:
            raise UsageError(_named(str(error), files, 0)) from None
        return
    from chrfect.matrices.mbr import select

    number = len(lists["candidates"])
    for first in range(0, number, SOURCES):
        part = {name: values[first : first + SOURCES] for name, values in lists.items()}
        progress = None if draw is None else lambda done, _, first=first: draw(first + done, number)
        try:
            yield from select(metric, **part, **settings, threads=arguments.threads, progress=progress)
        except UsageError as error:
            raise UsageError(_named(str(error), files, first)) from None


def _line(choices: list[Selected], form: str) -> str:
    import json

    from chrfect.errors import without_surrogates

    if form == "text":
        return choices[0].text.replace("\r", " ").replace("\n", " ") + "\n"
    best = [{"text": choice.text, "index": choice.index, "utility": choice.utility} for choice in choices]
    return without_surrogates(json.dumps({"selected": best}, ensure_ascii=False)) + "\n"


def _named(message: str, files: dict[str, Any], first: int) -> str:
    """Return a message with the file and the line instead of ``candidates[3]``."""
    import re

    def place(found: re.Match[str]) -> str:
        return f"{files[found[1]]}: list {first + int(found[2]) + 1}"

    return re.sub(r"^(candidates|references|weights)\[(\d+)\]", place, message)
