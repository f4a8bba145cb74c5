"""Checks of an input in the order that contracts promise; each raises ContractError with its code and pointer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chrfect.errors import ContractError, shown

MAX_SEGMENTS = 256
MAX_TEXT_BYTES = 65_536

SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES = {dict: "an object", list: "an array", tuple: "an array", str: "a string", bool: "a boolean"}


def pointer(*steps: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of a path.

    Examples
    --------
    >>> pointer("a/b~c", 0)
    '/a~1b~0c/0'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def named(value: Any) -> str:
    """Return what a value is in JSON's words, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value!r}" if abs(value) < 1e15 else "a number out of range"
    return _NAMES.get(type(value), type(value).__name__)


def check_object(value: Any, known: Sequence[str], required: Sequence[str]) -> None:
    """Refuse what is no plain object, then the first unknown key, then the first missing one."""
    if not isinstance(value, dict):
        raise ContractError("not_an_object", f"The input is {named(value)}; an object was expected.", "")
    for key in value:
        if key not in known:
            raise ContractError(
                "unknown_key",
                f"{shown(key)} is not a key of this tool; it takes {', '.join(known)}.",
                pointer(key),
            )
    for key in required:
        if key not in value:
            raise ContractError("missing_key", f"The key {key!r} is missing; add it.", "")


def check_array(value: Any, path: tuple[str | int, ...], expected: str) -> None:
    """Refuse what is no array."""
    if not isinstance(value, list | tuple):
        raise ContractError(
            "not_an_array", f"{where(path)} is {named(value)}; an array of {expected} was expected.", pointer(*path)
        )


def check_segment_array(value: Any, key: str, expected: str) -> None:
    """Refuse what is no array, one of over 256 segments, and an empty one."""
    check_array(value, (key,), expected)
    if len(value) > MAX_SEGMENTS:
        raise ContractError(
            "too_many_segments", f"{key} has {len(value)} segments; at most {MAX_SEGMENTS} are taken.", pointer(key)
        )
    if not value:
        raise ContractError("no_segments", f"{key} is empty; at least one segment was expected.", pointer(key))


def check_strings(values: Sequence[Any], path: tuple[str | int, ...]) -> None:
    """Refuse the first element that is no string."""
    if set(map(type, values)) <= {str}:
        return
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise ContractError(
                "not_a_string",
                f"{where((*path, i))} is {named(value)}; a string was expected.",
                pointer(*path, i),
            )


def check_same_number(hypotheses: Sequence[Any], references: Sequence[Any]) -> None:
    """Refuse different numbers of hypotheses and references."""
    if len(hypotheses) != len(references):
        raise ContractError(
            "segment_count_mismatch",
            f"hypotheses and references have {len(hypotheses)} and {len(references)} elements; "
            "the same number, one a segment, was expected.",
            "",
        )


def check_texts(texts: Sequence[str], places: Callable[[], Iterable[tuple[tuple[str | int, ...], str]]]) -> None:
    """Refuse more than 65,536 bytes of UTF-8 in all texts together, then the first text with an unpaired surrogate.

    Parameters
    ----------
    texts : sequence of str
        All texts. A lone surrogate counts as 3 bytes.
    places : callable
        Returns each text with its path; called if some text holds a surrogate.
    """
    joined = "".join(texts)
    try:
        size, whole = len(joined.encode()), True
    except UnicodeEncodeError:
        size, whole = len(joined.encode("utf-8", "surrogatepass")), False
    if size > MAX_TEXT_BYTES:
        raise ContractError(
            "text_too_large",
            f"The texts have {size} bytes of UTF-8 together; at most {MAX_TEXT_BYTES} are taken. Send less at once.",
            "",
        )
    if whole:
        return
    for path, text in places():
        found = SURROGATE.search(text)
        if found:
            raise ContractError(
                "lone_surrogate",
                f"{where(path)} holds the unpaired surrogate U+{ord(found[0]):04X} at character {found.start()}; "
                "it is no Unicode text.",
                pointer(*path),
            )


def integer(value: dict[str, Any], key: str, least: int, most: int, default: int) -> int:
    """Return a whole number within its range (``1.0`` is one, ``true`` is none), or the default."""
    given = value.get(key, default)
    whole = not isinstance(given, bool) and (
        isinstance(given, int) or (isinstance(given, float) and given.is_integer())
    )
    if not whole or not least <= given <= most:
        raise ContractError(
            f"invalid_{key}",
            f"{key} is {named(given)}; a whole number from {least} to {most} was expected.",
            pointer(key),
        )
    return int(given)


def boolean(value: dict[str, Any], key: str, default: bool) -> bool:
    """Return true or false, or the default."""
    given = value.get(key, default)
    if not isinstance(given, bool):
        raise ContractError(f"invalid_{key}", f"{key} is {named(given)}; true or false was expected.", pointer(key))
    return given


def check_segments(value: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return hypotheses and references, one string a segment, after all checks of texts."""
    for key in ("hypotheses", "references"):
        check_segment_array(value[key], key, "strings")
        check_strings(value[key], (key,))
    hypotheses, references = list(value["hypotheses"]), list(value["references"])
    check_same_number(hypotheses, references)
    check_texts(
        hypotheses + references,
        lambda: (((key, i), text) for key in ("hypotheses", "references") for i, text in enumerate(value[key])),
    )
    return hypotheses, references


def where(path: tuple[str | int, ...]) -> str:
    """Return a path as a person writes it: ``references[0][1]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else step for step in path)


def choice(value: dict[str, Any], key: str, choices: Sequence[str]) -> str:
    """Return one of the named choices, the first by default."""
    given = value.get(key, choices[0])
    if not isinstance(given, str) or given not in choices:
        got = shown(given) if isinstance(given, str) else named(given)
        raise ContractError(
            f"invalid_{key}", f"{key} is {got}; one of {', '.join(choices)} was expected.", pointer(key)
        )
    return given
