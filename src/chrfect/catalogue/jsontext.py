"""Reading and writing JSON: a strict reader and one serialization for all interfaces."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any, NoReturn

from chrfect.errors import ContractError

MAX_DEPTH = 64
MAX_DIGITS = 4_300

_STRING = re.compile(rb'"[^"]*"?')
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)


def dumps(value: Any) -> str:
    """Return the value as JSON without spaces, with keys in their order and non-ASCII characters unescaped.

    Examples
    --------
    >>> dumps({"result": {"score": "é", "beta": 2}})
    '{"result":{"score":"é","beta":2}}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode(value: Any) -> bytes:
    """Return the same as :func:`dumps` in UTF-8, using msgspec if it is installed; the value must not contain floats.

    Examples
    --------
    >>> encode({"result": {"score": "é", "beta": 2}}).decode()
    '{"result":{"score":"é","beta":2}}'
    """
    fast = _encoder()
    return dumps(value).encode() if fast is None else fast(value)


def once_escaped(texts: list[str]) -> list[Any]:
    r"""Return values that :func:`encode` writes as it writes the texts, but without escaping repeated texts again.

    Examples
    --------
    >>> tokens = once_escaped(["é", '"'])
    >>> encode([tokens, tokens[:1]]).decode()
    '[["é","\\""],["é"]]'
    """
    fast = _encoder()
    if fast is None:
        return texts
    from msgspec import Raw

    escaped = {text: Raw(fast(text)) for text in set(texts)}
    return [escaped[text] for text in texts]


@cache
def _encoder() -> Callable[[Any], bytes] | None:
    try:
        from msgspec.json import Encoder
    except ModuleNotFoundError:
        return None
    return Encoder().encode


def loads(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Return the value of strict JSON; the last of duplicate keys is used.

    Parameters
    ----------
    data : bytes
        UTF-8, optionally with a leading byte order mark.
    max_depth : int
        The maximum nesting depth of arrays and objects.

    Raises
    ------
    ContractError
        ``invalid_json`` if the bytes are not UTF-8 or not JSON, contain NaN or Infinity, are nested too deeply, or
        contain a number with more than 4,300 digits.

    Examples
    --------
    >>> loads(b'{"a": 1, "a": 2}')
    {'a': 2}
    """
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(f"byte {error.start} of the body is not UTF-8. Send the JSON encoded as UTF-8.")
    if _may_be_deeper(data, max_depth):
        _check_depth(text, max_depth)
    try:
        return json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    except json.JSONDecodeError as error:
        _refuse(f"{_fault(error)}. Send one JSON document.")


def _fault(error: json.JSONDecodeError) -> str:
    """Return the error and its position, with the same text on all Python versions (3.13 changed trailing commas)."""
    if error.doc[error.pos : error.pos + 1] in ("]", "}"):
        before = error.doc[: error.pos].rstrip(" \t\n\r")
        if before.endswith(","):
            error = json.JSONDecodeError("Illegal trailing comma", error.doc, len(before) - 1)
    message = error.msg.partition(" before end")[0].removesuffix(" at")
    return f"{message} at line {error.lineno}, column {error.colno}"


def _may_be_deeper(data: bytes, most: int) -> bool:
    """Return whether arrays and objects may be nested more deeply; if so, the text must be scanned.

    The bytes are reduced to their brackets by fast operations on bytes, because scanning a long document takes longer
    than parsing it.
    """
    if data.count(b"[") + data.count(b"{") <= most:
        return False
    brackets = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(_BRACKETS, _NOT_STRUCTURE)
    brackets = _STRING.sub(b"", brackets.replace(b'""', b""))
    for _ in range(most):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return b"[" in brackets


def _check_depth(text: str, most: int) -> None:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = match[0][0]
        if first in "[{":
            depth += 1
            if depth > most:
                _refuse(f"arrays and objects are nested more than {most} levels deep at character {match.start()}.")
        elif first in "]}":
            depth -= 1


def _integer(digits: str) -> int:
    _check_digits(digits)
    return int(Decimal(digits))


def _float(digits: str) -> float:
    _check_digits(digits)
    return float(digits)


def _check_digits(number: str) -> None:
    count = sum(map(str.isdecimal, number))
    if count > MAX_DIGITS:
        _refuse(f"a number has {count} digits; the maximum is {MAX_DIGITS}.")


def _constant(name: str) -> NoReturn:
    _refuse(f"{name} is not a JSON number.")


def _refuse(reason: str) -> NoReturn:
    raise ContractError("invalid_json", f"The input cannot be read as JSON: {reason}", "") from None
