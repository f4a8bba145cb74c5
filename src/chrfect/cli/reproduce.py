"""Repeat a study of metrics from its data."""

from __future__ import annotations

import argparse

STUDIES = {
    "popovic2017": "“chrF++: words helping character n-grams”: Tables 1 to 3, Figures 1 and 2, tests and intervals",
    "difference": "the meaning of a difference of one chrF: agreement with humans by the size of the difference",
    "targets": "the best variant of chrF for each target language: units, orders, beta, words and whitespace",
}
"""Every study; the module of the same name in `chrfect.studies` computes it."""

COUNTED = ("difference", "targets")
"""The studies of whole test sets, which are counted only once for all of them."""

EXAMPLES = """\
studies:
{studies}

examples:
  chrfect reproduce popovic2017 --data DIR --output popovic2017
  chrfect reproduce difference --data DIR --output difference && xdg-open difference/index.html
  chrfect reproduce popovic2017 difference targets --data DIR --output studies

Data of popovic2017: the segment-level direct assessments of WMT 2015 to 2017, one file for each test set:
newstest2015.LP.tsv for cs-en, de-en, fi-en, ru-en, en-ru; newstest2016.LP.tsv for these, ro-en and tr-en;
newstest2017.LP.tsv for cs-en, de-en, fi-en, lv-en, ru-en, tr-en and zh-en. The files are tab-separated UTF-8 with a
header, and have at least the columns reference, hypothesis and da. Each year may be in a subfolder, wmt-da or wmt17-da.

Data of difference and targets: DA-syslevel.tsv with the columns testset, lp, system, da, and for each of its test
sets TESTSET.LP.tsv.xz with the columns segid, source, reference and one for each system. They may be in a subfolder
wmt-systems. The unit grapheme requires the extra grapheme.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES.format(studies="\n".join(f"  {name:<13} {what}" for name, what in STUDIES.items()))
    parser.add_argument("study", nargs="+", choices=list(STUDIES), metavar="STUDY", help=", ".join(STUDIES))
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder with the data")
    parser.add_argument(
        "--output",
        required=True,
        metavar="DIR",
        help="the folder for index.html, STUDY.md, tables.tex, summary.json; "
        "with several studies, each gets a subfolder of its name",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute each study, write the report, and print the summary, which ends with the main result."""
    import importlib
    import os

    from chrfect.cli.progress import bar
    from chrfect.studies.testsets import Counted, count_testsets

    counted: list[Counted] = []
    studies = list(dict.fromkeys(arguments.study))
    for at, name in enumerate(studies):
        study = importlib.import_module(f"chrfect.studies.{name}")
        with bar("computing") as progress:
            if name in COUNTED:
                counted = counted or count_testsets(arguments.data, progress)
                result = study.measure(counted)
            else:
                result = study.run_study(arguments.data, progress)
        output = os.path.join(arguments.output, name) if len(studies) > 1 else arguments.output
        with bar("writing") as progress:
            names = study.write(result, output, progress)
        print("\n" * (at > 0) + study.summary_table(result).text())
        print()
        print(f"{output}: {', '.join(names)}")
        print(result.verdict)
    return 0
