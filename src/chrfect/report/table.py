"""Tables, written as text, Markdown, LaTeX, HTML or JSON."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from chrfect.report.visible import visible

Cell = str | int | float | tuple[str, ...] | None

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"\dag{}",
    "–": "--",
    **{character: "\\" + character for character in "&%$#_{}"},
}
_MARKDOWN = re.compile(r"([\\`*_|<>\[\]])")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with named columns. Numbers are right-aligned and rounded only when written.

    Parameters
    ----------
    columns : sequence of str
        The headings.
    rows : sequence of sequences of (str, int, float, tuple of str, or None)
        One cell for each column. None is written as a dash, a tuple as several lines in one cell.
    decimals : int
        The number of decimals of floats, 0 or more.
    caption : str
        One line above the table; empty for no title.
    bold : set of (int, int)
        The cells, by row and column, that Markdown and LaTeX set in bold.
    keys : int
        How many columns, from the left, name a row.
    joined : set of int
        The columns that are not parted from the one before.

    Examples
    --------
    >>> print(Table(["system", "chrF"], [["A", 61.234], ["B", None]]).text())
    system   chrF
    ------  -----
    A       61.23
    B           –
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    decimals: int = 2
    caption: str = ""
    bold: Set[tuple[int, int]] = frozenset()
    keys: int = 1
    joined: Set[int] = frozenset()

    def text(self, width: int | None = None) -> str:
        """Return the table for a terminal, columns aligned by display width.

        Columns that do not fit into `width` follow below, beside those that name the rows again.

        Examples
        --------
        >>> print(Table(["system", "chrF", "BLEU"], [["A", 61.234, 31.0]]).text(13))
        system   chrF
        ------  -----
        A       61.23
        <BLANKLINE>
        system   BLEU
        ------  -----
        A       31.00
        """
        rule = [""] * len(self.columns)
        cells = [list(self.columns), rule, *([self._cell_text(cell) for cell in row] for row in self.rows)]
        widths = [max(_width(row[i]) for row in cells) for i in range(len(self.columns))]
        cells[1] = ["-" * width for width in widths]
        numeric = self._numeric()
        blocks = [
            "\n".join("  ".join(_pad(row[i], widths[i], numeric[i]) for i in block).rstrip() for row in cells)
            for block in self._blocks(widths, width)
        ]
        return (f"{self.caption}\n" if self.caption else "") + "\n\n".join(blocks)

    def _blocks(self, widths: Sequence[int], width: int | None) -> list[list[int]]:
        """Return the columns of each part that fits, at least one beside those that name the rows."""
        names = list(range(self.keys))
        blocks = [list(names)]
        runs: list[list[int]] = []
        for i in range(self.keys, len(self.columns)):
            if i in self.joined and runs:
                runs[-1].append(i)
            else:
                runs.append([i])
        for run in runs:
            total = sum(widths[place] + 2 for place in (*blocks[-1], *run)) - 2
            if width is not None and total > width and len(blocks[-1]) > self.keys:
                blocks.append(list(names))
            blocks[-1] += run
        return blocks

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        numeric = self._numeric()
        lines = [escaped(self.caption), ""] if self.caption else []
        lines.append("| " + " | ".join(_in_markdown(column) for column in self.columns) + " |")
        lines.append("|" + "|".join(" ---: " if right else " --- " for right in numeric) + "|")
        for place, row in enumerate(self.rows):
            cells = [
                f"**{self._in_markdown(cell)}**" if (place, i) in self.bold else self._in_markdown(cell)
                for i, cell in enumerate(row)
            ]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the table as a LaTeX ``tabular`` with booktabs rules, special characters escaped."""
        layout = "".join("r" if right else "l" for right in self._numeric())
        lines = [f"% {self.caption}"] if self.caption else []
        lines += [f"\\begin{{tabular}}{{{layout}}}", "\\toprule"]
        lines += [" & ".join(map(_in_latex, self.columns)) + r" \\", "\\midrule"]
        for place, row in enumerate(self.rows):
            cells = [
                f"\\textbf{{{self._in_latex(cell)}}}" if (place, i) in self.bold else self._in_latex(cell)
                for i, cell in enumerate(row)
            ]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])

    def html(self) -> str:
        """Return the table as an HTML ``table`` element, everything escaped.

        It has the roles of a table, also where the style shows rows as lists of names and values.
        """
        numeric = self._numeric()
        head = "".join(
            f'<th role="columnheader" scope="col"{_class("number" if right else "")}>{html.escape(column)}</th>'
            for right, column in zip(numeric, self.columns, strict=True)
        )
        lines = ['<table role="table">']
        if self.caption:
            lines.append(f"<caption>{html.escape(self.caption)}</caption>")
        lines.append(f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>')
        lines.append('<tbody role="rowgroup">')
        for place, row in enumerate(self.rows):
            cells = "".join(self._in_html(cell, place, i, numeric[i]) for i, cell in enumerate(row))
            lines.append(f'<tr role="row">{cells}</tr>')
        return "\n".join([*lines, "</tbody>", "</table>"])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON-ready data, floats in full precision."""
        return {"caption": self.caption, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def _numeric(self) -> list[bool]:
        return [
            any(isinstance(row[i], int | float) for row in self.rows)
            and all(row[i] is None or isinstance(row[i], int | float) for row in self.rows)
            for i in range(len(self.columns))
        ]

    def _in_markdown(self, cell: Cell) -> str:
        return "<br>".join(map(_in_markdown, map(self._cell_text, cell if isinstance(cell, tuple) else [cell])))

    def _in_latex(self, cell: Cell) -> str:
        text = _in_latex(self._cell_text(cell))
        return f"$-${text[1:]}" if isinstance(cell, int | float) and text.startswith("-") else text

    def _in_html(self, cell: Cell, row: int, column: int, right: bool) -> str:
        """Return the cell as an element; each line has its own writing direction."""
        classes = ["number"] * right + ["best"] * ((row, column) in self.bold) + ["none"] * (cell is None)
        start = f'<td role="cell" data-label="{html.escape(self.columns[column])}"{_class(" ".join(classes))}'
        if isinstance(cell, tuple):
            lines = "".join(f'<div dir="auto">{html.escape(self._cell_text(line))}</div>' for line in cell)
            return f"{start}><div>{lines}</div></td>"
        return f'{start}><div dir="auto">{html.escape(self._cell_text(cell))}</div></td>'

    def _cell_text(self, cell: Cell) -> str:
        if cell is None:
            return visible("–")
        if isinstance(cell, tuple):
            return "  ".join(map(visible, cell))
        return f"{cell:z.{self.decimals}f}" if isinstance(cell, float) else visible(str(cell))


def p_cell(p: float | None, decimals: int) -> Cell:
    """Return a p-value, or an upper bound if its decimals are all 0.

    Examples
    --------
    >>> p_cell(0.0312, 3), p_cell(0.0001, 3), p_cell(None, 3)
    (0.0312, '<0.001', None)
    """
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}" if p is not None and p < least / 2 else p


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def escaped(text: str) -> str:
    """Return the text with Markdown markup escaped."""
    return _MARKDOWN.sub(r"\\\1", text)


def _in_markdown(text: str) -> str:
    return escaped(text).replace("\n", " ")


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
