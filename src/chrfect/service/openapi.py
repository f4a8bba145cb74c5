"""The OpenAPI 3.1 description, generated from the contracts."""

from __future__ import annotations

from typing import Any

from chrfect import catalogue
from chrfect._version import __version__

JSON = "application/json"
PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem detail (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was given, what was expected, and the fix."},
        "code": {"type": "string", "description": "The stable identifier of the error."},
        "pointer": {
            "type": ["string", "null"],
            "description": "A JSON Pointer (RFC 6901) into the input; null if there is no input.",
        },
    },
    "required": ["type", "title", "status", "detail", "code", "pointer"],
}
TOOL: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in ("id", "version", "description", "contract_url")},
    "required": ["id", "version", "description", "contract_url"],
}
VERSION: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in ("version", "contract_url", "execute_url")},
    "required": ["version", "contract_url", "execute_url"],
}


def document(server: str) -> dict[str, Any]:
    """Return the OpenAPI description of a server.

    Parameters
    ----------
    server : str
        The base of its URLs, such as ``"http://localhost:8000"``.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "chrfect",
            "version": __version__,
            "summary": "Exact n-gram metrics for machine translation.",
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": server}],
        "security": [],
        "tags": [
            {"name": "catalogue", "description": "The tools and their contracts."},
            {"name": "tools", "description": "The execution of tools."},
        ],
        "paths": _catalogue_paths() | _tool_paths(),
        "components": {"schemas": {"Problem": PROBLEM, "Tool": TOOL, "Version": VERSION}},
    }


def _catalogue_paths() -> dict[str, Any]:
    id = _parameter("id", catalogue.ids())
    every = sorted({version for tool in catalogue.ids() for version in catalogue.versions(tool)})
    return {
        "/v1/tools": {"get": _get("list_tools", "The newest version of every tool", _list_of("tools", "Tool"))},
        "/v1/tools/{id}": {
            "get": _get(
                "list_versions",
                "The versions of a tool, the newest last",
                _list_of("versions", "Version", id={"type": "string"}),
                [id],
            )
        },
        "/v1/tools/{id}/versions/{version}": {
            "get": _get(
                "get_contract",
                "The contract of a tool: its input, behavior and output",
                {"type": "object"},
                [id, _parameter("version", every)],
            )
        },
    }


def _tool_paths() -> dict[str, Any]:
    contracts = (
        catalogue.contract(id, version) for id in catalogue.ids() for version in reversed(catalogue.versions(id))
    )
    return {contract["execute_url"]: {"post": _execute(contract)} for contract in contracts}


def _execute(contract: dict[str, Any]) -> dict[str, Any]:
    result = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"result": contract["output_schema"]},
        "required": ["result"],
    }
    examples = {f"example {i}": {"value": example["input"]} for i, example in enumerate(contract["examples"], start=1)}
    rejections = {
        "400": "The body is not JSON.",
        "413": "The body is longer than 1 MiB.",
        "415": "The body is not declared as application/json.",
        "422": "The input violates the contract; `code` and `pointer` specify the error.",
        "503": "Too many requests are queued; try again.",
    }
    content = {JSON: {"schema": contract["input_schema"], "examples": examples}}
    return {
        "operationId": f"{contract['id']}_{contract['version']}".replace("-", "_").replace(".", "_"),
        "summary": contract["description"],
        "description": "\n".join(f"- {line}" for line in contract["semantics"]),
        "tags": ["tools"],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": _response("The result.", result)}
        | {code: _rejection(rejections[code]) for code in rejections},
    }


def _get(
    name: str, summary: str, schema: dict[str, Any], parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    responses = {"200": _response(summary + ".", schema)}
    if parameters:
        responses["404"] = _rejection("The tool or version does not exist; `detail` names a similar one.")
    operation: dict[str, Any] = {"operationId": name, "summary": summary, "tags": ["catalogue"], "responses": responses}
    return operation | ({"parameters": parameters} if parameters else {})


def _parameter(name: str, values: list[str]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "enum": values}}


def _list_of(key: str, item: str, **others: dict[str, Any]) -> dict[str, Any]:
    items = {"type": "array", "items": {"$ref": f"#/components/schemas/{item}"}}
    return {"type": "object", "properties": {**others, key: items}, "required": [*others, key]}


def _response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {JSON: {"schema": schema}}}


def _rejection(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {"application/problem+json": {"schema": schema}}}
