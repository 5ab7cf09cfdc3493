"""Former versions of jobs: the body of a PUT that brings one back, from the audit log.

The log has a mask in place of each secret. The job of now gives what it still has: a stored secret
stays, and so do credentials in headers and addresses if the request goes to the same place.
"""

import copy
from collections.abc import Iterator
from typing import Final, NamedTuple

from foliot.api.wire.audit import encode_snapshot
from foliot.api.wire.audit_changes import ValueChange, changes_between
from foliot.core.credentials import MASK, is_credential_header, masked_uri
from foliot.core.json_text import Json
from foliot.core.model.audit import JobSnapshot
from foliot.core.model.job import Job
from foliot.core.rules.audit_snapshots import CHANGED_MASK, job_snapshot
from foliot.core.rules.kept_secrets import origin
from foliot.portal.forms.fields import Kind
from foliot.portal.forms.job import ACTION, ERROR_ACTION, JOB_FORM, kept_secrets
from foliot.portal.forms.json_path import remove_value, set_value, value_at

_SECRETS: Final = tuple(field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET)
_STATE: Final = "properties.state"


class FormerVersion(NamedTuple):
    """The body of a PUT; `missing` are the fields whose values neither log nor job has."""

    body: dict[str, Json]
    missing: tuple[str, ...]


def former_version(snapshot: JobSnapshot, job: Job | None, now: Json) -> FormerVersion:
    """Return a former version of a job; `now` is its body as it is stored, if it still exists."""
    body = _body(snapshot)
    kept = frozenset[str]() if job is None else kept_secrets(job.definition.action)
    missing = [name for name in _remove_secrets(body) if name not in kept]
    for action in (ACTION, ERROR_ACTION):
        missing += _fill_request(body, now, f"{action}.request")
    return FormerVersion(body, tuple(missing))


def restored_state(snapshot: JobSnapshot) -> Json:
    """Return the state that a version had."""
    return value_at(encode_snapshot(snapshot), _STATE)


def changes_to(snapshot: JobSnapshot, job: Job) -> list[ValueChange]:
    """Return the fields that differ between a job and a former version of it, but for its state."""
    now, then = _body(job_snapshot(job)), _body(snapshot)
    return changes_between(now, then)


def _body(snapshot: JobSnapshot) -> dict[str, Json]:
    """Return what a version said, with the same mask for every secret."""
    body = copy.deepcopy(encode_snapshot(snapshot))
    assert isinstance(body, dict)  # noqa: S101  (as a job is written)
    remove_value(body, _STATE)
    for name in _SECRETS:
        if value_at(body, name) == CHANGED_MASK:
            set_value(body, name, MASK)
    for action in (ACTION, ERROR_ACTION):
        request = value_at(body, f"{action}.request")
        if isinstance(request, dict):
            _unify_masks(request)
    return body


def _unify_masks(request: dict[str, Json]) -> None:
    uri, headers = request.get("uri"), request.get("headers")
    if isinstance(uri, str):
        request["uri"] = uri.replace(CHANGED_MASK, MASK)
    if isinstance(headers, dict):
        for name, value in headers.items():
            if value == CHANGED_MASK and is_credential_header(name):
                headers[name] = MASK


def _remove_secrets(body: dict[str, Json]) -> Iterator[str]:
    """Remove the masks of secrets, which no PUT may contain, and name their fields."""
    for name in _SECRETS:
        if value_at(body, name) == MASK:
            remove_value(body, name)
            yield name


def _fill_request(body: dict[str, Json], now: Json, path: str) -> Iterator[str]:
    """Give a request the credentials of the present one, and name what that one does not have."""
    request, present = value_at(body, path), value_at(now, path)
    if not isinstance(request, dict):
        return
    uri = request.get("uri")
    present_uri = value_at(present, "uri")
    is_same_host = isinstance(present_uri, str) and origin(str(uri)) == origin(present_uri)
    if isinstance(uri, str) and MASK in uri:
        if isinstance(present_uri, str) and masked_uri(present_uri) == uri:
            request["uri"] = present_uri
        else:
            yield f"{path}.uri"
    headers, present_headers = request.get("headers"), value_at(present, "headers")
    if not isinstance(headers, dict):
        return
    known = present_headers if is_same_host and isinstance(present_headers, dict) else {}
    hidden = [
        name for name, value in headers.items() if value == MASK and is_credential_header(name)
    ]
    for name in hidden:
        if name in known:
            headers[name] = known[name]
    if any(name not in known for name in hidden):
        yield f"{path}.headers"
