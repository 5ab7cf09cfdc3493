"""Finds and masks credentials in the headers and URIs of jobs and alerts.

A `Secret` is shown to nobody. A header or a URI is shown to callers who may edit the job, because
clients read a job and send it back changed; all others see a mask.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import unquote_plus

from msgspec import structs

from foliot.core.model.action import Action, HttpRequest
from foliot.core.model.alert import Alert, WebhookDestination
from foliot.core.model.job import Job

MASK = "***"

# The words of a name, also in camel case: `X-Api-Key`, `apiKey`.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TELLING_WORDS = frozenset(
    (
        *("auth", "authentication", "authorization", "bearer", "cookie", "cookies", "credential"),
        *("credentials", "jwt", "key", "keys", "pass", "passwd", "password", "passphrase", "pwd"),
        *("sas", "secret", "secrets", "session", "sid", "sig", "signature", "token", "tokens"),
    )
)
_TELLING_PARTS = ("apikey", "accesskey", "authorization", "cookie", "password", "secret", "token")
# Azure Functions call the key in an address `code`.
_TELLING_PARAMETERS = frozenset({"code"})

_USER = re.compile(r"^([^/?#]*//)([^/?#]*)@")
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]*)=")
_VALUE = re.compile(r"[^&;#]*")


# Every change of a job asks for each of its names several times, and most jobs have the same.
@lru_cache(maxsize=1024)
def is_credential_header(name: str) -> bool:
    """Tell whether a header's name says that its value is a credential."""
    words = {word.lower() for word in _WORD.findall(name)}
    lowered = name.lower()
    return not words.isdisjoint(_TELLING_WORDS) or any(part in lowered for part in _TELLING_PARTS)


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with a mask in place of each value that is a credential."""
    return {name: MASK if is_credential_header(name) else value for name, value in headers.items()}


def masked_uri(uri: str) -> str:
    """Return a URI with a mask in place of its user and of each credential in its query."""
    shown, done = "", 0
    uri = _USER.sub(rf"\1{MASK}@", uri)
    for _, value in credential_parameters(uri):
        if value.start() >= done:
            shown, done = shown + uri[done : value.start()] + MASK, value.end()
    return shown + uri[done:]


def masked_places(uri: str) -> list[str]:
    """Name the credentials of a URI that are only a mask, which a client has sent back."""
    user = _USER.match(uri)
    found = ["the user"] if user is not None and MASK in user[2].split(":") else []
    return found + [name for name, value in credential_parameters(uri) if value[0] == MASK]


def credentials_of(request: HttpRequest) -> Iterator[str]:
    """Go through what a mask hides in a request, also without its scheme, user or encoding."""
    user = _USER.match(request.uri)
    found = [value[0] for _, value in credential_parameters(request.uri)]
    found += [] if user is None else [user[2], user[2].partition(":")[2]]
    for name, value in (request.headers or {}).items():
        found += [value, *value.split()[-1:]] if is_credential_header(name) else []
    for each in found:
        yield from filter(None, {each, unquote_plus(each)})


def masked_action(action: Action) -> Action:
    """Return an action, with its error action, as a caller sees it who may not change it."""
    error, part = action.error_action, action.part
    if isinstance(part, HttpRequest):
        headers = None if part.headers is None else masked_headers(part.headers)
        part = structs.replace(part, uri=masked_uri(part.uri), headers=headers)
    return structs.replace(action, part=part, error_action=error and masked_action(error))


def masked_job(job: Job) -> Job:
    """Return a job as a caller sees it who may not change it."""
    action = masked_action(job.definition.action)
    return structs.replace(job, definition=structs.replace(job.definition, action=action))


def masked_alert(alert: Alert) -> Alert:
    """Return an alert as a caller sees it who may not change it."""
    definition = alert.definition
    destinations = tuple(
        structs.replace(each, uri=masked_uri(each.uri))
        if isinstance(each, WebhookDestination)
        else each
        for each in definition.destinations
    )
    return structs.replace(alert, definition=structs.replace(definition, destinations=destinations))


def credential_parameters(uri: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Go through the parameters of a URI whose name says that they are credentials."""
    for found in _PARAMETER.finditer(uri):
        value = _VALUE.match(uri, found.end())
        if value is not None and _is_credential_parameter(found[1]):
            yield found[1], value


@lru_cache(maxsize=1024)
def _is_credential_parameter(name: str) -> bool:
    plain = unquote_plus(name)
    return plain.lower() in _TELLING_PARAMETERS or is_credential_header(plain)
