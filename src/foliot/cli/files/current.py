"""What a server has of the collections that files name."""

from collections.abc import Mapping

from msgspec import Struct

from foliot.api.wire.calendar import decode_calendar
from foliot.client.calls import FoliotClient
from foliot.client.errors import NotThere
from foliot.client.job_documents import ATTRIBUTES
from foliot.client.job_files import JsonObject, name_of
from foliot.core.ids import CollectionKey
from foliot.core.recurrence import DateRange

ENDED = ("completed", "faulted")


class ServerJob(Struct, frozen=True):
    """A job or an alert of the server: its name, its state, the rest of its properties."""

    name: str
    state: str
    properties: JsonObject


class ServerCollection(Struct, frozen=True, kw_only=True):
    """A collection of the server, or the absence of one; members by their names in lower case."""

    key: CollectionKey
    exists: bool
    attributes: JsonObject
    calendars: Mapping[str, tuple[str, tuple[DateRange, ...]]]
    jobs: Mapping[str, ServerJob]
    alerts: Mapping[str, ServerJob] = {}


def current_collection(client: FoliotClient, key: CollectionKey) -> ServerCollection:
    """Read a collection with its calendars, jobs and alerts."""
    try:
        found = client.collection(key)
    except NotThere:
        return ServerCollection(
            key=key, exists=False, attributes={}, calendars={}, jobs={}, alerts={}
        )
    inner = found.get("properties")
    flat: JsonObject = {**found, **(inner if isinstance(inner, dict) else {})}
    jobs = [_job(each) for each in client.jobs(key)]
    calendars = [(name_of(each) or "", each) for each in client.calendars(key)]
    return ServerCollection(
        key=key,
        exists=True,
        attributes={name: flat[name] for name in ATTRIBUTES if flat.get(name) is not None},
        calendars={
            name.lower(): (name, decode_calendar(each, key, name)) for name, each in calendars
        },
        jobs={each.name.lower(): each for each in jobs},
        alerts={each.name.lower(): each for each in map(_job, client.alerts(key))},
    )


def _job(answer: JsonObject) -> ServerJob:
    given = answer.get("properties")
    properties = dict(given) if isinstance(given, dict) else {}
    properties.pop("status", None)
    return ServerJob(name_of(answer) or "", str(properties.pop("state", "enabled")), properties)
