"""Explain a score: matched, missed and invented n-grams and their positions."""

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
  chrfect explain refA.txt refB.txt -i system.txt --segment 3 -m BLEU
  chrfect explain reference.txt -i system.txt --segment 3 -m TER    the edits, with shifts
  chrfect explain reference.txt -i system.txt --segment 3 -o why.html
  chrfect explain reference.txt -i system.txt --worst 10            the segments with the lowest scores
  chrfect explain reference.txt -i A.txt B.txt --segment 3          several systems, one after another
  chrfect explain reference.txt -i A.txt B.txt --worst 10 -o worst.html
  chrfect explain reference.txt -i system.txt --format json | jq .missed

The default metric is chrF++, which also counts words, so that missing words are shown as words; the default of
`chrfect score` is chrF. The output begins with the metric and ends with its signature.

On a terminal, texts are coloured; NO_COLOR=1 disables and FORCE_COLOR=1 enables colours. Without colours, marks are
printed below the characters. COLUMNS sets the width.
"""
SHOWN = 10
"""The default number of entries in a list."""
TEXT_SHOWN = 2_000
"""The maximum number of code points of a text that a terminal shows."""


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
        help="the hypothesis files, one per system (default: standard input)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--segment", type=int, metavar="N", help="explain this segment, the first being 1 (default: the whole corpus)"
    )
    which.add_argument(
        "--worst",
        type=int,
        metavar="N",
        help="explain the N segments with the worst scores, the worst first; of several systems, by their mean",
    )
    parser.add_argument(
        "-m",
        "--metric",
        default="chrF++",
        metavar="METRIC",
        help="chrF, chrF+, chrF++, wordF, BLEU, TER, with parameters such as chrF++(beta=3) (default: chrF++)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "html", "json"),
        help="output format (default: the extension of --output, or text)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the output file, ending in .txt, .md, .html or .json (default: -, standard output)",
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=SHOWN,
        metavar="N",
        help=f"maximum number of entries in each list (default: {SHOWN})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the files, explain the score, and write the explanation."""
    from chrfect.cli.inputs import file_names, warn_of_byte_order_marks
    from chrfect.cli.output import check_output
    from chrfect.cli.progress import bar
    from chrfect.explanation.report import file_format
    from chrfect.files.texts import read_aligned
    from chrfect.metrics import parse

    metric = parse(arguments.metric)
    paths = [*arguments.references, *arguments.input]
    output = None if arguments.output == "-" else arguments.output
    form = arguments.format or file_format(output or "")
    if output is not None:
        check_output(output, paths)
    texts = read_aligned(paths)
    warn_of_byte_order_marks(paths, texts)
    names = file_names(arguments.references)
    references, systems = texts[: len(names)], texts[len(names) :]
    titles = file_names(arguments.input)
    number = len(texts[0])
    chosen = None
    if arguments.worst is not None:
        with bar("scoring"):
            chosen = _worst(metric, references, names, systems, arguments.worst)
    elif arguments.segment is not None or number == 1:
        chosen = [1 if arguments.segment is None else arguments.segment]
    parts: list[tuple[str, Explanation | CorpusExplanation]] = []
    if chosen is None:
        for title, system in zip(titles, systems, strict=True):
            parts.append((title, _corpus(metric, [*references, system], names, arguments.limit)))
    else:
        with bar("explaining") as progress:
            for done, segment in enumerate(chosen):
                if progress is not None:
                    progress(done, len(chosen))
                for title, system in zip(titles, systems, strict=True):
                    why = _segment(metric, [*references, system], names, segment, arguments.limit, form)
                    parts.append((f"segment {segment} of {title}", why))
    _write(_rendered(parts, form, output), output)
    return 0


def _worst(
    metric: Metric,
    references: Sequence[Sequence[str]],
    names: Sequence[str],
    systems: Sequence[Sequence[str]],
    number: int,
) -> list[int]:
    """Return the numbers, from 1, of the segments with the worst mean scores."""
    from chrfect.errors import UsageError

    if number < 1:
        raise UsageError(f"--worst is {number}; a whole number of at least 1 was expected.")
    given = references[0] if len(references) == 1 else dict(zip(names, references, strict=True))
    scores = [metric.segments(system, given).scores for system in systems]
    sums = [sum(of_segment) for of_segment in zip(*scores, strict=True)]
    sign = -1 if metric.lower_is_better else 1
    return [i + 1 for i in sorted(range(len(sums)), key=lambda i: sign * sums[i])[:number]]


def _segment(
    metric: Metric, texts: Sequence[Sequence[str]], names: Sequence[str], segment: int, limit: int, form: str
) -> Explanation:
    from chrfect.errors import UsageError
    from chrfect.explanation import TEXT_LIMIT, explain

    number = len(texts[0])
    if not 1 <= segment <= number:
        many = f"{number:,} segments: use 1 to {number:,}" if number > 1 else "one segment: use 1"
        raise UsageError(f"--segment is {segment}, but the files have {many}.")
    *references, hypothesis = (side[segment - 1] for side in texts)
    shown = TEXT_SHOWN if form == "text" else TEXT_LIMIT
    return explain(metric, hypothesis, dict(zip(names, references, strict=True)), limit=limit, text_limit=shown)


def _corpus(metric: Metric, texts: Sequence[Sequence[str]], names: Sequence[str], limit: int) -> CorpusExplanation:
    from chrfect.cli.progress import bar
    from chrfect.explanation import explain_corpus

    *references, hypotheses = texts
    given = references[0] if len(references) == 1 else dict(zip(names, references, strict=True))
    with bar("explaining") as progress:
        return explain_corpus(metric, hypotheses, given, limit=limit, progress=progress)


def _rendered(parts: Sequence[tuple[str, Explanation | CorpusExplanation]], form: str, output: str | None) -> str:
    from chrfect.explanation.report import render, render_several, terminal

    encoding = _encoding(output)
    if form != "text":
        ascii_only = encoding.lower() not in ("utf-8", "utf8")
        if len(parts) > 1:
            return render_several(parts, form, ascii_only)
        return render(parts[0][1], form, parts[0][0], ascii_only)
    if output is not None:
        return "\n\n".join(terminal(why, title) for title, why in parts)
    import shutil

    from chrfect.report.colour import colours

    depth = colours(os.environ, sys.stdout.isatty())
    columns = shutil.get_terminal_size().columns
    return "\n\n".join(terminal(why, title, columns, depth, encoding) for title, why in parts)


def _write(text: str, output: str | None) -> None:
    """Write to a file or to standard output; escape characters that its encoding does not have."""
    encoding = _encoding(output)
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    if output is not None:
        from chrfect.files.save import write_text

        write_text(output, text)
    else:
        sys.stdout.write(text)


def _encoding(output: str | None) -> str:
    return "utf-8" if output is not None else sys.stdout.encoding or "utf-8"
