"""MCP over HTTP and standard streams.

The official SDK implements the protocol. Three parts stay custom:

``jsonrpc``
    Messages are read by the catalogue's strict JSON reader. The SDK's reader rejects a lone surrogate before the tool
    can report it as ``lone_surrogate``, and reads every body on the event loop.
``stdio``
    The SDK's transport sends no answer to a line that is not JSON, so the client waits forever.
``http``
    The SDK's endpoint for revisions before 2026-07-28 uses the same reader, opens an endless stream on GET, and does
    not support the batches of revision 2025-03-26.
"""
