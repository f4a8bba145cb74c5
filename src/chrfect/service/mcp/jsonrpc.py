"""Read JSON-RPC messages with the catalogue's strict JSON reader, so that all interfaces reject the same input."""

from __future__ import annotations

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
from chrfect.errors import ContractError, without_surrogates
from chrfect.service.compute import ENVELOPE_DEPTH, dumps_ascii

BATCH_VERSION = "2025-03-26"
"""The protocol revision with JSON-RPC batches."""


class UnreadableMessageError(Exception):
    """The bytes are not a message; ``answer`` is the error response."""

    def __init__(self, code: int, text: str, id: RequestId | None = None) -> None:
        super().__init__(text)
        self.answer = JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text))


def read_message(data: bytes) -> JSONRPCMessage:
    """Return the message in the bytes.

    Raises
    ------
    UnreadableMessageError
        -32700 if the bytes are not strict JSON, -32600 if they are not a message.

    Examples
    --------
    >>> read_message(b'{"jsonrpc":"2.0","id":1,"method":"ping"}').method
    'ping'
    """
    return to_message(read_json(data))


def read_json(data: bytes) -> Any:
    """Return the JSON value in the bytes; raise UnreadableMessageError -32700 if they are not strict JSON."""
    try:
        return catalogue.loads(data, max_depth=MAX_DEPTH + ENVELOPE_DEPTH)
    except ContractError as error:
        raise parse_error(error) from None


def parse_error(error: ContractError) -> UnreadableMessageError:
    """Return the error of the protocol for bytes that are not JSON."""
    return UnreadableMessageError(PARSE_ERROR, f"Parse error: {error.detail}")


def to_message(value: Any) -> JSONRPCMessage:
    """Return a JSON value as a message; raise UnreadableMessageError -32600 if it is not a message."""
    try:
        message: JSONRPCMessage = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        text = "A message must be a JSON object with one JSON-RPC 2.0 request or notification."
        raise UnreadableMessageError(INVALID_REQUEST, text, _id(value)) from None
    if isinstance(message, JSONRPCNotification) and "id" in value:
        raise UnreadableMessageError(INVALID_REQUEST, "The id of a request must be a string or an integer.")
    return message


def _id(value: Any) -> RequestId | None:
    id = value.get("id") if isinstance(value, dict) else None
    if isinstance(id, str):
        return id if id.isascii() else None
    return id if isinstance(id, int) and not isinstance(id, bool) else None


def encode(message: JSONRPCMessage) -> bytes:
    """Return a message as one line of JSON, without the newline."""
    if isinstance(message, JSONRPCError):
        message.error.message = without_surrogates(message.error.message)
    return dumps_ascii(message.model_dump(by_alias=True, exclude_unset=True)).encode()
