"""An HTTP request of the source, written as the action of a job."""

import re
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.importers.hidden_text import (
    PLACEHOLDER,
    hidden,
    hidden_in_headers,
    hidden_in_uri,
    split_user,
)

_USER = re.compile(r"^([A-Za-z]+://)([^/?#@]*)@")
# Headers that follow from the request itself, or say which program sent it.
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_MANY_WORDS = 3


class HttpCall(Struct, frozen=True, kw_only=True):
    """A request, with its retries and the longest time of an attempt in seconds, if named."""

    uri: str
    method: str = "GET"
    headers: dict[str, str] = {}
    body: str | None = None
    authentication: dict[str, Any] | None = None
    retry_policy: dict[str, Any] | None = None
    timeout: int | None = None
    notes: tuple[str, ...] = ()


def write_action(call: HttpCall) -> dict[str, Any]:
    """Write a request as an action; its credentials are hidden."""
    uri, authentication = _without_user(call.uri, call.authentication)
    headers = {
        name: value for name, value in call.headers.items() if name.lower() not in _OWN_HEADERS
    }
    request: dict[str, Any] = {"uri": hidden_in_uri(uri), "method": call.method}
    if headers:
        request["headers"] = hidden_in_headers(headers)
    if call.body is not None:
        request["body"] = call.body
    if authentication is not None:
        request["authentication"] = authentication
    kind = "Http" if uri.lower().startswith("http:") else "Https"
    action: dict[str, Any] = {"type": kind, "request": request}
    if call.retry_policy is not None:
        action["retryPolicy"] = call.retry_policy
    return action


def basic(username: str, password: str | None) -> dict[str, Any]:
    """Return an authentication by user name and password."""
    meaning = f'the password of the user "{username}"'
    return {
        "type": "Basic",
        "username": username,
        "password": hidden("password", meaning, password),
    }


def name_from_uri(uri: str) -> str:
    """Return a name for a job that has none, from the address that it calls."""
    address = PLACEHOLDER.match(uri)
    if address is not None:
        return address[0].strip("${}").partition(":")[2].rpartition("/")[2].lower()
    try:
        parts = urlsplit(PLACEHOLDER.sub("x", uri))
    except ValueError:
        return "job"
    words = [each for each in parts.path.split("/") if each and not _is_number(each)]
    if not words:
        return (parts.hostname or "job").removeprefix("www.")
    return "-".join(unquote(each).partition(".")[0] for each in words[-_MANY_WORDS:])


def check_address(uri: str) -> None:
    """Refuse an address that no HTTP job can have."""
    scheme = uri.partition("://")[0].lower()
    if "://" in uri and scheme not in ("http", "https") and not uri.startswith("$"):
        raise Invalid((), f"the address begins with {scheme}://; a job sends HTTP requests only.")


def _without_user(
    uri: str, authentication: dict[str, Any] | None
) -> tuple[str, dict[str, Any] | None]:
    """Move user and password from the address to the authentication."""
    match = _USER.match(uri)
    if match is None:
        return uri, authentication
    user, password = split_user(match[2])
    plain = match[1] + uri[match.end() :]
    return plain, authentication or basic(unquote(user), unquote(password) if password else None)


def _is_number(text: str) -> bool:
    return text.replace("-", "").isdigit()
