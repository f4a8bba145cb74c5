"""MCP over HTTP and standard input and output, and the server's own code on the wire.

uvicorn and httptools implement HTTP, the official SDK implements MCP. Four modules replace or extend parts of them:

``connection``
    HTTP connections, also those without MCP. uvicorn limits neither the head, the trailers and the chunk headers of a
    request, nor the time in which it arrives and its response is read, and it answers invalid HTTP in plain text.
    httptools accepts transfer codings that nothing decodes, and stops at an offer of HTTP/2.
``jsonrpc``
    Messages are parsed by the catalogue's strict JSON reader. The SDK's reader rejects a lone surrogate before the tool
    can report it as ``lone_surrogate``, and parses every body on the event loop.
``stdio``
    The SDK's transport does not respond to a line that is not JSON, so the client would wait forever.
``http``
    The SDK's endpoint for revisions before 2026-07-28 uses the same reader, opens an endless stream on GET, and does
    not support the batches of revision 2025-03-26.
"""
