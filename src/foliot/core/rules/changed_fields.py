"""Checks the fields that a request changes in a job.

Unchanged fields are not checked: a limit that was lowered since, or a rule that is newer than the
job, must not keep anyone from disabling the job, or from making it smaller.
"""

import re

from msgspec import json, structs

from foliot.core.credentials import MASK, is_credential_header, masked_places
from foliot.core.errors import Invalid, Path, within, wrong
from foliot.core.instant import SECOND
from foliot.core.limits import Limits
from foliot.core.model.action import (
    Action,
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    HttpRequest,
    NoAuthentication,
    OAuth,
    StandardWebhooks,
)
from foliot.core.model.job import Definition
from foliot.core.model.policy import Policy
from foliot.core.recurrence import NO_CALENDAR_DAYS
from foliot.core.rules.signing_secrets import SIGNATURE_HEADERS, signing_keys
from foliot.core.rules.tags_and_location import check_tags
from foliot.core.secret import Secret

# A directory's id or domain. It becomes one segment of a URL, so ".." must not pass.
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
MAX_DESCRIPTION = 1000
_MASKED = f"is {MASK}, which stands for a value that was hidden; send the value itself."


def check_changes(new: Definition, old: Definition | None, limits: Limits, size: int) -> None:
    """Refuse a job that breaks a rule which it did not break before; `size` is that of its JSON."""
    most = limits.max_job_bytes
    if size > most and (old is None or _size(new) > _size(old)):
        raise Invalid((), f"the job has {size} bytes as JSON; give at most {most}.")
    _check_labels(new, old)
    _check_timeout(new.policy, old and old.policy, limits)
    path: Path = ("properties", "action")
    before = None if old is None else old.action
    _check_action(new.action, before, path, limits)
    if new.action.error_action is not None:
        before = None if before is None else before.error_action
        _check_action(new.action.error_action, before, (*path, "errorAction"), limits)


def _size(definition: Definition) -> int:
    """Return how much a client gave: not the days of its calendars."""
    return len(json.encode(structs.replace(definition, calendar_days=NO_CALENDAR_DAYS)))


def _check_labels(new: Definition, old: Definition | None) -> None:
    text, before = new.description or "", (old and old.description) or ""
    if len(text) > max(MAX_DESCRIPTION, len(before)):
        problem = f"has {len(text)} characters; give at most {MAX_DESCRIPTION}."
        raise Invalid(("properties", "description"), problem)
    check_tags(new.tags or {}, (old and old.tags) or {}, ("properties", "tags"))


def _check_timeout(new: Policy | None, old: Policy | None, limits: Limits) -> None:
    if new is None or new.timeout is None or (old is not None and old.timeout == new.timeout):
        return
    most = max(limits.http_timeout_seconds, limits.max_timeout_seconds)
    if not SECOND <= new.timeout.ticks <= most * SECOND:
        expected = f"1 second to {most} seconds, the limit of this server"
        raise wrong(("properties", "policy", "timeout"), new.timeout.text, expected)


def _check_action(new: Action, old: Action | None, path: Path, limits: Limits) -> None:
    part, before = new.part, None if old is None else old.part
    if isinstance(part, HttpRequest) and part != before:
        request = before if isinstance(before, HttpRequest) else None
        check_request(part, request, (*path, "request"), limits)


def check_request(new: HttpRequest, old: HttpRequest | None, path: Path, limits: Limits) -> None:
    """Refuse a request that breaks a rule which it did not break before."""
    _check_uri(new.uri, "" if old is None else old.uri, (*path, "uri"), limits)
    _check_headers(new.headers or {}, (old and old.headers) or {}, (*path, "headers"), limits)
    body, before = new.body or "", (old and old.body) or ""
    if len(body) > max(limits.max_body_characters, len(before)):
        most = limits.max_body_characters
        raise Invalid((*path, "body"), f"has {len(body)} characters; give at most {most}.")
    if new.authentication is not None and (old is None or new.authentication != old.authentication):
        _check_authentication(new.authentication, (*path, "authentication"))
    if isinstance(new.authentication, StandardWebhooks):
        _check_no_signature_header(new.headers or {}, (*path, "headers"))


def _check_uri(new: str, old: str, path: Path, limits: Limits) -> None:
    if new == old:
        return
    most = limits.max_uri_characters
    if len(new) > max(most, len(old)):
        raise Invalid(path, f"has {len(new)} characters; give at most {most}.")
    for place in masked_places(new):
        raise Invalid(path, f"{place} {_MASKED}")


def _check_headers(new: dict[str, str], old: dict[str, str], path: Path, limits: Limits) -> None:
    if len(new) > max(limits.max_headers, len(old)):
        most = limits.max_headers
        raise Invalid(path, f"{len(new)} headers are too many; give {most} at most.")
    size, most = _characters(new), limits.max_header_characters
    if size > max(most, _characters(old)):
        raise Invalid(path, f"have {size} characters together; give at most {most}.")
    for name, value in new.items():
        if value == MASK and is_credential_header(name) and old.get(name) != value:
            raise Invalid((*path, name), _MASKED)


def _characters(headers: dict[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in headers.items())


def _check_authentication(given: HttpAuthentication, path: Path) -> None:
    """Refuse an incomplete authentication; history reports a missing secret when the job runs."""
    match given:
        case BasicAuthentication(username=None):
            raise _missing(path, "username", "the user name")
        case OAuth():
            _check_oauth(given, path)
        case ClientCertificate(pfx=None):
            raise _missing(path, "pfx", "the PFX file encoded in base64")
        case StandardWebhooks(secret=Secret() as secret):
            with within(*path, "secret"):
                signing_keys(secret)
        case BasicAuthentication() | ClientCertificate() | NoAuthentication() | StandardWebhooks():
            pass


def _check_no_signature_header(headers: dict[str, str], path: Path) -> None:
    for name in headers:
        if name.lower() in SIGNATURE_HEADERS:
            problem = "cannot be set: it belongs to the signature; leave it out."
            raise Invalid((*path, name), problem)


def _check_oauth(given: OAuth, path: Path) -> None:
    if not given.tenant:
        raise _missing(path, "tenant", "the directory's id or domain")
    if not _TENANT.fullmatch(given.tenant):
        expected = "the directory's id or domain: letters, digits, . - and _"
        raise wrong((*path, "tenant"), given.tenant, expected)
    if not given.client_id:
        raise _missing(path, "clientId", "the id of the application")
    if not given.audience:
        raise _missing(path, "audience", "the resource that the token is for")


def _missing(path: Path, name: str, expected: str) -> Invalid:
    return Invalid((*path, name), f"is missing; give {expected}.")
