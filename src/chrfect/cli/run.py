"""Execute a tool of the catalogue and print its result as JSON."""

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
    parser.add_argument("id", metavar="ID", help="the id of the tool; `chrfect tools` lists all ids")
    parser.add_argument("version", nargs="?", metavar="VERSION", help="the version of the tool (default: the newest)")
    parser.add_argument("--input", required=True, metavar="FILE", help="the input as JSON; - is standard input")
    parser.add_argument("--base-url", metavar="URL", help="execute the tool on this server (default: in this process)")
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="seconds to wait for the server (default: 60)"
    )
    parser.add_argument(
        "--retries",
        type=int,
        default=3,
        metavar="N",
        help="number of retries if the server is busy, after the time that it states (default: 3)",
    )
    parser.add_argument(
        "--json-errors", action="store_true", help="print the problem object of a rejected input to standard error"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print ``{"result": …}``, or the error if the input is rejected."""
    from chrfect import catalogue
    from chrfect.errors import ContractError

    try:
        answer = _run_locally(arguments) if arguments.base_url is None else _run_remotely(arguments)
    except ContractError as error:
        problem = catalogue.problem(error)
        print(json.dumps(problem) if arguments.json_errors else f"chrfect: error: {problem['detail']}", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(answer + b"\n")
    return 0


def _run_locally(arguments: argparse.Namespace) -> bytes:
    from chrfect import catalogue
    from chrfect.files.lines import read_bytes

    version = arguments.version or catalogue.newest(arguments.id)
    catalogue.resolve(arguments.id, version)
    return catalogue.answer(arguments.id, version, read_bytes(arguments.input))


def _run_remotely(arguments: argparse.Namespace) -> bytes:
    from chrfect.cli.progress import bar
    from chrfect.client import Client
    from chrfect.client.url import parse_base_url
    from chrfect.files.lines import read_bytes

    parse_base_url("--base-url", arguments.base_url)
    client = Client(arguments.base_url, timeout=arguments.timeout, retries=arguments.retries)
    body = read_bytes(arguments.input)
    with bar("waiting for the server"):
        return client.execute(arguments.id, arguments.version or client.newest(arguments.id), body)
