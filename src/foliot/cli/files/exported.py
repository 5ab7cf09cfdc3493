"""Collections of a server as documents that `apply` reads: secrets as placeholders."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.cli.files.alerts_out import hide_destinations
from foliot.cli.files.current import ENDED, ServerCollection
from foliot.client.job_files import JsonObject
from foliot.importers.exported_jobs import (
    ExportedJob,
    VariableNames,
    exported_job,
    with_placeholders,
)


class ExportedCollection(Struct, frozen=True, kw_only=True):
    """A collection with its jobs and alerts, and the names of jobs left out: they have ended."""

    current: ServerCollection
    jobs: Sequence[ExportedJob]
    alerts: Sequence[ExportedJob]
    ended: Sequence[str]


def exported_collection(current: ServerCollection) -> ExportedCollection:
    """Return a collection of a server as it is exported."""
    jobs = current.jobs.values()
    return ExportedCollection(
        current=current,
        jobs=[
            exported_job(current.key, each.name, each.properties, each.state)
            for each in jobs
            if each.state not in ENDED
        ],
        alerts=[
            ExportedJob(
                key=current.key,
                name=each.name,
                properties={
                    **hide_destinations(each.properties),
                    **({} if each.state == "enabled" else {"state": each.state}),
                },
                kind="alert",
            )
            for each in current.alerts.values()
        ],
        ended=[each.name for each in jobs if each.state in ENDED],
    )


def document_of(collection: ExportedCollection, names: VariableNames) -> JsonObject:
    """Return the document of a collection."""
    current = collection.current
    key = current.key
    calendars: JsonObject = {
        name: {"dates": [*map(str, dates)]} for name, dates in current.calendars.values()
    }
    jobs: JsonObject = {each.name: with_placeholders(each, names) for each in collection.jobs}
    alerts: JsonObject = {each.name: with_placeholders(each, names) for each in collection.alerts}
    return {
        "collection": {
            "subscription": key.subscription,
            "group": key.group,
            "name": key.name,
            **current.attributes,
        },
        **({"calendars": calendars} if calendars else {}),
        "jobs": jobs,
        **({"alerts": alerts} if alerts else {}),
    }
