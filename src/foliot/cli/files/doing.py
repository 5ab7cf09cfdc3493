"""Makes the changes of a plan.

The collection and the jobs that are created or changed go into one deployment, which the server
makes as a whole or not at all. Calendars and alerts are no part of deployments: calendars come
before it, alerts after it, then what is deleted. Each step can be repeated, so that a plan that was
interrupted is carried out by making a new one.
"""

import json
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from foliot.cli.files.changes import ChangeKind
from foliot.cli.files.deployment_bodies import (
    MAX_RESOURCES,
    DeployedJob,
    deployment_body,
    deployment_name,
)
from foliot.cli.files.plan import CollectionPlan, JobPlan
from foliot.client.calls import FoliotClient
from foliot.client.errors import NotAuthorised, Refused
from foliot.client.job_files import JsonObject
from foliot.client.placeholders import revealed
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.rules.calendars import named_calendars
from foliot.core.rules.quota import check_job_count

# A server takes templates of 4 MiB; names and parameters need some of that.
_MAX_CHARACTERS = 3_000_000
_PLACE = re.compile(r"^(?:properties\.template\.)?resources\[(\d+)\](?:\.properties)?[.:]? *")


class DeploymentPart(Struct, frozen=True):
    """One deployment: its name, its body, and what its resources are called in messages."""

    key: CollectionKey
    name: str
    body: JsonObject
    places: Sequence[str]


def validate_plan(client: FoliotClient, plan: CollectionPlan) -> None:
    """Have the server check all that it will be asked to save, before anything is changed.

    Jobs that name a calendar which is not there yet are left to the deployment itself.
    """
    known = plan.current.calendars
    jobs = [
        each
        for each in _saved(plan)
        if each.job is not None
        and all(name.lower() in known for name in named_calendars(each.job.definition))
    ]
    for part in deployments_of(plan, jobs):
        with _naming(part):
            client.validate_deployment(part.key, part.name, part.body)
    check_job_count_of(plan)


def check_job_count_of(plan: CollectionPlan) -> None:
    """Refuse more jobs than the collection may have: the server checks each deployment alone.

    Jobs to be deleted count, since they are deleted last.
    """
    created = sum(each.kind is ChangeKind.CREATE for each in plan.jobs)
    if created:
        check_job_count(plan.collection, len(plan.current.jobs), created)


def carry_out(client: FoliotClient, plan: CollectionPlan) -> None:
    """Make the changes of a collection."""
    key = plan.current.key
    saved = [each for each in plan.calendars if each.kind is not ChangeKind.DELETE]
    if plan.is_new and saved:
        # A calendar needs its collection.
        for part in deployments_of(plan, []):
            with _naming(part):
                client.deploy(part.key, part.name, part.body)
    for calendar in saved:
        dates: list[Json] = [*map(str, calendar.dates)]
        client.put_calendar(key, calendar.name, {"properties": {"dates": dates}})
    for part in deployments_of(plan):
        with _naming(part):
            client.deploy(part.key, part.name, part.body)
    for alert in plan.alerts:
        if alert.alert is not None:
            client.put_alert(key, alert.name, {"properties": revealed(alert.alert.filled)})
    _delete(client, plan)


def _delete(client: FoliotClient, plan: CollectionPlan) -> None:
    for what, delete in (
        (plan.jobs, client.delete_job),
        (plan.calendars, client.delete_calendar),
        (plan.alerts, client.delete_alert),
    ):
        for each in what:
            if each.kind is ChangeKind.DELETE:
                delete(plan.current.key, each.name)


def _saved(plan: CollectionPlan) -> list[JobPlan]:
    return [each for each in plan.jobs if each.kind is not ChangeKind.DELETE]


def deployments_of(
    plan: CollectionPlan, jobs: Sequence[JobPlan] | None = None
) -> Iterator[DeploymentPart]:
    """Return the deployments of a plan, or of some of its jobs.

    It is one, unless a template cannot hold all.
    """
    key = plan.current.key
    # Each has the collection: the check of a later one cannot rely on an earlier one.
    body = plan.body
    for number, batch in enumerate(_batches(_saved(plan) if jobs is None else jobs), 1):
        if body is None and not batch:
            continue
        deployed = [DeployedJob(each.name, each.job.filled) for each in batch if each.job]
        named = [f"job {each.name}" for each in batch]
        yield DeploymentPart(
            key=key,
            name=deployment_name(key, number),
            body=deployment_body(key, body, deployed),
            places=[*([] if body is None else [f"collection {key.name}"]), *named],
        )


def _batches(jobs: Sequence[JobPlan]) -> Iterator[list[JobPlan]]:
    batch: list[JobPlan] = []
    size = 0
    for each in jobs:
        length = 0 if each.job is None else len(json.dumps(revealed(each.job.filled)))
        if batch and (len(batch) >= MAX_RESOURCES - 1 or size + length > _MAX_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += length
    yield batch


@contextmanager
def _naming(part: DeploymentPart) -> Generator[None]:
    """Name the job in a refusal, and not its place in a template that nobody sees."""
    try:
        yield
    except NotAuthorised:
        raise
    except Refused as refusal:
        said = str(refusal)
        match = _PLACE.match(said)
        if match is None or int(match[1]) >= len(part.places):
            raise
        place = f"{part.key.name}, {part.places[int(match[1])]}"
        raise Refused(f"{place}: {said[match.end() :]}", refusal.code) from None
