"""Run an MCP server on standard input and output."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  chrfect mcp                    started by a client; answers one JSON-RPC message per line
  {"mcpServers": {"chrfect": {"command": "chrfect", "args": ["mcp"]}}}   in the configuration of the client
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Set the examples; the command has no arguments."""
    parser.epilog = EXAMPLES


def run(_: argparse.Namespace) -> int:
    """Answer messages until standard input ends."""
    import asyncio

    from chrfect.cli.extra import require_server_extra

    with require_server_extra():
        from chrfect.service.mcp.stdio import serve
    asyncio.run(serve())
    return 0
