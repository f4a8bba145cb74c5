"""Show why a score is what it is: what matched, was missed, was invented, and where."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chrfect.explanation.value import CorpusExplanation, Explanation
    from chrfect.metrics import Metric

EXAMPLES = """\
examples:
  chrfect explain reference.txt -i system.txt                       the whole corpus
  chrfect explain reference.txt -i system.txt --segment 3           one segment, its texts shaded
  chrfect explain refA.txt refB.txt -i system.txt --segment 3 -m chrF++
  chrfect explain reference.txt -i system.txt --segment 3 -o why.html
  chrfect explain reference.txt -i system.txt --format json | jq .missed

Colours are used on a terminal; NO_COLOR=1 turns them off, FORCE_COLOR=1 on. In a pipe, marks take their place.
"""
FORMATS = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
SHOWN = 10
"""How many runs, or n-grams, of a kind are listed."""
TEXT_SHOWN = 2_000
"""How many code points of a text are shown in a terminal."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("references", nargs="+", metavar="REF", help="reference files; - is standard input")
    parser.add_argument(
        "-i", "--input", default="-", metavar="HYP", help="the hypothesis file (default: standard input)"
    )
    parser.add_argument(
        "--segment", type=int, metavar="N", help="explain this segment, the first being 1 (default: the whole corpus)"
    )
    parser.add_argument(
        "-m",
        "--metric",
        default="chrF++",
        metavar="METRIC",
        help="chrF, chrF+, chrF++, wordF, BLEU, with parameters such as chrF++(beta=3) (default: chrF++)",
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="how to write it (default: what --output ends with, else text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: -, standard output)")
    parser.add_argument(
        "--limit", type=int, default=SHOWN, metavar="N", help=f"how many of each list to show (default: {SHOWN})"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the files, explain, and write."""
    from chrfect.cli.inputs import file_names, warn_of_marks
    from chrfect.files.lines import read_aligned
    from chrfect.metrics import parse

    metric = parse(arguments.metric)
    paths = [*arguments.references, arguments.input]
    texts = read_aligned(paths)
    warn_of_marks(paths, texts)
    names = file_names(arguments.references)
    output = None if arguments.output == "-" else arguments.output
    form = arguments.format or _form(output)
    title = file_names([arguments.input])[0]
    number = len(texts[0])
    segment = 1 if arguments.segment is None and number == 1 else arguments.segment
    why: Explanation | CorpusExplanation
    if segment is None:
        why = _corpus(metric, texts, names, arguments.limit)
    else:
        why = _segment(metric, texts, names, segment, arguments.limit, form)
        title = f"segment {segment} of {title}"
    _write(_written(why, title, form, output), output)
    return 0


def _segment(
    metric: Metric, texts: Sequence[Sequence[str]], names: Sequence[str], segment: int, limit: int, form: str
) -> Explanation:
    from chrfect.errors import UsageError
    from chrfect.explanation import TEXT_LIMIT, explain

    number = len(texts[0])
    if not 1 <= segment <= number:
        many = f"{number:,} segments: 1 to {number:,} can be had" if number > 1 else "one segment, 1"
        raise UsageError(f"--segment is {segment}, but the files have {many}.")
    *references, hypothesis = (side[segment - 1] for side in texts)
    shown = TEXT_SHOWN if form == "text" else TEXT_LIMIT
    return explain(metric, hypothesis, references, names=names, limit=limit, text_limit=shown)


def _corpus(metric: Metric, texts: Sequence[Sequence[str]], names: Sequence[str], limit: int) -> CorpusExplanation:
    from chrfect.cli.progress import bar
    from chrfect.explanation import explain_corpus

    *references, hypotheses = texts
    given = references[0] if len(references) == 1 else dict(zip(names, references, strict=True))
    with bar("explaining") as progress:
        return explain_corpus(metric, hypotheses, given, limit=limit, progress=progress)


def _form(output: str | None) -> str:
    endings = {ending: form for form, ending in FORMATS.items()} | {".htm": "html"}
    return endings.get(os.path.splitext(output or "")[1].lower(), "text")


def _written(why: Explanation | CorpusExplanation, title: str, form: str, output: str | None) -> str:
    if form == "json":
        import json

        plain = _encoding(output).lower() not in ("utf-8", "utf8")
        return json.dumps(why.to_dict(), ensure_ascii=plain, indent=2) + "\n"
    from chrfect.report.explanation import document, terminal

    if form == "text":
        import shutil

        from chrfect.report.colour import Colours, colours

        shown = sys.stdout.isatty() and output is None
        depth = colours(os.environ, shown) if output is None else Colours.NONE
        return terminal(why, title, shutil.get_terminal_size().columns if shown else 80, depth)
    paper = document(why, title)
    return paper.html() if form == "html" else paper.markdown()


def _write(text: str, output: str | None) -> None:
    """Write to a file, or to standard output; what the encoding cannot say is escaped."""
    encoding = _encoding(output)
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    if output is not None:
        from chrfect.files.save import write_text

        write_text(output, text)
    else:
        sys.stdout.write(text)


def _encoding(output: str | None) -> str:
    return "utf-8" if output is not None else sys.stdout.encoding or "utf-8"
