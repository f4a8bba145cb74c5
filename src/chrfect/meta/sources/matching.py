"""Matching of ratings and scores to panels."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta.panel import Panel
from chrfect.meta.sources.scores import Key, Labels, Scores, key_text, label


def join(
    human: Scores,
    metrics: Sequence[Scores],
    corpus: Sequence[Scores] = (),
    *,
    name: str = "all",
    domains: Labels | None = None,
    documents: Labels | None = None,
) -> list[Panel]:
    """Match metric scores with ratings by panel, system and item.

    Parameters
    ----------
    human : Scores
        The ratings.
    metrics : sequence of Scores
        The scores. Sources without a panel get the only panel of the others. If any source scores whole systems, the
        others are averaged over their items.
    corpus : sequence of Scores
        Corpus scores of systems, for the system level.
    name : str
        The name of the panel if no source has one.
    domains, documents : mapping of (str, str) to str, optional
        The domain of each panel and item, which becomes a panel of its own; and the document, which replaces its
        segments by the means of those that are rated and scored.

    Returns
    -------
    list of Panel
        One for each language pair (and domain), in the order of the ratings.

    Raises
    ------
    UsageError
        If two metrics have the same name, panels are ambiguous, or no rated cell has scores.
    """
    sources = _laid_out(_same_panels([human, *metrics], name))
    if domains:
        sources = [source.in_domains(domains) for source in sources]
    if any(source.of_systems for source in sources):
        sources, corpus = [source if source.of_systems else source.mean_of_items() for source in sources], ()
    human, metrics = sources[0], sources[1:]
    twice = [metric.name for at, metric in enumerate(metrics) if metric.name in [m.name for m in metrics[:at]]]
    if twice:
        raise UsageError(f"the metric name {twice[0]!r} is repeated; use a different name for each metric.")
    rated = [key for key, value in human.values.items() if value is not None]
    if not rated:
        raise UsageError(f"{human.origin}: all {len(human.values):,} ratings are missing.")
    for metric in metrics:
        _check(human, metric, rated)
    segments = _segments(metrics, corpus)
    if documents:
        human, *metrics = _of_documents([human, *metrics], documents)
    return [
        _panel(panel, human, metrics, corpus, segments=segments, documents=bool(documents))
        for panel in dict.fromkeys(key.panel for key in rated)
    ]


def _segments(metrics: Sequence[Scores], corpus: Sequence[Scores]) -> dict[str, int]:
    """Return the number of segments of a system in the corpus scores of each panel."""
    names = [one.name for one in corpus]
    counted = Counter((key.panel, key.system) for one in metrics if one.name in names[:1] for key in one.values)
    result: dict[str, int] = {}
    for (panel, _), number in counted.items():
        result[panel] = max(result.get(panel, 0), number)
    return result


def _of_documents(sources: Sequence[Scores], documents: Labels) -> list[Scores]:
    """Return the means of each document over the cells that have a value in every source."""
    whole = [key for key in sources[0].values if all(one.values.get(key) is not None for one in sources)]
    result = []
    for one in sources:
        values: dict[Key, list[float]] = {}
        for key in whole:
            document = label(documents, key, one.origin, "document")
            values.setdefault(key._replace(item=document), []).append(one.values[key] or 0.0)
        means: dict[Key, float | None] = {key: math.fsum(some) / len(some) for key, some in values.items()}
        result.append(replace(one, values=means))
    return result


def _same_panels(sources: list[Scores], name: str) -> list[Scores]:
    named = list(dict.fromkeys(panel for source in sources for panel in source.panels if panel))
    unnamed = [source for source in sources if "" in source.panels]
    if not unnamed:
        return sources
    if len(named) > 1:
        raise UsageError(
            f"{unnamed[0].origin} has no language pair, and the other sources have {len(named)}: "
            f"{', '.join(named)}. Name it with --pair, or use one pair at a time."
        )
    return [source.in_panel(named[0] if named else name) if "" in source.panels else source for source in sources]


def _laid_out(sources: list[Scores]) -> list[Scores]:
    """Give rows without ids the ids of the first source that has them; raise UsageError if rows do not match."""
    segments = [source for source in sources if not source.of_systems]
    named = next((source for source in segments if not source.by_position), segments[0] if segments else None)
    if named is None:
        return sources
    ids = _items(named)
    return [
        _with_ids(source, named, ids) if source.by_position and source is not named else source for source in sources
    ]


def _items(scores: Scores) -> dict[tuple[str, str], list[str]]:
    """Return the items of each panel and system, in the order of the file."""
    items: dict[tuple[str, str], list[str]] = {}
    for key in scores.values:
        items.setdefault((key.panel, key.system), []).append(key.item)
    return items


def _with_ids(source: Scores, named: Scores, ids: dict[tuple[str, str], list[str]]) -> Scores:
    rows = {owner: len(items) for owner, items in _items(source).items() if owner in ids}
    if not rows:
        return source
    numbered = all(
        item.isdecimal() and 1 <= int(item) <= number for owner, number in rows.items() for item in ids[owner]
    )
    equal = all(number == len(ids[owner]) for owner, number in rows.items())
    even = len({(panel, number) for (panel, _), number in rows.items()}) == len({panel for panel, _ in rows})
    if numbered and (
        equal or (even and not named.by_position)
    ):  # the rows are the whole test set, and the ids are row numbers
        return source
    if equal and all(len({tuple(ids[owner]) for owner in rows if owner[0] == panel}) == 1 for panel, _ in rows):
        values = {
            key._replace(item=ids[owner][int(key.item) - 1])
            if (owner := (key.panel, key.system)) in ids
            else key: value
            for key, value in source.values.items()
        }
        return replace(source, values=values)
    owner = next((owner for owner, number in rows.items() if number != len(ids[owner])), next(iter(rows)))
    raise UsageError(
        f"{source.origin} has no segment ids, and its rows cannot be matched with those of {named.origin}: system "
        f"{owner[1]!r} has {rows[owner]:,} rows in the former and {len(ids[owner]):,} items in the latter, from "
        f"{ids[owner][0]!r} to {ids[owner][-1]!r}. Add a column of items, or use one row per item in the same order."
    )


def _check(human: Scores, metric: Scores, rated: Sequence[Key]) -> None:
    if not any(key in metric.values for key in rated):
        first = next(iter(metric.values), None)
        there = f"; {metric.origin} begins with {key_text(first)}" if first else ""
        raise UsageError(
            f"none of the {len(rated):,} ratings of {human.origin} matches a score of {metric.name}, the first being "
            f"{key_text(rated[0])}{there}. Systems and items must have the same names in both."
        )
    if idle := [key for key in metric.values if key not in human.values]:
        owners = {(key.panel, key.system) for key in human.values}
        unrated = list(dict.fromkeys(key.system for key in idle if (key.panel, key.system) not in owners))
        listed = f" Systems without any rating: {', '.join(unrated)}." if unrated else ""
        warnings.warn(
            f"{len(idle):,} scores of {metric.name} ({metric.origin}) match no rating of {human.origin}, the first "
            f"being {key_text(idle[0])}.{listed}",
            ChrfectWarning,
            stacklevel=4,
        )


def _panel(
    panel: str,
    human: Scores,
    metrics: Sequence[Scores],
    corpus: Sequence[Scores],
    *,
    segments: Mapping[str, int],
    documents: bool,
) -> Panel:
    known = [key for key in human.values if key.panel == panel]
    systems, items = (list(dict.fromkeys(part)) for part in zip(*((k.system, k.item) for k in known), strict=True))
    rows, columns = ({one: at for at, one in enumerate(names)} for names in (systems, items))
    arrays = []
    for source in (human, *metrics):
        cells = np.full((len(systems), len(items)), np.nan)
        for key in known:
            value = source.values.get(key)
            if value is not None:
                cells[rows[key.system], columns[key.item]] = value
        arrays.append(cells)
    scores = dict(zip((metric.name for metric in metrics), arrays[1:], strict=True))
    _warn_of_copies(panel, systems, arrays[1:])
    whole = {}
    for one in corpus:
        values = (one.values.get(Key(panel, system, "")) for system in systems)
        whole[one.name] = [np.nan if value is None else value for value in values]
    return Panel(panel, systems, items, arrays[0], scores, whole, segments=segments.get(panel, 0), documents=documents)


def _warn_of_copies(panel: str, systems: Sequence[str], arrays: Sequence[NDArray[np.float64]]) -> None:
    """Warn of systems with equal scores on every item, which may be one output with two names."""
    if arrays[0].shape[1] == 1 or any((cells == cells.ravel()[0]).all() for cells in arrays):
        return
    seen: dict[bytes, str] = {}
    for row, system in enumerate(systems):
        scores = b"".join(cells[row].tobytes() for cells in arrays)
        if all(np.isnan(cells[row]).all() for cells in arrays):
            continue
        if (first := seen.setdefault(scores, system)) != system:
            warnings.warn(
                f"{panel}: systems {first!r} and {system!r} have the same scores on every item. If they are the same "
                "system, exclude one of them with --exclude.",
                ChrfectWarning,
                stacklevel=4,
            )
