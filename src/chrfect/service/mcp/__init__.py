"""MCP over HTTP and standard input and output.

The official SDK implements the protocol. Three modules replace parts of it:

``jsonrpc``
    Messages are parsed by the catalogue's strict JSON reader. The SDK's reader rejects a lone surrogate before the tool
    can report it as ``lone_surrogate``, and parses every body on the event loop.
``stdio``
    The SDK's transport does not respond to a line that is not JSON, so the client would wait forever.
``http``
    The SDK's endpoint for revisions before 2026-07-28 uses the same reader, opens an endless stream on GET, and does
    not support the batches of revision 2025-03-26.
"""
