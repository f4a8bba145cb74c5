"""List the tools of the catalogue."""

from __future__ import annotations

import argparse


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = "example:\n  chrfect tools --json\n"
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the id, newest version and description of every tool."""
    import textwrap

    from chrfect import catalogue
    from chrfect.cli.output import print_json

    tools = [
        {key: contract[key] for key in ("id", "version", "description")}
        for contract in map(catalogue.newest_contract, catalogue.ids())
    ]
    if arguments.json:
        print_json({"tools": tools})
        return 0
    for tool in tools:
        print(f"{tool['id']} {tool['version']}")
        print(textwrap.fill(tool["description"], 78, initial_indent="  ", subsequent_indent="  "))
    return 0
