"""Score translations against references, one segment per line."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from chrfect.cli.systems import EPILOG, add_inputs, add_manifest
from chrfect.errors import quantity

if TYPE_CHECKING:
    from chrfect.cli.systems import Inputs
    from chrfect.evaluation import Evaluation

EXAMPLES = f"""\
examples:
  chrfect score reference.txt -i system.txt
  chrfect score reference.txt -i systemA.txt systemB.txt -m chrF chrF++ 'chrF(beta=3,lowercase=yes)'
  chrfect score reference.txt -i system.txt -m BLEU chrF 'BLEU(tokenize=zh)'
  chrfect score refA.txt refB.txt -i system.txt --json      several references: the best one of each segment is used
  chrfect score data.tsv#reference -i A=data.tsv#A B=data.tsv#B --intervals --format latex
  chrfect score reference.txt -i outputs/ --documents documents.txt --by reference-length
  translate < source.txt | chrfect score reference.txt --segments

{EPILOG}"""

FORMATS = ("table", "json", "tsv", "csv", "markdown", "latex")
WIDTH = 80
"""The maximum width of tables and their footers in columns; signatures have one line each."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    add_inputs(parser)
    add_manifest(parser)
    parser.add_argument(
        "--compat",
        choices=("sacrebleu", "chrF++.py", "nltk", "torchmetrics"),
        help="averaging, beta and corpus score as in this tool; see docs/compatibility.md",
    )
    parser.add_argument("--documents", metavar="FILE", help="the document of each segment, for document scores")
    parser.add_argument(
        "--by",
        nargs="+",
        metavar="length|reference-length|FILE",
        help="scores by length in characters, or by the labels in a file, one per segment",
    )
    parser.add_argument("--intervals", action="store_true", help="95%% bootstrap intervals over segments")
    parser.add_argument(
        "--interval-method", choices=("percentile", "bca"), default="percentile", help="(default: percentile)"
    )
    parser.add_argument("--level", type=float, default=0.95, help="confidence level of the intervals (default: 0.95)")
    parser.add_argument("--trials", type=int, default=1000, metavar="N", help="bootstrap resamples (default: 1000)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default: 12345)")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="output format (default: that of the extension of --output: .json, .tsv, .csv, .md or .tex; otherwise "
        "table, and with --segments numbers only)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print scores, precisions and counts in full precision")
    form.add_argument(
        "--segments",
        action="store_true",
        help="print one line per segment: its scores, by system and then by metric, separated by tabs",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--decimals", type=int, metavar="N", help="decimals in the table (default: 2)")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, score every system with every metric, and print the scores."""
    from chrfect.cli.output import FORMAT_BY_EXTENSION, write_output
    from chrfect.cli.systems import read_metrics
    from chrfect.errors import UsageError, shown

    metrics = _compatible(arguments, read_metrics(arguments))
    if arguments.format is None and arguments.output is not None and not arguments.json:
        arguments.format = FORMAT_BY_EXTENSION.get(os.path.splitext(arguments.output)[1].lower())
        if arguments.format == "html":
            raise UsageError(
                f"The output {shown(arguments.output)} names a page, which `chrfect compare` writes for several "
                "systems and `chrfect explain` for one; use another extension, or --format."
            )
    decimals = 2 if arguments.decimals is None else arguments.decimals
    if not 0 <= decimals <= 15:
        raise UsageError(f"--decimals is {decimals}; a whole number from 0 to 15 was expected.")
    if arguments.decimals is not None and (arguments.json or arguments.segments):
        raise UsageError(
            "--decimals applies to the table; --json and --segments print full precision. Omit one of them."
        )
    if arguments.json and arguments.format is not None:
        raise UsageError("--json and --format exclude each other. The documented format is --format json.")
    scored = _scored if arguments.manifest is None else _test_sets
    write_output(arguments.output, scored(arguments, metrics, decimals))
    return 0


def _scored(arguments: argparse.Namespace, metrics: list[Any], decimals: int) -> str:
    """Return the output for one test set."""
    from chrfect.cli.output import check_output
    from chrfect.cli.progress import bar
    from chrfect.cli.systems import read_inputs
    from chrfect.errors import UsageError

    inputs = read_inputs(arguments)
    if arguments.output is not None:
        check_output(arguments.output, inputs.paths)
    is_plain = _is_plain(arguments, inputs)
    if not is_plain and _is_macro(arguments):
        raise UsageError(
            f"--compat {arguments.compat} scores a corpus by the mean of its segments, which only the plain table has; "
            "omit the other options, or use --segments without --compat."
        )
    with bar("scoring"):
        return (_plain if is_plain else _evaluated)(arguments, inputs, metrics, decimals)


def _compatible(arguments: argparse.Namespace, metrics: list[Any]) -> list[Any]:
    if arguments.compat is None:
        return metrics
    from chrfect.metrics.compatibility import as_computed_by

    return [as_computed_by(arguments.compat, metric) for metric in metrics]


def _is_macro(arguments: argparse.Namespace) -> bool:
    from chrfect.metrics.compatibility import TOOLS

    return arguments.compat is not None and TOOLS[arguments.compat].macro


def _is_plain(arguments: argparse.Namespace, inputs: Inputs) -> bool:
    """Return whether only corpus scores are requested, which need no counts of segments."""
    from chrfect.evaluation.runs import Runs

    names = ("documents", "by", "intervals", "format", "normalize", "json", "segments")
    asked = any(getattr(arguments, name) for name in names)
    return not asked and not any(isinstance(texts, Runs) for texts in inputs.systems.values())


def _plain(arguments: argparse.Namespace, inputs: Inputs, metrics: list[Any], decimals: int) -> str:
    from chrfect.evaluation.notices import warn_of_scores, warn_of_texts
    from chrfect.evaluation.report.tables import clamped
    from chrfect.metrics.family import score_with_notices
    from chrfect.metrics.result import CorpusResult
    from chrfect.report.table import Table

    scored = {
        name: score_with_notices(
            metrics, texts, inputs.references, segments=_is_macro(arguments), threads=arguments.threads
        )
        for name, texts in inputs.systems.items()
    }
    results = {name: found for name, (found, _) in scored.items()}
    streams = inputs.references if isinstance(inputs.references, dict) else {"references": inputs.references}
    warn_of_texts(inputs.systems, streams, inputs.options.get("sources"))
    warn_of_scores({name: notices for name, (_, notices) in scored.items()})
    rows: list[list[str | float]] = [
        [
            name,
            *(one.mean_segment_score if isinstance(one, CorpusResult) else clamped(one.score) for one in row),
        ]
        for name, row in results.items()
    ]
    first = next(iter(results.values()))
    table = Table(["system", *map(str, metrics)], rows, decimals)
    footer = _footer(first[0].segment_count, inputs.reference_number, [result.signature for result in first])
    if _is_macro(arguments):
        footer += "\nscores are means of the scores of segments"
    return f"{table.text(WIDTH)}\n\n{footer}\n"


def _with_intervals(arguments: argparse.Namespace, found: Any) -> Any:
    """Return an evaluation, or evaluations of several test sets, with the intervals that the options request."""
    if not arguments.intervals:
        return found
    return found.with_intervals(
        arguments.interval_method,
        level=arguments.level,
        trials=arguments.trials,
        seed=arguments.seed,
        threads=arguments.threads,
    )


def _evaluated(arguments: argparse.Namespace, inputs: Inputs, metrics: list[Any], decimals: int) -> str:
    from chrfect.evaluation import evaluate

    found = evaluate(inputs.systems, inputs.references, metrics, **inputs.options)
    found = _with_intervals(arguments, found)
    if arguments.json:
        return _document(arguments, found)
    if arguments.segments:
        return _segments(found, arguments.format, decimals)
    return _formatted(found, arguments.format or "table", decimals, inputs.reference_number)


def _formatted(found: Evaluation, form: str, decimals: int, references: int) -> str:
    from chrfect.cli.output import delimited, json_text
    from chrfect.evaluation.report.tables import groups_table, scores_table

    if form == "json":
        return json_text(found.to_dict())
    if form in ("tsv", "csv"):
        groups = found.group_records()
        return delimited(groups or found.records(), form)
    tables = [scores_table(found, decimals)]
    tables += [
        groups_table(found, metric, name, decimals) for name in found.scores[0].groups for metric in found.metrics
    ]
    text = "\n\n".join(written(table, form) for table in tables)
    footer = _footer(found.segment_count, references, found.signatures)
    if found.scores[0].interval is not None:
        footer += f"\n{found.scores[0].interval}"
    if form == "latex":
        footer = "\n".join("% " + line for line in footer.splitlines())
    return f"{text}\n\n{footer}\n"


def written(table: Any, form: str) -> str:
    """Return a table in one of the formats table, markdown and latex."""
    return str({"table": lambda: table.text(WIDTH), "markdown": table.markdown, "latex": table.latex}[form]())


def _footer(segments: int, references: int, signatures: Any) -> str:
    return "\n".join([f"{quantity(segments, 'segment')}, {quantity(references, 'reference')}", *signatures])


def _document(arguments: argparse.Namespace, found: Evaluation) -> str:
    from chrfect import __version__
    from chrfect.cli.output import json_text

    number = len(found.metrics)
    scores = found.to_dict()["scores"]
    systems = []
    for place, name in enumerate(found.systems):
        of_system = scores[place * number : (place + 1) * number]
        results = [result for score in of_system for result in score["runs"]]
        extra = {
            key: [score[key] for score in of_system]
            for key, used in (("interval", found.scores[0].interval), ("groups", found.scores[0].groups))
            if used
        }
        systems.append({"system": name, "results": results, **extra})
    references = [*arguments.references, *arguments.named_references]
    return json_text({"version": __version__, "references": references, "systems": systems})


def _segments(found: Evaluation, form: str | None, decimals: int) -> str:
    from chrfect.cli.output import delimited, json_text
    from chrfect.report.table import Table

    columns = {
        f"{score.system} {score.metric}" + (f" run {run}" if len(score.runs) > 1 else ""): result.segments.scores
        for score in found.scores
        for run, result in enumerate(score.runs, 1)
    }
    rows = zip(*columns.values(), strict=True)
    if form is None:
        return "\n".join("\t".join(map(repr, row)) for row in rows) + "\n"
    records: list[dict[str, Any]] = [
        {"segment": number, **dict(zip(columns, row, strict=True))} for number, row in enumerate(rows, 1)
    ]
    if form == "json":
        return json_text(records)
    if form in ("tsv", "csv"):
        return delimited(records, form)
    table = Table(list(records[0]), [list(record.values()) for record in records], decimals)
    return f"{written(table, form)}\n"


def _test_sets(arguments: argparse.Namespace, metrics: list[Any], decimals: int) -> str:
    """Return the output for the test sets of a manifest."""
    from dataclasses import replace

    from chrfect.cli.output import check_output, delimited, json_text
    from chrfect.cli.progress import bar
    from chrfect.cli.systems import read_manifest
    from chrfect.errors import UsageError
    from chrfect.evaluation import evaluate_sets
    from chrfect.evaluation.groups import BY_LENGTH
    from chrfect.evaluation.report.tables import groups_table, scores_table

    by = arguments.by or []
    if arguments.documents is not None or set(by) - set(BY_LENGTH):
        raise UsageError(
            "--documents and --by FILE apply to one test set. With --manifest, name the files of each test set in it, "
            'as "documents": "documents.txt", "by": ["labels.txt"].'
        )
    if arguments.segments:
        raise UsageError("--segments applies to one test set; omit --manifest, and name the files of one test set.")
    sets, paths = read_manifest(arguments, by)
    if arguments.output is not None:
        check_output(arguments.output, paths)
    with bar("scoring"):
        found = evaluate_sets(sets, metrics, threads=arguments.threads)
        found = _with_intervals(arguments, found)
    form = "json" if arguments.json else arguments.format or "table"
    if form == "json":
        return json_text(found.to_dict())
    if form in ("tsv", "csv"):
        grouped = [
            {"test_set": name} | record for name, one in found.evaluations.items() for record in one.group_records()
        ]
        return delimited(grouped or found.records(), form)
    tables = [_sets_table(found, metric, decimals) for metric in metrics]
    for name, one in found.evaluations.items():
        detailed = [scores_table(one, decimals)] if arguments.intervals else []
        detailed += [groups_table(one, metric, kind, decimals) for kind in one.scores[0].groups for metric in metrics]
        tables += [replace(table, caption=f"{name}: {table.caption}".removesuffix(": ")) for table in detailed]
    text = "\n\n".join(written(table, form) for table in tables) + "\n"
    signatures = next(iter(found.evaluations.values())).signatures
    return text + "\n" + "\n".join(("% " if form == "latex" else "") + signature for signature in signatures) + "\n"


def _sets_table(found: Any, metric: Any, decimals: int) -> Any:
    from chrfect.report.table import Table

    means = found.means()
    systems = list(dict.fromkeys(name for one in found.evaluations.values() for name in one.systems))
    rows = [
        [
            name,
            *(one.score(name, metric).score if name in one.systems else None for one in found.evaluations.values()),
            means.get((name, str(metric))),
        ]
        for name in systems
    ]
    return Table(["system", *found.evaluations, "mean"], rows, decimals, str(metric))
