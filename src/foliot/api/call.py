"""One call of the API and its response: what a handler takes and returns."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qsl

from msgspec import Raw

from foliot.api.wire.clients import OWN_CLIENT, WireClient, client_of
from foliot.api.wire.collection import OLD_VERSIONS, tells_premium_plans_apart
from foliot.core.access import Principal
from foliot.core.errors import Invalid, InvalidQuery, UnknownVersion, shown
from foliot.core.json_text import Json, parse_json
from foliot.core.limits import Limits
from foliot.web.routing import Addressed

AZURE_VERSIONS = ("2016-03-01", *OLD_VERSIONS)
# The version of what the old service did not have.
OWN_VERSION = "2026-11-01"
VERSIONS = (*AZURE_VERSIONS, OWN_VERSION)


class Call(Addressed, frozen=True, kw_only=True):
    """The request that a handler gets."""

    who: Principal
    query: Mapping[str, str]
    body: bytes
    base_url: str
    path: str
    user_agent: str
    limits: Limits

    @property
    def is_own_version(self) -> bool:
        """Whether the call is made in our own version of the API."""
        return self.query.get("api-version") == OWN_VERSION

    @property
    def client(self) -> WireClient:
        """What the client reads: in our own version the same for all."""
        return OWN_CLIENT if self.is_own_version else client_of(self.user_agent)

    @property
    def knows_premium_tiers(self) -> bool:
        """Whether the client's version of the API tells the premium plans apart."""
        return tells_premium_plans_apart(self.query["api-version"])

    def json(self) -> Json:
        """Read the body as JSON."""
        if not self.body:
            raise Invalid((), "the request has no body; give a JSON object {...}.")
        return parse_json(self.body)


class ApiResponse(NamedTuple):
    """The response of a handler: JSON, a page, plain text, or without any an empty body."""

    status: int = 200
    content: Json | Raw = None
    headers: tuple[tuple[str, str], ...] = ()
    page: str | None = None
    text: str | None = None


@lru_cache(maxsize=1024)
def parse_query(text: bytes) -> Mapping[str, str]:
    """Read a query string; names match in any letter case, a name twice is refused."""
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise InvalidQuery("the query string is not percent-encoded UTF-8.") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        folded = name.lower()
        if folded in found:
            raise InvalidQuery(f"the query parameter {shown(name)} is given twice; give it once.")
        found[folded] = value
    return MappingProxyType(found)


def check_version(query: Mapping[str, str], versions: Sequence[str] = VERSIONS) -> None:
    """Refuse a call without a version of the API, or with one that is not known."""
    given = query.get("api-version")
    if given is None or given.lower() not in versions:
        problem = "is missing" if given is None else f"{shown(given)} is not supported"
        raise UnknownVersion(
            f"The api-version query parameter {problem}; the supported versions are "
            f"{', '.join(versions)}."
        )
