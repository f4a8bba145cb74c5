"""Execute a tool of the catalogue and print its answer as JSON."""

from __future__ import annotations

import argparse
import json
import sys

EXAMPLES = """\
examples:
  chrfect run chrf-compute 1.0.0 --input input.json
  echo '{"hypotheses":["a cat"],"references":["the cat"]}' | chrfect run chrf-compute 1.0.0 --input -
  chrfect run chrf-compute 1.0.0 --input input.json --base-url http://localhost:8000
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("id", metavar="ID", help="the tool, as `chrfect tools` lists it")
    parser.add_argument(
        "version", nargs="?", metavar="VERSION", help="its version, such as 1.0.0 (default: the newest)"
    )
    parser.add_argument("--input", required=True, metavar="FILE", help="the input as JSON; - is standard input")
    parser.add_argument("--base-url", metavar="URL", help="let this server do the work (default: this process does)")
    parser.add_argument(
        "--json-errors", action="store_true", help="print a rejected input's whole problem object to standard error"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print ``{"result": …}``, or say why the input was rejected."""
    from chrfect import catalogue
    from chrfect.errors import ContractError

    try:
        arguments.version = arguments.version or catalogue.newest(arguments.id)
        answer = _remotely(arguments) if arguments.base_url is not None else _here(arguments)
    except ContractError as error:
        problem = catalogue.problem(error)
        print(json.dumps(problem) if arguments.json_errors else f"chrfect: error: {problem['detail']}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(answer + b"\n")
    return 0


def _here(arguments: argparse.Namespace) -> bytes:
    from chrfect import catalogue
    from chrfect.files.lines import read_bytes

    catalogue.resolve(arguments.id, arguments.version)
    return catalogue.answer(arguments.id, arguments.version, read_bytes(arguments.input))


def _remotely(arguments: argparse.Namespace) -> bytes:
    from chrfect.cli.remote import execute
    from chrfect.files.lines import read_bytes

    return execute(arguments.base_url, arguments.id, arguments.version, read_bytes(arguments.input))
