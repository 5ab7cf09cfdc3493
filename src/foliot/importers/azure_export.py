"""Reads collections and jobs as the REST API of Azure Scheduler listed them."""

import re
from collections.abc import Iterator, Sequence

from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.importers.documents import Fields, read_json
from foliot.importers.model import ImportOptions, ImportResult, SourceText
from foliot.importers.scheduler_resources import SchedulerResource, collect

_ID = re.compile(
    r"/subscriptions/([^/]+)/resourceGroups/([^/]+)/providers/Microsoft\.Scheduler"
    r"/jobCollections/([^/]+)(?:/jobs/([^/]+))?/?",
    re.IGNORECASE,
)


def read_exports(sources: Sequence[SourceText], options: ImportOptions) -> ImportResult:
    """Read answers of the API: lists with `value`, arrays, or single resources."""
    resources: list[SchedulerResource] = []
    notes: list[str] = []
    for source in sources:
        document = read_json(source)
        try:
            resources += _resources(source, document, options)
            if isinstance(document, dict) and document.get("nextLink"):
                notes.append(
                    f"{source.name} is one page of a list (nextLink): export the others too"
                )
        except Invalid as refusal:
            raise Invalid((), f"{source.name}: {refusal}") from None
    return collect(resources, (), options, notes=notes)


def _resources(
    source: SourceText, document: Json, options: ImportOptions
) -> Iterator[SchedulerResource]:
    listed = document.get("value") if isinstance(document, dict) else document
    found = listed if isinstance(listed, list) else [document]
    for index, each in enumerate(found):
        body = Fields(each, ("value", index) if isinstance(listed, list) else ())
        key, job = _parsed_id(body, options)
        name = key.name if job is None else f"{key.name}/{job}"
        yield SchedulerResource(origin=f"{source.name}, {name}", key=key, job=job, body=body)


def _parsed_id(body: Fields, options: ImportOptions) -> tuple[CollectionKey, str | None]:
    match = _ID.fullmatch(body.required_text("id"))
    if match is None:
        raise Invalid((*body.path, "id"), "is not the id of a collection or job of the Scheduler.")
    subscription, group, collection, job = match.groups()
    if options.collection is not None:
        return CollectionKey(options.subscription, options.group, options.collection), job
    return CollectionKey(subscription, group, collection), job
