"""Contracts: data files that are served as they are stored and never change once published."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from chrfect.errors import ContractError, shown, without_surrogates

MAX_COMPARED = 60
"""How many characters of an unknown name are compared with the known ones; no name is longer."""

_HERE = Path(__file__).parent
_FILE = re.compile(r"(.+)-(\d+\.\d+\.\d+)\.json")


@cache
def index() -> list[dict[str, Any]]:
    """Return what a page needs beyond the contracts: id, title, category, access and related ids of each tool."""
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
    """Return a tool's versions, the newest last; ContractError if there is no such tool.

    Examples
    --------
    >>> versions("chrf-compute")
    ['1.0.0']
    """
    stored = _stored()
    if not isinstance(id, str) or id not in stored:
        raise ContractError(
            "unknown_tool",
            f"There is no tool {shown(id)}; the nearest is {_nearest(id, stored)!r}. `chrfect tools` lists them all.",
            None,
        )
    return stored[id]


def newest(id: str) -> str:
    """Return a tool's newest version."""
    return versions(id)[-1]


def resolve(id: str, version: str) -> tuple[str, str]:
    """Return the pair if there is such a tool in such a version; ContractError naming the nearest if not."""
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
    """Return a contract as it is stored and served."""
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
    """Return the contract of a tool's newest version."""
    return contract(id, newest(id))


@cache
def worked(id: str) -> str:
    """Return an example of a tool in Markdown, worked by hand: every n-gram, every count, the arithmetic.

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
    """Return the known name that is most like a value; only the first characters of the value are compared."""
    import difflib

    text = without_surrogates(str(value)[:MAX_COMPARED])
    return max(known, key=lambda other: difflib.SequenceMatcher(None, text, other).ratio())
