"""Escaping of text for Markdown, and conversion of Markdown to HTML."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml

_MARK = re.compile(
    r"[\\`\[\]<|]"  # always a mark
    r"|\*(?=\S)|(?<=\S)\*"  # emphasis needs a neighbour
    r"|(?<!\w)_|_(?!\w)"  # inside a word an underscore is a letter
    r"|&(?=#?\w+;)"  # an entity
    r"|^(?:[#>+-]|\d+(?=[.)]))",  # the start of a block
)
_JOINT = re.compile(r"(?<=\w_)(?=\w)|(?<=[\w}])(?=/)")
_TEXT_BLOCKS = ("paragraph_open", "heading_open", "list_item_open", "td_open", "th_open")


def escape(text: str) -> str:
    r"""Return a line of text with all Markdown syntax escaped.

    Examples
    --------
    >>> print(escape("word_tokens, 2 * P, `x` and *y*"))
    word_tokens, 2 * P, \`x\` and \*y\*
    """
    return _MARK.sub(lambda mark: "\\" + mark[0] if not mark[0][0].isdigit() else mark[0] + "\\", text)


def to_html(text: str) -> str:
    """Convert Markdown to HTML with anchors at headings and automatic text direction; HTML in it is escaped.

    Elements that may scroll horizontally can be focused with the keyboard.

    Examples
    --------
    >>> to_html("## Not supported")
    '<h2 dir="auto" id="not-supported">Not supported</h2>\\n'
    """
    return str(_parser().render(text)).replace("<pre>", '<pre tabindex="0">')


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.core.ruler.push("anchors_and_directions", _mark)
    parser.add_render_rule("code_inline", _breakable_code)
    return parser


def _breakable_code(_: Any, tokens: Any, i: int, *__: Any) -> str:
    """Return inline code with line break opportunities: ``segment_`` ``count``, ``/v1`` ``/tools``."""
    return f"<code>{_JOINT.sub('<wbr>', escapeHtml(tokens[i].content))}</code>"


def _mark(state: Any) -> None:
    for i, token in enumerate(state.tokens):
        if token.type in _TEXT_BLOCKS:
            token.attrSet("dir", "auto")
            if token.attrs.pop("style", None) == "text-align:right":
                token.attrSet("class", "number")
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"\W+", "-", state.tokens[i + 1].content.casefold()).strip("-"))
