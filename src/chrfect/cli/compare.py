"""Compare systems: differences with intervals, significance tests, corrections and ranks."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from chrfect.cli.score import FORMATS, WIDTH, written
from chrfect.cli.systems import EPILOG, add_inputs, add_manifest
from chrfect.errors import quantity

if TYPE_CHECKING:
    from chrfect.evaluation import Comparison
    from chrfect.evaluation.contrast import Contrast

WHERE = 10
"""How many segments and n-grams of each kind --where prints."""

EXAMPLES = f"""\
examples:
  chrfect compare reference.txt -i systemA.txt systemB.txt systemC.txt             all pairs, with ranks
  chrfect compare reference.txt -i base.txt new.txt --baseline base.txt            all systems with a baseline
  chrfect compare reference.txt -i base.txt new.txt -m chrF BLEU --test sacrebleu-ar
  chrfect compare reference.txt -i A=run1.txt,run2.txt B=run3.txt,run4.txt --format latex
  chrfect compare --manifest sets.json -m chrF++
  chrfect compare reference.txt -i A.txt B.txt --where                   by length, by segment, and by matched n-grams
  chrfect compare reference.txt -i A.txt B.txt --documents documents.txt --by domain.txt --where 20
  chrfect compare reference.txt -i A.txt B.txt --source source.txt -o report.html      one HTML page
  chrfect compare reference.txt -i A.txt B.txt --figures figures         the figures as SVG, PNG and PDF

A difference is the score of the system minus that of the baseline. † marks differences whose corrected p-value is at
most 1 - level. docs/evaluation.md describes the tests and their error rates.

{EPILOG}"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    add_inputs(parser)
    add_manifest(parser)
    parser.add_argument("--documents", metavar="FILE", help="the document of each segment, for --where and pages")
    parser.add_argument(
        "--by",
        nargs="+",
        metavar="FILE",
        help="files of labels, one per segment, for --where and pages; reference lengths are always included",
    )
    parser.add_argument(
        "--where",
        type=int,
        nargs="?",
        const=WHERE,
        metavar="N",
        help="also print where the systems of each pair differ: by length, document and label; the N segments with the "
        f"most influence, gain and loss; and N n-grams that only one of them matches (default: {WHERE})",
    )
    parser.add_argument("--figures", metavar="FOLDER", help="also write all figures as SVG, PNG and PDF to this folder")
    parser.add_argument("--title", default="", metavar="TEXT", help="the title of the page")
    parser.add_argument("--baseline", metavar="NAME", help="compare all systems with this one (default: all pairs)")
    parser.add_argument(
        "--test",
        choices=("randomization", "sacrebleu-ar", "sacrebleu-bs"),
        default="randomization",
        help="paired approximate randomization, or one of sacreBLEU's tests with its random numbers and p-values "
        "(default: randomization)",
    )
    parser.add_argument(
        "--trials", type=int, metavar="N", help="trials of the test (default: 10000; sacrebleu-bs: 1000)"
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, metavar="N", help="bootstrap resamples for intervals (default: 1000)"
    )
    parser.add_argument(
        "--interval-method", choices=("percentile", "bca"), default="percentile", help="(default: percentile)"
    )
    parser.add_argument("--level", type=float, default=0.95, help="confidence level of the intervals (default: 0.95)")
    parser.add_argument(
        "--correction",
        choices=("none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"),
        default="holm",
        help="correction of p-values for all pairs of a metric; decides significance and ranks (default: holm)",
    )
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the test (default: 12345)")
    parser.add_argument(
        "--format",
        choices=(*FORMATS, "html"),
        help="output format; html is one page with all segments (default: that of the extension of --output: .html, "
        ".json, .tsv, .csv, .md or .tex; otherwise table)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--decimals", type=int, default=2, metavar="N", help="decimals in tables (default: 2)")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, compare the systems by every metric, and print the results."""
    from chrfect.cli.output import FORMAT_BY_EXTENSION, check_output, write_output
    from chrfect.cli.progress import bar
    from chrfect.cli.systems import read_inputs, read_manifest, read_metrics
    from chrfect.errors import UsageError
    from chrfect.evaluation import evaluate, evaluate_sets

    metrics = read_metrics(arguments)
    extension = os.path.splitext(arguments.output or "")[1].lower()
    form = arguments.format or FORMAT_BY_EXTENSION.get(extension, "table")
    if arguments.where is not None and arguments.where < 1:
        raise UsageError(f"--where is {arguments.where}; a whole number of at least 1 was expected.")
    if arguments.where is not None and form in ("tsv", "csv"):
        raise UsageError(f"--where has several tables, and {form} has one; use --format json, table or markdown.")
    if arguments.figures is not None:
        from chrfect.report import figures

        if not figures.available():
            raise UsageError(figures.MISSING)
    if not 0 <= arguments.decimals <= 15:
        raise UsageError(f"--decimals is {arguments.decimals}; a whole number from 0 to 15 was expected.")
    settings = {
        "test": arguments.test,
        "trials": arguments.trials,
        "resamples": arguments.resamples,
        "method": arguments.interval_method,
        "level": arguments.level,
        "correction": arguments.correction,
        "seed": arguments.seed,
        "threads": arguments.threads,
    }
    if arguments.manifest is not None:
        if form == "html" or arguments.figures is not None or arguments.where is not None:
            raise UsageError(
                "Pages, --figures and --where apply to one test set; name its files instead of --manifest."
            )
        sets, paths = read_manifest(arguments)
        with bar("comparing"):
            found = evaluate_sets(sets, metrics, threads=arguments.threads).compare(arguments.baseline, **settings)
    else:
        inputs = read_inputs(arguments)
        paths = inputs.paths
        with bar("comparing"):
            evaluation = evaluate(inputs.systems, inputs.references, metrics, **inputs.options)
            found = {"": evaluation.compare(arguments.baseline, **settings)}
    if arguments.output is not None:
        check_output(arguments.output, paths)
    if arguments.figures is not None:
        from chrfect.evaluation.report.figures import write_figures

        with bar("drawing"):
            write_figures(found[""], arguments.figures)
    if form == "html":
        write_output(arguments.output, _page(found[""], arguments.title))
    else:
        where = [] if arguments.where is None else _where(found[""], arguments)
        write_output(arguments.output, _formatted(found, form, arguments.decimals, where))
    return 0


def _page(comparison: Comparison, title: str) -> str:
    from chrfect.cli.progress import bar
    from chrfect.evaluation.report.page import comparison_page

    with bar("shading") as progress:
        return comparison_page(comparison, title, progress)


def _where(comparison: Comparison, arguments: argparse.Namespace) -> list[Contrast]:
    from chrfect.cli.progress import bar
    from chrfect.evaluation.where import Contrasts
    from chrfect.metrics.base import thread_number

    settings: dict[str, Any] = {"trials": arguments.resamples, "level": arguments.level, "seed": arguments.seed}
    threads = thread_number(arguments.threads)
    with bar("locating the differences"):
        shared = {
            str(metric): Contrasts(comparison.evaluation, metric, threads=threads, **settings)
            for metric in comparison.evaluation.metrics
        }
        return [
            shared[str(found.metric)].pair(found.baseline, found.system, arguments.where)
            for found in comparison.differences
        ]


def _formatted(found: dict[str, Comparison], form: str, decimals: int, where: list[Contrast]) -> str:
    from chrfect.cli.output import delimited, json_text
    from chrfect.evaluation.sets import mean_differences
    from chrfect.report.table import Table

    if form == "json":
        if list(found) == [""]:
            extra = {"where": [contrast.to_dict() for contrast in where]} if where else {}
            return json_text(found[""].to_dict() | extra)
        sets = {name: comparison.to_dict() for name, comparison in found.items()}
        return json_text({"test_sets": sets, "mean_differences": mean_differences(found)})
    if form in ("tsv", "csv"):
        records: list[dict[str, Any]] = [
            ({"test_set": name} if name else {}) | record
            for name, comparison in found.items()
            for record in comparison.records()
        ]
        if len(found) > 1:
            records += [{"test_set": "mean"} | record for record in _means(found, list(records[0])[1:])]
        return delimited(records, form)
    texts = [_tables(name, comparison, form, decimals) for name, comparison in found.items()]
    if len(found) > 1:
        rows = [list(record.values()) for record in mean_differences(found)]
        means = Table(["metric", "baseline", "system", "difference"], rows, decimals, "mean over test sets", keys=3)
        texts.append(written(means, form) + "\n")
    if where:
        from chrfect.evaluation.report.tables import contrast_tables, counts_table

        tables = [counts_table(found[""].evaluation), *(t for one in where for t in contrast_tables(one, decimals))]
        texts.append("\n\n".join(written(table, form) for table in tables) + "\n")
    return "\n".join(texts)


def _means(found: dict[str, Comparison], columns: list[str]) -> list[dict[str, Any]]:
    """Return the mean differences as rows of the table of differences; the other cells are empty."""
    from chrfect.evaluation.sets import mean_differences

    return [dict.fromkeys(columns) | record for record in mean_differences(found)]


def _intervals(scores: str, differences: str) -> list[str]:
    if scores == differences:
        return [f"intervals: {scores}"]
    return [f"intervals of scores: {scores}", f"intervals of differences: {differences}"]


def _tables(name: str, comparison: Comparison, form: str, decimals: int) -> str:
    from dataclasses import replace
    from textwrap import wrap

    from chrfect.evaluation.human import CITATION
    from chrfect.evaluation.report.tables import CORRECTED, MARK, comparison_tables

    tables = comparison_tables(comparison, decimals)
    if name:
        tables = [replace(table, caption=f"{name}, {table.caption}") for table in tables]
    first = comparison.evaluation.scores[0]
    level = f"{1 - comparison.level:.3g}"
    segments = quantity(comparison.evaluation.segment_count, "segment")
    footer = [
        f"{segments}. {MARK}: {CORRECTED[comparison.correction]} is at most {level}.",
        f"p: {comparison.test}, {comparison.trials:,} trials, seed {comparison.seed}",
        *_intervals(str(first.interval), str(comparison.differences[0].interval)),
    ]
    if any(difference.human_agreement is not None for difference in comparison.differences):
        footer.append(f"humans %: share of pairs where humans prefer the same, {CITATION}")
    footer = [part for line in footer for part in wrap(line, WIDTH, subsequent_indent="  ")]
    footer += comparison.evaluation.signatures
    if form == "latex":
        footer = [f"% {line}" for line in footer]
    text = "\n\n".join(written(table, form) for table in tables)
    return f"{text}\n\n" + "\n".join(footer) + "\n"
