"""Name the extra that installs a missing package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def server_extra() -> Iterator[None]:
    """Turn a missing package of the extra ``server`` into an error that names the fix."""
    from chrfect.errors import UsageError

    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "chrfect"):
            raise
        fix = "install it with: pip install 'chrfect[server]'"
        raise UsageError(f"the package {package} is missing; {fix}") from None
