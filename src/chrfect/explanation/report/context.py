"""Runs with adjacent text, truncated at grapheme clusters."""

from __future__ import annotations

from collections.abc import Sequence

from chrfect.report.visible import Cluster, clusters

_GAP = "…"


def in_context(before: str, text: str, after: str, width: int) -> str:
    """Return a run between ⟦ and ⟧ with adjacent text, at most `width` cells wide.

    Parameters
    ----------
    width : int
        At least 5.

    Examples
    --------
    >>> in_context("The ", "dog", "s sat.", 40)
    'The ⟦dog⟧s sat.'
    >>> in_context("Once upon a time the ", "dog", "s sat.", 14)
    ' the ⟦dog⟧s sa'
    """
    focus = list(clusters(text))
    room = width - 2 - sum(cluster.width for cluster in focus)
    if room < 0:
        head, tail = _fitting(focus, (width - 2) // 2), _fitting(focus[::-1], (width - 4) // 2)
        return f"⟦{_joined(head)}{_GAP}{_joined(tail[::-1])}⟧"
    left, right = list(clusters(before))[::-1], list(clusters(after))
    right = _fitting(right, max(room - sum(cluster.width for cluster in left), room // 2))
    left = _fitting(left, room - sum(cluster.width for cluster in right))[::-1]
    return f"{_joined(left)}⟦{_joined(focus)}⟧{_joined(right)}"


def cut(text: str, width: int) -> str:
    """Return a text truncated to `width` cells with an ellipsis, and with visible control characters.

    Examples
    --------
    >>> cut("relationship", 8)
    'relatio…'
    """
    whole = list(clusters(text))
    if sum(cluster.width for cluster in whole) <= width:
        return _joined(whole)
    return _joined(_fitting(whole, width - 1)) + _GAP


def _fitting(parts: Sequence[Cluster], room: int) -> list[Cluster]:
    fitting = []
    for cluster in parts:
        room -= cluster.width
        if room < 0:
            break
        fitting.append(cluster)
    return fitting


def _joined(parts: Sequence[Cluster]) -> str:
    return "".join(cluster.shown for cluster in parts)
