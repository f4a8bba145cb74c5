"""Compute a published meta-evaluation again, beside the printed numbers."""

from __future__ import annotations

import argparse

EXAMPLES = """\
studies:
  popovic2017   "chrF++: words helping character n-grams": Tables 1 to 3, Figures 1 and 2, with tests and intervals

examples:
  chrfect reproduce popovic2017 --data DIR --output popovic2017
  chrfect reproduce popovic2017 --data DIR --output popovic2017 && xdg-open popovic2017/index.html

The data are the segment-level direct assessments of WMT 2015 to 2017, one file a text: newstest2015.LP.tsv for cs-en,
de-en, fi-en, ru-en, en-ru; newstest2016.LP.tsv for these, ro-en and tr-en; newstest2017.LP.tsv for cs-en, de-en, fi-en,
lv-en, ru-en, tr-en and zh-en; UTF-8, a heading, tab-separated, the columns reference, hypothesis and da among them.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", choices=["popovic2017"], metavar="STUDY", help="popovic2017")
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder with the texts")
    parser.add_argument(
        "--output", required=True, metavar="DIR", help="where to write index.html, popovic2017.md, tables.tex and so on"
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute, write, and print the summary; the last line is the verdict."""
    from chrfect.cli.progress import bar
    from chrfect.studies.popovic2017 import run_study
    from chrfect.studies.popovic2017.output import write
    from chrfect.studies.popovic2017.tables import summary_table

    with bar("computing") as progress:
        study = run_study(arguments.data, progress)
    with bar("writing") as progress:
        names = write(study, arguments.output, progress)
    print(summary_table(study).text())
    print()
    print(f"{arguments.output}: {', '.join(names)}")
    print(study.verdict)
    return 0
