"""Minimum Bayes risk decoding on a Ray cluster: a task decodes a few source sentences and returns its selection."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any

from chrfect.engines.count import Progress
from chrfect.engines.ray import connected, results
from chrfect.engines.shipment import SentMetric
from chrfect.errors import UsageError
from chrfect.files.save import make_folder, write_text
from chrfect.matrices.mbr import Selected
from chrfect.matrices.mbr import select as select_here
from chrfect.metrics import Metric

__all__ = ["select"]

SOURCES = 256
"""The number of sources that a task decodes."""


def select(
    metric: Metric,
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]] | None = None,
    *,
    top: int = 1,
    weights: Sequence[Sequence[Any]] | None = None,
    method: str = "exact",
    address: str | None = None,
    unfinished: str | None = None,
    progress: Progress | None = None,
) -> list[list[Selected]]:
    """Return the best candidates of each source, as :func:`chrfect.matrices.mbr.select`, decoded on a Ray cluster.

    Parameters
    ----------
    metric, candidates, references, top, weights, method
        As in :func:`chrfect.matrices.mbr.select`; the lists have equal lengths.
    address, unfinished : str, optional
        As in :func:`chrfect.engines.ray.count_data`.
    progress : callable, optional
        Called with the number of sources that are done, and the number of all.

    Raises
    ------
    UsageError
        As :func:`chrfect.matrices.mbr.select`.
    WorkError
        As :func:`chrfect.engines.ray.count_data`.
    """
    number = len(candidates)
    sent = SentMetric.of(metric)
    found: dict[int, list[list[Selected]]] = {}
    kept: dict[int, str] = {}
    if unfinished is not None:
        make_folder(unfinished)

    def tasks() -> Iterator[tuple[int, str, tuple[Any, ...]]]:
        for first in range(0, number, SOURCES):
            lists = [None if given is None else given[first : first + SOURCES] for given in (references, weights)]
            arguments = candidates[first : first + SOURCES], *lists, top, method
            if unfinished is not None:
                stated = repr((metric.signature, arguments))
                kept[first] = os.path.join(
                    unfinished, hashlib.sha256(stated.encode("utf-8", "surrogatepass")).hexdigest()
                )
                if os.path.exists(kept[first]):
                    found[first] = _read_selected(kept[first])
                    continue
            yield first, f"sources {first} to {min(first + SOURCES, number) - 1}", (sent, first, *arguments)

    with connected(address):
        for first, selected in results(_select, tasks()):
            found[first] = selected
            if first in kept:
                write_text(kept[first], json.dumps([list(map(astuple, choices)) for choices in selected]))
            if progress is not None:
                progress(sum(map(len, found.values())), number)
    return [choices for first in sorted(found) for choices in found[first]]


def _read_selected(path: str) -> list[list[Selected]]:
    with open(path, encoding="utf-8") as file:
        return [[Selected(*choice) for choice in choices] for choices in json.load(file)]


def _select(
    sent: SentMetric, first: int, candidates: Any, references: Any, weights: Any, top: int, method: Any
) -> list[list[Selected]]:
    try:
        return select_here(sent.receive(), candidates, references, weights=weights, top=top, method=method, threads=1)
    except UsageError as error:
        raise UsageError(_renumbered(str(error), first)) from None


def _renumbered(message: str, first: int) -> str:
    """Return a message about ``candidates[3]`` with the number of the source among all."""
    pattern = r"^(candidates|references|weights)\[(\d+)\]"
    return re.sub(pattern, lambda found: f"{found[1]}[{first + int(found[2])}]", message)
