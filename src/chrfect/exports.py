"""Public names that a package imports when they are first used, so that importing the package is quick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any


def first_use(namespace: dict[str, Any], modules: Mapping[str, Sequence[str]], name: str) -> object:
    """Import a public name into the namespace of its package, whose ``__getattr__`` calls this function.

    Other names are an error, which says what to write instead of a name of sacreBLEU.

    Parameters
    ----------
    namespace : dict
        ``globals()`` of the package.
    modules : mapping of str to sequence of str
        The public names of each module of the package.
    name : str
        The name that was not found in the package.
    """
    package = namespace["__name__"]
    for module, names in modules.items():
        if name in names:
            namespace[name] = getattr(import_module(f"{package}.{module}"), name)
            return namespace[name]
    from chrfect.foreign_names import missing

    raise missing(package, name)
