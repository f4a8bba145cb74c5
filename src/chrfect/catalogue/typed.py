"""A fast reader for tool inputs, with the types that the contracts declare.

It returns the same value as the strict reader, or None. Then the strict reader is used, so that all errors have the
same code, pointer and text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from chrfect.catalogue.published import contract

_SCALARS: dict[str, type] = {"string": str, "integer": int, "boolean": bool}


def read(id: str, version: str, body: bytes) -> dict[str, Any] | None:
    """Return the input of a tool, or None if the strict reader must be used.

    This is the case if the extra ``server`` is not installed, and for every body that is not an object with the
    declared keys and types in plain JSON: for an unknown or a missing key, an integer written ``2.0``, a lone
    surrogate, a byte order mark, or invalid JSON.

    Parameters
    ----------
    id, version : str
        The id and version of a tool.
    body : bytes
        JSON in UTF-8.

    Examples
    --------
    >>> body = b'{"hypotheses": ["a cat"], "references": ["the cat"], "beta": 3}'
    >>> value = read("chrf-compute", "1.0.0", body)
    >>> value in (None, {"hypotheses": ["a cat"], "references": ["the cat"], "beta": 3})
    True
    >>> read("chrf-compute", "1.0.0", body.replace(b"3", b"3.0")) is None
    True
    """
    decode = _decoder(id, version)
    return None if decode is None else decode(body)


@cache
def _decoder(id: str, version: str) -> Callable[[bytes], dict[str, Any] | None] | None:
    try:
        import msgspec
        from msgspec.structs import asdict
    except ModuleNotFoundError:
        return None
    schema = contract(id, version)["input_schema"]
    # Only types are declared. The tool checks the values, and each occurrence of a duplicate key is checked here.
    fields = [
        (key, _type(of_key)) if key in schema["required"] else (key, _type(of_key) | msgspec.UnsetType, msgspec.UNSET)
        for key, of_key in schema["properties"].items()
    ]
    unset = msgspec.UNSET
    decoder = msgspec.json.Decoder(msgspec.defstruct("Input", fields, forbid_unknown_fields=True))

    def decode(body: bytes) -> dict[str, Any] | None:
        try:
            found = asdict(decoder.decode(body))
        except (msgspec.MsgspecError, UnicodeError):
            return None
        return {key: value for key, value in found.items() if value is not unset}

    return decode


def _type(schema: dict[str, Any]) -> Any:
    """Return the Python type of a JSON Schema."""
    if schema["type"] == "array":
        return list[_type(schema["items"])]  # type: ignore[misc]
    return _SCALARS[schema["type"]]
