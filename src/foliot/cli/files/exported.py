"""Collections of a server as documents that `apply` reads: secrets as placeholders."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from msgspec import Struct

from foliot.cli.files.alerts_out import hide_destinations
from foliot.cli.files.current import ENDED, ServerCollection
from foliot.client.job_files import JsonObject
from foliot.client.placeholders import escaped
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.importers.hidden_text import HiddenText, SecretPart, environment, variable_name
from foliot.importers.scheduler_jobs import hide_secrets


class ExportedJob(Struct, frozen=True, kw_only=True):
    """A job, or an alert; its properties hold a `HiddenText` for each text with secrets in it."""

    key: CollectionKey
    name: str
    properties: dict[str, Any]
    kind: str = ""


class ExportedCollection(Struct, frozen=True, kw_only=True):
    """A collection with its jobs and alerts, and the names of jobs left out: they have ended."""

    current: ServerCollection
    jobs: Sequence[ExportedJob]
    alerts: Sequence[ExportedJob]
    ended: Sequence[str]


class VariableNames:
    """Gives each secret a variable: that of the import, unless another job has taken it."""

    def __init__(self) -> None:
        self._owners: dict[str, tuple[object, ...]] = {}
        self.meanings: dict[str, str] = {}

    def name(self, job: ExportedJob, part: SecretPart) -> str:
        """Return the variable of a secret of a job."""
        owner = (job.key.folded, job.kind, job.name.lower(), part.word.lower())
        for wished in _wishes(job, part):
            if self._owners.setdefault(wished, owner) == owner:
                where = f"{job.key.name}/{job.name}" if not job.kind else f"{job.kind} {job.name}"
                self.meanings.setdefault(wished, f"{part.meaning} of {where}")
                return wished
        raise AssertionError  # pragma: no cover  (the wishes do not end)


def _wishes(job: ExportedJob, part: SecretPart) -> Iterator[str]:
    key, names = job.key, [each for each in (job.kind, job.name, part.word) if each]
    yield variable_name(*names)
    yield variable_name(key.name, *names)
    base = variable_name(key.subscription, key.group, key.name, *names)
    yield base
    number = 2
    while True:
        yield f"{base}_{number}"
        number += 1


def exported_collection(current: ServerCollection) -> ExportedCollection:
    """Return a collection of a server as it is exported."""
    jobs = current.jobs.values()
    return ExportedCollection(
        current=current,
        jobs=[
            ExportedJob(
                key=current.key,
                name=each.name,
                properties={
                    **hide_secrets(each.properties, []),
                    **({} if each.state == "enabled" else {"state": each.state}),
                },
            )
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
    jobs: JsonObject = {each.name: _properties(each, names) for each in collection.jobs}
    alerts: JsonObject = {each.name: _properties(each, names) for each in collection.alerts}
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


def _properties(job: ExportedJob, names: VariableNames) -> Json:
    def hidden(text: HiddenText) -> str:
        return "".join(
            escaped(part) if isinstance(part, str) else environment(names.name(job, part))
            for part in text.parts
        )

    return rewritten(job.properties, escaped, hidden)


def rewritten(value: Any, plain: Callable[[str], str], hidden: Callable[[HiddenText], str]) -> Json:
    """Return a value with its texts written in another way."""
    match value:
        case HiddenText():
            return hidden(value)
        case str():
            return plain(value)
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: rewritten(each, plain, hidden) for name, each in fields.items()}
        case list():
            return [rewritten(each, plain, hidden) for each in cast("list[Any]", value)]
        case _:
            return value


def heading(names: VariableNames) -> str:
    """Return comments that list the variables to be set."""
    if not names.meanings:
        return ""
    width = max(map(len, names.meanings))
    lines = [f"#   {name:<{width}}  {meaning}" for name, meaning in names.meanings.items()]
    return "\n".join(["# Set these variables before `foliot apply`:", *lines, ""])
