"""Compare metrics with human ratings: agreement, confidence intervals, and tests between metrics."""

from __future__ import annotations

import argparse
from typing import Any

EXAMPLES = """\
examples:
  segments of one table, metrics computed from its texts:
    chrfect correlate en-de.mqm.tsv --human mqm --references ref_A --metrics chrF chrF++ BLEU --group item
  scores from a table, one column for each metric:
    chrfect correlate scores.csv --human da --scores chrF COMET --statistic kendall-b accuracy-calibrated --group item
  files of the WMT evaluation tool:
    chrfect correlate --ratings en-de.mqm.seg.score --scores chrF=chrF-refA.seg.score BLEU=BLEU-refA.seg.score
  systems, from a wide table of texts (one column for each system):
    chrfect correlate --ratings DA-syslevel.tsv --human da --only gu-en --texts newstest2019.gu-en.tsv \\
        --references reference --metrics chrF chrF++ --statistic pearson accuracy --level system

A table is .tsv (no quoting), .csv, .jsonl or .parquet. A table with a column of systems is long: one row for each
score. Without this column, a file of --ratings or --scores is wide: one row for each item, one column for each
system. WMT's files are recognised by their suffixes: .seg.score, .sys.score, .seg.rating (two columns, or the six to
nine of the metrics task). Ratings can also be read from tables of MQM errors (columns system, seg_id, rater, category,
severity) and from the exports of Appraise for DA+SQM and ESA.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    _add_sources(parser.add_argument_group("input"))
    _add_recipe(parser.add_argument_group("agreement"))
    _add_inference(parser.add_argument_group("intervals, tests and ranks"))
    _add_output(parser.add_argument_group("output"))


def _add_sources(group: Any) -> None:
    group.add_argument(
        "tables", nargs="*", metavar="TABLE", help="long tables, each of one language pair unless --pair is given"
    )
    group.add_argument("--human", default="human", metavar="COLUMN", help="the column of ratings (default: human)")
    group.add_argument("--ratings", metavar="FILE", help="read the ratings from another file")
    group.add_argument("--scores", nargs="+", default=[], metavar="COLUMN|NAME=FILE", help="existing metric scores")
    group.add_argument("-m", "--metrics", nargs="+", default=[], metavar="METRIC", help="metrics to compute from texts")
    group.add_argument("--hypothesis", default="hypothesis", metavar="COLUMN", help="(default: hypothesis)")
    group.add_argument(
        "--references", nargs="+", default=[], metavar="COLUMN", help="references; an empty cell is a missing reference"
    )
    group.add_argument("--texts", metavar="FILE", help="a wide table of texts, one column for each rated system")
    group.add_argument("--system", metavar="COLUMN", help="the column of systems (default: system, if it exists)")
    group.add_argument("--item", metavar="COLUMN", help="(default: item, segid or segment; otherwise row numbers)")
    group.add_argument(
        "--pair", metavar="COLUMN", help="the language pair (default: pair or lp; otherwise the file name)"
    )
    group.add_argument("--rater", metavar="COLUMN", help="the rater; ratings of a cell are averaged (default: rater)")
    group.add_argument(
        "--standardise",
        action="store_true",
        help="transform the ratings of each rater to mean 0 and standard deviation 1",
    )
    group.add_argument("--domain", metavar="COLUMN", help="evaluate each domain separately")
    group.add_argument("--document", metavar="COLUMN", help="compare documents by the means of their segments")
    group.add_argument("--only", metavar="PAIR", help="use only this language pair")
    group.add_argument(
        "--exclude",
        nargs="+",
        default=[],
        metavar="SYSTEM",
        help="systems to exclude, such as human translations and outliers",
    )
    group.add_argument(
        "--system-scores",
        choices=["corpus", "mean"],
        default="corpus",
        help="the system score of a metric computed from texts: its corpus score or the mean of its segment scores "
        "(default: corpus)",
    )


def _add_recipe(group: Any) -> None:
    group.add_argument(
        "--statistic",
        nargs="+",
        default=["pearson"],
        metavar="NAME",
        help="pearson, spearman, kendall-a, -b, -c, wmt12, wmt13, wmt14, darr, accuracy, accuracy-calibrated, "
        "soft-accuracy (default: pearson)",
    )
    group.add_argument("--level", choices=["segment", "system"], help="(default: segment; system if systems are rated)")
    group.add_argument(
        "--group", choices=["none", "item", "system"], default="none", help="compute within groups (default: none)"
    )
    group.add_argument(
        "--average", choices=["macro", "micro"], default="macro", help="average over groups (default: macro)"
    )
    group.add_argument(
        "--margin", type=float, metavar="X", help="ratings that differ by less are ties (default: 0; darr: 25)"
    )
    group.add_argument(
        "--epsilon", type=float, default=0.0, metavar="X", help="metric scores within X of each other are ties"
    )


def _add_inference(group: Any) -> None:
    group.add_argument(
        "--interval",
        choices=["auto", "fisher", "bootstrap", "none"],
        default="auto",
        help="auto: Fisher's z for one ungrouped correlation of independent scores, otherwise the bootstrap",
    )
    group.add_argument(
        "--resample",
        choices=["systems", "items", "both"],
        help="the resampled unit; selects --interval bootstrap (default: systems; segment level: both)",
    )
    group.add_argument(
        "--test",
        choices=["auto", "permutation", "bootstrap", "williams", "none"],
        default="auto",
        help="auto: permutation of systems; for segments, the bootstrap over systems and items, or for a single system "
        "Williams's test or the permutation of cells",
    )
    group.add_argument(
        "--swap",
        choices=["systems", "cells", "items", "pairs"],
        help="the swapped unit; selects --test permutation. The null hypothesis is that the two metrics are "
        "exchangeable within each system, cell or item, or in which of them orders a pair of systems correctly "
        "(default: systems; segment level: cells)",
    )
    group.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap resamples (default: 1000)")
    group.add_argument("--permutations", type=int, default=1000, metavar="N", help="permutations (default: 1000)")
    group.add_argument("--confidence", type=float, default=0.95, metavar="X", help="confidence level (default: 0.95)")
    group.add_argument(
        "--alpha", type=float, default=0.05, metavar="X", help="significance level for ranks (default: 0.05)"
    )
    group.add_argument(
        "--correction",
        choices=["none", "bonferroni", "holm", "benjamini-hochberg", "benjamini-yekutieli"],
        default="holm",
        help="correction for the number of comparisons (default: holm)",
    )
    group.add_argument(
        "--ranks",
        choices=["corrected", "wmt"],
        default="corrected",
        help="corrected: a new rank begins at a corrected p below alpha against the rank's first metric; wmt: at a "
        "one-sided, uncorrected p of at most alpha against any metric of the rank (default: corrected)",
    )
    group.add_argument(
        "--overall",
        nargs="*",
        metavar="TASK=WEIGHT",
        help="rank the metrics over all tasks by the weighted mean of their agreements; a task is a language pair, a "
        "statistic, or PAIR:STATISTIC (default weight: 1)",
    )
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default: 12345)")


def _add_output(group: Any) -> None:
    group.add_argument(
        "--format", choices=["text", "markdown", "latex", "html", "json"], default="text", help="(default: text)"
    )
    group.add_argument("--decimals", type=int, default=3, metavar="N", help="decimals in tables (default: 3)")
    group.add_argument("--figures", metavar="DIR", help="write figures to this folder")
    group.add_argument(
        "--figure-format",
        choices=["svg", "png", "pdf"],
        default="svg",
        metavar="F",
        help="svg, png, pdf (default: svg)",
    )
    group.add_argument("--write-wmt", metavar="FILE", help="write the scores in the format of the WMT metrics task")
    group.add_argument("--test-set", default="testset", metavar="NAME", help="test set in this file (default: testset)")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, compute the agreements, print them, and write figures and scores."""
    from chrfect.cli.output import check_output
    from chrfect.cli.progress import bar
    from chrfect.errors import UsageError
    from chrfect.meta import Measure
    from chrfect.meta.aggregate import aggregate
    from chrfect.meta.judgement import Settings, judge
    from chrfect.meta.measure import Level
    from chrfect.meta.sources import Request, gather

    inputs = _inputs(arguments)
    if arguments.figures:
        _check_figures()
    if arguments.write_wmt:
        check_output(arguments.write_wmt, inputs)
    if not 0 <= arguments.decimals <= 15:
        raise UsageError(f"--decimals is {arguments.decimals}; a whole number from 0 to 15 was expected.")
    request = Request(
        tables=arguments.tables,
        human=arguments.human,
        scores=arguments.scores,
        ratings=arguments.ratings,
        texts=arguments.texts,
        hypothesis=arguments.hypothesis,
        references=arguments.references,
        metrics=arguments.metrics,
        panel_column=arguments.pair,
        system_column=arguments.system,
        item_column=arguments.item,
        only=arguments.only,
        system_scores=arguments.system_scores,
        exclude=arguments.exclude,
        rater=arguments.rater,
        standardise=arguments.standardise,
        domain=arguments.domain,
        document=arguments.document,
    )
    settings = Settings(
        interval=_method(arguments.interval, "--interval", arguments.resample, "--resample", "bootstrap"),
        resampled=arguments.resample,
        test=_method(arguments.test, "--test", arguments.swap, "--swap", "permutation"),
        swapped=arguments.swap,
        ranks=arguments.ranks,
        resamples=arguments.resamples,
        permutations=arguments.permutations,
        confidence=arguments.confidence,
        alpha=arguments.alpha,
        correction=arguments.correction,
        seed=arguments.seed,
    )
    with bar("reading and scoring"):
        panels, scores = gather(request, arguments.level)
    whole = all(len(panel.items) == 1 and panel.items[0] == "" for panel in panels)
    level: Level = arguments.level or ("system" if whole else "segment")
    measures = [Measure(statistic, level, arguments.group, arguments.average) for statistic in _statistics(arguments)]
    with bar("judging") as progress:
        judgement = judge(panels, measures, settings, progress)
    overall = None if arguments.overall is None else aggregate(judgement, _weights(arguments.overall))
    images = {}
    if arguments.figures:
        with bar("drawing"):
            images = _draw(judgement, panels, arguments.figures, arguments.figure_format, inputs)
    _print(judgement, arguments.format, arguments.decimals, images, overall)
    if arguments.write_wmt:
        _write(scores, arguments.write_wmt, arguments.test_set)
    return 0


def _inputs(arguments: argparse.Namespace) -> list[str]:
    """Return the paths of the input files; column names may be among them."""
    scores = [score.partition("=")[2] or score for score in arguments.scores]
    return [path for path in (*arguments.tables, *scores, arguments.ratings, arguments.texts) if path]


def _check_figures() -> None:
    """Raise UsageError if figures cannot be drawn."""
    from chrfect.errors import UsageError
    from chrfect.report import figures

    if not figures.available():
        raise UsageError(figures.MISSING)


def _method(method: Any, option: str, detail: str | None, detail_option: str, needed: str) -> Any:
    """Return the method that a detail applies to; raise UsageError if another method is selected."""
    from chrfect.errors import UsageError

    if detail is None or method == needed:
        return method
    if method != "auto":
        raise UsageError(f"{detail_option} requires {option} {needed}; {option} is {method}.")
    return needed


def _statistics(arguments: argparse.Namespace) -> list[Any]:
    """Return the statistics, with the given thresholds."""
    from chrfect.errors import UsageError
    from chrfect.meta import Statistic

    plain = [Statistic(name) for name in arguments.statistic]
    if arguments.margin is not None and not any(statistic.uses_margin for statistic in plain):
        raise UsageError(f"--margin requires a statistic of pairs, not {', '.join(arguments.statistic)}.")
    if arguments.epsilon and not any(statistic.counts_pairs for statistic in plain):
        raise UsageError(f"--epsilon requires a statistic that counts ties, not {', '.join(arguments.statistic)}.")
    return [
        Statistic(
            statistic.name,
            arguments.margin if arguments.margin is not None and statistic.uses_margin else statistic.margin,
            arguments.epsilon if statistic.counts_pairs else 0.0,
        )
        for statistic in plain
    ]


def _weights(entries: list[str]) -> dict[str, float]:
    """Parse TASK=WEIGHT entries."""
    from chrfect.errors import UsageError

    weights = {}
    for entry in entries:
        name, _, weight = entry.rpartition("=")
        try:
            weights[name] = float(weight)
        except ValueError:
            raise UsageError(f"--overall {entry}: TASK=WEIGHT was expected, such as en-de=2.") from None
    return weights


def _print(judgement: Any, form: str, decimals: int, images: dict[str, bytes], overall: Any) -> None:
    import json

    from chrfect.report.agreement import page, tables

    if form == "json":
        document = judgement.to_dict() | ({"overall": overall.to_dict()} if overall else {})
        print(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
        return
    if form == "html":
        print(page(judgement, decimals, images, overall), end="")
        return
    blocks = []
    for table, lines in tables(judgement, decimals, overall):
        blocks.append(getattr(table, form)())
        if lines:
            notes = {
                "text": "\n".join(_filled(line) for line in lines),
                "markdown": "\n".join(f"- {line}" for line in lines),
                "latex": "\n".join(f"% {line}" for line in lines),
            }
            blocks.append(notes[form])
    print("\n\n".join(blocks))


def _filled(line: str) -> str:
    import textwrap

    return textwrap.fill(line, 80, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _draw(judgement: Any, panels: Any, folder: str, suffix: str, inputs: list[str]) -> dict[str, bytes]:
    """Write the figures, and return those that an HTML page can contain."""
    import os

    from chrfect.cli.output import check_output
    from chrfect.files.save import make_folder
    from chrfect.report.agreement import figures
    from chrfect.report.figures import save

    make_folder(folder)
    images = {}
    for name, figure in figures(judgement, panels).items():
        path = os.path.join(folder, f"{name}.{suffix}")
        check_output(path, inputs)
        save(figure, path)
        if suffix == "svg":
            with open(path, "rb") as file:
                images[name] = file.read()
    return images


def _write(scores: Any, path: str, testset: str) -> None:
    from chrfect.files.save import write_text
    from chrfect.meta.sources import write_metrics_task

    write_text(path, "\n".join(write_metrics_task(scores, testset=testset)) + "\n")
