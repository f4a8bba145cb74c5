"""Texts of tables, and the scores of metrics on them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chrfect.errors import ChrfectWarning, InputFileError, UsageError
from chrfect.meta.sources.columns import Columns, keys
from chrfect.meta.sources.scores import Key, Scores
from chrfect.meta.sources.sheet import Sheet
from chrfect.metrics.base import Metric


@dataclass(frozen=True)
class Texts:
    """Hypotheses with their references, by panel, system and item.

    Parameters
    ----------
    keys : list of Key
        The key of each text.
    hypotheses : list of str
        One for each key.
    references : mapping of str to list of (str or None)
        Named reference sets, one text for each key; an empty cell is a missing reference.
    by_position : bool
        Whether items are row numbers, because the table has no ids.
    """

    keys: list[Key]
    hypotheses: list[str]
    references: Mapping[str, list[str | None]]
    by_position: bool = False


def texts_of(sheet: Sheet, hypothesis: str, references: Sequence[str], columns: Columns, panel: str) -> Texts:
    """Return the texts of a long table."""
    found = {name: _references(sheet, name) for name in references}
    texts = Texts(keys(sheet, columns, panel), _hypotheses(sheet, hypothesis), found, columns.item is None)
    _warn_of_empty(sheet.path, texts)
    return texts


def wide_texts(sheet: Sheet, references: Sequence[str], systems: Sequence[str], item: str | None, panel: str) -> Texts:
    """Return the texts of a wide table: the columns in `systems` with the same references."""
    if missing := [system for system in systems if system not in sheet.columns]:
        others = [name for name in sheet.columns if name not in (*systems, *references, item)]
        raise UsageError(
            f"{sheet.path}: {len(missing)} of {len(systems)} rated systems have no column: {', '.join(missing)}. "
            f"Columns without ratings: {', '.join(others) or 'none'}. Exclude systems with --exclude."
        )
    items = sheet.texts(item) if item else [str(row) for row in range(1, len(sheet.rows) + 1)]
    found = {name: _references(sheet, name) * len(systems) for name in references}
    hypotheses = [text for system in systems for text in _hypotheses(sheet, system)]
    texts = Texts([Key(panel, system, one) for system in systems for one in items], hypotheses, found, item is None)
    _warn_of_empty(sheet.path, texts)
    return texts


def _warn_of_empty(path: str, texts: Texts) -> None:
    """Warn of systems with empty outputs, which may be shorter than the references."""
    empty: dict[str, list[str]] = {}
    for at, (key, text) in enumerate(zip(texts.keys, texts.hypotheses, strict=True)):
        if not text.strip() and any(texts.references[name][at] for name in texts.references):
            empty.setdefault(key.system, []).append(key.item)
    if empty:
        listed = ", ".join(
            f"{system} ({len(items):,}, the first being item {items[0]!r})" for system, items in empty.items()
        )
        warnings.warn(
            f"{path}: outputs are empty although there is a reference, and score as empty: {listed}. If an output has "
            "fewer segments than the reference, its later segments may be misaligned.",
            ChrfectWarning,
            stacklevel=4,
        )


def _hypotheses(sheet: Sheet, column: str) -> list[str]:
    texts = []
    for line, cell in zip(sheet.lines, sheet.cells(column), strict=True):
        if not isinstance(cell, str):
            raise InputFileError(f"{sheet.path}: line {line}, column {column}: {cell!r} is not text.")
        texts.append(cell)
    return texts


def _references(sheet: Sheet, column: str) -> list[str | None]:
    texts: list[str | None] = []
    for line, cell in zip(sheet.lines, sheet.cells(column), strict=True):
        if cell is not None and not isinstance(cell, str):
            raise InputFileError(f"{sheet.path}: line {line}, column {column}: {cell!r} is not text.")
        texts.append(cell or None)
    return texts


def score_texts(texts: Texts, metric: Metric, origin: str, *, whole_systems: bool) -> Scores:
    """Return the scores of a metric for every text, or for the corpus of every system.

    Scores for which lower is better are negated, so that agreement has the same sign for all metrics.
    """
    sign = -1.0 if metric.lower_is_better else 1.0
    if not whole_systems:
        scores = metric.segments(
            texts.hypotheses, references_per_segment=_references_of(texts, range(len(texts.keys)))
        ).scores
        values: dict[Key, float | None] = {key: sign * score for key, score in zip(texts.keys, scores, strict=True)}
        return Scores(str(metric), origin, values, texts.by_position)
    members: dict[Key, list[int]] = {}
    for at, key in enumerate(texts.keys):
        members.setdefault(key._replace(item=""), []).append(at)
    return Scores(
        str(metric),
        origin,
        {
            key: sign
            * metric.corpus(
                [texts.hypotheses[at] for at in ats], references_per_segment=_references_of(texts, ats)
            ).score
            for key, ats in members.items()
        },
    )


def _references_of(texts: Texts, ats: Sequence[int]) -> list[list[str | None]]:
    return [[texts.references[name][at] for name in texts.references] for at in ats]
