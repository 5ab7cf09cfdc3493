"""Values with defaults, so that a test names only what matters to it."""

from itertools import islice
from typing import Any

from msgspec.structs import replace

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import SECOND, Instant, format_instant, parse_instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection
from foliot.core.model.deployment import Deployment, DeploymentKey
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Definition, Job
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.model.run import Lease, Run
from foliot.core.model.token import Role, Token
from foliot.core.recurrence import Timetable, accept, occurrences

NOW_TEXT = "2026-01-10T00:00:00Z"
NOW = parse_instant(NOW_TEXT)
LONG_AGO = Instant(0)
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
DEFINITION = Definition(
    action=Action(kind=ActionKind.HTTPS, part=HttpRequest(uri="https://example.com/", method="GET"))
)


def a_key(name: str = "Billing", group: str = "Prod") -> CollectionKey:
    return CollectionKey(SUBSCRIPTION, group, name)


def a_collection(name: str = "Billing", *, group: str = "Prod", **fields: Any) -> Collection:
    return replace(Collection(key=a_key(name, group)), **fields)


def a_group(name: str = "Prod", **fields: Any) -> ResourceGroup:
    return replace(ResourceGroup(subscription=SUBSCRIPTION, name=name), **fields)


def a_job(collection_id: CollectionId, name: str = "Nightly", **fields: Any) -> Job:
    job = Job(collection_id=collection_id, name=name, definition=DEFINITION, calendar_at=NOW)
    return replace(job, **fields)


def a_run(job: Job, *, second: int = 0, **fields: Any) -> Run:
    """Return a planned run that waits; the second after NOW is when it is expected and due."""
    at = Instant(NOW + second * SECOND)
    run = Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=job.occurrence,
        expected_at=at,
        due_at=at,
        tag="tag",
    )
    return replace(run, **fields)


def a_lease(*, second: int = 60, node: str = "node", claim: str = "claim") -> Lease:
    """Return a lease until a second after NOW."""
    return Lease(node, claim, Instant(NOW + second * SECOND))


def an_entry(job_id: JobId, *, second: int = 0, **fields: Any) -> HistoryEntry:
    start = Instant(NOW + second * SECOND)
    entry = HistoryEntry(
        job_id=job_id,
        started_at=start,
        ended_at=Instant(start + SECOND),
        expected_at=start,
        status=AttemptStatus.COMPLETED,
        message="200 OK",
        retry_count=0,
        repeat_count=0,
        run_id=1,
    )
    return replace(entry, **fields)


def a_token(name: str = "deploy", **fields: Any) -> Token:
    token = Token(name=name, digest=name.encode(), role=Role.READER, created_at=NOW)
    return replace(token, **fields)


def a_deployment_key(name: str = "main", group: str = "Prod") -> DeploymentKey:
    return DeploymentKey(SUBSCRIPTION, group, name)


def a_deployment(name: str = "main", *, group: str = "Prod", **fields: Any) -> Deployment:
    deployment = Deployment(
        key=a_deployment_key(name, group),
        deployed_at=NOW,
        correlation_id="an-id",
        template_hash="1",
        parameters={},
        outputs={},
    )
    return replace(deployment, **fields)


def timetable(
    recurrence: dict[str, Any] | None = None, *, start: str | None = None, now: str = NOW_TEXT
) -> Timetable:
    """Return the timetable of a job with this calendar, saved now."""
    job = Properties({"recurrence": recurrence, "startTime": start})
    return accept(decode_recurrence(job), decode_start(job), at(now))


def times(table: Timetable, count: int) -> list[str]:
    """Return the first occurrences as text."""
    return [format_instant(each) for each in islice(occurrences(table), count)]


def at(text: str) -> Instant:
    return parse_instant(text)
