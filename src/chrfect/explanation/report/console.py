"""Explanations for terminals: shaded with colours, or with marks below the characters."""

from __future__ import annotations

import textwrap

from chrfect.explanation.report.blocks import blocks
from chrfect.explanation.report.shading import (
    SHADES,
    Texts,
    left_out,
    plain_lines,
    question,
    shaded_clusters,
    token_lines,
    wrapped,
)
from chrfect.explanation.value import CorpusExplanation, Explanation, Shaded
from chrfect.report.colour import Colours
from chrfect.report.document import Heading, Paragraph
from chrfect.report.table import Table
from chrfect.report.visible import encodable, visible

_STYLES = {
    Colours.SIXTEEN: ("41;97;1;4", "41;97", "43;30", "47;30"),
    Colours.MANY: ("48;5;124;38;5;231;4", "48;5;160;38;5;231", "48;5;216;38;5;16", "48;5;224;38;5;16"),
    Colours.TRUE: (
        "48;2;165;15;21;38;2;255;255;255;4",
        "48;2;222;45;38;38;2;255;255;255",
        "48;2;252;146;114;38;2;0;0;0",
        "48;2;254;224;210;38;2;0;0;0",
    ),
}
_NUMBERS = 42
"""The width of the columns before the text in a table, in cells."""


def terminal(
    why: Explanation | CorpusExplanation,
    title: str = "",
    width: int = 80,
    colours: Colours = Colours.NONE,
    encoding: str = "utf-8",
) -> str:
    """Return the explanation as lines for a terminal or a pipe.

    Parameters
    ----------
    title : str
        The title of the explanation.
    width : int
        The width of a line in cells, at least 20; tables may be wider.
    colours : Colours
        Without colours, marks are printed below the characters.
    encoding : str
        The encoding of the output. Characters that it lacks are escaped before lines are wrapped.
    """
    with encodable(encoding):
        return _terminal(why, title, max(width, 20), colours)


def _terminal(why: Explanation | CorpusExplanation, title: str, width: int, colours: Colours) -> str:
    parts: list[str] = []
    before: object = None
    room = max(width, 60) - _NUMBERS
    for block in blocks(why, title, room // 2 if isinstance(why, CorpusExplanation) else room, 1):
        parts.append("\n" if isinstance(block, Paragraph) and isinstance(before, Paragraph) else "\n\n")
        before = block
        if isinstance(block, Heading):
            parts.append(_styled(visible(block.text), "1", colours))
        elif isinstance(block, Paragraph):
            parts.append(_filled(block.text, width))
        elif isinstance(block, Table):
            caption, _, rest = block.text().partition("\n")
            parts.append(f"{_styled(_filled(caption, width), '1', colours)}\n{rest}")
        elif isinstance(block, Texts):
            parts.append(_texts(block, width, colours))
    return "".join(parts[1:]) + "\n"


def _filled(text: str, width: int) -> str:
    """Return a wrapped paragraph; code, such as a signature, is not wrapped."""
    plain = visible(text.replace("`", ""))
    return plain if text.startswith("`") else textwrap.fill(plain, width, break_on_hyphens=False)


def _texts(block: Texts, width: int, colours: Colours) -> str:
    lines = []
    for name, text in block.sides:
        lines.append(_styled(name, "1", colours) + left_out(text))
        shown = _coloured_lines(text, width - 2, colours) if colours else plain_lines(text, width - 2)
        lines += ["  " + line for line in [*shown, *token_lines(text, width - 2)]]
    legend = block.legend()
    if colours and legend:
        samples = "  ".join(_shade(shade.name, level, colours) for level, shade in enumerate(SHADES))
        lines += ["", _filled(question(block.unit), width), samples]
        legend = block.legend()[-1:] if block.has_tokens else []
    elif legend:
        lines.append("")
    return "\n".join([*lines, *(_filled(line, width) for line in legend)])


def _coloured_lines(text: Shaded, width: int, colours: Colours) -> list[str]:
    lines = []
    for line in wrapped(shaded_clusters(text), width):
        shown, run, last = [], "", None
        for cluster, level in line:
            if level != last and run:
                shown.append(_shade(run, last, colours))
                run = ""
            run, last = run + cluster.shown, level
        lines.append("".join([*shown, _shade(run, last, colours)]))
    return lines


def _shade(text: str, level: int | None, colours: Colours) -> str:
    styles = _STYLES[colours]
    return _styled(text, styles[level], colours) if level is not None and 0 <= level < len(styles) else text


def _styled(text: str, style: str, colours: Colours) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colours and text else text
