"""Errors about missing packages that an extra installs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def require_server_extra() -> Iterator[None]:
    """Convert the error about a missing package of the extra ``server`` into one that explains how to install it."""
    from chrfect.errors import UsageError

    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "chrfect"):
            raise
        fix = "install the extra server: in a checkout of chrfect, pip install '.[server]'"
        raise UsageError(f"the package {package} is missing; {fix}") from None
