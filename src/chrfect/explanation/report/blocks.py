"""The blocks of an explanation for all formats: headings, shaded texts, paragraphs and tables.

Rounded numbers that are parts of a sum have a rounded sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from chrfect.explanation.report.context import cut, in_context
from chrfect.explanation.report.shading import Texts
from chrfect.explanation.value import Candidate, CorpusExplanation, Explanation, Frequent, Run, Runs
from chrfect.formulas.decimals import apportion, fixed
from chrfect.metrics import Scoring
from chrfect.metrics.shares import OrderShare
from chrfect.report.document import Block, Document, Heading, Paragraph
from chrfect.report.table import Cell, Table
from chrfect.report.visible import visible

WIDTH = 60
"""The width of a run with its context on a page, in cells."""
EXAMPLES = 3
_GAINS = (
    "The gain of a missed run is how much the score would rise if the hypothesis had its n-grams too; the gain of an "
    "invented run, if the hypothesis did not have them. Gains do not add up; contributions do."
)
_AT_STAKE = (
    "Listed are n-grams that are missed and invented more unequally than others; of those that report the same, only "
    "one. At stake is what an n-gram and the shorter ones in it would contribute if they matched as often as the "
    "difference of both numbers, at the present worth of a match."
)
_ORDER_GAINS = (
    "The gain of an order is how much the score would rise if all hypothesis n-grams of that order matched and all "
    "other counts stayed as they are. Gains do not add up."
)
DECIMALS = 6
_NOTABLE = 0.02
"""The least deviation of the length of the hypotheses from that of the references that is mentioned."""
_CONTRIBUTIONS = "What each order contributes to the score"
_POSSIBLE = "What the score would gain if all n-grams of an order matched"
_MISSED = "What would raise the score most: missed runs"
_INVENTED = "Invented runs"
_MATCHED = "Matched runs"
_EDITS = "The edits from the hypothesis to the reference; a number is that of the first word"
_SHORT = {"character": "char", "word": "word", "token": "token"}


def document(why: Explanation | CorpusExplanation, title: str = "", decimals: int = DECIMALS) -> Document:
    """Return the explanation as a document, to be written as Markdown or as one page of HTML.

    Parameters
    ----------
    title : str
        What was explained, such as ``"segment 3 of system.txt"``.
    decimals : int
        The number of decimals.

    Examples
    --------
    >>> from chrfect import explain
    >>> print(document(explain("chrF", "cat", "cats")).markdown().splitlines()[0])
    # chrF 68.862275
    """
    return Document(blocks(why, title, WIDTH, EXAMPLES, decimals))


def together(parts: Sequence[tuple[str, Explanation | CorpusExplanation]], decimals: int = DECIMALS) -> Document:
    """Return several explanations, each with what was explained, as one document with a section for each."""
    found: list[Block] = [Heading(f"{len(parts):,} explanations", 1)]
    for title, why in parts:
        heading, *rest = blocks(why, title, WIDTH, EXAMPLES, decimals)
        assert isinstance(heading, Heading)
        found += [Heading(heading.text, 2), *rest]
    return Document(found)


def blocks(
    why: Explanation | CorpusExplanation, title: str, width: int, examples: int, decimals: int = DECIMALS
) -> list[Block]:
    """Return the blocks of an explanation, with n-grams and runs cut to `width` cells, and so many examples."""
    score = fixed(Fraction(why.result.score_text), decimals)
    heading = f"{why.metric} {score}" + (f": {visible(title)}" if title else "")
    if isinstance(why, Explanation):
        return [Heading(heading, 1), *_segment(why, width, decimals), Paragraph(f"`{why.metric.signature}`")]
    parts = _corpus(why, width, examples, decimals)
    return [Heading(heading, 1), *parts, Paragraph(f"`{why.metric.signature}`")]


def _segment(why: Explanation, width: int, decimals: int) -> list[Block]:
    unit = "" if not why.orders else "character" if why.orders[0].kind == "character" else "word"
    parts: list[Block] = [Texts([("Hypothesis", why.hypothesis), ("Reference", why.reference)], unit)]
    if len(why.candidates) > 1:
        parts += [Paragraph(_why_shown(why)), _references_table(why.candidates, why.chosen, decimals)]
    parts += _score(why, decimals)
    if not why.metric.levels:
        return parts
    for runs, table, none in (
        (why.missed, _missed, "Nothing was missed."),
        (why.invented, _invented, "Nothing was invented."),
    ):
        parts.append(table(why, width, decimals) if runs.total else Paragraph(none))
    if why.missed.total or why.invented.total:
        parts.append(Paragraph(_GAINS))
    parts.append(_matched(why, width, decimals) if why.matched.total else Paragraph("Nothing matched."))
    return parts


def _corpus(why: CorpusExplanation, width: int, examples: int, decimals: int) -> list[Block]:
    number = why.result.segment_count
    parts: list[Block] = [Paragraph(f"{number:,} segment{'s' if number != 1 else ''}.")]
    if why.chosen:
        counted = ", ".join(f"{_code(_reference_name(name))} in {number:,}" for name, number in why.chosen)
        verb = "is closest in length" if _all_references_count(why.metric) else "counts"
        parts.append(Paragraph(f"Of the references {verb}: {counted}."))
    parts += [Paragraph(sentence) for sentence in _length(why)]
    if not why.metric.levels:
        return parts + _score(why, decimals)
    for ngrams, title, numbers, none in (
        (why.missed, "Missed more than invented", ["missed", "invented"], "Nothing is missed more than invented."),
        (why.invented, "Invented more than missed", ["invented", "missed"], "Nothing is invented more than missed."),
    ):
        parts.append(_frequent(ngrams, title, numbers, width, examples, decimals) if ngrams else Paragraph(none))
    if why.missed or why.invented:
        parts.append(Paragraph(_AT_STAKE))
    return parts + _score(why, decimals)


def _length(why: CorpusExplanation) -> Iterator[str]:
    """Yield a sentence if the hypotheses are shorter or longer than the references, with what that means."""
    ratio = why.length_ratio
    if ratio is None or abs(ratio - 1) < _NOTABLE:
        return
    kind = f"{why.orders[0].kind}s"
    numbers = f"{why.orders[0].hypothesis_ngrams:,} {kind} for {why.orders[0].reference_ngrams:,}"
    if ratio < 1:
        yield (
            f"The hypotheses are {100 * (1 - ratio):.1f} % shorter than the references ({numbers}): even if everything "
            f"in them matched, recall could not exceed {100 * ratio:.1f} %."
        )
    else:
        yield (
            f"The hypotheses are {100 * (ratio - 1):.1f} % longer than the references ({numbers}): even if all of the "
            f"references matched, precision could not exceed {100 / ratio:.1f} %."
        )


def _score(why: Explanation | CorpusExplanation, decimals: int) -> list[Block]:
    """Return the orders, or the counts of a metric that has none, and the steps from them to the score."""
    steps = [Paragraph(step) for step in why.arithmetic]
    if not why.orders:
        columns = why.result.scorer.columns
        counts: list[list[Cell]] = [[*pair] for pair in zip(columns, why.result.values, strict=True)]
        table = Table(["count", "value"], counts, decimals, "The counts")
        if isinstance(why, Explanation) and why.edits:
            return [_edits_table(why, decimals), table, *steps]
        return [table, *steps, Paragraph(f"{why.metric} counts no n-grams, so none are shown.")]
    if any(order.gain is not None for order in why.orders):
        return [_gains_table(why.orders, decimals), Paragraph(_ORDER_GAINS), *steps]
    return [_contributions_table(why.orders, decimals), *steps]


def _edits_table(why: Explanation, decimals: int) -> Table:
    """Return the edits and what each contributes; they add up to the score."""
    parts = _floats([edit.points for edit in why.edits], decimals)
    rows: list[list[Cell]] = []
    for edit, part in zip(why.edits, parts, strict=True):
        moved = " (shifted)" if edit.shifted and edit.kind != "shift" else ""
        kept = edit.kind == "keep"
        sides = (_words(edit.hypothesis, edit.hypothesis_start), _words(edit.reference, edit.reference_start))
        rows.append([None if kept else part, edit.kind + moved, *sides])
    rows.append([_sum([edit.points for edit in why.edits], decimals), "(sum)", None, None])
    return Table(["contributes", "edit", "hypothesis", "reference"], rows, decimals, _EDITS)


def _words(words: Sequence[str], start: int | None) -> str | None:
    """Return words with the number of the first, counted from 1."""
    return None if start is None else f"{start + 1}: {visible(' '.join(words))}"


def _all_references_count(metric: Scoring) -> bool:
    return any(level.over_all_references for level in metric.levels)


def _why_shown(why: Explanation) -> str:
    name = _code(_reference_name(why.chosen))
    if _all_references_count(why.metric):
        return f"Matches are clipped over all references. Shown is {name}, the closest to the hypothesis in length."
    if why.edits:
        return f"Of {len(why.candidates)} references {name} counts, the first of those that need the fewest edits."
    shown = next(c.result.score for c in why.candidates if c.name == why.chosen)
    best = sum(c.result.score == shown for c in why.candidates)
    first = ", the first of those that give the best score" if best > 1 else ", which gives the best score"
    return f"Of {len(why.candidates)} references {name} counts{first}."


def _code(name: str) -> str:
    """Return a name as code, with backticks replaced by a similar accent."""
    return f"`{name.replace('`', chr(0x2CB))}`"


def _contributions_table(shares: Sequence[OrderShare], decimals: int) -> Table:
    """Return the orders: counts, precision, recall, F, and what each contributes to the score."""
    parts = _floats([share.contribution for share in shares], decimals)
    rows: list[list[Cell]] = []
    for share, part in zip(shares, parts, strict=True):
        counts = share.hypothesis_ngrams, share.reference_ngrams, share.matches
        rows.append([_order(share), *counts, *map(_float, (share.precision, share.recall, share.f)), part])
    rows.append(["sum", *[None] * (len(rows[0]) - 2), _sum([share.contribution for share in shares], decimals)])
    columns = ["order", "hyp.", "ref.", "match", "precision", "recall", "F", "contributes"]
    return Table(columns, rows, decimals, _CONTRIBUTIONS)


def _gains_table(shares: Sequence[OrderShare], decimals: int) -> Table:
    """Return the orders of a metric whose orders contribute equal parts: counts, precision, and what each lacks."""
    rows: list[list[Cell]] = [
        [_order(share), share.hypothesis_ngrams, share.matches, _float(share.precision), _float(share.gain)]
        for share in shares
    ]
    return Table(["order", "hyp.", "match", "precision", "gain"], rows, decimals, _POSSIBLE)


def _references_table(candidates: Sequence[Candidate], chosen: int | str, decimals: int) -> Table:
    """Return what the hypothesis scores against each reference alone."""
    rows: list[list[Cell]] = [
        [float(c.result.score_text), _reference_name(c.name) + (" (shown)" if c.name == chosen else "")]
        for c in candidates
    ]
    return Table(["score alone", "reference"], rows, decimals, "The references")


def _reference_name(name: int | str) -> str:
    """Return the name of a reference, or its number, counted from 1."""
    return f"no. {name + 1}" if isinstance(name, int) else visible(name)


def _matched(why: Explanation, width: int, decimals: int) -> Table:
    """Return the matched runs and what each contributes; together with those not shown they add up to the score."""
    runs = why.matched
    shown = [run.points for run in runs.shown]
    rest = why.score - why.smoothing - sum(shown, Fraction(0))
    parts = _floats([*shown, rest, why.smoothing], decimals)
    rows: list[list[Cell]] = [
        [part, sum(run.ngrams), run.places, cut(run.text, width)]
        for part, run in zip(parts[:-2], runs.shown, strict=True)
    ]
    left = runs.total - len(runs.shown)
    if left:
        counted = sum(runs.ngrams) - sum(sum(run.ngrams) for run in runs.shown)
        rows.append([parts[-2], counted, None, f"({left:,} more)"])
    if why.smoothing:
        rows.append([parts[-1], None, None, "(smoothing, which no match contributes)"])
    rows.append([_sum([*shown, rest, why.smoothing], decimals), sum(runs.ngrams), None, "(sum)"])
    return Table(["contributes", "n-grams", "places", "matched"], rows, decimals, _caption(_MATCHED, runs))


def _missed(why: Explanation, width: int, decimals: int) -> Table:
    """Return the missed runs and what the score would gain by each."""
    return _unmatched(why, why.missed, width, _MISSED, "missed, in context", decimals)


def _invented(why: Explanation, width: int, decimals: int) -> Table:
    """Return the invented runs and what the score would gain without each."""
    return _unmatched(why, why.invented, width, _INVENTED, "invented, in context", decimals)


def _unmatched(why: Explanation, runs: Runs, width: int, title: str, column: str, decimals: int) -> Table:
    score = Fraction(fixed(Fraction(why.result.score_text), decimals))
    rows: list[list[Cell]] = []
    for run in runs.shown:
        after = Fraction(fixed(why.score + run.points, decimals))
        rows.append([float(after - score), float(after), sum(run.ngrams), run.places, _run(run, width)])
    columns = ["gain", "score then", "n-grams", "places", column]
    return Table(columns, rows, decimals, _caption(title, runs))


def _frequent(
    ngrams: Sequence[Frequent], title: str, numbers: Sequence[str], width: int, examples: int, decimals: int
) -> Table:
    """Return n-grams with how often each is missed and invented, and examples; segments are counted from 1."""
    rows: list[list[Cell]] = []
    for ngram in ngrams:
        places = (f"{e.segment + 1}: {in_context(e.before, e.text, e.after, width)}" for e in ngram.examples[:examples])
        rows.append([cut(ngram.text, width), ngram.count, ngram.opposite, float(ngram.points), tuple(places)])
    columns = [f"{ngrams[0].kind} n-gram", *numbers, "at stake", "segment: n-gram, in context"]
    return Table(columns, rows, decimals, title)


def _caption(title: str, runs: Runs) -> str:
    left = runs.total - len(runs.shown)
    shown = f"the first {len(runs.shown):,} of {runs.total:,}" if left else f"{runs.total:,}"
    ngrams = sum(runs.ngrams)
    return f"{title} ({shown}, with {ngrams:,} n-gram{'s' if ngrams != 1 else ''})"


def _run(run: Run, width: int) -> str:
    return in_context(run.before, run.text, run.after, width)


def _order(part: OrderShare) -> str:
    return f"{_SHORT[part.kind]} {part.n}"


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _floats(parts: Sequence[Fraction], decimals: int) -> list[float]:
    """Return parts rounded so that they add up as printed."""
    return [float(part) for part in apportion(parts, decimals)]


def _sum(parts: Sequence[Fraction], decimals: int) -> float:
    return float(fixed(sum(parts, Fraction(0)), decimals))
