"""Speak MCP over standard input and output."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  chrfect mcp                    a client starts it; it answers one JSON-RPC message a line
  {"mcpServers": {"chrfect": {"command": "chrfect", "args": ["mcp"]}}}   in that client's configuration
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    parser.epilog = EXAMPLES


def run(_: argparse.Namespace) -> int:
    """Answer messages until the input ends."""
    import asyncio

    from chrfect.cli.extra import server_extra

    with server_extra():
        from chrfect.service.mcp.stdio import serve
    asyncio.run(serve())
    return 0
