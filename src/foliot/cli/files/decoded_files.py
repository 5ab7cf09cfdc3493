"""What files want: collections, calendars, jobs and alerts, decoded as the API does."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from foliot.api.wire.calendar import decode_calendar
from foliot.api.wire.clients import OWN_CLIENT
from foliot.api.wire.job import Address, Submission, decode_job, encode_definition
from foliot.api.wire.pfx.certificate import Certificates, open_certificates
from foliot.cli.files.alerts import FileAlert, decode_file_alert
from foliot.cli.files.masking import HiddenPlaces, refusal_at
from foliot.cli.files.reading import fill_in_values
from foliot.client.job_documents import DeclaredCollection, DeclaredJob
from foliot.client.job_files import JsonObject
from foliot.client.placeholders import revealed
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.limits import Limits
from foliot.core.model.job import Definition, JobState
from foliot.core.recurrence import DateRange
from foliot.core.secret import Secret

_NONE_OPENED: Certificates = {}


class FileJob(Struct, frozen=True, kw_only=True):
    """A job as a file wants it; `filled` is what is sent, with a `FilledText` for each secret."""

    name: str
    origin: str
    filled: Any
    places: HiddenPlaces
    definition: Definition
    state: JobState | None

    @property
    def has_secrets(self) -> bool:
        """Whether it holds secrets that a server does not give back."""
        return _has_secret(self.definition)


class FileCollection(Struct, frozen=True, kw_only=True):
    """A collection as files want it; a section that no file has is None."""

    key: CollectionKey
    origin: str
    attributes: JsonObject
    calendars: Mapping[str, tuple[DateRange, ...]] | None
    jobs: Sequence[FileJob] | None
    alerts: Sequence[FileAlert] | None = None


def decode_collections(declared: Sequence[DeclaredCollection]) -> list[FileCollection]:
    """Fill in all placeholders, then decode all calendars, jobs and alerts."""
    given = [
        each
        for one in declared
        for section in (one.jobs, one.alerts)
        for each in (section or {}).values()
    ]
    filled = dict(zip(map(id, given), fill_in_values(given), strict=True))
    return [_decoded(each, filled) for each in declared]


def encoded(definition: Definition) -> JsonObject:
    """Return a definition as the server answers it, without its secrets."""
    return encode_definition(definition, OWN_CLIENT)


def decoded_job(
    properties: Json, key: CollectionKey, name: str, certificates: Certificates = _NONE_OPENED
) -> Submission:
    """Decode the properties of a job as the API does."""
    body: Json = {"properties": properties}
    return decode_job(body, Address(key, name), Limits(), certificates)


def _decoded(declared: DeclaredCollection, filled: Mapping[int, Any]) -> FileCollection:
    given, jobs, alerts = declared.calendars, declared.jobs, declared.alerts
    return FileCollection(
        key=declared.key,
        origin=declared.origin,
        attributes=declared.attributes,
        calendars=None
        if given is None
        else {name: _dates(declared, name, each) for name, each in given.items()},
        jobs=None
        if jobs is None
        else [_job(declared.key, each, filled[id(each)]) for each in jobs.values()],
        alerts=None
        if alerts is None
        else [decode_file_alert(declared.key, each, filled[id(each)]) for each in alerts.values()],
    )


def _dates(declared: DeclaredCollection, name: str, given: JsonObject) -> tuple[DateRange, ...]:
    try:
        return decode_calendar({"properties": given}, declared.key, name)
    except Invalid as refusal:
        raise refusal_at(f"{declared.origin}, calendar {name}", refusal) from None


def _job(key: CollectionKey, job: DeclaredJob, filled: Any) -> FileJob:
    places = HiddenPlaces.of(filled)
    try:
        given: Json = revealed(filled)
        opened = _opened({"properties": given})
        submission = decoded_job(given, key, job.name, opened)
    except Invalid as refusal:
        raise refusal_at(f"{job.origin}, job {job.name}", places.refusal(refusal)) from None
    return FileJob(
        name=job.name,
        origin=job.origin,
        filled=filled,
        places=places,
        definition=submission.definition,
        state=submission.state,
    )


def _opened(body: Json) -> Certificates:
    """Open the certificates of a job, if it has one: their thumbprints are compared."""
    if '"pfx"' not in json.dumps(body).lower():
        return _NONE_OPENED
    return asyncio.run(open_certificates(body))


def _has_secret(value: object) -> bool:
    if isinstance(value, Secret):
        return True
    if isinstance(value, Struct):
        return any(_has_secret(getattr(value, name)) for name in value.__struct_fields__)
    return False
