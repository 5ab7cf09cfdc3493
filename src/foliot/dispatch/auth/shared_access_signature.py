"""Reads the signatures of storage queues, which jobs bring, and makes those of service bus."""

from base64 import b64encode
from hashlib import sha256
from hmac import digest
from urllib.parse import parse_qs, quote_plus, unquote

from foliot.core.errors import Invalid
from foliot.core.instant import SECOND, Instant, format_instant, parse_instant
from foliot.core.secret import Secret

_UNIX_EPOCH = parse_instant("1970-01-01")
# Long enough for clocks that differ, short enough to be of little use if it leaks.
_LIFE_SECONDS = 20 * 60


def query_of(token: Secret) -> str:
    """Return a storage token as the query of a URL, however it was pasted."""
    return token.reveal().strip().removeprefix("?").strip("&")


def secrets_of(token: Secret) -> list[str]:
    """List the secret parts of a storage token."""
    query = query_of(token)
    signatures = [part[4:] for part in query.split("&") if part.startswith("sig=")]
    return [query, *signatures, *map(unquote, signatures)]


def time_problem(token: Secret, now: Instant) -> str | None:
    """Return a sentence if a storage token has expired or is not valid yet, by its own dates."""
    start, expiry = (_moment(token, name) for name in ("st", "se"))
    if expiry is not None and expiry <= now:
        return f"The SAS token has expired: it was good until {format_instant(expiry)}."
    if start is not None and start > now:
        return f"The SAS token is not good yet: it begins at {format_instant(start)}."
    return None


def token_problem(token: Secret, now: Instant) -> str | None:
    """Return a sentence if no account would accept a storage token, as far as it tells itself."""
    if not parse_qs(query_of(token)).get("sig"):
        return "This is not a SAS token: it has no signature (sig=). Paste all of it."
    return time_problem(token, now)


def bus_token(resource: str, key_name: str, key: Secret, now: Instant) -> str:
    """Make a service bus token for a resource, which is a URL.

    https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas
    """
    where = quote_plus(resource, safe="")
    expiry = (now - _UNIX_EPOCH) // SECOND + _LIFE_SECONDS
    signed = digest(key.reveal().encode(), f"{where}\n{expiry}".encode(), sha256)
    signature = quote_plus(b64encode(signed))
    name = quote_plus(key_name, safe="")
    return f"SharedAccessSignature sr={where}&sig={signature}&se={expiry}&skn={name}"


def _moment(token: Secret, name: str) -> Instant | None:
    try:
        return parse_instant(parse_qs(query_of(token)).get(name, [""])[0])
    except (Invalid, ValueError):
        return None
