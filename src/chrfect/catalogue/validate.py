"""Validation of inputs in the order that contracts specify; errors have a code and a pointer."""

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
    """Return a description of a value with JSON types, short enough for a message."""
    if value is None:
        return "null"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value!r}" if abs(value) < 1e15 else "a number out of range"
    return _NAMES.get(type(value), type(value).__name__)


def check_object(value: Any, known: Sequence[str], required: Sequence[str]) -> None:
    """Reject a value that is not an object, or its first unknown or first missing key."""
    if not isinstance(value, dict):
        raise ContractError("not_an_object", f"The input is {named(value)}; an object was expected.", "")
    for key in value:
        if key not in known:
            raise ContractError(
                "unknown_key",
                f"{shown(key)} is not a key of this tool; the keys are {', '.join(known)}.",
                pointer(key),
            )
    for key in required:
        if key not in value:
            raise ContractError("missing_key", f"The key {key!r} is missing; add it.", "")


def check_array(value: Any, path: tuple[str | int, ...], expected: str) -> None:
    """Reject a value that is not an array."""
    if not isinstance(value, list | tuple):
        raise ContractError(
            "not_an_array", f"{where(path)} is {named(value)}; an array of {expected} was expected.", pointer(*path)
        )


def check_segment_array(value: Any, key: str, expected: str) -> None:
    """Reject a value that is not an array, and an array with more than 256 or without segments."""
    check_array(value, (key,), expected)
    if len(value) > MAX_SEGMENTS:
        raise ContractError(
            "too_many_segments", f"{key} has {len(value)} segments; the maximum is {MAX_SEGMENTS}.", pointer(key)
        )
    if not value:
        raise ContractError("no_segments", f"{key} is empty; at least one segment was expected.", pointer(key))


def check_strings(values: Sequence[Any], path: tuple[str | int, ...]) -> None:
    """Reject the first element that is not a string."""
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
    """Reject different numbers of hypotheses and references."""
    if len(hypotheses) != len(references):
        raise ContractError(
            "segment_count_mismatch",
            f"hypotheses and references have {len(hypotheses)} and {len(references)} elements; "
            "the same number was expected.",
            "",
        )


def check_texts(texts: Sequence[str], places: Callable[[], Iterable[tuple[tuple[str | int, ...], str]]]) -> None:
    """Reject more than 65,536 bytes of UTF-8 in all texts, or else the first text with a lone surrogate.

    Parameters
    ----------
    texts : sequence of str
        All texts. A lone surrogate counts as 3 bytes.
    places : callable
        Returns each text with its path; called if a text contains a surrogate.
    """
    joined = "".join(texts)
    try:
        size, whole = len(joined.encode()), True
    except UnicodeEncodeError:
        size, whole = len(joined.encode("utf-8", "surrogatepass")), False
    if size > MAX_TEXT_BYTES:
        raise ContractError(
            "text_too_large",
            f"The texts have {size} bytes of UTF-8 in total; the maximum is {MAX_TEXT_BYTES}. Send less at once.",
            "",
        )
    if whole:
        return
    for path, text in places():
        found = SURROGATE.search(text)
        if found:
            raise ContractError(
                "lone_surrogate",
                f"{where(path)} contains the unpaired surrogate U+{ord(found[0]):04X} at character {found.start()}; "
                "it is not valid Unicode text.",
                pointer(*path),
            )


def integer(value: dict[str, Any], key: str, least: int, most: int, default: int) -> int:
    """Return an integer within its range (``1.0`` is valid, ``true`` is not), or the default."""
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
    """Return hypotheses and references, one string for each segment, after validation."""
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
    """Return a path in the notation ``references[0][1]``."""
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
