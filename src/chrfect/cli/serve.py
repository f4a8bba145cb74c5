"""Serve the catalogue and its web pages over HTTP and MCP."""

from __future__ import annotations

import argparse
import ipaddress
import re
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult

from chrfect.client.url import parse_base_url
from chrfect.errors import UsageError

if TYPE_CHECKING:
    from chrfect.service.settings import Settings

EXAMPLES = """\
examples:
  chrfect serve
  chrfect serve --host 0.0.0.0 --port 80 --public-url https://metrics.example.org --workers 4
  chrfect serve --allowed-host metrics.internal --allowed-origin https://app.example.org --log
  chrfect serve --trusted-proxy 10.0.0.7      behind a reverse proxy

docs/operating.md describes the limits, metrics, upgrades and capacity planning.
"""

SIZES = {
    "max_head_bytes": ("--max-head-bytes", "request line and headers; also trailers and chunk headers"),
    "max_body_bytes": ("--max-body-bytes", "one request body"),
    "max_bodies_bytes": ("--max-bodies-bytes", "all incomplete request bodies; one client may use half"),
    "max_message_bytes": ("--max-message-bytes", "an MCP message that calls neither execute nor search"),
    "max_unread_bytes": ("--max-unread-bytes", "unread response bytes; one client may use half"),
}
COUNTS = {
    "max_connections": ("--max-connections", "open connections per server process"),
    "max_pipelined": ("--max-pipelined", "requests on a connection that wait for the response to an earlier one"),
    "queue": ("--queue", "large requests in the queue; one client may use half"),
    "max_batch": ("--max-batch", "messages in an MCP batch"),
    "processes": ("--processes", "compute processes for large requests per server process"),
}
SECONDS = {
    "request_timeout": ("--request-timeout", "time until a request has arrived"),
    "response_timeout": ("--response-timeout", "time until a client has read 256 KiB of its response, or the rest"),
    "compute_timeout": ("--compute-timeout", "time until a result is computed"),
    "max_wait": ("--max-wait", "expected time in the queue; above it requests are rejected"),
    "keep_alive": ("--keep-alive", "time until an idle connection is closed"),
    "grace": ("--grace", "time for running requests when the server stops"),
}
MOST = {"processes": 256, "max_connections": 65_536}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    address = parser.add_argument_group("address")
    address.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    address.add_argument("--port", type=int, default=8000, help="the port; 0 selects a free port (default: 8000)")
    address.add_argument("--public-url", metavar="URL", help="the base URL in pages (default: that of the request)")
    access = parser.add_argument_group("access")
    access.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another accepted Host, with a port or for any port; may be repeated (always accepted: loopback names, "
        "--host if it is one address, the host of --public-url)",
    )
    access.add_argument(
        "--allowed-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an origin whose pages may send requests, such as https://app.example.org; may be repeated",
    )
    access.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="an address or network whose X-Forwarded-For and X-Forwarded-Proto are trusted; may be repeated "
        "(default: none)",
    )
    processes = parser.add_argument_group("processes")
    processes.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="server processes that share the address; SIGHUP replaces them one after another (default: 1)",
    )
    _add_limits(parser)
    log = parser.add_argument_group("log")
    log.add_argument("--log", action="store_true", help="log each request as a line of JSON to standard error")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    from chrfect.service.settings import Settings

    groups: list[tuple[str, dict[str, tuple[str, str]], type, str]] = [
        ("size limits", SIZES, int, "BYTES"),
        ("count limits", COUNTS, int, "N"),
        ("time limits", SECONDS, float, "SECONDS"),
    ]
    defaults = Settings()
    for title, options, kind, unit in groups:
        group = parser.add_argument_group(title)
        for name, (option, what) in options.items():
            names = (option, "--timeout") if name == "request_timeout" else (option,)
            default = getattr(defaults, name)
            help = f"{what} (default: {default:g})" if kind is float else f"{what} (default: {default})"
            group.add_argument(*names, dest=name, type=kind, default=default, metavar=unit, help=help)


def run(arguments: argparse.Namespace) -> int:
    """Listen on the address and serve until a signal arrives."""
    from chrfect.cli.extra import require_server_extra

    with require_server_extra():
        from chrfect.service.server import bind, serve
    settings = _settings(arguments)
    with ExitStack() as stack:
        listeners = [
            stack.enter_context(listener) for listener in bind(arguments.host, arguments.port, settings.workers)
        ]
        name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        address = f"http://{name}:{listeners[0].getsockname()[1]}"
        message = f"chrfect: serving at {address} (MCP at {address}/mcp); press Ctrl-C to stop"
        serve(listeners, settings, lambda: print(message, file=sys.stderr, flush=True))
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    from chrfect.service.settings import LOOPBACK, Settings

    if not 0 <= arguments.port <= 65_535:
        raise UsageError(f"--port is {arguments.port}; a whole number from 0 to 65535 was expected.")
    if not 1 <= arguments.workers <= 256:
        raise UsageError(f"--workers is {arguments.workers}; a whole number from 1 to 256 was expected.")
    limits = {name: _limit(name, arguments) for name in [*SIZES, *COUNTS, *SECONDS]}
    hosts = [*LOOPBACK, *arguments.allowed_host]
    if arguments.host not in ("0.0.0.0", "::"):
        hosts.append(f"[{arguments.host}]" if ":" in arguments.host else arguments.host)
    if arguments.public_url is not None:
        hosts.append(re.sub(r":\d*$", "", _origin("--public-url", arguments.public_url).netloc))
    origins = []
    for origin in arguments.allowed_origin:
        parts = _origin("--allowed-origin", origin)
        origins.append(f"{parts.scheme}://{parts.netloc.lower()}")
    for proxy in arguments.trusted_proxy:
        _check_network(proxy)
    return Settings(
        allowed_hosts=tuple(dict.fromkeys(hosts)),
        allowed_origins=tuple(origins),
        public_url=arguments.public_url and arguments.public_url.rstrip("/"),
        trusted_proxies=tuple(arguments.trusted_proxy),
        workers=arguments.workers,
        log=arguments.log,
        **limits,
    )


def _limit(name: str, arguments: argparse.Namespace) -> Any:
    """Return the value of a limit; raise UsageError unless it is positive and finite."""
    value = getattr(arguments, name)
    option = (SIZES | COUNTS | SECONDS)[name][0]
    most = MOST.get(name, 86_400 if name in SECONDS else 2**40)
    if not 0 < value <= most:
        kind = "a number of seconds" if name in SECONDS else "a whole number"
        raise UsageError(f"{option} is {value:g}; {kind} above 0, at most {most}, was expected.")
    return value


def _check_network(text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise UsageError(
            f"--trusted-proxy is {text!r}; an IP address or network such as 10.0.0.0/8 was expected."
        ) from None


def _origin(option: str, text: str) -> SplitResult:
    parts = parse_base_url(option, text)
    if parts.path not in ("", "/"):
        raise UsageError(f"{option} is {text!r}; a URL without a path was expected.")
    return parts
