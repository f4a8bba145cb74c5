"""The tables of an explanation; columns that are to add up do so as printed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chrfect.explanation.contribution import exact_score
from chrfect.explanation.spans import Run, Runs
from chrfect.explanation.value import Candidate, Explanation, Frequent, OrderShare
from chrfect.formulas.decimals import apportion
from chrfect.metrics import Result
from chrfect.report.explanation.context import cut, in_context
from chrfect.report.table import Cell, Table
from chrfect.report.visible import visible

DECIMALS = 6
_MISSED = "What would raise the score most: missed runs"
_INVENTED = "Invented runs"
_MATCHED = "Matched runs"
_SHORT = {"character": "char", "word": "word", "token": "token"}


def orders(shares: Sequence[OrderShare], result: Result) -> Table:
    """Return the orders: counts, precision, recall, F, and what each contributes to the score."""
    parts = _floats([share.contribution for share in shares])
    f_score = shares[0].reference_ngrams is not None
    rows: list[list[Cell]] = []
    for share, part in zip(shares, parts, strict=True):
        row: list[Cell] = [f"{_SHORT[share.kind]} {share.n}", share.hypothesis_ngrams]
        row += [share.reference_ngrams, share.matches] if f_score else [share.matches]
        values = (share.precision, share.recall, share.f) if f_score else (share.precision,)
        rows.append([*row, *(None if value is None else float(value) for value in values), part])
    rows.append(["sum", *[None] * (len(rows[0]) - 2), float(result.score_text)])
    columns = ["order", "hyp.", "ref.", "match", "precision", "recall", "F", "contributes"]
    if not f_score:
        columns = ["order", "hyp.", "match", "precision", "contributes"]
    return Table(columns, rows, DECIMALS, "What each order contributes to the score")


def references(candidates: Sequence[Candidate], chosen: int | str) -> Table:
    """Return what the hypothesis scores against each reference alone."""
    rows: list[list[Cell]] = [
        [float(c.result.score_text), reference_name(c.name) + (" (shown)" if c.name == chosen else "")]
        for c in candidates
    ]
    return Table(["score alone", "reference"], rows, DECIMALS, "The references")


def reference_name(name: int | str) -> str:
    """Return what to call a reference: its name, or its place, which people count from 1."""
    return f"no. {name + 1}" if isinstance(name, int) else visible(name)


def matched(why: Explanation, width: int) -> Table:
    """Return the matched runs and what each contributes; with what is not shown they add up to the score."""
    runs, score = why.matched, exact_score(why.result)
    shown = [run.points for run in runs.shown]
    rest = score - why.smoothing - sum(shown, Fraction(0))
    parts = _floats([*shown, rest, why.smoothing])
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
    rows.append([float(why.result.score_text), sum(runs.ngrams), None, "(sum)"])
    return Table(["contributes", "n-grams", "places", "matched"], rows, DECIMALS, _caption(_MATCHED, runs))


def missed(why: Explanation, width: int) -> Table:
    """Return the missed runs and what the score would gain by each."""
    return _unmatched(why, why.missed, width, _MISSED, "missed, in context")


def invented(why: Explanation, width: int) -> Table:
    """Return the invented runs and what the score would gain without each."""
    return _unmatched(why, why.invented, width, _INVENTED, "invented, in context")


def _unmatched(why: Explanation, runs: Runs, width: int, title: str, column: str) -> Table:
    score = Fraction(why.result.score_text)
    rows: list[list[Cell]] = []
    for run in runs.shown:
        after = Fraction(round((exact_score(why.result) + run.points) * 10**DECIMALS), 10**DECIMALS)
        rows.append([float(after - score), float(after), sum(run.ngrams), run.places, _run(run, width)])
    columns = ["gain", "score then", "n-grams", "places", column]
    return Table(columns, rows, DECIMALS, _caption(title, runs))


def frequent(ngrams: Sequence[Frequent], title: str, width: int, examples: int) -> Table:
    """Return the n-grams most often missed or invented, with examples; segments are counted from 1."""
    rows: list[list[Cell]] = []
    for ngram in ngrams:
        places = (f"{e.segment + 1}: {in_context(e.before, e.text, e.after, width)}" for e in ngram.examples[:examples])
        order = f"{_SHORT[ngram.kind]} {ngram.n}"
        rows.append([float(ngram.points), ngram.count, ngram.segments, order, tuple(places)])
    return Table(["at stake", "times", "segments", "order", "segment: n-gram, in context"], rows, DECIMALS, title)


def _caption(title: str, runs: Runs) -> str:
    left = runs.total - len(runs.shown)
    shown = f"the first {len(runs.shown):,} of {runs.total:,}" if left else f"{runs.total:,}"
    ngrams = sum(runs.ngrams)
    return f"{title} ({shown}, with {ngrams:,} n-gram{'s' if ngrams != 1 else ''})"


def _run(run: Run, width: int) -> str:
    return in_context(run.before, run.text, run.after, width)


def _floats(parts: Sequence[Fraction]) -> list[float]:
    return [float(part) for part in apportion(parts, DECIMALS)]
