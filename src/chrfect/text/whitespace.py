"""Whitespace: the 29 code points that separate words."""

from __future__ import annotations

WHITESPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The 29 whitespace code points, the set on which ``str.split`` splits."""


def remove_whitespace(text: str) -> str:
    """Return the text without its whitespace code points.

    Examples
    --------
    >>> remove_whitespace(" a\\u3000b\\u200bc ")
    'ab\\u200bc'
    """
    return "".join(text.split())
