"""The doors that listen: HTTP, MCP over HTTP and over standard streams, and the pages; no mathematics in here."""
