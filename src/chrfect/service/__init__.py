"""The service: the catalogue over HTTP and MCP, and its pages."""
