"""Collections and jobs of Azure Scheduler, sorted into what an import makes of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.importers.documents import Fields
from foliot.importers.finish import convert_each, finish_jobs
from foliot.importers.model import (
    DraftJob,
    ImportedCollection,
    ImportOptions,
    ImportResult,
    LeftOut,
)
from foliot.importers.scheduler_jobs import hide_secrets

COLLECTION_TYPE = "microsoft.scheduler/jobcollections"
JOB_TYPE = f"{COLLECTION_TYPE}/jobs"
_ENDED = ("completed", "faulted")


class SchedulerResource(Struct, frozen=True, kw_only=True):
    """A collection, or a job with its name, and its body."""

    origin: str
    key: CollectionKey
    job: str | None
    body: Fields


def collect(
    resources: Iterable[SchedulerResource],
    left_out: Iterable[LeftOut],
    options: ImportOptions,
    *,
    notes: Iterable[str] = (),
) -> ImportResult:
    """Put jobs into their collections."""
    attributes: dict[tuple[str, str, str], Mapping[str, Json]] = {}
    keys: dict[tuple[str, str, str], CollectionKey] = {}
    jobs: dict[tuple[str, str, str], list[tuple[str, SchedulerResource]]] = {}
    all_notes = list(notes)
    for each in resources:
        folded = each.key.folded
        keys.setdefault(folded, each.key)
        jobs.setdefault(folded, [])
        if each.job is None:
            attributes[folded] = _attributes(each, all_notes)
        else:
            jobs[folded].append((each.origin, each))
    all_left_out = list(left_out)
    collections: list[ImportedCollection] = []
    for folded, key in keys.items():
        drafts, refused = convert_each(jobs[folded], _draft)
        all_left_out += refused
        if folded not in attributes:
            all_notes.append(f"the collection {key.name} itself is not in the files")
        collections.append(
            ImportedCollection(
                key=key,
                attributes=attributes.get(folded, {}),
                jobs=finish_jobs(drafts, options),
            )
        )
    return ImportResult(
        collections=tuple(collections), left_out=tuple(all_left_out), notes=tuple(all_notes)
    )


def _attributes(resource: SchedulerResource, notes: list[str]) -> dict[str, Json]:
    body, inner = resource.body, resource.body.object("properties")
    found: dict[str, Json] = {}
    if body.text("location"):
        found["location"] = body.text("location")
    if "sku" in inner:
        name = inner.object("sku").text("name")
        found["sku"] = {"name": "P10Premium" if name.lower() == "premium" else name}
    tags: dict[str, Json] = {**body.texts("tags")}
    if tags:
        found["tags"] = tags
    if "quota" in inner:
        quota: Json = {
            name: each for name, each in inner.object("quota").as_json().items() if each is not None
        }
        found["quota"] = quota
    state = inner.text("state", "Enabled")
    if state.lower() != "enabled":
        notes.append(
            f"the collection {resource.key.name} was {state.lower()}; set that after apply"
        )
    return found


def _draft(origin: str, resource: SchedulerResource) -> DraftJob:
    notes: list[str] = []
    given = resource.body.object("properties")
    state = given.text("state", "enabled").lower()
    if state in _ENDED:
        raise Invalid((), f"the job has ended ({state}).")
    properties = hide_secrets(given.as_json(), notes)
    _count_remaining(properties, given, notes)
    if "startTime" not in given:
        notes.append("without a startTime it runs at once when it is applied")
    return DraftJob(
        origin=origin,
        wished_name=resource.job or "",
        properties=properties,
        notes=tuple(notes),
    )


def _count_remaining(properties: dict[str, Any], given: Fields, notes: list[str]) -> None:
    """Take the occurrences that have run from `count`, which begins again."""
    recurrence = given.object("recurrence")
    done = given.object("status").number("executionCount", 0)
    count = recurrence.number("count", 0)
    if not (count and done):
        return
    if done >= count:
        raise Invalid((), f"the job has run {how_many(done, 'time')}, as often as it should.")
    properties["recurrence"] = {**properties["recurrence"], "count": count - done}
    notes.append(f"runs so far: {done} of {count}; {count - done} left")
