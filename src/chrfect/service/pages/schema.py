"""Descriptions of JSON Schemas in Markdown."""

from __future__ import annotations

import json
from typing import Any

_LIMITS = {
    "minItems": "min items {}",
    "maxItems": "max items {}",
    "minimum": "min {}",
    "maximum": "max {}",
    "minLength": "min length {}",
    "maxLength": "max length {}",
    "pattern": "pattern `{}`",
}


def describe(schema: dict[str, Any], indent: str = "") -> str:
    """Return the properties of an object as a Markdown list, with nested objects indented.

    Examples
    --------
    >>> beta = {"type": "integer", "minimum": 1, "maximum": 16}
    >>> print(describe({"type": "object", "properties": {"beta": beta}, "required": []}))
    - `beta` (integer, optional): min 1; max 16
    """
    lines = []
    for name, value in schema.get("properties", {}).items():
        need = "required" if name in schema.get("required", []) else "optional"
        limits = "; ".join(_limits(value))
        lines.append(f"{indent}- `{name}` ({kind(value)}, {need})" + (f": {limits}" if limits else ""))
        inner = value
        while "items" in inner:
            inner = inner["items"]
        lines.append(describe(inner, indent + "  "))
    return "\n".join(filter(None, lines))


def kind(schema: dict[str, Any]) -> str:
    """Return the type of a value, its constant, or its allowed values.

    Examples
    --------
    >>> kind({"type": "array", "items": {"type": ["string", "null"]}})
    'array of string or null'
    """
    if "const" in schema:
        return f"constant {json.dumps(schema['const'])}"
    if "enum" in schema:
        return "one of " + ", ".join(map(json.dumps, schema["enum"]))
    type = schema.get("type", "any")
    if type == "array" and "items" in schema:
        return f"array of {kind(schema['items'])}"
    return type if isinstance(type, str) else " or ".join(type)


def _limits(schema: dict[str, Any], each: str = "") -> list[str]:
    own = [each + text.format(schema[key]) for key, text in _LIMITS.items() if key in schema]
    if "items" not in schema:
        return own
    items = schema["items"]
    return own + _limits(items, f"every {kind(items)} " if each else "each ")
