"""Serve the catalogue over HTTP and MCP, with pages for people."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

from chrfect.cli.url import start_of_urls
from chrfect.errors import UsageError

if TYPE_CHECKING:
    from chrfect.service.settings import Settings

EXAMPLES = """\
examples:
  chrfect serve
  chrfect serve --host 0.0.0.0 --port 80 --public-url https://metrics.example.org
  chrfect serve --allowed-host metrics.internal --allowed-origin https://app.example.org
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port; 0 takes a free one (default: 8000)")
    parser.add_argument("--public-url", metavar="URL", help="the start of URLs in pages (default: as it was asked)")
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another Host to answer to, with a port or for any port; may be repeated (always: loopback names, "
        "--host if it is one address, the host of --public-url)",
    )
    parser.add_argument(
        "--allowed-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an origin whose pages may call the server, such as https://app.example.org; may be repeated",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long a client may take to send a request (default: 30)",
    )
    parser.add_argument("--log", action="store_true", help="write a line for each request to standard error")


def run(arguments: argparse.Namespace) -> int:
    """Listen and serve until told to stop."""
    from chrfect.cli.extra import server_extra

    with server_extra():
        from chrfect.service.listen import bind, serve
    settings = _settings(arguments)
    with bind(arguments.host, arguments.port) as listener:
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        address = f"http://{name}:{listener.getsockname()[1]}"
        said = f"chrfect: serving at {address} (MCP at {address}/mcp); Ctrl-C stops"
        serve(listener, settings, lambda: print(said, file=sys.stderr, flush=True))
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    from chrfect.service.settings import LOOPBACK, Settings

    if not 0 <= arguments.port <= 65_535:
        raise UsageError(f"--port is {arguments.port}; a whole number from 0 to 65535 was expected.")
    if not arguments.timeout > 0:
        raise UsageError(f"--timeout is {arguments.timeout:g}; a number of seconds above 0 was expected.")
    hosts = [*LOOPBACK, *arguments.allowed_host]
    if arguments.host not in ("0.0.0.0", "::"):
        hosts.append(f"[{arguments.host}]" if ":" in arguments.host else arguments.host)
    if arguments.public_url is not None:
        hosts.append(re.sub(r":\d*$", "", _origin("--public-url", arguments.public_url).netloc))
    origins = []
    for origin in arguments.allowed_origin:
        parts = _origin("--allowed-origin", origin)
        origins.append(f"{parts.scheme}://{parts.netloc.lower()}")
    return Settings(
        allowed_hosts=tuple(dict.fromkeys(hosts)),
        allowed_origins=tuple(origins),
        public_url=arguments.public_url and arguments.public_url.rstrip("/"),
        patience=arguments.timeout,
        log=arguments.log,
    )


def _origin(option: str, text: str) -> SplitResult:
    parts = start_of_urls(option, text)
    if parts.path not in ("", "/"):
        raise UsageError(f"{option} is {text!r}; a URL without a path was expected.")
    return parts
