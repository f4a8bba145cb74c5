"""The options of commands that can run on a cluster."""

from __future__ import annotations

import argparse


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Declare --engine and --address."""
    parser.add_argument("--engine", choices=("ray",), help="run on a cluster (default: on this machine)")
    parser.add_argument(
        "--address",
        metavar="ADDRESS",
        help="the cluster: auto, HOST:PORT or ray://HOST:PORT (default: RAY_ADDRESS, or a new one on this machine)",
    )


def check_engine(arguments: argparse.Namespace) -> None:
    """Raise UsageError if the options of this machine and of a cluster are mixed."""
    from chrfect.errors import UsageError

    if arguments.engine is None and arguments.address is not None:
        raise UsageError("--address names a cluster; add --engine ray.")
    if arguments.engine is not None and arguments.threads is not None:
        raise UsageError("--threads is for this machine; on a cluster each task has one core.")
