"""The stylesheet of all pages, and the policy that allows a page nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files


@cache
def stylesheet() -> str:
    """Return the stylesheet; every rule is below the class ``chrfect``, so that it can be part of another page."""
    return files("chrfect.report").joinpath("static", "style.css").read_text(encoding="utf-8")


def policy(styles: str, script: str = "") -> str:
    """Return a content security policy for a page with this style and this script, and no access to anything else.

    Examples
    --------
    >>> policy("p { color: red }")[:19], "script" in policy("")
    ("default-src 'none';", False)
    """
    parts = ["default-src 'none'", f"style-src '{_digest(styles)}'", "img-src data:", "base-uri 'none'"]
    if script:
        parts.append(f"script-src '{_digest(script)}'")
    return "; ".join([*parts, "form-action 'none'"])


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
