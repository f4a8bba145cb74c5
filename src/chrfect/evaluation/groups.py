"""Groups of segments: documents, length buckets, and custom labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from chrfect.errors import UsageError, shown
from chrfect.metrics.references import Aligned

LENGTHS = (10, 25, 50, 100, 200)
"""The maximum text length, in characters, of each bucket but the last."""

BY_LENGTH = ("length", "reference-length")

Labels = Sequence[Hashable]


def bucket(length: int) -> str:
    """Return the name of the bucket of a length in characters.

    Examples
    --------
    >>> bucket(0), bucket(10), bucket(11), bucket(999)
    ('0-10', '0-10', '11-25', '201+')
    """
    place = bisect_left(LENGTHS, length)
    lowest = LENGTHS[place - 1] + 1 if place else 0
    return f"{lowest}-{LENGTHS[place]}" if place < len(LENGTHS) else f"{lowest}+"


def read_groups(documents: Iterable[Hashable] | None, by: Any, segments: int) -> dict[str, Labels | None]:
    """Return the labels of the segments for each grouping; None if they are computed from the texts.

    Raises
    ------
    UsageError
        If there is not one label for each segment, or `by` is neither a known name nor a mapping.
    """
    groups: dict[str, Labels | None] = {}
    if documents is not None:
        groups["document"] = _labels("documents", documents, segments)
    given: Any = [by] if isinstance(by, str) else {} if by is None else by
    if isinstance(given, Mapping):
        for name, labels in given.items():
            by_length = labels is None and name in BY_LENGTH
            groups[str(name)] = None if by_length else _labels(f"by[{name!r}]", labels, segments)
        return groups
    for name in given:
        if name not in BY_LENGTH:
            raise UsageError(
                f"by is {shown(name)}; 'length', 'reference-length', or a mapping from a name to one label for each "
                "segment was expected."
            )
        groups[name] = None
    return groups


def labels_of(name: str, labels: Labels | None, aligned: Aligned) -> Labels:
    """Return the label of each segment. With several references, the length is that of the shortest."""
    if labels is not None:
        return labels
    if name == "length":
        return [bucket(len(text)) for text in aligned.hypotheses]
    if aligned.starts is None:
        return [bucket(len(text)) for text in aligned.references]
    starts = aligned.starts
    return [
        bucket(min(len(aligned.references[place]) for place in range(starts[i], starts[i + 1])))
        for i in range(len(aligned.hypotheses))
    ]


def in_order(name: str, labels: Iterable[Hashable]) -> list[Hashable]:
    """Return the labels in output order: length buckets ascending, other labels by first occurrence."""
    if name in BY_LENGTH:
        return sorted(labels, key=lambda label: int(str(label).rstrip("+").split("-")[0]))
    return list(labels)


def _labels(name: str, labels: Any, segments: int) -> Labels:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise UsageError(f"{name} is a {type(labels).__name__}; one label for each segment was expected.")
    listed = list(labels)
    if len(listed) != segments:
        raise UsageError(f"{name} has {len(listed):,} labels for {segments:,} segments; one for each was expected.")
    return listed
