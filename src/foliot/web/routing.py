"""Routes: which addresses there are, who may ask for them, and how a request finds its own."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

from msgspec import Struct
from starlette.types import Scope

from foliot.core.ids import CollectionKey

Handler = TypeVar("Handler")

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NEVER_IN_A_NAME = re.compile(r"[\x00/]")
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class Access(Enum):
    """Who may ask for an address, and which part of the server answers."""

    OPEN = auto()  # the API, to everyone
    TOKEN = auto()  # the API, to the bearer of a token
    DOCUMENT = auto()  # the API, to the bearer of a token and to whoever is signed in
    SESSION = auto()  # the portal, to whoever is signed in
    SIGN_IN = auto()  # the portal, to everyone: the form to sign in
    ASSET = auto()  # the portal, to everyone: styles, scripts and images


class Matching(Enum):
    """How an address is compared with the path of its route."""

    EXACT = auto()
    PREFIX = auto()
    # Fixed parts in any letter case, `{names}` as they are, with or without a slash at the end.
    PATTERN = auto()


class Route(NamedTuple, Generic[Handler]):
    """An address, who may ask for it, and its handlers by method."""

    path: str
    access: Access
    handlers: Mapping[str, Handler] = MappingProxyType({})
    matching: Matching = Matching.PATTERN

    @property
    def first_segment(self) -> str:
        """The part of the path before its second slash, without the first."""
        return self.path.split("/")[1]


class RouteMatch(NamedTuple, Generic[Handler]):
    """The route of a request, and the names in its address."""

    route: Route[Handler]
    names: Mapping[str, str] = _NO_NAMES


class Addressed(Struct, frozen=True, kw_only=True):
    """A request whose address may name a collection and a job."""

    names: Mapping[str, str]

    @property
    def key(self) -> CollectionKey:
        """The collection that the address names."""
        return CollectionKey(
            self.names["subscription"], self.names["group"], self.names["collection"]
        )

    @property
    def job(self) -> str:
        """The job that the address names."""
        return self.names["job"]


class Router(Generic[Handler]):
    """Finds the route of a request among those of the API, or among those of the portal."""

    def __init__(self, routes: Sequence[Route[Handler]]) -> None:
        routes_by = {kind: [each for each in routes if each.matching is kind] for kind in Matching}
        self._exact = {each.path: RouteMatch(each) for each in routes_by[Matching.EXACT]}
        self._prefixes = [(each.path, RouteMatch(each)) for each in routes_by[Matching.PREFIX]]
        self._patterns = [(_compiled(each.path), each) for each in routes_by[Matching.PATTERN]]
        # An unknown address is answered by whoever has routes that begin alike: pages compare the
        # first segment in any letter case, all others the text.
        pages = [each for each in routes if each.access is Access.SESSION]
        self._page_segments = {each.first_segment for each in pages} - {""}
        beginnings = (
            each.path if each.matching is Matching.PREFIX else f"/{each.first_segment}"
            for each in routes
            if each.access is not Access.SESSION
        )
        self._beginnings = tuple(dict.fromkeys(beginnings))

    def find(self, scope: Scope) -> RouteMatch[Handler] | None:
        """Return the route of a request, or None if its address is unknown."""
        path: str = scope["path"]
        exact = self._exact.get(path)
        if exact is not None:
            return exact
        for prefix, match in self._prefixes:
            if path.startswith(prefix):
                return match
        return self._find_pattern(scope["raw_path"].decode("latin-1"))

    def owns(self, path: str) -> bool:
        """Tell whether this part of the server answers an address, even if no route has it."""
        if path.startswith(self._beginnings):
            return True
        return path[1:].partition("/")[0].lower() in self._page_segments

    def _find_pattern(self, raw_path: str) -> RouteMatch[Handler] | None:
        for pattern, route in self._patterns:
            groups = pattern.fullmatch(raw_path)
            if groups is not None:
                names = _decoded(groups.groupdict())
                return None if names is None else RouteMatch(route, names)
        return None


def _compiled(path: str) -> re.Pattern[str]:
    pattern = _PLACEHOLDER.sub(r"(?P<\1>[^/]+)", path.replace(".", r"\."))
    return re.compile(pattern + "/?", re.IGNORECASE)


def _decoded(names: dict[str, str]) -> dict[str, str] | None:
    """Undo percent-encoding; an address with a name that is not UTF-8 is unknown.

    Odd names pass: a resource group may have one from before such names were refused.
    """
    try:
        decoded = {
            name: value if value.isalnum() else unquote_to_bytes(value.encode("latin-1")).decode()
            for name, value in names.items()
        }
    except UnicodeDecodeError:
        return None
    return None if any(map(_NEVER_IN_A_NAME.search, decoded.values())) else decoded
