"""JSON-RPC messages in and out, read by the catalogue's strict reader so that every door refuses the same."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from chrfect import catalogue
from chrfect.catalogue.jsontext import MAX_DEPTH
from chrfect.errors import ContractError

ENVELOPE_DEPTH = 3
"""How deep a tool's input lies in a message: the message, its params, their arguments."""


class UnreadableMessageError(Exception):
    """What came is no message; ``answer`` is the error to send back."""

    def __init__(self, code: int, text: str, id: RequestId | None = None) -> None:
        super().__init__(text)
        self.answer = JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text))


def read_message(data: bytes) -> JSONRPCMessage:
    """Return the message that the bytes hold.

    Raises
    ------
    UnreadableMessageError
        -32700 if the bytes are no strict JSON, -32600 if it is no message.

    Examples
    --------
    >>> read_message(b'{"jsonrpc":"2.0","id":1,"method":"ping"}').method
    'ping'
    """
    try:
        value = catalogue.loads(data, max_depth=MAX_DEPTH + ENVELOPE_DEPTH)
    except ContractError as error:
        raise UnreadableMessageError(PARSE_ERROR, f"Parse error: {catalogue.problem(error)['detail']}") from None
    try:
        message: JSONRPCMessage = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        text = "A message is one JSON-RPC 2.0 request or notification, an object."
        raise UnreadableMessageError(INVALID_REQUEST, text, _id(value)) from None
    if isinstance(message, JSONRPCNotification) and "id" in value:
        raise UnreadableMessageError(INVALID_REQUEST, "The id of a request is a string or a whole number.")
    return message


def _id(value: Any) -> RequestId | None:
    id = value.get("id") if isinstance(value, dict) else None
    if isinstance(id, str):
        return id if id.isascii() else None
    return id if isinstance(id, int) and not isinstance(id, bool) else None


def encode(message: JSONRPCMessage) -> bytes:
    """Return a message as one line of JSON, without the newline."""
    return json.dumps(message.model_dump(by_alias=True, exclude_unset=True), separators=(",", ":")).encode()
