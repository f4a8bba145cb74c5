"""The web pages, written in Markdown from contracts and index, and served as Markdown and as HTML."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import jinja2

from chrfect import catalogue
from chrfect._version import __version__
from chrfect.explanation.report.shading import legend
from chrfect.report.style import stylesheet
from chrfect.service.pages.rendering import escape, to_html
from chrfect.service.pages.schema import describe
from chrfect.service.playground.examples import EXAMPLES
from chrfect.service.playground.form import NAMES, SIDES, SORTS, TOKENIZERS, Form, parameters

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
        ``"home"``, ``"tool"``, ``"tools"``, ``"docs"``, ``"cli"`` or ``"llms"``.
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
    return environment().get_template(f"{name}.md").render(context, base=base)


@lru_cache(256)
def html(name: str, base: str, tool: str | None = None) -> str:
    """Return a page as HTML; the parameters are those of :func:`markdown`."""
    text = markdown(name, base, tool)
    title = text.partition("\n")[0].removeprefix("# ")
    context: dict[str, Any] = {"title": title, "body": to_html(text), "alternate": _alternate(name, tool)}
    if tool is None and name != "home":
        return render("page.html", context)
    intro, start, rest = context["body"].partition("<h2")
    context |= {"intro": intro, "body": start + rest, "trial": None, "problem": None, "part": False}
    return render("tool.html", form_context(Form(tool=tool or "chrf-compute")) | context)


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a template of HTML with the context."""
    return environment().get_template(template).render(context, version=__version__)


def form_context(form: Form) -> dict[str, Any]:
    """Return what the template of the form needs."""
    return {
        "form": form,
        "contract": catalogue.newest_contract(form.tool),
        "names": NAMES,
        "bleu": [id for id in NAMES if id.startswith("bleu")],
        "parameters": parameters(),
        "tokenizers": TOKENIZERS,
        "sorts": SORTS,
        "sides": SIDES,
        "examples": {name: label for name, (label, _) in EXAMPLES.items()},
        "legend": legend,
    }


def _alternate(name: str, tool: str | None) -> str:
    """Return the address of a page as Markdown."""
    if tool:
        return f"/tools/{tool}.md"
    return {"home": "/index.md", "docs": "/docs.md", "cli": "/clients/cli.md", "tools": "/tools.md"}[name]


@cache
def static(name: str) -> bytes:
    """Return a file that pages load; the stylesheet begins with that of reports."""
    own = files(__name__).joinpath("static", name).read_bytes()
    return stylesheet().encode() + own if name == "style.css" else own


@cache
def environment() -> jinja2.Environment:
    """Return the templates."""
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
