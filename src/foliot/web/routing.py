"""Finding what an address means: its fixed parts in any letter case, its names as they are."""

import re
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

Handles = TypeVar("Handles")

_NAME = re.compile(r"\{(\w+)\}")
_NEVER_IN_A_NAME = re.compile(r"[\x00/]")


class Endpoint(NamedTuple, Generic[Handles]):
    """What can be done at an address, by method."""

    handlers: dict[str, Handles]
    is_versioned: bool


class Router(Generic[Handles]):
    """Finds the endpoint of an address and the names in it."""

    def __init__(
        self,
        versioned: dict[str, dict[str, Handles]],
        of_any_version: dict[str, dict[str, Handles]],
    ) -> None:
        self._endpoints = [
            _compiled(path, Endpoint(handlers, is_versioned))
            for routes, is_versioned in ((versioned, True), (of_any_version, False))
            for path, handlers in routes.items()
        ]

    def find(self, raw_path: bytes) -> tuple[Endpoint[Handles], dict[str, str]] | None:
        """Return the endpoint and the names, or None for an address that is none of ours."""
        path = raw_path.decode("latin-1")
        for pattern, endpoint in self._endpoints:
            match = pattern.fullmatch(path)
            if match is not None:
                names = _decoded(match.groupdict())
                return None if names is None else (endpoint, names)
        return None


def _compiled(path: str, endpoint: Endpoint[Handles]) -> tuple[re.Pattern[str], Endpoint[Handles]]:
    pattern = _NAME.sub(r"(?P<\1>[^/]+)", path.replace(".", r"\."))
    return re.compile(pattern + "/?", re.IGNORECASE), endpoint


def _decoded(names: dict[str, str]) -> dict[str, str] | None:
    """Undo percent-encoding; what is no text is no address of ours.

    Odd names pass: there may be such a resource group from before they were refused.
    """
    try:
        decoded = {
            name: value if value.isalnum() else unquote_to_bytes(value.encode("latin-1")).decode()
            for name, value in names.items()
        }
    except UnicodeDecodeError:
        return None
    return None if any(map(_NEVER_IN_A_NAME.search, decoded.values())) else decoded
