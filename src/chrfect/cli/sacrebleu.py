"""Score with the arguments and the output of the command sacrebleu."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from chrfect.compat.sacrebleu.metrics import BLEU, CHRF, METRICS, base
from chrfect.compat.sacrebleu.version import version
from chrfect.errors import UsageError

if TYPE_CHECKING:
    from chrfect.compat.sacrebleu.inputs import Inputs
    from chrfect.compat.sacrebleu.metrics.base import Metric

EXAMPLES = """\
examples:
  chrfect sacrebleu ref.txt -i system.txt -m bleu chrf ter
  cat system.txt | chrfect sacrebleu ref.txt -b -w 2
  chrfect sacrebleu ref1.txt ref2.txt -i system.txt -m chrf --chrf-word-order 2
  chrfect sacrebleu ref.txt -i base.txt new.txt -m bleu --paired-bs -f text
  chrfect sacrebleu -t wmt17 -l en-de -i system.txt          from sacreBLEU's cache

The numbers and the output format are those of sacreBLEU 2.6.0; signatures name chrfect. Nothing is downloaded.
docs/from-sacrebleu.md lists the arguments.
"""

FORMATS = ("json", "text", "latex")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare sacreBLEU's arguments."""
    parser.epilog = EXAMPLES
    parser.allow_abbrev = True  # as in sacreBLEU
    parser.add_argument("refs", nargs="*", default=[], metavar="REF", help="reference files; they precede -i")
    parser.add_argument("--input", "-i", nargs="*", metavar="HYP", help="a file for each system (default: stdin)")
    parser.add_argument(
        "--num-refs", "-nr", type=int, default=1, metavar="N", help="references in each line, separated by tabs"
    )
    parser.add_argument("--encoding", "-e", default="utf-8", help="encoding of all files (default: %(default)s)")
    parser.add_argument(
        "--metrics",
        "-m",
        choices=[name.lower() for name in METRICS],
        nargs="+",
        default=["bleu"],
        help="(default: bleu)",
    )
    parser.add_argument("--sentence-level", "-sl", action="store_true", help="print the score of each line")
    _add_metrics(parser)
    _add_tests(parser)
    _add_output(parser)
    sets = parser.add_argument_group("test sets, from sacreBLEU's cache")
    sets.add_argument("--test-set", "-t", metavar="NAME", help="the test set, or several separated by commas")
    sets.add_argument("--language-pair", "-l", dest="langpair", metavar="PAIR", help="such as en-de")
    sets.add_argument("--echo", nargs="+", metavar="FIELD", help="print fields of the test set, such as src and ref")
    for names in (["--list"], ["--citation", "--cite"], ["--detail", "-d"]):
        sets.add_argument(*names, action="store_true", help="needs sacreBLEU")
    for names in (["--download"], ["--origlang", "-ol"], ["--subset"]):
        sets.add_argument(*names, metavar="NAME", help="needs sacreBLEU")


def _add_metrics(parser: argparse.ArgumentParser) -> None:
    bleu = parser.add_argument_group("BLEU")
    bleu.add_argument("--smooth-method", "-s", choices=BLEU.SMOOTH_DEFAULTS, default="exp", dest="bleu_smooth_method")
    bleu.add_argument("--smooth-value", "-sv", type=float, dest="bleu_smooth_value", metavar="X")
    bleu.add_argument("--tokenize", "-tok", choices=BLEU.TOKENIZERS, dest="bleu_tokenize", metavar="NAME")
    bleu.add_argument("--lowercase", "-lc", dest="bleu_lowercase", action="store_true")
    bleu.add_argument("--force", dest="bleu_force", action="store_true", help="do not warn about tokenized texts")
    chrf = parser.add_argument_group("chrF")
    chrf.add_argument("--chrf-char-order", "-cc", type=int, default=CHRF.CHAR_ORDER, metavar="N")
    chrf.add_argument("--chrf-word-order", "-cw", type=int, default=CHRF.WORD_ORDER, metavar="N", help="2 is chrF++")
    chrf.add_argument("--chrf-beta", type=int, default=CHRF.BETA, metavar="N")
    chrf.add_argument("--chrf-whitespace", action="store_true", help="count whitespace as characters")
    chrf.add_argument("--chrf-lowercase", action="store_true")
    chrf.add_argument("--chrf-eps-smoothing", action="store_true", help="average F-scores, as chrF++.py does")
    ter = parser.add_argument_group("TER")
    for name in ("case-sensitive", "asian-support", "no-punct", "normalized"):
        ter.add_argument(f"--ter-{name}", action="store_true")


def _add_tests(parser: argparse.ArgumentParser) -> None:
    tests = parser.add_argument_group("intervals and tests")
    tests.add_argument("--confidence", "-ci", action="store_true", help="a 95%% interval, for one system")
    tests.add_argument("--confidence-n", "-cin", type=int, default=1000, metavar="N", help="(default: %(default)s)")
    kind = tests.add_mutually_exclusive_group()
    kind.add_argument("--paired-ar", "-par", action="store_true", help="compare with the first by randomization")
    kind.add_argument("--paired-bs", "-pbs", action="store_true", help="compare with the first by the bootstrap")
    tests.add_argument("--paired-ar-n", "-parn", type=int, default=10_000, metavar="N", help="(default: %(default)s)")
    tests.add_argument("--paired-bs-n", "-pbsn", type=int, default=1_000, metavar="N", help="(default: %(default)s)")
    tests.add_argument("--paired-jobs", "-j", type=int, default=1, metavar="N", help="accepted; threads do the work")


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--quiet", "-q", action="store_true", help="no messages")
    output.add_argument("--short", "-sh", action="store_true", help="short signatures")
    output.add_argument("--score-only", "-b", action="store_true")
    output.add_argument("--width", "-w", type=int, default=1, metavar="N", help="decimals (default: %(default)s)")
    output.add_argument("--no-color", "-nc", action="store_true")
    output.add_argument("--format", "-f", default="json", choices=FORMATS, help="(default: %(default)s)")
    output.add_argument("--version", "-V", action="version", version=f"sacrebleu {version} (chrfect's replacement)")


def run(arguments: argparse.Namespace) -> int:
    """Read, score and print; return sacreBLEU's exit status."""
    from chrfect.compat.sacrebleu.inputs import RefusedError, echo, read

    base.configure_logging = None if arguments.quiet else _configure_logging
    form = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if form in FORMATS:
        arguments.format = form
    try:
        if arguments.echo:
            print(echo(arguments), end="")
            return 0
        _score(arguments, read(arguments))
    except RefusedError as refusal:
        for message in refusal.messages:
            base.log("error", message)
        return refusal.status
    return 0


def _configure_logging() -> None:
    import logging

    logging.basicConfig(level=logging.INFO, format="sacreBLEU: %(message)s")


def _score(arguments: argparse.Namespace, inputs: Inputs) -> None:
    from chrfect.cli.progress import bar
    from chrfect.compat.sacrebleu import output

    metrics = {name.upper(): _metric(name, arguments, inputs) for name in arguments.metrics}
    if arguments.sentence_level:
        metric, (hypotheses,) = next(iter(metrics.values())), inputs.systems.values()
        for hypothesis, *references in zip(hypotheses, *inputs.references, strict=True):
            score = metric.sentence_score(hypothesis, references)
            signature = "" if arguments.score_only else metric.get_signature().format(arguments.short)
            print(score.format(arguments.width, arguments.score_only, signature))
    elif len(inputs.systems) == 1:
        with bar("scoring"):
            results = _single(arguments, inputs, metrics)
        print(output.single(results, arguments.format, _is_colored(arguments)))
    else:
        with bar("scoring"):
            signatures, columns = _several(arguments, inputs, metrics)
        print(output.table(columns, signatures, arguments, _is_colored(arguments)))


def _metric(name: str, arguments: argparse.Namespace, inputs: Inputs) -> Metric:
    prefix = f"{name}_"
    chosen = {key.removeprefix(prefix): value for key, value in vars(arguments).items() if key.startswith(prefix)}
    if name == "bleu":
        chosen["effective_order"] = arguments.sentence_level
        if arguments.langpair:
            chosen["trg_lang"] = arguments.langpair.split("-")[1]
    if not arguments.sentence_level:
        chosen["references"] = inputs.references
    try:
        metric: Metric = METRICS[name.upper()](**chosen)
    except RuntimeError as error:  # of sacreBLEU's tokenizers that need further packages
        raise UsageError(" ".join(str(error).split())) from None
    return metric


def _single(arguments: argparse.Namespace, inputs: Inputs, metrics: dict[str, Metric]) -> list[str]:
    (hypotheses,) = inputs.systems.values()
    is_json = arguments.format == "json"
    results = []
    for name in sorted(metrics):
        trials = arguments.confidence_n if arguments.confidence else 1
        score = metrics[name].corpus_score(hypotheses, None, n_bootstrap=trials)
        signature = metrics[name].get_signature().format(arguments.short and not is_json)
        results.append(score.format(arguments.width, arguments.score_only, signature, is_json))
    return results


def _several(
    arguments: argparse.Namespace, inputs: Inputs, metrics: dict[str, Metric]
) -> tuple[dict[str, str], dict[str, list[Any]]]:
    """Return the signature of each metric, and the columns of the table."""
    base.log("info", f"Found {len(inputs.systems)} systems.")
    if arguments.paired_ar or arguments.paired_bs:
        from chrfect.compat.sacrebleu.significance import PairedTest

        kind = "bs" if arguments.paired_bs else "ar"
        trials = arguments.paired_bs_n if arguments.paired_bs else arguments.paired_ar_n
        of_metric, tested = PairedTest(list(inputs.systems.items()), metrics, None, kind, trials)()
        return {name: signature.format(arguments.short) for name, signature in of_metric.items()}, dict(tested)
    signatures: dict[str, str] = {}
    columns: dict[str, list[Any]] = {"System": list(inputs.systems)}
    for hypotheses in inputs.systems.values():
        for name in sorted(metrics):
            score = metrics[name].corpus_score(hypotheses, None)
            signatures[score.name] = metrics[name].get_signature().format(arguments.short)
            columns.setdefault(score.name, []).append(score.format(arguments.width, True))
    return signatures, columns


def _is_colored(arguments: argparse.Namespace) -> bool:
    import sys

    return not (arguments.no_color or os.environ.get("NO_COLOR")) and sys.stdout.isatty()
