"""Creation of panels from files and column names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from chrfect.errors import UsageError
from chrfect.meta.panel import Panel
from chrfect.meta.sources.appraise import read_appraise
from chrfect.meta.sources.columns import Columns, keys, long_scores, wide_scores
from chrfect.meta.sources.matching import join
from chrfect.meta.sources.outputs import Texts, score_texts, texts_of, wide_texts
from chrfect.meta.sources.raters import combine, error_ratings, table_ratings
from chrfect.meta.sources.scores import Labels, Scores, label
from chrfect.meta.sources.sheet import Sheet, read_sheet
from chrfect.meta.sources.wmt import is_wmt, read_wmt
from chrfect.metrics import parse

PANELS, SYSTEMS, ITEMS = ("pair", "lp"), ("system",), ("item", "segid", "seg_id", "segment", "globalsegid")
"""The default names of the columns that identify rows."""

_NAMED_FILE = re.compile(r"((?:[^=(]|\([^)]*\))+)=(.+)")  # an "=" in parentheses belongs to a metric: chrF(beta=3)


@dataclass(frozen=True)
class Request:
    """The files and columns to read.

    Parameters
    ----------
    tables : sequence of str
        Long tables of ratings, scores or texts.
    human : str
        The column of ratings.
    scores : sequence of str
        ``COLUMN`` of the tables or ``NAME=FILE``.
    ratings : str or None
        A file of ratings, if they are not in the tables.
    texts : str or None
        A wide table of texts, with one column for each system.
    hypothesis : str
        The column of hypotheses in long tables.
    references : sequence of str
        The columns of references.
    metrics : sequence of str
        Metrics to compute from texts.
    panel_column, system_column, item_column : str or None
        The columns that identify rows.
    only : str or None
        The only panel to use, which is also the panel of sources without one.
    system_scores : {"corpus", "mean"}
        The system score of metrics that are computed from texts.
    exclude : sequence of str
        Systems to exclude, such as human translations and outliers.
    rater : str or None
        The column of raters in tables of ratings; by default "rater", if it exists.
    domain, document : str or None
        The column of domains, each a panel of its own; and of documents, whose means replace their segments.
    standardise : bool
        Whether to transform the ratings of each rater to mean 0 and standard deviation 1.
    """

    tables: Sequence[str] = ()
    human: str = "human"
    scores: Sequence[str] = ()
    ratings: str | None = None
    texts: str | None = None
    hypothesis: str = "hypothesis"
    references: Sequence[str] = ()
    metrics: Sequence[str] = ()
    panel_column: str | None = None
    system_column: str | None = None
    item_column: str | None = None
    only: str | None = None
    system_scores: Literal["corpus", "mean"] = "corpus"
    exclude: Sequence[str] = ()
    rater: str | None = None
    standardise: bool = False
    domain: str | None = None
    document: str | None = None


def gather(request: Request, level: str | None = None) -> tuple[list[Panel], list[Scores]]:
    """Read the files and match ratings and scores.

    Parameters
    ----------
    request : Request
        The files and columns.
    level : {"segment", "system"}, optional
        For "segment", ratings of whole systems are rejected; for "system", corpus scores are computed.

    Returns
    -------
    tuple
        The panels, and the scores of each metric.

    Raises
    ------
    UsageError
        If there is nothing to compare, columns are missing, or nothing matches.
    """
    named_files = [match.groups() for entry in request.scores if (match := _NAMED_FILE.fullmatch(entry))]
    columns = [entry for entry in request.scores if not _NAMED_FILE.fullmatch(entry)]
    if request.metrics and not request.references:
        raise UsageError("metrics need references; specify their columns with --references.")
    if not (request.scores or request.metrics):
        raise UsageError("there are no metrics; specify --scores, or --metrics with --references.")
    if not request.tables and (columns or not request.ratings):
        raise UsageError("columns are specified, but no table.")
    sheets = [read_sheet(path) for path in request.tables]
    human = _rated_file(request, request.ratings) if request.ratings else _merged(_ratings(request, sheets))
    if request.only:
        human = _only(human, request.only)
    _check_excluded(human, request.exclude)
    human = _without(human, request.exclude)
    if level == "segment" and human.of_systems:
        raise UsageError(f"{human.origin} rates whole systems, not segments: use --level system.")
    if request.document and (level == "system" or human.of_systems):
        raise UsageError("--document requires the segment level; omit --document or --level system.")
    domains, documents = (
        _labels(request, sheets, column) if column else None for column in (request.domain, request.document)
    )
    if domains and human.of_systems:
        raise UsageError(f"{human.origin} rates whole systems, which have no domain; omit --domain.")
    metrics = [_merged([long_scores(s, column, column, *_owners(request, s)) for s in sheets]) for column in columns]
    for name, path in named_files:
        metrics.append(_read(request, path, name))
    metrics += _computed(request, sheets, human, whole_systems=human.of_systems)
    corpus: list[Scores] = []
    if level == "system" and request.system_scores == "corpus" and not human.of_systems:
        corpus = _computed(request, sheets, human, whole_systems=True, domains=domains)
    if request.only:
        metrics, corpus = ([_only(one, request.only) for one in some] for some in (metrics, corpus))
    metrics, corpus = ([_without(one, request.exclude) for one in some] for some in (metrics, corpus))
    return join(human, metrics, corpus, domains=domains, documents=documents), metrics


def _owners(request: Request, sheet: Sheet) -> tuple[Columns, str]:
    """Return the columns that identify rows, and the panel of a table without a column of panels."""

    def pick(given: str | None, usual: Sequence[str]) -> str | None:
        if given is not None:
            sheet.column(given)
            return given
        return next((name for entry in usual for name in sheet.columns if name.lower() == entry), None)

    columns = Columns(
        pick(request.panel_column, PANELS), pick(request.system_column, SYSTEMS), pick(request.item_column, ITEMS)
    )
    return columns, request.only or os.path.basename(sheet.path).rsplit(".", 1)[0]


def _ratings(request: Request, sheets: Sequence[Sheet]) -> list[Scores]:
    for sheet in sheets:
        if request.human not in sheet.columns and not _lists_errors(sheet):
            raise UsageError(
                f"{sheet.path}: there is no column {request.human!r} of human ratings; specify it with --human. "
                f"The columns are {', '.join(sheet.columns)}."
            )
    return [_rated(request, sheet, *_owners(request, sheet)) for sheet in sheets]


def _lists_errors(sheet: Sheet) -> bool:
    """Return whether a table has one row for each MQM error."""
    return {"category", "severity"} <= set(sheet.columns)


def _rated(request: Request, sheet: Sheet, columns: Columns, panel: str) -> Scores:
    """Return the ratings of a long table, averaged over raters if it has them."""
    rater = request.rater or ("rater" if "rater" in sheet.columns else None)
    if request.human not in sheet.columns and _lists_errors(sheet):
        ratings = error_ratings(sheet, columns, rater, panel)
    elif rater:
        ratings = table_ratings(sheet, request.human, columns, rater, panel)
    elif request.standardise:
        raise UsageError(f"{sheet.path}: --standardise requires a column of raters; specify it with --rater.")
    else:
        return long_scores(sheet, request.human, "human", columns, panel)
    by_position = columns.item is None
    return combine("human", sheet.path, ratings, by_position=by_position, standardised=request.standardise)


def _rated_file(request: Request, path: str) -> Scores:
    """Read a file of ratings: an export of Appraise, a table with raters or errors, or what `_read` reads."""
    if not is_wmt(path):
        if (ratings := read_appraise(path)) is not None:
            return combine("human", path, ratings, standardised=request.standardise)
        sheet = read_sheet(path)
        columns, _ = _owners(request, sheet)
        if columns.system and (request.human in sheet.columns or _lists_errors(sheet)):
            return _rated(request, sheet, columns, "")
    if request.standardise:
        raise UsageError(f"{path}: --standardise requires ratings with raters.")
    return _read(request, path, request.human)


def _read(request: Request, path: str, column: str) -> Scores:
    """Read a file of ratings or scores: a WMT format, a long table (with systems) or a wide table."""
    if is_wmt(path):
        found = read_wmt(path, column)
        if len(found) == 1:
            return replace(found[0], name=column)
        chosen = [one for one in found if one.name == column]
        if not chosen:
            names = ", ".join(one.name for one in found)
            raise UsageError(f"{path} has {len(found)} metrics, and none is named {column!r}. The metrics are {names}.")
        return chosen[0]
    sheet = read_sheet(path)
    owners, _ = _owners(request, sheet)
    if owners.system:
        return long_scores(sheet, column if column in sheet.columns else "score", column, owners, "")
    return wide_scores(sheet, column, owners.item, "")


def _labels(request: Request, sheets: Sequence[Sheet], column: str) -> Labels:
    """Return the label of each item in a column of the tables, the ratings or the texts."""
    more = [path for path in (request.ratings, request.texts) if path and not is_wmt(path)]
    found: dict[tuple[str, str], str] = {}
    searched = [*sheets, *(read_sheet(path) for path in more if read_appraise(path) is None)]
    for sheet in searched:
        if column not in sheet.columns:
            continue
        columns, panel = _owners(request, sheet)
        own = panel if sheet in sheets else ""
        for key, name in zip(keys(sheet, columns, own), sheet.texts(column), strict=True):
            if found.setdefault((key.panel, key.item), name) != name:
                raise UsageError(
                    f"{sheet.path}: item {key.item!r} has the {column}s {name!r} and {found[key.panel, key.item]!r}."
                )
    if not found:
        there = ", ".join(dict.fromkeys(name for sheet in searched for name in sheet.columns))
        raise UsageError(f"no table has a column {column!r}. The columns are {there or 'none'}.")
    return found


def _computed(
    request: Request, sheets: Sequence[Sheet], human: Scores, *, whole_systems: bool, domains: Labels | None = None
) -> list[Scores]:
    metrics = [parse(text) for text in request.metrics]
    if not metrics:
        return []
    if request.texts:
        sheet = read_sheet(request.texts)
        owners, _ = _owners(request, sheet)
        systems = list(dict.fromkeys(key.system for key in human.values))
        if len(human.panels) > 1:
            raise UsageError(
                f"{request.texts} has one language pair, but {human.origin} has {len(human.panels)}: "
                f"{', '.join(human.panels)}. Choose one with --only."
            )
        texts = wide_texts(sheet, request.references, systems, owners.item, human.panels[0])
        texts = _in_domains(texts, domains, request.texts)
        return [score_texts(texts, metric, request.texts, whole_systems=whole_systems) for metric in metrics]
    every = [
        (s, _in_domains(texts_of(s, request.hypothesis, request.references, *_owners(request, s)), domains, s.path))
        for s in sheets
    ]
    return [
        _merged([score_texts(texts, metric, sheet.path, whole_systems=whole_systems) for sheet, texts in every])
        for metric in metrics
    ]


def _in_domains(texts: Texts, domains: Labels | None, origin: str) -> Texts:
    if not domains:
        return texts
    named = [key._replace(panel=f"{key.panel} {label(domains, key, origin, 'domain')}") for key in texts.keys]
    return replace(texts, keys=named)


def _merged(parts: Sequence[Scores]) -> Scores:
    if len(parts) == 1:
        return parts[0]
    values = {key: value for part in parts for key, value in part.values.items()}
    if len(values) < sum(len(part.values) for part in parts):
        raise UsageError(
            f"{parts[0].origin} and {parts[1].origin} score the same panel, system and item; use tables of different "
            "language pairs, or a column of pairs."
        )
    return replace(parts[0], values=values, by_position=any(part.by_position for part in parts))


def _only(scores: Scores, panel: str) -> Scores:
    if scores.panels == [""]:
        return scores.in_panel(panel)
    kept = {key: value for key, value in scores.values.items() if key.panel == panel}
    if not kept:
        raise UsageError(
            f"{scores.origin}: there is no language pair {panel!r}; the pairs are {', '.join(scores.panels)}."
        )
    return replace(scores, values=kept)


def _check_excluded(human: Scores, systems: Sequence[str]) -> None:
    known = dict.fromkeys(key.system for key in human.values)
    if unknown := [system for system in systems if system not in known]:
        raise UsageError(
            f"there is no rated system {', '.join(map(repr, unknown))}; {human.origin} has {', '.join(known)}."
        )
    if known.keys() <= set(systems):
        raise UsageError(f"all {len(known)} rated systems are excluded.")


def _without(scores: Scores, systems: Sequence[str]) -> Scores:
    if not systems:
        return scores
    return replace(scores, values={key: value for key, value in scores.values.items() if key.system not in systems})
