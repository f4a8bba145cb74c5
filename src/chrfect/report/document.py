"""Documents of headings, paragraphs, tables and figures, written as Markdown, HTML or LaTeX."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chrfect.report.style import policy, stylesheet
from chrfect.report.table import Table, escaped

_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Heading:
    """The title of the document (level 1) or of a section (level 2)."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Prose; words between backticks are code."""

    text: str


@dataclass(frozen=True)
class Image:
    """A figure: the name of its SVG file, and its caption."""

    name: str
    caption: str


class Part(Protocol):
    """The interface of other blocks: they write themselves."""

    def markdown(self) -> str:
        """Return the block as Markdown."""

    def html(self) -> str:
        """Return the block as HTML, everything escaped."""


Block = Heading | Paragraph | Image | Table | Part


@dataclass(frozen=True)
class Document:
    """Blocks in reading order.

    Parameters
    ----------
    blocks : sequence of Heading, Paragraph, Image, Table or Part
        The first one is the title.

    Examples
    --------
    >>> document = Document([Heading("On `chrF`", 1), Paragraph("a < b"), Table(["x"], [[1]])])
    >>> print(document.markdown())
    # On `chrF`
    <BLANKLINE>
    a < b
    <BLANKLINE>
    | x |
    | ---: |
    | 1 |
    <BLANKLINE>
    """

    blocks: Sequence[Block]

    def markdown(self) -> str:
        """Return the document as Markdown; figures are links to files in the same folder."""
        return "\n\n".join(map(_markdown, self.blocks)) + "\n"

    def html(self, images: Mapping[str, bytes] | None = None) -> str:
        """Return the document as one self-contained HTML page; `images` maps names to SVG bytes."""
        body = "\n".join(_html(block, images or {}) for block in self.blocks)
        title = next((block.text for block in self.blocks if isinstance(block, Heading)), "")
        return page(title.replace("`", ""), f"<main>\n{body}\n</main>")

    def fragment(self) -> str:
        """Return the document as HTML for inclusion in a page, such as a notebook, with its style."""
        return fragment("\n".join(_html(block, {}) for block in self.blocks))

    def latex(self) -> str:
        """Return the tables as LaTeX, each with its caption as a comment (packages: booktabs)."""
        return "\n\n".join(block.latex() for block in self.blocks if isinstance(block, Table)) + "\n"


def page(title: str, body: str, script: str = "") -> str:
    """Return a self-contained page, which a policy keeps from loading or running anything else.

    Parameters
    ----------
    title : str
        Plain text.
    body : str
        HTML.
    script : str
        JavaScript that runs when the page is read; it has no ``</script``.
    """
    styles = stylesheet()
    run = f"<script>{script}</script>\n" if script else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(styles, script)}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{styles}</style>\n</head>\n"
        f'<body class="chrfect">\n{body}\n{run}</body>\n</html>\n'
    )


def fragment(body: str) -> str:
    """Return HTML for inclusion in another page, such as a notebook, with the style."""
    return f'<div class="chrfect">\n<style>{stylesheet()}</style>\n{body}\n</div>\n'


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_escaped(block.text)}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Image):
        return f"![{block.caption}]({block.name})"
    return block.markdown()


def _escaped(text: str) -> str:
    """Return the text with Markdown markup escaped, except in code."""
    return "".join(part if i % 2 else escaped(part) for i, part in enumerate(re.split("(`[^`]+`)", text)))


def _html(block: Block, images: Mapping[str, bytes]) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, Image):
        source = base64.b64encode(images[block.name]).decode("ascii")
        caption = html.escape(block.caption)
        picture = f'<img alt="{caption}" src="data:image/svg+xml;base64,{source}">'
        return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"
    if isinstance(block, Table):
        return f'<div class="wide" tabindex="0">\n{block.html()}\n</div>'
    return block.html()


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", html.escape(text))
