"""A request without its secrets: each of them is a named placeholder.

A placeholder is a name between two NUL characters, which no header and no URL can have.
"""

import re
from collections import Counter
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from foliot.core.credentials import (
    MASK,
    credential_parameters,
    is_credential_header,
)
from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    HttpRequest,
    NoAuthentication,
    OAuth,
    StandardWebhooks,
)
from foliot.core.model.attempt import AttemptRequest
from foliot.core.model.exchange import ShownRequest
from foliot.core.rules.shown_values import secrets_in
from foliot.core.rules.signing_secrets import SIGNATURE_HEADERS
from foliot.dispatch.http.outgoing_request import (
    OutgoingRequest,
    authorization,
    first_request,
    with_authorization,
)
from foliot.dispatch.http.shown_request import shown_request
from foliot.dispatch.redaction import without

PLACEHOLDER = re.compile("\0([A-Z_][A-Z0-9_]*)\0")
_NOT_IN_A_NAME = re.compile(r"[^A-Z0-9_]+")


class RequestOutline(Struct, frozen=True, kw_only=True):
    """A request with placeholders; the user and the certificate stand apart from its headers."""

    outgoing: OutgoingRequest
    user: str | None = None
    certificate: str | None = None


def request_outline(request: AttemptRequest, http: HttpRequest) -> RequestOutline:
    """Return the outline of an attempt's request; an unknown request id is left out."""
    names, secrets = _Names(), _secrets(http)
    bare = first_request(request, http)
    body = bare.body
    outgoing = replace(
        bare,
        target=replace(bare.target, url=_outlined_url(bare.target.url, names, secrets)),
        headers=_outlined_lines(bare.headers, names, secrets),
        credentials=_outlined_lines(bare.credentials, names, secrets),
        body=None if body is None else without(secrets, body.decode(errors="replace")).encode(),
    )
    return _authenticated(outgoing, http.authentication, names, request.tag)


def shown_outline(outline: RequestOutline) -> ShownRequest:
    """Return an outline as it is shown, with a mask for each secret."""
    outgoing = outline.outgoing
    if outline.user is not None:
        outgoing = with_authorization(outgoing, MASK)
    masked = replace(
        outgoing,
        target=replace(outgoing.target, url=_masked(outgoing.target.url)),
        headers=tuple(map(_masked, outgoing.headers)),
        credentials=tuple(map(_masked, outgoing.credentials)),
    )
    return shown_request(masked, ())


def _secrets(http: HttpRequest) -> list[str]:
    """List the secrets of a request; a receiver may know one of a webhook without its prefix."""
    whole = [*secrets_in(http)]
    return whole + [each.partition("_")[2] for text in whole for each in text.split()]


class _Names:
    """Gives each secret a name of its own, as an environment variable can have it."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def placeholder(self, name: str) -> str:
        upper = _NOT_IN_A_NAME.sub("_", name.upper())
        upper = f"_{upper}" if upper[:1].isdigit() or not upper else upper
        self._given[upper] += 1
        count = self._given[upper]
        return f"\0{upper}\0" if count == 1 else f"\0{upper}_{count}\0"


def _outlined_url(url: str, names: _Names, secrets: list[str]) -> str:
    shown, done = "", 0
    for name, value in credential_parameters(url):
        if value.start() >= done and value[0]:
            shown += without(secrets, url[done : value.start()]) + names.placeholder(name)
            done = value.end()
    return shown + without(secrets, url[done:])


def _outlined_lines(lines: tuple[str, ...], names: _Names, secrets: list[str]) -> tuple[str, ...]:
    return tuple(_outlined_line(line, names, secrets) for line in lines if not _is_unknown(line))


def _is_unknown(line: str) -> bool:
    return line.rstrip() == "x-ms-client-request-id:"


def _outlined_line(line: str, names: _Names, secrets: list[str]) -> str:
    name, _, value = line.partition(":")
    if value.strip() and is_credential_header(name):
        return f"{name}: {names.placeholder(name)}"
    return without(secrets, line)


def _authenticated(
    outgoing: OutgoingRequest, given: HttpAuthentication | None, names: _Names, tag: str
) -> RequestOutline:
    match given:
        case None | NoAuthentication():
            return _with_user_info(outgoing, names)
        case BasicAuthentication():
            user = f"{given.username or ''}:{names.placeholder('PASSWORD')}"
            return RequestOutline(outgoing=_without_authorization(outgoing), user=user)
        case ClientCertificate():
            file = f"{names.placeholder('CERTIFICATE_FILE')}:{names.placeholder('PASSWORD')}"
            return RequestOutline(outgoing=outgoing, certificate=file)
        case OAuth():
            bearer = f"Bearer {names.placeholder('ACCESS_TOKEN')}"
            return RequestOutline(outgoing=with_authorization(outgoing, bearer))
        case StandardWebhooks():
            values = (tag, names.placeholder("TIMESTAMP"), names.placeholder("SIGNATURE"))
            lines = zip(SIGNATURE_HEADERS, values, strict=True)
            signed = tuple(f"{name}: {value}" for name, value in lines)
            outgoing = replace(outgoing, credentials=(*outgoing.credentials, *signed))
            return _with_user_info(outgoing, names)
        case _:
            assert_never(given)


def _with_user_info(outgoing: OutgoingRequest, names: _Names) -> RequestOutline:
    """Add the user of the URI, unless the job gives other credentials."""
    if outgoing.target.user_info is None or authorization(outgoing) is not None:
        return RequestOutline(outgoing=outgoing)
    return RequestOutline(outgoing=outgoing, user=names.placeholder("USER_AND_PASSWORD"))


def _without_authorization(outgoing: OutgoingRequest) -> OutgoingRequest:
    kept = (line for line in outgoing.credentials if line[:14].lower() != "authorization:")
    return replace(outgoing, credentials=tuple(kept))


def _masked(text: str) -> str:
    return PLACEHOLDER.sub(MASK, text)
