"""Explanations in human-readable formats: for terminals, as Markdown, and as HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from chrfect.errors import UsageError, shown
from chrfect.explanation.report.blocks import DECIMALS, document, together
from chrfect.explanation.report.console import terminal
from chrfect.explanation.value import CorpusExplanation, Explanation

__all__ = ["FORMATS", "document", "file_format", "terminal", "written"]

FORMATS = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
"""The supported formats, with their file name extensions."""


def file_format(path: str) -> str:
    """Return the format for the extension of a file name; plain text if there is no extension.

    Raises
    ------
    UsageError
        If the extension is not supported.

    Examples
    --------
    >>> file_format("why.html"), file_format("/dev/stdout")
    ('html', 'text')
    >>> file_format("why.pdf")
    Traceback (most recent call last):
        ...
    chrfect.errors.UsageError: 'why.pdf' ends in .pdf, which is not a supported format; use .txt, .md, .html or .json.
    """
    ending = os.path.splitext(path)[1].lower()
    if not ending:
        return "text"
    formats = {known: name for name, known in FORMATS.items()} | {".htm": "html"}
    if ending not in formats:
        *most, last = FORMATS.values()
        name = shown(os.path.basename(path))
        raise UsageError(f"{name} ends in {ending}, which is not a supported format; use {', '.join(most)} or {last}.")
    return formats[ending]


PAGE_DECIMALS = 2
"""The number of decimals of a page."""


def render(why: Explanation | CorpusExplanation, form: str, title: str = "", ascii_only: bool = False) -> str:
    """Return the explanation as a file of that format has it. A page has two decimals, the others have six.

    Parameters
    ----------
    form : {"text", "markdown", "html", "json"}
    title : str
        The title of the explanation.
    ascii_only : bool
        Whether to escape non-ASCII characters in JSON.
    """
    if form == "json":
        return json.dumps(why.to_dict(), ensure_ascii=ascii_only, indent=2) + "\n"
    if form == "text":
        return terminal(why, title)
    return document(why, title, PAGE_DECIMALS).html() if form == "html" else document(why, title).markdown()


def render_several(
    parts: Sequence[tuple[str, Explanation | CorpusExplanation]], form: str, ascii_only: bool = False
) -> str:
    """Return explanations, each with what was explained, as one file of that format has them; see :func:`render`."""
    if form == "json":
        found = [{"title": title, **why.to_dict()} for title, why in parts]
        return json.dumps({"explanations": found}, ensure_ascii=ascii_only, indent=2) + "\n"
    if form == "text":
        return "\n\n".join(terminal(why, title) for title, why in parts)
    return together(parts, PAGE_DECIMALS).html() if form == "html" else together(parts, DECIMALS).markdown()
