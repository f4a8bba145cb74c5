"""The inputs of the command, and its checks of them."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from chrfect.compat.sacrebleu.utils import SACREBLEU_DIR, smart_open
from chrfect.errors import InputFileError, UsageError, shown

if TYPE_CHECKING:
    from argparse import Namespace

WRONG, WRONG_FIELDS = 1, 17
"""The exit statuses of sacreBLEU."""

NEEDS_CATALOGUE = ("list", "citation", "detail", "download", "origlang", "subset")


class RefusedError(Exception):
    """An error that sacreBLEU reports with these messages.

    Parameters
    ----------
    *messages : str
        One for each line.
    status : int
        The exit status.
    """

    def __init__(self, *messages: str, status: int = WRONG) -> None:
        super().__init__(*messages)
        self.messages = messages
        self.status = status


class Inputs(NamedTuple):
    """The texts of each system by name, and the reference sets."""

    systems: dict[str, list[str]]
    references: list[list[str]]


def read(arguments: Namespace) -> Inputs:
    """Read references and systems, checked in the order of sacreBLEU.

    Raises
    ------
    RefusedError
        If sacreBLEU would report an error.
    UsageError
        If an argument requires something that chrfect does not have.
    """
    if arguments.sentence_level and len(arguments.metrics) > 1:
        raise RefusedError("Only one metric can be used in sentence-level mode.")
    if arguments.num_refs != 1 and (arguments.test_set is not None or len(arguments.refs) > 1):
        raise RefusedError(
            "The --num-refs argument allows you to provide any number of tab-delimited references in a single file.",
            "You can only use it with externally provided references, however (i.e., not with `-t`),",
            "and you cannot then provide multiple reference files.",
        )
    files = _reference_files(arguments)
    references = _references(files, arguments.num_refs, arguments.encoding)
    is_paired = arguments.paired_ar or arguments.paired_bs
    if arguments.input is None:
        systems = _standard_input(arguments.encoding, is_paired)
    else:
        systems = _files(arguments.input, arguments.encoding, is_paired)
    _check(arguments, systems, is_paired)
    for texts in systems.values():
        if any(len(stream) != len(texts) for stream in references):
            raise RefusedError("System and reference streams have different lengths.")
    return Inputs(systems, references)


def echo(arguments: Namespace) -> str:
    """Return the fields of test sets, separated by tabs."""
    _check_catalogue(arguments)
    if arguments.langpair is None or arguments.test_set is None:
        raise RefusedError("--echo requires a test set (--t) and a language pair (-l)")
    text = ""
    for name in arguments.test_set.split(","):
        columns = []
        for field in arguments.echo:
            path = _cached(name, arguments.langpair, field)
            if not os.path.exists(path):
                raise UsageError(_advice(name, arguments.langpair, path))
            columns.append(_lines(path, "utf-8"))
        text += "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
    return text


def _check_catalogue(arguments: Namespace) -> None:
    for name in NEEDS_CATALOGUE:
        if getattr(arguments, name):
            raise UsageError(
                f"--{name} requires sacreBLEU's catalogue of test sets, which chrfect lacks. Run sacrebleu with "
                "this argument, and pass the resulting files to chrfect sacrebleu."
            )


def _reference_files(arguments: Namespace) -> list[list[str]]:
    """Return the reference files of each test set, or the given files as those of one test set."""
    _check_catalogue(arguments)
    if arguments.test_set is None:
        if not arguments.refs:
            raise RefusedError(
                "If manual references given, make sure to provide them before the -i/--input argument to avoid "
                "confusion.",
                "Otherwise, I need a predefined test set (-t).",
            )
        return [arguments.refs]
    if arguments.refs:
        raise RefusedError("I need exactly one of (a) a predefined test set (-t) or (b) a list of references")
    if arguments.langpair is None:
        raise RefusedError("I need a language pair (-l). Use --list to see available language pairs for this test set.")
    return [_cached_references(name, arguments.langpair) for name in arguments.test_set.split(",")]


def _cached_references(name: str, pair: str) -> list[str]:
    path = _cached(name, pair, "ref")
    folder, prefix = os.path.split(path)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = [os.path.join(folder, entry) for entry in names if entry.startswith(prefix)]
    if not found:
        raise UsageError(_advice(name, pair, path))
    if len(found) > 1:
        raise UsageError(
            f"sacreBLEU's cache has {len(found)} references for {shown(name)} {shown(pair)}, of which its catalogue "
            f"selects some. Specify those to use: chrfect sacrebleu {' '.join(found)} -i HYP."
        )
    return found


def _cached(name: str, pair: str, field: str) -> str:
    return os.path.join(SACREBLEU_DIR, name, f"{name.replace('/', '_')}.{pair}.{field.replace(':', '-')}")


def _advice(name: str, pair: str, path: str) -> str:
    return (
        f"The test set {shown(name)} {shown(pair)} is not in sacreBLEU's cache: {path} was expected. chrfect does not "
        f"download it. On a computer with network access, run `sacrebleu -t {name} -l {pair} --echo src ref`. Copy "
        f"{os.path.dirname(path)} here (or set SACREBLEU to its parent), and repeat this command. The "
        "references can also be given as files: chrfect sacrebleu REF -i HYP."
    )


def _lines(path: str, encoding: str) -> list[str]:
    """Return the lines of a file without trailing whitespace."""
    with smart_open(path, encoding=encoding) as file:
        try:
            return [line.rstrip() for line in file]
        except UnicodeDecodeError as error:
            raise InputFileError(f"{path} is not {encoding}: {error}. Specify its encoding with --encoding.") from None


def _references(test_sets: list[list[str]], number: int, encoding: str) -> list[list[str]]:
    streams: list[list[str]] = [[] for _ in range(max(len(test_sets[0]), number))]
    for files in test_sets:
        for stream, path in zip(streams, files, strict=False):
            lines = _lines(path, encoding)
            if number == 1:
                stream += lines
                continue
            for at, line in enumerate(lines, 1):
                fields = line.split("\t", number - 1)
                if len(fields) != number:
                    raise RefusedError(
                        f"FATAL: line {at}: expected {number} fields, but found {len(fields)}.", status=WRONG_FIELDS
                    )
                for each, field in zip(streams, fields, strict=True):
                    each.append(field)
    return streams


def _standard_input(encoding: str, is_paired: bool) -> dict[str, list[str]]:
    """Return the systems on standard input, one in each column."""
    file = io.TextIOWrapper(sys.stdin.buffer, encoding=encoding)
    first = file.readline().rstrip().split("\t")
    systems = [[text] for text in first]
    for line in file:
        fields = line.rstrip().split("\t")
        if len(fields) != len(systems):
            raise RefusedError(
                "FATAL: the number of tab-delimited fields in the input stream differ across lines.",
                status=WRONG_FIELDS,
            )
        for texts, field in zip(systems, fields, strict=True):
            texts.append(field.rstrip())
    names = [f"System {i + 1}" for i in range(len(systems))]
    if is_paired:
        names = ["Baseline", *names[:-1]]
    return dict(zip(names, systems, strict=True))


def _files(paths: list[str], encoding: str, is_paired: bool) -> dict[str, list[str]]:
    """Return the systems in files, named by their paths."""
    systems: dict[str, list[str]] = {}
    for path in paths:
        if path not in systems:
            systems[path] = _lines(path, encoding)
        elif not (is_paired and path == paths[0]):
            raise RefusedError(
                f"{path!r} already used to name a system.", "Make sure to have a different basename for each system."
            )
    if is_paired:
        return {f"Baseline: {name}" if name == paths[0] else name: texts for name, texts in systems.items()}
    return systems


def _check(arguments: Namespace, systems: dict[str, list[str]], is_paired: bool) -> None:
    if arguments.sentence_level:
        if len(systems) > 1:
            raise RefusedError("Only one system can be evaluated in sentence-level mode.")
        if arguments.confidence or is_paired:
            raise RefusedError("Statistical tests are unavailable in sentence-level mode.")
    if is_paired and len(systems) == 1:
        raise RefusedError("Paired tests require multiple input systems given to --input (-i).")
    if len(systems) > 1 and arguments.confidence:
        raise RefusedError("Use paired tests (--paired) for multiple systems.")
    if not systems or not all(systems.values()):
        raise RefusedError(f"Test set {arguments.test_set!r} contains no sentence")
