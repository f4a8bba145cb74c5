"""The command line interface: one module per command, imported when the command is called.

The module of a command has a function ``add(parser)``, which declares its arguments, and a function
``run(arguments)``, which calls the library and returns the exit status.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Container, Sequence
from typing import Any, NoReturn

from chrfect.errors import ChrfectError, ChrfectWarning, UsageError, shown

COMMANDS = {
    "score": "score translations against references",
    "compare": "compare systems, with significance tests",
    "sacrebleu": "score as the command sacrebleu does, with its arguments",
    "explain": "explain a score: matched, missed and invented n-grams and their positions",
    "run": "execute a tool of the catalogue",
    "tools": "list the tools of the catalogue",
    "describe": "print the contract of a tool",
    "counts": "count large data sets into parts",
    "merge": "add parts and score the sums",
    "mbr": "select translations by minimum Bayes risk",
    "correlate": "compare metrics with human ratings",
    "reproduce": "repeat a published meta-evaluation",
    "signature": "explain a signature",
    "cite": "print BibTeX entries to cite",
    "serve": "serve the tools over HTTP and MCP",
    "mcp": "run an MCP server on standard input and output",
    "completion": "print a completion script for a shell",
}
"""Every command with its description; a command is in the module of the same name."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters that a terminal would interpret, except TAB and line feed, and bidirectional controls."""

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    The status is 0 on success, 1 if the work failed, 2 for an invalid input or command line, 130 after Ctrl-C; a closed
    pipe is a success.
    """
    if arguments is not None:
        return _run(list(arguments))
    gc.set_threshold(10_000)  # imports create many objects and hardly any garbage
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()  # at exit, nothing is collected


def _run(given: list[str]) -> int:
    _open_streams()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", ChrfectWarning)
            warnings.showwarning = _show_warning
            status = _dispatch(given)
        sys.stdout.flush()
    except ChrfectError as error:
        _print_message(f"error: {error}")
        return WRONG if isinstance(error, UsageError) else FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        _print_message(f"error: {error}")
        return FAILED
    return status


def _open_streams() -> None:
    """Replace closed standard streams, and escape characters that an encoding does not have."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(given: list[str]) -> int:
    command = next((word for word in given if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        from chrfect.cli.hints import for_command

        hint = for_command(command, given, COMMANDS)
        if hint:
            raise UsageError(f"{shown(command)} is not a command.{hint} See `chrfect --help`.")
    parser = parser_with([command] if command in COMMANDS else [])
    parsed, unknown = parser.parse_known_args(given)
    if command in ("score", "compare") and "-ol" in given:
        unknown.append("-ol")  # an option of sacreBLEU, which the parser reads as -o l
    if unknown:
        from chrfect.cli.hints import for_options

        hint = for_options(unknown)
        program = f"chrfect {parsed.command}" if parsed.command else "chrfect"
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}.{hint} See `{program} --help`.")
    if parsed.show_version:
        return _version()
    if parsed.command is None:
        parser.print_help()
        return WRONG
    status: int = parsed.run(parsed)
    return status


def parser_with(commands: Container[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line with the arguments of some commands; for none, it only describes all."""
    parser = _Parser(
        prog="chrfect",
        description="Exact, fast, explained n-gram metrics for machine translation.",
        epilog="Example: chrfect score reference.txt -i system.txt -m chrF chrF++\n"
        "Run `chrfect COMMAND --help` for the options and examples of a command.",
        formatter_class=_formatter,
    )
    parser.add_argument(
        "-V", "--version", action="store_true", dest="show_version", help="print the version and the kernel in use"
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=_Parser)
    for name, summary in COMMANDS.items():
        if commands and name not in commands:
            continue
        subparser = subparsers.add_parser(name, help=summary, formatter_class=_formatter, allow_abbrev=False)
        if commands:
            module = importlib.import_module(f"chrfect.cli.{name}")
            subparser.description = (module.__doc__ or "").partition("\n")[0]
            module.add(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter of the width of the terminal; argparse would import shutil, and its compressions, for that."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(1).columns
    except (ValueError, OSError):
        columns = 0
    return argparse.RawDescriptionHelpFormatter(prog, width=(columns or 80) - 2)


class _Parser(argparse.ArgumentParser):
    def _parse_optional(self, arg_string: str) -> Any:
        """Read ``-#COLUMN``, a column of standard input, as an argument and not as an option."""
        return None if arg_string.startswith("-#") else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        hint = " sacreBLEU's format text is table here." if "invalid choice: 'text'" in message else ""
        raise UsageError(f"{message}.{hint} See `{self.prog} --help`.")


def _version() -> int:
    import platform

    from chrfect import __version__, kernels

    kernel = f"{kernels.NAME} kernel" + (f", {kernels.level()}" if kernels.level() else "")
    print(f"chrfect {__version__} (Python {platform.python_version()}, {kernel})")
    if kernels.READABLE_REASON:
        print(f"The readable kernel has the same results but is slower; it is used because {kernels.READABLE_REASON}.")
    return DONE


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _print_message(f"warning: {message}")


def _print_message(text: str) -> None:
    over = "\r\x1b[K" if sys.stderr.isatty() else ""  # a line of progress
    print(f"{over}chrfect: {_CONTROLS.sub(_escaped, text)}", file=sys.stderr)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
