"""Print BibTeX entries for this program, the metrics, and the methods used with them."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  chrfect cite
  chrfect cite chrF++ comparison humans
"""

ENTRIES = {
    "chrfect": "@software{chrfect,\n  title = {chrfect: exact, fast, explained n-gram metrics for machine "
    "translation},\n"
    "  author = {{The chrfect developers}},\n  version = {VERSION}\n}",
    "chrF": "@inproceedings{popovic-2015-chrf,\n  title = {chr{F}: character n-gram {F}-score for automatic {MT} "
    "evaluation},\n  author = {Popovi{\\'c}, Maja},\n  booktitle = {Proceedings of the Tenth Workshop on Statistical "
    "Machine Translation},\n  year = {2015},\n  pages = {392--395},\n  doi = {10.18653/v1/W15-3049}\n}",
    "chrF++": "@inproceedings{popovic-2017-chrf,\n  title = {chr{F}++: words helping character n-grams},\n"
    "  author = {Popovi{\\'c}, Maja},\n  booktitle = {Proceedings of the Second Conference on Machine Translation},\n"
    "  year = {2017},\n  pages = {612--618},\n  doi = {10.18653/v1/W17-4770}\n}",
    "BLEU": "@inproceedings{papineni-etal-2002-bleu,\n  title = {{B}leu: a Method for Automatic Evaluation of Machine "
    "Translation},\n  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},\n"
    "  booktitle = {Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics},\n"
    "  year = {2002},\n  pages = {311--318},\n  doi = {10.3115/1073083.1073135}\n}",
    "tokenizers": "@inproceedings{post-2018-call,\n  title = {A Call for Clarity in Reporting {BLEU} Scores},\n"
    "  author = {Post, Matt},\n  booktitle = {Proceedings of the Third Conference on Machine Translation},\n"
    "  year = {2018},\n  pages = {186--191},\n  doi = {10.18653/v1/W18-6319}\n}",
    "comparison": "@inproceedings{riezler-maxwell-2005-pitfalls,\n  title = {On Some Pitfalls in Automatic Evaluation "
    "and Significance Testing for {MT}},\n  author = {Riezler, Stefan and Maxwell, John T.},\n  booktitle = "
    "{Proceedings of the {ACL} Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine Translation and/or "
    "Summarization},\n  year = {2005},\n  pages = {57--64}\n}",
    "humans": "@inproceedings{kocmi-etal-2024-navigating,\n  title = {Navigating the Metrics Maze: Reconciling Score "
    "Magnitudes and Accuracies},\n  author = {Kocmi, Tom and Zouhar, Vil{\\'e}m and Federmann, Christian and Post, "
    "Matt},\n  booktitle = {Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics},\n"
    "  year = {2024}\n}",
}
"""BibTeX entries by topic."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help=f"{', '.join(ENTRIES)} (default: all). tokenizers: the tokenizers of BLEU; comparison: the randomization "
        "test; humans: the agreement of differences with humans",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the entries as BibTeX."""
    from chrfect import __version__
    from chrfect.errors import UsageError, shown

    by_name = {name.lower(): entry for name, entry in ENTRIES.items()}
    unknown = next((what for what in arguments.what if what.lower() not in by_name), None)
    if unknown is not None:
        raise UsageError(f"There is no entry for {shown(unknown)}; one of {', '.join(ENTRIES)} was expected.")
    chosen = dict.fromkeys(["chrfect", *map(str.lower, arguments.what)]) if arguments.what else by_name
    print("\n\n".join(by_name[name].replace("VERSION", __version__) for name in chosen))
    return 0
