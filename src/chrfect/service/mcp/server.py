"""The MCP server, for all transports and protocol revisions.

Its tools are search, describe and execute, its resources the contracts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextvars import ContextVar
from typing import Any, get_args

from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.caching import CacheableMethod
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from chrfect import catalogue
from chrfect._version import __version__
from chrfect.catalogue.validate import named, pointer
from chrfect.errors import ContractError, shown
from chrfect.service import observe
from chrfect.service.compute import answer, read_input
from chrfect.service.mcp import completions, prompts, resources
from chrfect.service.search import search

INSTRUCTIONS = (
    "Exact n-gram metrics for machine translation. Call `search` with a description of the task, `describe` for the "
    "contract of a tool, and `execute` with an input that conforms to the contract."
)
ANNOTATIONS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
CACHE = CacheHint(ttl_ms=60_000, scope="public")
CACHE_HINTS: Mapping[CacheableMethod, CacheHint] = dict.fromkeys(get_args(CacheableMethod), CACHE)

Context = ServerRequestContext[Any]
Answer = tuple[dict[str, Any], str]
Function = Callable[[dict[str, Any]], Answer]

COMPUTED: ContextVar[tuple[str, str | None]] = ContextVar("computed")
"""The placeholder for the input or query of a large request, and the code of its rejection (None for a result).

The transport computes the result and inserts it into the response in place of the placeholder.
"""


async def call_here(function: Function, arguments: dict[str, Any]) -> Answer:
    """Call a function on the event loop."""
    return function(arguments)


def server(call: Callable[[Function, dict[str, Any]], Awaitable[Answer]] = call_here) -> Server[Any]:
    """Return the MCP server.

    Parameters
    ----------
    call : callable
        Calls a function with arguments, for example in a thread.
    """
    tools = _tools()
    functions: dict[str, Function] = {
        "search": _search,
        "describe": _describe,
        "execute": _execute,
    }
    schemas = {tool.name: tool.input_schema for tool in tools}

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(_: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in functions:
            known = ", ".join(functions)
            raise MCPError(INVALID_PARAMS, f"Unknown tool {shown(params.name)}. The tools are {known}.")
        observe.note(tool=params.name)
        try:
            arguments = params.arguments or {}
            _check(arguments, schemas[params.name])
            placeholder, code = COMPUTED.get(("", None))
            if placeholder and placeholder in arguments.values():
                if params.name == "execute":
                    _note_tool(arguments, code)
                return _result({placeholder: True}, placeholder, is_error=code is not None)
            value, text = await call(functions[params.name], arguments)
        except ContractError as error:
            observe.note(code=error.code)
            value = catalogue.problem(error)
            return _result(value, catalogue.dumps(value), is_error=True)
        return _result(value, text)

    async def list_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=resources.resources())

    async def list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return ReadResourceResult(contents=[resources.read(params.uri)])

    async def list_prompts(_: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.prompts())

    async def get_prompt(_: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return prompts.get(params.name, params.arguments or {})

    async def complete(_: Context, params: CompleteRequestParams) -> CompleteResult:
        return CompleteResult(completion=completions.complete(params))

    return Server(
        "chrfect",
        version=__version__,
        title="chrfect",
        description="Exact n-gram metrics for machine translation.",
        instructions=INSTRUCTIONS,
        cache_hints=CACHE_HINTS,
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )


def _result(value: dict[str, Any], text: str, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=value, is_error=is_error)


def _search(arguments: dict[str, Any]) -> Answer:
    found = search(arguments["query"])
    return found, catalogue.dumps(found)


def _describe(arguments: dict[str, Any]) -> Answer:
    id = arguments["id"]
    version = arguments["version"] if "version" in arguments else catalogue.newest(id)
    return catalogue.contract(id, version), catalogue.contract_bytes(id, version).decode()


def _execute(arguments: dict[str, Any]) -> Answer:
    catalogue.resolve(arguments["id"], arguments["version"])
    _note_tool(arguments, None)
    return answer(arguments["id"], arguments["version"], read_input(arguments["input"]))


def _note_tool(arguments: dict[str, Any], code: str | None) -> None:
    """Record the called tool for the log."""
    if arguments["id"] in catalogue.ids():
        observe.note(tool=arguments["id"], code=code)


def _check(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Reject the first unknown argument, the first missing one, or the first that must be a string, in this order."""
    known = schema["properties"]
    expected = ", ".join(known)
    for key in arguments:
        if key not in known:
            _reject(key, f"{shown(key)} is not an argument of this tool. The arguments are {expected}.")
    for key in schema["required"]:
        if key not in arguments:
            _reject(key, f"The argument {key!r} is missing. The arguments of this tool are {expected}.")
    for key, kind in known.items():
        if kind.get("type") == "string" and not isinstance(arguments.get(key, ""), str):
            _reject(key, f"The argument {key!r} is {named(arguments[key])}; a string was expected.")


def _reject(key: str, detail: str) -> None:
    raise ContractError("invalid_arguments", detail, pointer(key))


def _tools() -> list[Tool]:
    contracts = [catalogue.newest_contract(id) for id in catalogue.ids()]
    listed = "\n".join(f"- {contract['id']} {contract['version']}: {contract['description']}" for contract in contracts)
    id = {"type": "string", "description": "The id of the tool, such as " + contracts[0]["id"] + "."}
    version = {"type": "string", "description": "The version of the tool, such as " + contracts[0]["version"] + "."}
    return [
        _tool(
            "search",
            "Find a tool",
            "Find the tools for a task that is described in plain words, in English or another language. The result "
            "also lists what no tool supports, and where else to find it.",
            {"query": {"type": "string", "description": "The task, such as: score a translation with chrF."}},
        ),
        _tool(
            "describe",
            "Read a contract",
            "Return the contract of a tool: its input, behavior, output, JSON Schemas and examples.",
            {"id": id, "version": {**version, "description": "The version of the tool; by default the newest."}},
            optional=("version",),
        ),
        _tool(
            "execute",
            "Execute a tool",
            f"Execute a tool and return its exact result. The tools are:\n{listed}",
            {
                "id": id,
                "version": version,
                "input": {"description": "An object that conforms to the input_schema of the contract."},
            },
        ),
    ]


def _tool(name: str, title: str, description: str, properties: dict[str, Any], optional: Collection[str] = ()) -> Tool:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [key for key in properties if key not in optional],
    }
    return Tool(name=name, title=title, description=description, input_schema=schema, annotations=ANNOTATIONS)
