"""Shading of texts in five steps, by the share of the n-grams over each character that match.

The shades can be distinguished without colour. This module writes the texts as Markdown and HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from chrfect.explanation.value import Shaded
from chrfect.report.visible import Cluster, clusters, right_to_left, visible

WIDTH = 76
"""The width of a line of a marked text in cells."""

UNCOUNTED = -1
NONE, PARTLY, ALL = 0, 2, 4


@dataclass(frozen=True, slots=True)
class Shade:
    """A step: its name in the legend, and its mark for output without colours."""

    name: str
    mark: str


SHADES = (
    Shade("none", "x"),
    Shade("under 1/3", "="),
    Shade("under 2/3", "-"),
    Shade("more", "."),
    Shade("all", " "),
)


def step(matched: int, ngrams: int) -> int:
    """Return the step of a character from the numbers of matched and of all n-grams that cover it.

    Examples
    --------
    >>> [step(matched, 6) for matched in range(7)], step(0, 0)
    ([0, 1, 2, 2, 3, 3, 4], -1)
    """
    if not ngrams:
        return UNCOUNTED
    if matched == ngrams:
        return ALL
    return 1 + 3 * matched // ngrams if matched else NONE


def shaded_clusters(text: Shaded) -> Iterator[tuple[Cluster, int]]:
    """Yield each grapheme cluster of a text with the step of its code points together."""
    stretches = iter(text.stretches)
    stretch = next(stretches, None)
    for cluster in clusters(text.text):
        matched = ngrams = 0
        at = cluster.start
        while stretch is not None and at < cluster.end:
            size = min(stretch.end, cluster.end) - at
            matched, ngrams, at = matched + size * stretch.matched, ngrams + size * stretch.ngrams, at + size
            if stretch.end <= at:
                stretch = next(stretches, None)
        yield cluster, step(matched, ngrams)


def shaded_stretches(text: Shaded) -> list[tuple[str, int]]:
    """Return the displayed text of adjacent clusters with the same step."""
    return [
        ("".join(cluster.shown for cluster, _ in group), level)
        for level, group in groupby(shaded_clusters(text), key=lambda pair: pair[1])
    ]


def bracketed(shown: str, level: int) -> str:
    """Return a displayed stretch or token, in brackets if not all of it matches.

    Examples
    --------
    >>> bracketed("dog", NONE), bracketed("The", 2), bracketed("sat", ALL)
    ('⟦dog⟧', '⟨The⟩', 'sat')
    """
    if level == NONE and shown:
        return f"⟦{shown}⟧"
    return f"⟨{shown}⟩" if NONE < level < ALL and shown else shown


def tokens(text: Shaded) -> list[tuple[str, int]]:
    """Return the displayed word tokens with their steps."""
    return [(visible(text.text[t.start : t.end]), step(t.matched, t.ngrams)) for t in text.tokens]


@dataclass(frozen=True)
class Texts:
    """A hypothesis and its reference.

    Parameters
    ----------
    sides : sequence of (str, Shaded)
        The name of each text, and the text.
    unit : str
        The shaded unit: ``"character"``, or ``"word"`` if no characters are counted; empty if nothing is shaded.
    """

    sides: Sequence[tuple[str, Shaded]]
    unit: str

    def markdown(self) -> str:
        """Return the texts as code blocks with a mark below each character."""
        parts = []
        for name, text in self.sides:
            body = "\n".join([*plain_lines(text, WIDTH), *token_lines(text, WIDTH)])
            fence = "`" * max(3, 1 + max((len(run) for run in _backticks(body)), default=0))
            parts += [f"**{name}**{left_out(text)}", f"{fence}text\n{body}\n{fence}"]
        lines = self.legend()
        return "\n\n".join([*parts, "\n".join(lines)] if lines else parts)

    def html(self) -> str:
        """Return the texts with a span for each stretch, and the legend."""
        parts = []
        for name, text in self.sides:
            parts.append(f'<p class="side">{html.escape(name + left_out(text))}</p>')
            parts.append(f'<p class="text" dir="auto">{"".join(map(span, shaded_stretches(text)))}</p>')
            if text.tokens:
                words = html.escape(" ".join(bracketed(*token) for token in tokens(text)))
                parts.append(f'<p class="words" dir="auto">{words}</p>')
        if self.unit:
            parts.append(legend(self.unit))
        if self.has_tokens:
            parts.append(f'<p class="legend">{_TOKENS}</p>')
        return "\n".join(parts)

    @property
    def has_tokens(self) -> bool:
        """Whether word tokens of a text are displayed."""
        return any(text.tokens for _, text in self.sides)

    def legend(self) -> list[str]:
        """Return the lines of the legend; empty if nothing is shaded."""
        if not self.unit:
            return []
        names = [f"{shade.mark.strip() or 'blank'} {shade.name}" for shade in SHADES]
        lines = [f"Below each {self.unit}, how much of it is covered by matched n-grams: {', '.join(names)}."]
        if any(right_to_left(text.text) for _, text in self.sides):
            lines.append(_RIGHT_TO_LEFT)
        return [*lines, _TOKENS] if self.has_tokens else lines


def question(unit: str) -> str:
    """Return the heading of the legend."""
    return f"How much of each {unit} is covered by matched n-grams:"


def legend(unit: str) -> str:
    """Return the legend of the shades as HTML."""
    samples = " ".join(f'<span class="s{i}">{shade.name}</span>' for i, shade in enumerate(SHADES))
    return f'<p class="legend">{question(unit)} {samples}</p>'


_RIGHT_TO_LEFT = "In right-to-left texts: ⟦none⟧ or ⟨part⟩ of each piece between spaces."
_TOKENS = "⟦token⟧: no word n-gram with this token matches; ⟨token⟩: some match."


def plain_lines(text: Shaded, width: int) -> list[str]:
    """Return a text with a line of marks below each line, or with brackets if it is written from right to left.

    Examples
    --------
    >>> from chrfect import explain
    >>> print(*plain_lines(explain("chrF", "The cats sat.", "The dogs sat.").hypothesis, 40), sep="\\n")
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
    """Return the text with brackets around each piece between spaces, so that joined letters are not separated."""
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
    """Return the word tokens in brackets, wrapped; empty if the metric does not count words."""
    joined = " ".join(bracketed(*token) for token in tokens(text))
    return _wrapped_text(joined, width) if joined.strip() else []


def _wrapped_text(shown: str, width: int) -> list[str]:
    lines = wrapped(((cluster, UNCOUNTED) for cluster in clusters(shown)), width)
    return ["".join(cluster.shown for cluster, _ in line).rstrip() for line in lines]


def wrapped(parts: Iterable[tuple[Cluster, int]], width: int) -> Iterator[list[tuple[Cluster, int]]]:
    """Yield lines of at most `width` cells, wrapped at spaces if possible; ignored spaces may be removed."""
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


def span(stretch: tuple[str, int]) -> str:
    """Return a stretch of a text as HTML, with the class of its step.

    Examples
    --------
    >>> span(("<dog>", NONE)), span(("sat", ALL))
    ('<span class="s0">&lt;dog&gt;</span>', 'sat')
    """
    shown, level = stretch
    escaped = html.escape(shown)
    return f'<span class="s{level}">{escaped}</span>' if 0 <= level < len(SHADES) - 1 else escaped


def left_out(text: Shaded) -> str:
    """Return the note that a text is empty or truncated."""
    if not text.length:
        return " (empty)"
    left = text.length - len(text.text)
    return f" (the first {len(text.text):,} of {text.length:,} code points)" if left else ""


def _backticks(text: str) -> list[str]:
    return re.findall("`{3,}", text)
