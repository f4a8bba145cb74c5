"""How many colours the reader's terminal has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class Colours(IntEnum):
    """None; the 16 of every terminal; 256; or 24 bits."""

    NONE = 0
    SIXTEEN = 1
    MANY = 2
    TRUE = 3


def colours(environment: Mapping[str, str], terminal: bool) -> Colours:
    """Return how many colours to use.

    ``NO_COLOR`` says none; else ``FORCE_COLOR`` (0 to 3, or anything for what the terminal's name promises) overrules
    that the output is no terminal; else ``COLORTERM`` and ``TERM`` say how many.

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
