"""Looks up a request's headers in its scope.

Most requests need five headers once, which is less work than to build a mapping of all.
"""

from starlette.types import Scope


def header(scope: Scope, name: bytes, default: str = "") -> str:
    """Return the first value of a header, found by its name in lower case."""
    for key, value in scope["headers"]:
        if key == name:
            return value.decode("latin-1")
    return default


def all_of(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header, in order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
