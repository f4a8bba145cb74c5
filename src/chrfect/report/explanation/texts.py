"""The two texts of a segment, shaded, as Markdown and HTML, with the legend of the shades."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from chrfect.explanation.spans import Shaded
from chrfect.report.explanation.shades import (
    PARTLY,
    SHADES,
    UNCOUNTED,
    bracketed,
    shaded_clusters,
    shaded_stretches,
    tokens,
)
from chrfect.report.visible import Cluster, clusters, right_to_left

WIDTH = 76
"""How many cells a line of a marked text has."""

_STYLE = """\
:root { --shade-0: #a50f15; --shade-1: #de2d26; --shade-2: #fc9272; --shade-3: #fee0d2; --on-dark: #fff; }
:root { --on-light: #1c1c1c; }
@media (prefers-color-scheme: dark) {
  :root { --shade-0: #ff8a7a; --shade-1: #d9534a; --shade-2: #8c342c; --shade-3: #4a2420; --on-dark: #161616; }
  :root { --on-light: #f2f2f2; } }
.text { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 1.15rem; line-height: 2; max-width: 46rem;
  margin: .3rem 0; unicode-bidi: plaintext; }
.text span, .legend span { padding: .1em 0; text-decoration-thickness: 2px; text-underline-offset: .25em; }
.legend { font-size: .9rem; line-height: 2.2; max-width: 46rem; margin: .3rem 0; } .legend span { padding: .1em .4em; }
.s0 { background: var(--shade-0); color: var(--on-dark); text-decoration: underline double; }
.s1 { background: var(--shade-1); color: var(--on-dark); text-decoration: underline wavy; }
.s2 { background: var(--shade-2); color: var(--on-light); text-decoration: underline dashed; }
.s3 { background: var(--shade-3); color: var(--on-light); text-decoration: underline dotted; }
.side { font-size: .9rem; font-weight: 600; margin: 1rem 0 0; }
.words { font-size: .95rem; max-width: 46rem; line-height: 1.8; unicode-bidi: plaintext; overflow-wrap: anywhere; }
@media print { .text span, .legend span { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


@dataclass(frozen=True)
class Texts:
    """A hypothesis and its reference.

    Parameters
    ----------
    sides : sequence of (str, Shaded)
        What to call each text, and the text.
    unit : str
        What is shaded: ``"character"``, or the words where no characters are counted.
    """

    sides: Sequence[tuple[str, Shaded]]
    unit: str

    style: ClassVar[str] = _STYLE

    def markdown(self) -> str:
        """Return the texts in code blocks, with a mark below each character."""
        parts = []
        for name, text in self.sides:
            body = "\n".join([*plain_lines(text, WIDTH), *token_lines(text, WIDTH)])
            fence = "`" * (3 + max((len(run) for run in _backticks(body)), default=0))
            parts += [f"**{name}**{left_out(text)}", f"{fence}text\n{body}\n{fence}"]
        said = legend(self.unit, any(text.tokens for _, text in self.sides))
        if any(right_to_left(text.text) for _, text in self.sides):
            said.insert(1, RIGHT_TO_LEFT)
        return "\n\n".join([*parts, "\n".join(said)])

    def html(self) -> str:
        """Return the texts with a span for each stretch, and the legend."""
        parts = []
        for name, text in self.sides:
            parts.append(f'<p class="side">{html.escape(name + left_out(text))}</p>')
            parts.append(f'<p class="text" dir="auto">{"".join(map(_span, shaded_stretches(text)))}</p>')
            if text.tokens:
                words = html.escape(" ".join(bracketed(*token) for token in tokens(text)))
                parts.append(f'<p class="words" dir="auto">{words}</p>')
        samples = " ".join(f'<span class="s{i}">{shade.name}</span>' for i, shade in enumerate(SHADES))
        said = f"How much of each {self.unit} is covered by matched n-grams: {samples}"
        parts.append(f'<p class="legend">{said}</p>')
        if any(text.tokens for _, text in self.sides):
            parts.append(f'<p class="legend">{_TOKENS}.</p>')
        return "\n".join(parts)


RIGHT_TO_LEFT = "Where a text is written from right to left: ⟦none⟧ or ⟨part⟩ of each piece between spaces."
_TOKENS = "⟦token⟧: no n-gram of words with it matches; ⟨token⟩: some do"


def legend(unit: str, with_tokens: bool) -> list[str]:
    """Return the legend of the marks, a line each."""
    marks = ", ".join(f"{shade.mark} {shade.name}" if shade.mark.strip() else f"blank {shade.name}" for shade in SHADES)
    lines = [f"Below each {unit}, how much of it is covered by matched n-grams: {marks}."]
    return [*lines, f"{_TOKENS}."] if with_tokens else lines


def plain_lines(text: Shaded, width: int) -> list[str]:
    """Return a text with a line of marks below each line; with brackets instead if it is written right to left.

    Examples
    --------
    >>> from chrfect import ChrF, explain
    >>> print(*plain_lines(explain(ChrF(), "The cats sat.", "The dogs sat.").hypothesis, 40), sep="\\n")
    The cats sat.
    --= xxx= --..
    """
    if right_to_left(text.text):
        return _bracketed_words(text, width)
    lines = []
    for line in wrapped(shaded_clusters(text), width):
        lines.append("".join(cluster.shown for cluster, _ in line).rstrip())
        marks = "".join((SHADES[level].mark if level != UNCOUNTED else " ") * cluster.width for cluster, level in line)
        if marks.strip():
            lines.append(marks.rstrip())
    return lines


def _bracketed_words(text: Shaded, width: int) -> list[str]:
    """Return the text with each piece between spaces in brackets, whole, so that its letters stay joined."""
    pieces: list[tuple[str, list[int]]] = [("", [])]
    for cluster, level in shaded_clusters(text):
        if cluster.shown == " ":
            pieces.append(("", []))
        else:
            pieces[-1] = pieces[-1][0] + cluster.shown, [*pieces[-1][1], level]
    shown = [
        bracketed(piece, levels[0] if len(set(levels)) == 1 else PARTLY) if piece else "" for piece, levels in pieces
    ]
    return _wrapped_text(" ".join(shown), width)


def token_lines(text: Shaded, width: int) -> list[str]:
    """Return the word tokens in their brackets, wrapped; none where the metric counts no words."""
    joined = " ".join(bracketed(*token) for token in tokens(text))
    return _wrapped_text(joined, width) if joined.strip() else []


def _wrapped_text(shown: str, width: int) -> list[str]:
    lines = wrapped(((cluster, UNCOUNTED) for cluster in clusters(shown)), width)
    return ["".join(cluster.shown for cluster, _ in line).rstrip() for line in lines]


def wrapped(parts: Iterator[tuple[Cluster, int]], width: int) -> Iterator[list[tuple[Cluster, int]]]:
    """Yield lines of at most so many cells, broken at spaces where there are any; one that does not count may go."""
    line: list[tuple[Cluster, int]] = []
    used = 0
    for part in parts:
        if used + part[0].width > width and line:
            if part[0].shown == " " and part[1] == UNCOUNTED:
                yield line
                line, used = [], 0
                continue
            spaces = [i for i, (cluster, _) in enumerate(line) if cluster.shown == " "]
            at = spaces[-1] + 1 if spaces and part[0].shown != " " else len(line)
            yield line[:at]
            line = line[at:]
            used = sum(cluster.width for cluster, _ in line)
        line.append(part)
        used += part[0].width
    if line:
        yield line


def _span(stretch: tuple[str, int]) -> str:
    shown, level = stretch
    escaped = html.escape(shown)
    return f'<span class="s{level}">{escaped}</span>' if 0 <= level < len(SHADES) - 1 else escaped


def left_out(text: Shaded) -> str:
    """Return what is to be said beside the name of a text that is empty, or not shown whole."""
    if not text.length:
        return " (empty)"
    left = text.length - len(text.text)
    return f" (the first {len(text.text):,} of {text.length:,} code points)" if left else ""


def _backticks(text: str) -> list[str]:
    return re.findall("`{3,}", text)
