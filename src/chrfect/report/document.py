"""Documents of headings, paragraphs, tables and figures, written as Markdown, HTML or LaTeX."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from chrfect.report.table import Table, escaped

_CODE = re.compile(r"`([^`]+)`")

_STYLE = """\
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --rule: #ccc; --shade: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #161616; --rule: #444; --shade: #222; } }
body { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, sans-serif; }
h1, h2, p, figcaption { max-width: 46rem; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
code { font-size: .92em; background: var(--shade); padding: .05em .25em; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; }
caption { caption-side: top; min-width: min(24rem, 80vw); text-align: left; padding-bottom: .4rem; font-weight: 600; }
th { text-align: left; border-bottom: 1px solid var(--ink); }
th, td { padding: .15rem .45rem; white-space: nowrap; } th { vertical-align: bottom; }
td { vertical-align: top; border-bottom: 1px solid var(--rule); }
.number { text-align: right; }
figure { margin: 1.5rem 0; } figure img { max-width: 100%; height: auto; background: #fff; }
figcaption { font-size: .9rem; }
@media print { body { max-width: none; font-size: 10pt; } .wide { overflow: visible; } table { font-size: 7pt; } }
"""


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
    """The interface of other blocks: they write themselves, and have the style for their HTML."""

    style: ClassVar[str]

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
        styles = _STYLE + "".join(dict.fromkeys(getattr(block, "style", "") for block in self.blocks))
        title = next((block.text for block in self.blocks if isinstance(block, Heading)), "")
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title.replace('`', ''))}</title>\n<style>\n{styles}</style>\n</head>\n"
            f'<body>\n<main class="chrfect">\n{body}\n</main>\n</body>\n</html>\n'
        )

    def fragment(self) -> str:
        """Return the document as HTML for inclusion in a page, with the style of its parts but not of the page."""
        styles = "".join(dict.fromkeys(getattr(block, "style", "") for block in self.blocks))
        body = "\n".join(_html(block, {}) for block in self.blocks)
        return f'<div class="chrfect">\n<style>\n{styles}</style>\n{body}\n</div>\n'

    def latex(self) -> str:
        """Return the tables as LaTeX, each with its caption as a comment (packages: booktabs)."""
        return "\n\n".join(block.latex() for block in self.blocks if isinstance(block, Table)) + "\n"


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
