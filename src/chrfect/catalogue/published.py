"""Contracts: data files that are served unchanged and never change after publication."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from chrfect.errors import ContractError, shown, without_surrogates

MAX_COMPARED = 60
"""The maximum number of characters of an unknown name that are compared with known names."""

_HERE = files(__package__)
_FILE = re.compile(r"(.+)-(\d+\.\d+\.\d+)\.json")


@cache
def index() -> list[dict[str, Any]]:
    """Return the id, title, category, access and related ids of each tool, which pages need."""
    entries: list[dict[str, Any]] = json.loads(_read("index.json"))
    return entries


def ids() -> list[str]:
    """Return the ids of all tools.

    Examples
    --------
    >>> ids()[0]
    'chrf-compute'
    """
    return [entry["id"] for entry in index()]


@cache
def _stored() -> dict[str, list[str]]:
    stored: dict[str, list[str]] = {id: [] for id in ids()}
    for file in (_HERE / "contracts").iterdir():
        named = _FILE.fullmatch(file.name)
        if named:
            stored[named[1]].append(named[2])
    return {id: sorted(versions, key=_as_numbers) for id, versions in stored.items()}


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def versions(id: str) -> list[str]:
    """Return the versions of a tool, the newest last; raise ContractError if the tool does not exist.

    Examples
    --------
    >>> versions("chrf-compute")
    ['1.0.0']
    """
    stored = _stored()
    if not isinstance(id, str) or id not in stored:
        raise ContractError(
            "unknown_tool",
            f"There is no tool {shown(id)}; the nearest is {_nearest(id, stored)!r}. `chrfect tools` lists all tools.",
            None,
        )
    return stored[id]


def newest(id: str) -> str:
    """Return the newest version of a tool."""
    return versions(id)[-1]


def resolve(id: str, version: str) -> tuple[str, str]:
    """Return the id and version; raise ContractError with a similar one if they do not exist."""
    known = versions(id)
    if not isinstance(version, str) or version not in known:
        raise ContractError(
            "unknown_version",
            f"{id} has no version {shown(version)}; the nearest is {_nearest(version, known)!r}.",
            None,
        )
    return id, version


@cache
def contract_bytes(id: str, version: str) -> bytes:
    """Return the stored bytes of a contract."""
    resolve(id, version)
    return _read(f"contracts/{id}-{version}.json")


def contract(id: str, version: str) -> dict[str, Any]:
    """Return a contract as data.

    Examples
    --------
    >>> contract("chrf-compute", "1.0.0")["limits"]
    {'max_segments': 256, 'max_text_bytes': 65536}
    """
    document: dict[str, Any] = json.loads(contract_bytes(id, version))
    return document


def newest_contract(id: str) -> dict[str, Any]:
    """Return the newest contract of a tool."""
    return contract(id, newest(id))


@cache
def worked(id: str) -> str:
    """Return a worked example of a tool in Markdown, with all n-grams, counts and calculations.

    Examples
    --------
    >>> worked("chrf-compute").splitlines()[0]
    'Input:'
    """
    versions(id)
    return _read(f"worked/{id}.md").decode()


def _read(name: str) -> bytes:
    return (_HERE / name).read_bytes()


def _nearest(value: object, known: Iterable[str]) -> str:
    """Return the known name that is most similar to a value."""
    import difflib

    text = without_surrogates(str(value)[:MAX_COMPARED])
    return max(known, key=lambda other: difflib.SequenceMatcher(None, text, other).ratio())
