"""Serialized answers, and the process that computes the answers to large requests."""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii
from typing import Any

from chrfect import catalogue
from chrfect.catalogue.jsontext import MAX_DEPTH
from chrfect.errors import ContractError
from chrfect.service.search import search

ENVELOPE_DEPTH = 3
"""The nesting depth of a tool's input in an MCP message: the message, its params, their arguments."""

INLINE_BYTES = 4_096
"""The maximum length of a body that is computed on the event loop, which takes at most about 2 ms of CPU time."""

INLINE_BYTES_OF_TABLES = 512
"""The same for a tool that can return tables, which grow faster than its input."""

INLINE_BYTES_OF_SEARCHES = 1_024
"""The same for a search, which looks up every word."""

PIECE_BYTES = 262_144
"""The maximum length of each piece of an answer that a compute process sends."""

LENGTH = struct.Struct("!Q")


def inline_bytes(id: str) -> int:
    """Return the maximum length of a body for a tool that is computed on the event loop."""
    tables = "clipping_tables" in catalogue.newest_contract(id)["input_schema"]["properties"]
    return INLINE_BYTES_OF_TABLES if tables else INLINE_BYTES


def inline_message_bytes(message: Any) -> int:
    """Return the maximum length of an MCP message like this one that is answered on the event loop."""
    try:
        name, arguments = message["params"]["name"], message["params"]["arguments"]
        if name == "execute" and arguments["id"] in catalogue.ids():
            return inline_bytes(arguments["id"])
    except (KeyError, TypeError, IndexError):
        return INLINE_BYTES
    return INLINE_BYTES_OF_SEARCHES if name == "search" else INLINE_BYTES


def answer(id: str, version: str, input: Any) -> tuple[dict[str, Any], str]:
    """Return ``{"result": …}`` as a dict and as the text that every interface returns."""
    result = {"result": catalogue.run(id, version, input)}
    return result, catalogue.encode(result).decode()


def read_input(input: Any) -> Any:
    """Return a tool's input; if it is a string with a JSON object, return the parsed object."""
    if isinstance(input, str) and input.lstrip()[:1] == "{":
        try:
            return catalogue.loads(input.encode())
        except (ContractError, UnicodeEncodeError):
            return input
    return input


def execute(id: str, version: str, body: bytes) -> tuple[None, Iterator[bytes]]:
    """Return the bytes of the response to a request body."""
    return None, iter((catalogue.answer(id, version, body),))


def try_texts(form: bytes, base: str) -> tuple[Any, Iterator[bytes]]:
    """Return the status, the headers and the body of the answer to the form of the interactive page."""
    from chrfect.service.playground import page

    return page.answer(form, base)


def try_example(query: bytes, base: str) -> tuple[Any, Iterator[bytes]]:
    """Return the same for the example that a query string names."""
    from chrfect.service.playground import page

    return page.example(query, base)


def call_message(body: bytes, placeholder: str) -> tuple[Any, Iterator[bytes]]:
    """Read an MCP message; if it calls ``execute`` or ``search``, compute the result.

    Parameters
    ----------
    body : bytes
        The message.
    placeholder : str
        What replaces the input or the query in the returned message, so that it is parsed only once.

    Returns
    -------
    message, pieces
        The message, or None if it calls neither, and whether the result is a rejection. The pieces are the result as
        the text of a JSON string, a NUL byte, and the result as JSON.

    Raises
    ------
    ContractError
        ``invalid_json``, if the message is not JSON.
    """
    message = catalogue.loads(body, max_depth=MAX_DEPTH + ENVELOPE_DEPTH)
    try:
        name, arguments = message["params"]["name"], message["params"]["arguments"]
        key = {"execute": "input", "search": "query"}[name]
        given, arguments[key] = arguments[key], placeholder
        id, version = (arguments["id"], arguments["version"]) if name == "execute" else ("", "")
    except (KeyError, TypeError, IndexError):
        return None, iter(())
    if message.get("method") != "tools/call" or (name == "search" and not isinstance(given, str)):
        return None, iter(())
    try:
        result = search(given) if name == "search" else {"result": catalogue.run(id, version, read_input(given))}
    except ContractError as error:
        result = catalogue.problem(error)
    del given
    return (message, result.get("code")), _text_and_data(result)


def split_message(body: bytes, most: int) -> tuple[list[bytes] | None, Iterator[bytes]]:
    """Return the messages of a batch (JSON-RPC 2.0, section 6), each as JSON; None if the body is not a batch.

    If there are more than ``most``, only one more is returned.
    """
    value = catalogue.loads(body, max_depth=MAX_DEPTH + ENVELOPE_DEPTH + 1)
    if not isinstance(value, list):
        return None, iter(())
    return [dumps_ascii(message).encode() for message in value[: most + 1]], iter(())


def dumps_ascii(value: Any) -> str:
    """Return the value as JSON without spaces, in ASCII."""
    return json.dumps(value, separators=(",", ":"))


def _text_and_data(result: dict[str, Any]) -> Iterator[bytes]:
    """Yield a result as the text of a JSON string, a NUL byte, and the result as JSON in ASCII."""
    data = catalogue.encode(result)
    text = data.decode()
    for start in range(0, len(text), PIECE_BYTES):
        yield encode_basestring_ascii(text[start : start + PIECE_BYTES])[1:-1].encode()
    yield b"\0"
    yield data if text.isascii() else dumps_ascii(result).encode()


def serve(connection: socket.socket) -> None:
    """Execute the calls that arrive on a socket until the other side closes it.

    A request is its length, and a pickled function with its arguments. The response is a sequence of pieces, each
    preceded by its length, and then a zero. The first piece is the pickled return value or exception; the others are
    the function's bytes.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the server ends this process
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)  # prefer small requests, which the server process computes
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    with connection, connection.makefile("rb") as requests:
        while head := requests.read(LENGTH.size):
            function, arguments = pickle.loads(requests.read(*LENGTH.unpack(head)))
            try:
                _respond(connection, function, arguments)
            except (BrokenPipeError, ConnectionResetError):
                return


def _respond(connection: socket.socket, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        returned, pieces = function(*arguments)
    except ContractError as error:
        returned, pieces = error, iter(())
    except Exception as error:
        returned, pieces = RuntimeError(type(error).__name__), iter(())
    _send(connection, pickle.dumps(returned))
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), PIECE_BYTES):
            _send(connection, view[start : start + PIECE_BYTES])
    connection.sendall(LENGTH.pack(0))


def _send(connection: socket.socket, data: bytes | memoryview) -> None:
    connection.sendall(LENGTH.pack(len(data)))
    connection.sendall(data)
