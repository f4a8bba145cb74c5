"""Print the contract of a tool."""

from __future__ import annotations

import argparse
import sys


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = "examples:\n  chrfect describe chrf-compute\n  chrfect describe chrf-compute 1.0.0 | jq .limits\n"
    parser.add_argument("id", metavar="ID", help="the id of the tool; `chrfect tools` lists all ids")
    parser.add_argument("version", nargs="?", metavar="VERSION", help="the version of the tool (default: the newest)")


def run(arguments: argparse.Namespace) -> int:
    """Print the stored contract."""
    from chrfect import catalogue

    version = arguments.version or catalogue.newest(arguments.id)
    sys.stdout.buffer.write(catalogue.contract_bytes(arguments.id, version))
    return 0
