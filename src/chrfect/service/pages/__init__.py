"""The web pages, written in Markdown from contracts and index, and served as Markdown and as HTML."""

from __future__ import annotations

import json
import shlex
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import jinja2

from chrfect import catalogue
from chrfect._version import __version__
from chrfect.service.pages.rendering import escape, to_html
from chrfect.service.pages.schema import describe

STATIC = {
    "style.css": "text/css; charset=utf-8",
    "script.js": "text/javascript; charset=utf-8",
    "favicon.svg": "image/svg+xml",
}
"""The files that pages load, with their media types."""


@lru_cache(256)
def markdown(name: str, base: str, tool: str | None = None) -> str:
    """Return a page as Markdown.

    Parameters
    ----------
    name : str
        ``"home"``, ``"tool"``, ``"docs"``, ``"cli"`` or ``"llms"``.
    base : str
        The base of absolute URLs, such as ``"http://localhost:8000"``.
    tool : str, optional
        The tool of a ``"tool"`` page.

    Raises
    ------
    ContractError
        If the tool does not exist.
    """
    context = _tool(tool) if tool else {"tools": _tools()}
    return _environment().get_template(f"{name}.md").render(context, base=base)


@lru_cache(256)
def html(name: str, base: str, tool: str | None = None) -> str:
    """Return a page as HTML; the parameters are those of :func:`markdown`."""
    text = markdown(name, base, tool)
    title = text.partition("\n")[0].removeprefix("# ")
    context = _tool(tool) if tool else {}
    page = "tool.html" if tool else "page.html"
    path = f"/tools/{tool}.md" if tool else {"home": "/index.md", "docs": "/docs.md", "cli": "/clients/cli.md"}[name]
    return (
        _environment()
        .get_template(page)
        .render(context, title=title, body=to_html(text), alternate=path, version=__version__)
    )


@cache
def static(name: str) -> bytes:
    """Return a file that pages load."""
    return files(__name__).joinpath("static", name).read_bytes()


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__name__),
        autoescape=jinja2.select_autoescape(["html"], default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"md": escape, "pretty": _pretty, "compact": catalogue.dumps, "shell": shlex.quote}
    environment.globals["describe"] = describe
    return environment


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _tools() -> list[dict[str, Any]]:
    return [{**entry, **catalogue.newest_contract(entry["id"])} for entry in catalogue.index()]


def _tool(id: str) -> dict[str, Any]:
    contract = catalogue.newest_contract(id)
    tools = {tool["id"]: tool for tool in _tools()}
    entry = tools[id]
    return {
        "contract": contract,
        "entry": entry,
        "example": contract["examples"][0],
        "related": [tools[other] for other in entry["related"] if other in tools],
        "worked": catalogue.worked(id).strip(),
    }
