"""The contracts of the tools as MCP resources."""

from __future__ import annotations

import re
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Resource, ResourceTemplate, TextResourceContents

from chrfect import catalogue
from chrfect.errors import ContractError, shown, without_surrogates

TEMPLATE = "chrfect://tools/{id}/versions/{version}"
MEDIA_TYPE = "application/json"

_URI = re.compile(r"chrfect://tools/([^/?#]+)/versions/([^/?#]+)")


def resources() -> list[Resource]:
    """Return the contract of every version of every tool."""
    return [_resource(id, version) for id in catalogue.ids() for version in reversed(catalogue.versions(id))]


def templates() -> list[ResourceTemplate]:
    """Return the template of the URIs of contracts."""
    return [
        ResourceTemplate(
            name="contract",
            title="Contract of a tool",
            uri_template=TEMPLATE,
            description="The input, behavior and output of a tool, with JSON Schemas and examples.",
            mime_type=MEDIA_TYPE,
        )
    ]


def read(uri: str) -> TextResourceContents:
    """Return the contract with a URI; raise MCPError if there is none."""
    found = _URI.fullmatch(uri)
    try:
        if found is None:
            detail = f"{shown(uri)} is not a resource. The URIs of contracts are {TEMPLATE}."
            raise ContractError("unknown_tool", detail, None)
        id, version = map(unquote, found.groups())
        text = catalogue.contract_bytes(id, version).decode()
    except ContractError as error:
        raise MCPError(INVALID_PARAMS, error.detail, {"uri": without_surrogates(uri[:200])}) from None
    return TextResourceContents(uri=uri, mime_type=MEDIA_TYPE, text=text)


def _resource(id: str, version: str) -> Resource:
    contract = catalogue.contract(id, version)
    return Resource(
        name=f"{id} {version}",
        title=f"Contract of {id} {version}",
        uri=TEMPLATE.format(id=id, version=version),
        description=contract["description"],
        mime_type=MEDIA_TYPE,
        size=len(catalogue.contract_bytes(id, version)),
    )
