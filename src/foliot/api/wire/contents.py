"""What a whole collection shall be and have: each part is the body that its own PUT takes."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from foliot.api.wire.alert import GivenAlert, decode_alert, replace_alert
from foliot.api.wire.calendar import decode_calendar
from foliot.api.wire.collection import decode_collection
from foliot.api.wire.fields import Schema, reference
from foliot.api.wire.job import Address, Submission, decode_job, replace_job
from foliot.api.wire.json_reader import Properties, optional_object, read_text
from foliot.api.wire.pfx.certificate import Certificates, open_certificates
from foliot.app.alert_changes import ReviseAlert
from foliot.app.calendar_changes import Dates
from foliot.app.jobs import ReviseJob
from foliot.app.whole_collections import (
    ALERTS,
    CALENDARS,
    COLLECTION,
    DELETE,
    JOBS,
    ContentChange,
    WantedContents,
)
from foliot.core.errors import Invalid, shown, within
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection

# Each takes up to 3 seconds to open.
MAX_CERTIFICATES = 50
KINDS = (CALENDARS, JOBS, ALERTS)
_NAMES: Schema = {"type": "array", "items": {"type": "string"}}
CONTENTS_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "collection": reference("Collection"),
        CALENDARS: {"type": "object", "additionalProperties": reference("Calendar")},
        JOBS: {"type": "object", "additionalProperties": reference("Job")},
        ALERTS: {"type": "object", "additionalProperties": reference("Alert")},
        DELETE: {"type": "object", "properties": dict.fromkeys(KINDS, _NAMES)},
    },
    "additionalProperties": False,
}
CHANGES_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": ["collection", "calendar", "job", "alert"]},
                    "name": {"type": "string"},
                    "change": {"type": "string", "enum": ["created", "updated", "deleted"]},
                },
                "required": ["kind", "name", "change"],
            },
        }
    },
    "required": ["changes"],
}


class GivenContents(Struct, frozen=True):
    """The parts of a body, not decoded yet: the collection, and others by kind and name."""

    collection: Json
    parts: Mapping[str, Mapping[str, Json]]
    deleted: Mapping[str, Sequence[str]]


def read_contents(body: Json) -> GivenContents:
    """Find the parts of a body; a name is there once, whatever its letter case."""
    given = Properties(body)
    collection = given.get("collection")
    parts = {kind: _members(given, kind) for kind in KINDS}
    gone = optional_object(given, DELETE)
    deleted = {} if gone is None else {kind: _names(gone, kind, parts[kind]) for kind in KINDS}
    if gone is not None:
        gone.refuse_unknown()
    given.refuse_unknown()
    return GivenContents(collection, parts, deleted)


def _members(given: Properties, kind: str) -> dict[str, Json]:
    value = given.get(kind)
    if value is None:
        return {}
    if not isinstance(value, dict):
        # The value is not shown: it may hold a secret.
        raise Invalid(given.at(kind), "is not valid; give an object of names {...}.")
    seen: set[str] = set()
    for name in value:
        if name.lower() in seen:
            raise Invalid((*given.at(kind), name), "is there twice; give it once.")
        seen.add(name.lower())
    return value


def _names(given: Properties, kind: str, saved: Mapping[str, Json]) -> list[str]:
    value = given.get(kind)
    if value is None:
        return []
    if not isinstance(value, list):
        raise Invalid(given.at(kind), f"{shown(value)} is not valid; give a list of names [...].")
    kept = {each.lower() for each in saved}
    names: dict[str, str] = {}
    for index, each in enumerate(value):
        path = (*given.at(kind), index)
        name = read_text(each, path, "a name")
        if name.lower() in kept:
            raise Invalid(path, f"{shown(name)} is also to be saved; give it once.")
        names.setdefault(name.lower(), name)
    return list(names.values())


async def open_certificates_of(given: GivenContents) -> Certificates:
    """Open the certificates of all jobs, each once."""
    opened: Certificates = {}
    for name, each in given.parts[JOBS].items():
        with within(JOBS, name):
            opened = {**opened, **await open_certificates(each, opened)}
            if len(opened) > MAX_CERTIFICATES:
                problem = f"has one certificate more than the {MAX_CERTIFICATES} that are allowed."
                raise Invalid((), problem)
    return opened


def decode_contents(
    given: GivenContents, key: CollectionKey, limits: Limits, certificates: Certificates
) -> WantedContents:
    """Decode all parts, each as its own PUT would."""
    wanted: Collection | None = None
    if given.collection is not None:
        with within(*COLLECTION):
            wanted = decode_collection(given.collection, key, knows_premium_tiers=True)
    calendars: dict[str, Dates] = {}
    for name, each in given.parts[CALENDARS].items():
        with within(CALENDARS, name):
            calendars[name] = decode_calendar(each, key, name)
    jobs: dict[str, ReviseJob] = {}
    for name, each in given.parts[JOBS].items():
        with within(JOBS, name):
            jobs[name] = _job(decode_job(each, Address(key, name), limits, certificates))
    alerts: dict[str, ReviseAlert] = {}
    for name, each in given.parts[ALERTS].items():
        with within(ALERTS, name):
            alerts[name] = _alert(decode_alert(each, key, name))
    return WantedContents(
        key=key,
        collection=None if wanted is None else lambda _: wanted,
        calendars=calendars,
        jobs=jobs,
        alerts=alerts,
        deleted=given.deleted,
    )


def _job(submission: Submission) -> ReviseJob:
    return lambda old: replace_job(old, submission)


def _alert(given: GivenAlert) -> ReviseAlert:
    return lambda old: replace_alert(old, given)


def encode_changes(changes: Sequence[ContentChange]) -> Json:
    """Write the changes that were made."""
    found: list[Json] = [
        {"kind": kind, "name": name, "change": done} for kind, name, done in changes
    ]
    return {"changes": found}
