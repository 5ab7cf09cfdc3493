"""The HTTP API and its wire format."""
