"""Ratings and scores put together into panels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta.panel import Panel
from chrfect.meta.sources.scores import Key, Scores, key_text


def join(human: Scores, metrics: Sequence[Scores], corpus: Sequence[Scores] = (), *, name: str = "all") -> list[Panel]:
    """Match metric scores with ratings by panel, system and item.

    Parameters
    ----------
    human : Scores
        The ratings.
    metrics : sequence of Scores
        The scores. Sources that name no panel take the only one of the others; where any source scores whole systems,
        the others are averaged over their items.
    corpus : sequence of Scores
        Scores of whole systems as corpora, for the system level.
    name : str
        The panel's name where no source names one.

    Returns
    -------
    list of Panel
        One a language pair, in the order of the ratings.

    Raises
    ------
    UsageError
        If two metrics have one name, panels are ambiguous, or no rated cell has scores (how many, which first).
    """
    sources = _same_panels([human, *metrics], name)
    if any(source.of_systems for source in sources):
        sources, corpus = [source if source.of_systems else source.mean_of_items() for source in sources], ()
    human, metrics = sources[0], sources[1:]
    twice = [metric.name for at, metric in enumerate(metrics) if metric.name in [m.name for m in metrics[:at]]]
    if twice:
        raise UsageError(f"the metric {twice[0]!r} is given more than once; give each its own name.")
    rated = [key for key, value in human.values.items() if value is not None]
    if not rated:
        raise UsageError(f"{human.origin}: there is no rating: all {len(human.values):,} are missing.")
    for metric in metrics:
        _check(human, metric, rated)
    return [_panel(panel, human, metrics, corpus) for panel in dict.fromkeys(key.panel for key in rated)]


def _same_panels(sources: list[Scores], name: str) -> list[Scores]:
    named = list(dict.fromkeys(panel for source in sources for panel in source.panels if panel))
    unnamed = [source for source in sources if "" in source.panels]
    if not unnamed:
        return sources
    if len(named) > 1:
        raise UsageError(
            f"{unnamed[0].origin} names no language pair, and the other sources name {len(named)}: "
            f"{', '.join(named)}. Name it with --pair, or give one pair at a time."
        )
    return [source.in_panel(named[0] if named else name) if "" in source.panels else source for source in sources]


def _check(human: Scores, metric: Scores, rated: Sequence[Key]) -> None:
    if not any(key in metric.values for key in rated):
        first = next(iter(metric.values), None)
        there = f"; {metric.origin} begins with {key_text(first)}" if first else ""
        raise UsageError(
            f"none of the {len(rated):,} ratings of {human.origin} matches a score of {metric.name}, the first being "
            f"{key_text(rated[0])}{there}. Systems and items must have the same names in both."
        )
    if idle := [key for key in metric.values if key not in human.values]:
        warnings.warn(
            f"{len(idle):,} scores of {metric.name} ({metric.origin}) match no rating of {human.origin}, the first "
            f"being {key_text(idle[0])}.",
            ChrfectWarning,
            stacklevel=4,
        )


def _panel(panel: str, human: Scores, metrics: Sequence[Scores], corpus: Sequence[Scores]) -> Panel:
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
    whole = {}
    for one in corpus:
        values = (one.values.get(Key(panel, system, "")) for system in systems)
        whole[one.name] = [np.nan if value is None else value for value in values]
    return Panel(panel, systems, items, arrays[0], scores, whole)
