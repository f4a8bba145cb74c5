"""Base URLs of servers."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from chrfect.errors import UsageError


def parse_base_url(option: str, text: str) -> SplitResult:
    """Return the parts of a base URL; raise UsageError if the text is not one.

    Examples
    --------
    >>> parse_base_url("--base-url", "http://localhost:8000").netloc
    'localhost:8000'
    """
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits or set(text) & set("?#@\\") or not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(f"{option} is {text!r}; a URL such as https://metrics.example.org was expected.")
    return parts
