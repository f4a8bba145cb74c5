"""Print the contract of a tool."""

from __future__ import annotations

import argparse
import sys


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = "examples:\n  chrfect describe chrf-compute\n  chrfect describe chrf-compute 1.0.0 | jq .limits\n"
    parser.add_argument("id", metavar="ID", help="the tool, as `chrfect tools` lists it")
    parser.add_argument("version", nargs="?", metavar="VERSION", help="its version (default: the newest)")


def run(arguments: argparse.Namespace) -> int:
    """Print the contract as it is stored."""
    from chrfect import catalogue

    version = arguments.version or catalogue.newest(arguments.id)
    sys.stdout.buffer.write(catalogue.contract_bytes(arguments.id, version))
    return 0
