"""The number of colours of the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class Colours(IntEnum):
    """No colours, 16 colours, 256 colours, or 24-bit colours."""

    NONE = 0
    SIXTEEN = 1
    MANY = 2
    TRUE = 3


def colours(environment: Mapping[str, str], terminal: bool) -> Colours:
    """Return the number of colours to use.

    ``NO_COLOR`` disables colours. ``FORCE_COLOR`` enables them even if the output is not a terminal: 0 to 3 (or
    ``false``) sets the number of colours; with any other value, ``COLORTERM`` and ``TERM`` decide. Otherwise only a
    terminal has colours, and ``COLORTERM`` and ``TERM`` decide.

    Examples
    --------
    >>> colours({"TERM": "xterm-256color"}, terminal=True).name
    'MANY'
    >>> colours({"TERM": "xterm", "NO_COLOR": "1"}, terminal=True).name
    'NONE'
    """
    if environment.get("NO_COLOR"):
        return Colours.NONE
    forced = environment.get("FORCE_COLOR")
    if forced in ("0", "false"):
        return Colours.NONE
    if forced in ("1", "2", "3"):
        return Colours(int(forced))
    name = environment.get("TERM", "")
    if not forced and (not terminal or name == "dumb"):
        return Colours.NONE
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Colours.TRUE
    return Colours.MANY if "256color" in name else Colours.SIXTEEN
