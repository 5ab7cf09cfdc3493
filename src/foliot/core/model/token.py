"""Bearer tokens: their text, hash, role, scope and expiry.

A token is 256 random bits, so a plain SHA-256 is enough to store it: a slow, salted hash protects
passwords that people choose and others can guess. Here it would only slow down every request.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from foliot.core.errors import Invalid, wrong
from foliot.core.instant import DAY, HOUR, Instant, parse_instant

RANDOM_BYTES = 32
# Below this length a token can be guessed from its hash by whoever has a copy of the database.
STRONG_LENGTH = 32
# The name of the token that the environment sets; nobody else may take it.
FROM_ENVIRONMENT = "FOLIOT_ADMIN_TOKEN"

_PREFIX = "foliot_"
# The characters of a bearer token (RFC 6750).
_SENDABLE = re.compile(r"[A-Za-z0-9\-._~+/]+=*", re.ASCII)
_MAX_NAME = 100
_PERIOD = re.compile(r"(?P<count>[1-9]\d{0,4})(?P<unit>[dh])", re.ASCII)
_UNITS = {"d": DAY, "h": HOUR}


class Role(StrEnum):
    """What the bearer of a token may do: see; also change; also manage tokens."""

    READER = "Reader"
    CONTRIBUTOR = "Contributor"
    OWNER = "Owner"


class Scope(Struct, frozen=True, kw_only=True):
    """Where a token is good: everywhere, or in a subscription, a group, a collection (folded)."""

    subscription: str | None = None
    group: str | None = None
    collection: str | None = None


class Token(Struct, frozen=True, kw_only=True):
    """A bearer token, stored as the hash of its text. An id of 0 is not stored yet."""

    id: int = 0
    name: str
    digest: bytes
    role: Role
    scope: Scope = Scope()
    created_at: Instant
    expires_at: Instant | None = None
    last_used_at: Instant | None = None


def token_text(random: bytes) -> str:
    """Return the text of a token: a prefix that secret scanners recognize, and the random part."""
    return _PREFIX + base64.urlsafe_b64encode(random).decode().rstrip("=")


def digest(text: str) -> bytes:
    """Return the hash by which a token is stored and looked up."""
    return hashlib.sha256(text.encode()).digest()


def is_sendable(text: str) -> bool:
    """Tell whether a token can stand in an Authorization header."""
    return _SENDABLE.fullmatch(text) is not None


def is_last_owner(token: Token, tokens: Iterable[Token], now: Instant) -> bool:
    """Tell whether a token is the only valid one that may do everything."""
    owners = [
        each.id
        for each in tokens
        if each.role is Role.OWNER and each.scope == Scope() and not has_expired(each, now)
    ]
    return owners == [token.id]


def has_expired(token: Token, now: Instant) -> bool:
    """Tell whether a token is no longer good."""
    return token.expires_at is not None and token.expires_at <= now


def check_token_name(name: str) -> str:
    """Check the name of a new token, and return it."""
    if not (0 < len(name) <= _MAX_NAME and name.isprintable() and name.strip() == name):
        raise wrong((), name, f"1 to {_MAX_NAME} printable characters")
    if name == FROM_ENVIRONMENT:
        raise Invalid((), f"{name} is the name of the token that the environment sets.")
    return name


def parse_role(text: str) -> Role:
    """Read a role in any letter case."""
    for role in Role:
        if role.lower() == text.lower():
            return role
    raise wrong((), text, f"one of {', '.join(Role)}")


def parse_expiry(text: str, now: Instant) -> Instant:
    """Read when a token expires: a date-time to come, or a period from now such as 90d or 12h."""
    period = _PERIOD.fullmatch(text)
    if period is not None:
        return Instant(now + int(period["count"]) * _UNITS[period["unit"]])
    try:
        at = parse_instant(text)
    except Invalid:
        at = now
    if at <= now:
        raise wrong((), text, "a period such as 90d or 12h, or a date-time to come in ISO 8601")
    return at
