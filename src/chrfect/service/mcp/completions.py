"""Completions of ids, versions and metrics."""

from __future__ import annotations

from mcp_types import CompleteRequestParams, Completion, PromptReference

from chrfect import catalogue
from chrfect.service.mcp.prompts import METRICS, prompts
from chrfect.service.mcp.resources import TEMPLATE


def complete(params: CompleteRequestParams) -> Completion:
    """Return the values of an argument that begin with the typed text, ignoring case."""
    begun = params.argument.value.casefold()
    values = [value for value in _values(params) if value.casefold().startswith(begun)]
    return Completion(values=values[:100], total=len(values), has_more=len(values) > 100)


def _values(params: CompleteRequestParams) -> list[str]:
    name = params.argument.name
    if isinstance(params.ref, PromptReference):
        return [*METRICS] if name == "metric" and params.ref.name in {prompt.name for prompt in prompts()} else []
    if params.ref.uri != TEMPLATE:
        return []
    if name == "id":
        return list(catalogue.ids())
    known = (params.context.arguments if params.context else None) or {}
    ids = [id for id in catalogue.ids() if known.get("id", id) == id]
    versions = {version for id in ids for version in catalogue.versions(id)}
    return sorted(versions, key=_order, reverse=True) if name == "version" else []


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
