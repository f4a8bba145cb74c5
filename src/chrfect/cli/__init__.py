"""The command line: one small module a command, found here by name, imported when called.

A command module has ``add(parser)``, which declares its arguments, and ``run(arguments)``, which does the work by
calling the library and returns the exit status.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from chrfect.errors import ChrfectError, ChrfectWarning, UsageError, shown

COMMANDS = {
    "score": "score translations against references",
    "compare": "compare systems, with significance tests",
    "sacrebleu": "score as the command sacrebleu does, with its arguments",
    "explain": "explain a score: what matched, what was missed, what was invented, and where",
    "run": "execute a tool of the catalogue",
    "tools": "list the tools of the catalogue",
    "describe": "print the contract of a tool",
    "counts": "count data sets of any size into parts",
    "merge": "add parts, and score their sums",
    "mbr": "select translations by minimum Bayes risk",
    "correlate": "compare metrics with human ratings",
    "reproduce": "compute a published meta-evaluation again",
    "signature": "explain a signature",
    "cite": "print what to cite",
    "serve": "serve the tools over HTTP and MCP",
    "mcp": "speak MCP over standard input and output",
}
"""Every command and what it does; the module of the same name holds it."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What would act on a terminal: controls other than TAB and line feed, and marks of direction."""

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    0 done; 1 the work failed; 2 the input or the command line is wrong; 130 Ctrl-C; a closed pipe ends with 0.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_streams()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", ChrfectWarning)
            warnings.showwarning = _show_warning
            status = _dispatch(given)
        sys.stdout.flush()
    except ChrfectError as error:
        _say(f"error: {error}")
        return WRONG if isinstance(error, UsageError) else FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        _say(f"error: {error}")
        return FAILED
    return status


def _open_streams() -> None:
    """Give output somewhere to go where a stream is closed, and a form where it cannot write a character."""
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
            raise UsageError(f"{shown(command)} is not a command.{hint}")
    parser = _Parser(
        prog="chrfect",
        description="Exact, fast, explained n-gram metrics for machine translation.",
        epilog="Example: chrfect score reference.txt -i system.txt -m chrF chrF++\n"
        "`chrfect COMMAND --help` shows a command's options with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="store_true", dest="show_version", help="print the version and the kernel that runs"
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=_Parser)
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        if name == command:
            module = importlib.import_module(f"chrfect.cli.{name}")
            subparser.description = (module.__doc__ or "").partition("\n")[0]
            module.add(subparser)
            subparser.set_defaults(run=module.run)
    parsed, unknown = parser.parse_known_args(given)
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


class _Parser(argparse.ArgumentParser):
    def _parse_optional(self, arg_string: str) -> Any:
        """Read ``-#COLUMN``, a column of standard input, as an argument and not as an option."""
        return None if arg_string.startswith("-#") else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. See `{self.prog} --help`.")


def _version() -> int:
    import platform

    from chrfect import __version__, kernels

    kernel = f"{kernels.NAME} kernel" + (f", {kernels.level()}" if kernels.level() else "")
    print(f"chrfect {__version__} (Python {platform.python_version()}, {kernel})")
    if kernels.READABLE_REASON:
        print(f"The readable kernel gives the same numbers, more slowly; it runs because {kernels.READABLE_REASON}.")
    return DONE


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}")


def _say(text: str) -> None:
    print(f"chrfect: {_CONTROLS.sub(_escaped, text)}", file=sys.stderr)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
