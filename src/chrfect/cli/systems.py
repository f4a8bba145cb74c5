"""The inputs that `score` and `compare` share, and how they are read from files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

EPILOG = """\
inputs:
  The format of a file is detected from its first bytes: plain text (UTF-8, one segment per line), JSONL or Parquet,
  optionally compressed (gzip, bzip2, xz, Zstandard). FILE#COLUMN selects a column of JSONL, Parquet, TSV or CSV; FILE#
  reads any file as plain text; - is standard input. A system is a file, NAME=FILE, NAME=RUN1,RUN2 for several runs, or
  a folder with a file for each system.
"""


KEYS = ("systems", "references", "documents", "by")
"""The keys of a test set in a manifest."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of :func:`chrfect.evaluate` that were read from files.

    Parameters
    ----------
    systems : dict of str to (list of str, or Runs)
    references : list of str, or dict of str to list
    options : dict
        The other arguments of `evaluate`.
    paths : list of str
        All files that were read.
    reference_number : int
        The maximum number of references of a segment.
    """

    systems: dict[str, Any]
    references: Any
    options: dict[str, Any]
    paths: list[str]
    reference_number: int


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments for inputs and metrics."""
    parser.add_argument("references", nargs="*", metavar="REF", help="reference files; - is standard input")
    parser.add_argument(
        "--references",
        nargs="+",
        default=[],
        dest="named_references",
        metavar="[NAME=]FILE",
        help="reference files, optionally with names",
    )
    parser.add_argument(
        "--reference-separator", metavar="TEXT", help="the separator of several references in one line, such as *#"
    )
    parser.add_argument(
        "--empty", choices=("text", "missing"), default="text", help="the meaning of an empty reference (default: text)"
    )
    parser.add_argument(
        "-i",
        "--input",
        nargs="+",
        default=["-"],
        metavar="HYP",
        help="hypothesis files, one per system (default: standard input)",
    )
    parser.add_argument("--names", nargs="+", metavar="NAME", help="names of the systems, in the order of -i")
    parser.add_argument("--source", metavar="FILE", help="the source texts, to warn about systems that copy them")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        default=["chrF"],
        metavar="METRIC",
        help="chrF, chrF+, chrF++, wordF, BLEU, TER, with parameters such as chrF++(beta=3) or BLEU(tokenize=zh) "
        "(default: chrF)",
    )
    parser.add_argument(
        "--spm-model",
        metavar="FILE",
        help="use this SentencePiece model in each BLEU that has the default tokenizer",
    )
    parser.add_argument(
        "--normalize",
        choices=("NFC", "NFKC"),
        help="normalize all texts to this Unicode form; it is part of signatures",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all cores)")


def add_manifest(parser: argparse.ArgumentParser) -> None:
    """Declare the argument for several test sets."""
    parser.add_argument(
        "--manifest",
        metavar="FILE",
        help="several test sets instead of REF and -i: a JSON object of named test sets, each with systems, references "
        "and optionally documents and by, whose files are relative to it; or a folder with a folder for each test "
        "set, which contains the folders systems and references and optionally the file documents.txt",
    )


def read_metrics(arguments: argparse.Namespace) -> list[Any]:
    """Return the metrics in the arguments."""
    from chrfect.metrics import parse

    metrics = [parse(text) for text in arguments.metrics]
    if arguments.spm_model is None:
        return metrics
    from chrfect.metrics.bleu import with_model

    return with_model(metrics, arguments.spm_model)


def read_inputs(arguments: argparse.Namespace) -> Inputs:
    """Read the files in the arguments.

    Raises
    ------
    UsageError
        If a name is repeated, or an argument is missing.
    InputFileError
        If a file cannot be read, or the numbers of segments differ.
    """
    from chrfect.errors import InputFileError, UsageError

    given = [*arguments.references, *arguments.named_references]
    if not given:
        raise UsageError("the following arguments are required: REF. Name at least one file of references.")
    references = _named(given, "references")
    systems = _systems(arguments.input, arguments.names)
    _note_standard_input([path for paths in systems.values() for path in paths])
    options = {"normalize": arguments.normalize, "threads": arguments.threads}
    try:
        return _read(
            references,
            systems,
            options,
            {"sources": arguments.source, "documents": getattr(arguments, "documents", None)},
            arguments.reference_separator,
            arguments.empty == "missing",
            getattr(arguments, "by", None) or [],
        )
    except InputFileError as error:
        if arguments.input != ["-"] or len(given) < 2:
            raise
        raise InputFileError(f"{error} If {given[-1]} is a system, write -i {given[-1]}.") from None


def read_manifest(arguments: argparse.Namespace, by: Sequence[str] = ()) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the arguments of `evaluate` for each test set of a manifest, and all files that were read.

    Raises
    ------
    UsageError
        If files are given in addition to the manifest.
    InputFileError
        If the manifest is invalid, or a file cannot be read.
    """
    import json

    from chrfect.errors import InputFileError, UsageError
    from chrfect.evaluation.groups import BY_LENGTH
    from chrfect.files.lines import read_bytes

    path = arguments.manifest
    if arguments.references or arguments.named_references or arguments.input != ["-"]:
        raise UsageError("--manifest names all files of references and systems; leave out REF, --references and -i.")
    if arguments.names is not None or arguments.source is not None:
        raise UsageError("--names and --source are for one test set; leave them out with --manifest.")
    try:
        document = _folders(path) if os.path.isdir(path) else json.loads(read_bytes(path))
        sets = {
            str(name): (entry["systems"], entry["references"], entry.get("documents"), entry.get("by", []))
            for name, entry in document.items()
        }
        unknown = [key for entry in document.values() for key in set(entry) - set(KEYS)]
        if not sets or unknown:
            raise ValueError(f"{unknown[0]!r} is not one of {', '.join(KEYS)}" if unknown else "there is no test set")
    except InputFileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputFileError(
            f"{path}: invalid manifest ({error}). A JSON object of test sets was expected, such as "
            '{"news": {"systems": {"A": "a.txt", "B": ["run1.txt", "run2.txt"]}, "references": {"refA": "ref.txt"}}}.'
        ) from None
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    found, paths = {}, [path]
    options = {"normalize": arguments.normalize}
    for name, (systems, references, documents, own) in sets.items():
        files = {str(n): _in_folder(folder, [one] if isinstance(one, str) else one) for n, one in dict(systems).items()}
        refs = {"references": references} if isinstance(references, str) else dict(references)
        labels = [one for one in ([own] if isinstance(own, str) else own) if one not in by]
        inputs = _read(
            {str(n): _in_folder(folder, [one])[0] for n, one in refs.items()},
            files,
            options,
            {"documents": None if documents is None else _in_folder(folder, [documents])[0]},
            arguments.reference_separator,
            arguments.empty == "missing",
            [*by, *(one if one in BY_LENGTH else _in_folder(folder, [one])[0] for one in labels)],
        )
        found[name] = {"systems": inputs.systems, "references": inputs.references, **inputs.options}
        paths += inputs.paths
    return found, paths


def _folders(path: str) -> dict[str, dict[str, Any]]:
    """Return the manifest for a folder of test sets."""
    sets: dict[str, dict[str, Any]] = {}
    for name in sorted(entry.name for entry in os.scandir(path) if entry.is_dir() and entry.name[0] != "."):
        sets[name] = {
            kind: {file: os.path.join(name, kind, file) for file in _files(os.path.join(path, name, kind))}
            for kind in ("systems", "references")
        }
        if os.path.exists(os.path.join(path, name, "documents.txt")):
            sets[name]["documents"] = os.path.join(name, "documents.txt")
    return sets


def _files(folder: str) -> list[str]:
    """Return the names of the files in a folder, except hidden files.

    Raises
    ------
    InputFileError
        If it is not a folder or has no files.
    """
    from chrfect.errors import InputFileError

    found = []
    if os.path.isdir(folder):
        found = sorted(entry.name for entry in os.scandir(folder) if entry.is_file() and entry.name[0] != ".")
    if not found:
        raise InputFileError(f"{folder}: not a folder, or without files; a folder with at least one file was expected.")
    return found


def _read(
    references: dict[str, str],
    systems: dict[str, list[str]],
    options: dict[str, Any],
    labels: dict[str, str | None],
    separator: str | None,
    empty_is_missing: bool,
    by: Sequence[str],
) -> Inputs:
    """Read every file once, and check that the numbers of segments are equal."""
    from chrfect.errors import InputFileError, UsageError
    from chrfect.evaluation.groups import BY_LENGTH
    from chrfect.evaluation.runs import Runs
    from chrfect.files.texts import read_aligned, split_column

    label_files = {name: path for name, path in labels.items() if path is not None}
    by_files = [path for path in by if path not in BY_LENGTH]
    run_files = [path for paths in systems.values() for path in paths]
    paths = [*references.values(), *run_files, *label_files.values(), *by_files]
    texts = dict(zip(range(len(paths)), read_aligned(paths), strict=True))
    at = iter(texts.values())
    streams: dict[str, list[Any]] = {name: next(at) for name in references}
    if separator is not None:
        if len(streams) > 1 or not separator:
            raise UsageError("--reference-separator requires exactly one file of references, and must not be empty.")
        streams = _separated(next(iter(streams.values())), separator)
    if empty_is_missing:
        streams = {name: [text or None for text in stream] for name, stream in streams.items()}
    for name, path in references.items():
        if len(streams) == 1 and None in streams.get(name, ()):
            number = streams[name].index(None) + 1
            raise InputFileError(f"{path}: segment {number} has no reference, and there is no other reference file.")
    read: dict[str, Any] = {}
    for name, files in systems.items():
        runs = [next(at) for _ in files]
        for path, run in zip(files, runs, strict=True):
            if None in run:
                raise InputFileError(f"{path}: segment {run.index(None) + 1} is missing (null); a text was expected.")
        read[name] = runs[0] if len(runs) == 1 else Runs(*runs)
    found = options | {name: next(at) for name in label_files}
    found["by"] = {path if path in BY_LENGTH else os.path.basename(path): path for path in by} or None
    if found["by"] is not None:
        grouped = {name: None if path in BY_LENGTH else next(at) for name, path in found["by"].items()}
        found["by"] = grouped if any(grouped.values()) else list(grouped)
    single = len(streams) == 1 and separator is None
    files = [split_column(path)[0] for path in paths]
    return Inputs(read, next(iter(streams.values())) if single else streams, found, files, len(streams))


def _named(given: Sequence[str], what: str) -> dict[str, str]:
    """Return the paths by name: the text before the first =, or a name derived from the path."""
    from chrfect.cli.inputs import file_names
    from chrfect.errors import UsageError

    split = [_split_name(text) for text in given]
    plain = iter(file_names([path for name, path in split if name is None]))
    named: dict[str, str] = {}
    for name, path in split:
        key = next(plain) if name is None else name
        if key in named:
            raise UsageError(f"The name {key} is repeated among the {what}; names must be unique.")
        named[key] = path
    return named


def _systems(given: Sequence[str], names: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the files of the runs of each system by name; a folder is replaced by its files."""
    from chrfect.errors import UsageError

    expanded: list[str] = []
    for text in given:
        if os.path.isdir(text):
            expanded += [os.path.join(text, name) for name in _files(text)]
        else:
            expanded.append(text)
    if names is not None:
        if len(names) != len(expanded):
            raise UsageError(
                f"--names has {len(names)} names for {len(expanded)} systems; one name per system was expected."
            )
        expanded = [f"{name}={_split_name(text)[1]}" for name, text in zip(names, expanded, strict=True)]
    return {
        name: path.split(",") if "," in path and not os.path.exists(path) else [path]
        for name, path in _named(expanded, "systems").items()
    }


def _split_name(text: str) -> tuple[str | None, str]:
    """Return the name and the path of NAME=PATH; an existing file with a = in its name is not split."""
    name, mark, path = text.partition("=")
    return (name, path) if mark and name and path and not os.path.exists(text) else (None, text)


def _separated(lines: Sequence[str | None], separator: str) -> dict[str, list[str | None]]:
    """Return one list for each reference of a line; references that a line lacks are None."""
    rows = [[] if line is None else line.split(separator) for line in lines]
    number = max(map(len, rows), default=1)
    return {f"reference {i + 1}": [row[i] if i < len(row) else None for row in rows] for i in range(number)}


def _in_folder(folder: str, paths: Sequence[str]) -> list[str]:
    return [path if path == "-" else os.path.join(folder, path) for path in paths]


def _note_standard_input(paths: Sequence[str]) -> None:
    import sys

    if "-" in paths and sys.stdin is not None and sys.stdin.isatty():
        print("chrfect: reading hypotheses from standard input; specify a file with -i HYP.", file=sys.stderr)
