"""An explanation as a document: the same blocks for the terminal, for Markdown and for the page."""

from __future__ import annotations

from chrfect.explanation.value import CorpusExplanation, Explanation
from chrfect.metrics import Bleu
from chrfect.report.document import Block, Document, Heading, Paragraph
from chrfect.report.explanation import tables
from chrfect.report.explanation.texts import Texts
from chrfect.report.visible import visible

WIDTH = 60
"""How many cells a run with its context has on a page."""
EXAMPLES = 3
_GAINS = (
    "The gain of a missed run is what the score would rise by if the hypothesis had its n-grams too; that of an "
    "invented run, if it did not have them. Gains are not added up; contributions are."
)
_AT_STAKE = (
    "At stake is what an n-gram and the shorter ones in it would contribute if they matched as often as they are "
    "missed or invented, at what a match contributes now. The most telling come first: long runs rank as short ones, "
    "and what stands once comes last."
)


def document(why: Explanation | CorpusExplanation, title: str = "") -> Document:
    """Return the explanation as a document, which writes itself as Markdown or as one page of HTML.

    Parameters
    ----------
    title : str
        What was explained, such as ``"segment 3 of system.txt"``.

    Examples
    --------
    >>> from chrfect import ChrF, explain
    >>> print(document(explain(ChrF(), "cat", "cats")).markdown().splitlines()[0])
    # chrF 68.862275
    """
    return Document(blocks(why, title, WIDTH, EXAMPLES))


def blocks(why: Explanation | CorpusExplanation, title: str, width: int, examples: int) -> list[Block]:
    """Return the blocks of an explanation, runs cut to so many cells."""
    heading = f"{why.metric} {why.result.score_text}" + (f": {visible(title)}" if title else "")
    parts = _segment(why, width) if isinstance(why, Explanation) else _corpus(why, width, examples)
    return [Heading(heading, 1), *parts, Paragraph(f"`{why.metric.signature}`")]


def _segment(why: Explanation, width: int) -> list[Block]:
    unit = "word" if why.orders[0].kind in ("word", "token") else "character"
    parts: list[Block] = [Texts([("Hypothesis", why.hypothesis), ("Reference", why.reference)], unit)]
    if len(why.candidates) > 1:
        parts += [Paragraph(_why_chosen(why)), tables.references(why.candidates, why.chosen)]
    parts += [tables.orders(why.orders, why.result), *map(Paragraph, why.arithmetic)]
    for runs, table, none in (
        (why.missed, tables.missed, "Nothing was missed."),
        (why.invented, tables.invented, "Nothing was invented."),
    ):
        parts.append(table(why, width) if runs.total else Paragraph(none))
    if why.missed.total or why.invented.total:
        parts.append(Paragraph(_GAINS))
    parts.append(tables.matched(why, width) if why.matched.total else Paragraph("Nothing matched."))
    return parts


def _why_chosen(why: Explanation) -> str:
    name = _code(tables.reference_name(why.chosen))
    if isinstance(why.metric, Bleu):
        return f"BLEU clips over all references. Shown is {name}, the closest to the hypothesis in length."
    best = [c.result.score for c in why.candidates if c.result.score == max(c.result.score for c in why.candidates)]
    first = ", the first of those that give the highest score" if len(best) > 1 else ", which gives the highest score"
    return f"Of {len(why.candidates)} references {name} counts{first}."


def _corpus(why: CorpusExplanation, width: int, examples: int) -> list[Block]:
    parts: list[Block] = [Paragraph(f"{why.result.segment_count:,} segments.")]
    if why.chosen:
        counted = ", ".join(f"{_code(tables.reference_name(name))} in {number:,}" for name, number in why.chosen)
        verb = "is closest in length" if isinstance(why.metric, Bleu) else "counts"
        parts.append(Paragraph(f"Of the references {verb}: {counted}."))
    parts += [tables.orders(why.orders, why.result), *map(Paragraph, why.arithmetic)]
    for ngrams, title, none in (
        (why.missed, "Most often missed", "Nothing was missed."),
        (why.invented, "Most often invented", "Nothing was invented."),
    ):
        parts.append(tables.frequent(ngrams, title, width, examples) if ngrams else Paragraph(none))
    if why.missed or why.invented:
        parts.append(Paragraph(_AT_STAKE))
    return parts


def _code(name: str) -> str:
    """Return a name as code; a backtick in it would end that, and stands as the accent that looks like it."""
    return f"`{name.replace('`', chr(0x2CB))}`"
