"""Saying which extra brings a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def server_extra() -> Iterator[None]:
    """Turn the lack of a package of the extra ``server`` into an error that names the fix."""
    from chrfect.errors import UsageError

    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("chrfect"):
            raise
        fix = "install it with: pip install 'chrfect[server]'"
        raise UsageError(f"the package {error.name} is missing; {fix}") from None
