"""What has to change so that a server matches files.

A job is compared as the server would answer it: the file's properties are decoded and encoded by
the API's own code, and its calendar counts as equal where the server would leave its own as it is.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from foliot.api.wire.collection import decode_collection, encode_collection
from foliot.cli.files.alerts import AlertPlan, plan_alerts
from foliot.cli.files.changes import ChangeKind, FieldChange, differences
from foliot.cli.files.current import ENDED, ServerCollection, ServerJob
from foliot.cli.files.decoded_files import FileCollection, FileJob, decoded_job, encoded
from foliot.cli.files.masking import refusal_at
from foliot.cli.files.upcoming import (
    DaysByName,
    UpcomingRuns,
    runs_after_change,
    runs_of_new_job,
    runs_on_server,
)
from foliot.client.calls import FoliotClient
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid, path_text, within
from foliot.core.ids import CollectionKey, check_key, check_name
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, JobState
from foliot.core.recurrence import DateRange
from foliot.core.rules.lifecycle import same_calendar, with_old_calendar_if_equal
from foliot.serve.progress import ProgressLine

# What the server tells of a certificate that a file may leave out, since it is kept.
_OF_CERTIFICATES = frozenset(
    f"certificate{each}" for each in ("Thumbprint", "Expiration", "ExpirationDate", "SubjectName")
)


class JobPlan(Struct, frozen=True, kw_only=True):
    """What happens to a job; a deleted one has no `job`, an unchanged calendar no `before`."""

    name: str
    kind: ChangeKind
    job: FileJob | None = None
    fields: Sequence[FieldChange] = ()
    before: UpcomingRuns | None = None
    after: UpcomingRuns | None = None


class CalendarPlan(Struct, frozen=True, kw_only=True):
    """What happens to a calendar."""

    name: str
    kind: ChangeKind
    dates: tuple[DateRange, ...] = ()
    added: Sequence[str] = ()
    removed: Sequence[str] = ()


class CollectionPlan(Struct, frozen=True, kw_only=True):
    """What happens to a collection; `body` is to be saved, None if it stays as it is."""

    current: ServerCollection
    is_new: bool
    body: JsonObject | None
    fields: Sequence[FieldChange]
    calendars: Sequence[CalendarPlan]
    jobs: Sequence[JobPlan]
    alerts: Sequence[AlertPlan]
    unchanged: int
    kept: int

    @property
    def collection(self) -> Collection:
        """The collection as it will be, or stays."""
        key = self.current.key
        if self.body is None:
            return _decoded(self.current.attributes, key)
        return decode_collection(self.body, key, knows_premium_tiers=True)

    @property
    def has_changes(self) -> bool:
        """Whether there is something to do."""
        return self.body is not None or any((self.calendars, self.jobs, self.alerts))


class PlanOptions(Struct, frozen=True):
    """Whether what files do not name is deleted, and secrets are sent again."""

    prune: bool = False
    resend_secrets: bool = False


class Comparing(Struct, frozen=True):
    """What every comparison needs: the server, the options, the present, and who is told of it."""

    client: FoliotClient
    options: PlanOptions
    now: Instant
    line: ProgressLine


def plan_collection(
    comparing: Comparing, wanted: FileCollection, current: ServerCollection
) -> CollectionPlan:
    """Compare a collection of files with that of the server."""
    options = comparing.options
    if not current.exists:
        with within(f"{wanted.origin}, collection"):
            check_key(wanted.key)
    body, fields = _attributes(wanted, current)
    calendars = list(_calendars(wanted, current, options))
    comparison = _Comparison(comparing, wanted, current)
    told = f"Jobs of {current.key.name} are compared"
    jobs = comparing.line.each(told, wanted.jobs or ())
    planned = {each.name: comparison.plan(each) for each in jobs}
    named = {each.name.lower() for each in wanted.jobs or ()}
    others = [
        each
        for folded, each in current.jobs.items()
        if folded not in named and each.state not in ENDED
    ]
    prunes = options.prune and wanted.jobs is not None
    deleted = [JobPlan(name=each.name, kind=ChangeKind.DELETE) for each in others if prunes]
    changed = [each for each in planned.values() if each is not None]
    return CollectionPlan(
        current=current,
        is_new=not current.exists,
        body=body,
        fields=fields,
        calendars=calendars,
        jobs=[*changed, *deleted],
        alerts=[
            *plan_alerts(
                wanted.alerts,
                current.alerts,
                prune=options.prune,
                resend_secrets=options.resend_secrets,
            )
        ],
        unchanged=len(planned) - len(changed),
        kept=len(others) - len(deleted),
    )


def _attributes(
    wanted: FileCollection, current: ServerCollection
) -> tuple[JsonObject | None, Sequence[FieldChange]]:
    """Return the collection to be saved; what files do not say stays as it is."""
    old = _normalised(current.attributes, current.key)
    given = {**current.attributes, **wanted.attributes}
    try:
        present: JsonObject = {name: each for name, each in given.items() if each is not None}
        new = _normalised(present, current.key)
    except Invalid as refusal:
        raise refusal_at(f"{wanted.origin}, collection", refusal) from None
    fields = [FieldChange(path_text(path), *pair) for path, *pair in differences(old, new)]
    return (new if fields or not current.exists else None), fields if current.exists else ()


def _normalised(attributes: JsonObject, key: CollectionKey) -> JsonObject:
    found = encode_collection(_decoded(attributes, key), knows_premium_tiers=True)
    return {name: each for name, each in found.items() if name not in {"id", "type", "name"}}


def _decoded(attributes: JsonObject, key: CollectionKey) -> Collection:
    inner: JsonObject = {n: attributes[n] for n in ("sku", "state", "quota") if n in attributes}
    body: JsonObject = {n: attributes[n] for n in ("location", "tags") if n in attributes}
    return decode_collection({**body, "properties": inner}, key, knows_premium_tiers=True)


def _calendars(
    wanted: FileCollection, current: ServerCollection, options: PlanOptions
) -> Iterator[CalendarPlan]:
    given = wanted.calendars
    if given is None:
        return
    for name, dates in given.items():
        _, old = current.calendars.get(name.lower(), (name, None))
        if old == dates:
            continue
        before, after = [*map(str, old or ())], [*map(str, dates)]
        yield CalendarPlan(
            name=name,
            kind=ChangeKind.CREATE if old is None else ChangeKind.CHANGE,
            dates=dates,
            added=[each for each in after if each not in before],
            removed=[each for each in before if each not in after],
        )
    named = {name.lower() for name in given}
    for folded, (name, _) in current.calendars.items():
        if options.prune and folded not in named:
            yield CalendarPlan(name=name, kind=ChangeKind.DELETE)


class _Comparison:
    """Compares the jobs of one collection."""

    def __init__(
        self, comparing: Comparing, wanted: FileCollection, current: ServerCollection
    ) -> None:
        self._client = comparing.client
        self._current = current
        self._options = comparing.options
        self._now = comparing.now
        own = {name.lower(): (name, dates) for name, dates in (wanted.calendars or {}).items()}
        self._calendars: DaysByName = {**current.calendars, **own}
        self._has_new_days = any(current.calendars.get(name) != each for name, each in own.items())

    def plan(self, job: FileJob) -> JobPlan | None:
        """Return what happens to a job; None if it stays as it is."""
        old = self._current.jobs.get(job.name.lower())
        if old is None:
            with within(f"{job.origin}, job {job.name}"):
                check_name((), job.name)
            after = runs_of_new_job(job, self._calendars, self._now)
            return JobPlan(name=job.name, kind=ChangeKind.CREATE, job=job, after=after)
        definition, moves = self._as_saved(job, old)
        fields = list(self._fields(job, old, definition))
        if not fields:
            resends = self._options.resend_secrets and job.has_secrets
            kind = ChangeKind.RESEND
            return JobPlan(name=old.name, kind=kind, job=job) if resends else None
        moves = moves or any(each.path == "state" for each in fields)
        before, after = self._runs(job, old, definition) if moves else (None, None)
        return JobPlan(
            name=old.name,
            kind=ChangeKind.CHANGE,
            job=job,
            fields=fields,
            before=before,
            after=after,
        )

    def _as_saved(self, job: FileJob, old: ServerJob) -> tuple[Definition, bool]:
        """Return the definition that a save would store, and whether its calendar is another."""
        try:
            stored = decoded_job(old.properties, self._current.key, old.name).definition
        except Invalid:
            # A server of a later version may have rules that this one does not know.
            return job.definition, True
        if same_calendar(stored, job.definition):
            return with_old_calendar_if_equal(stored, job.definition), False
        return job.definition, True

    def _fields(
        self, job: FileJob, old: ServerJob, definition: Definition
    ) -> Iterator[FieldChange]:
        state = job.state or JobState.ENABLED
        # A job that has ended stays so: to ask for it again would change nothing.
        wanted = old.state if old.state in ENDED else state.value
        before: JsonObject = {**old.properties, "state": old.state}
        after: JsonObject = {**encoded(definition), "state": wanted}
        for path, mine, yours in differences(before, after):
            if yours is None and path[-1] in _OF_CERTIFICATES:
                continue
            shown = job.places.shown
            was, becomes = shown(path, mine, is_new=False), shown(path, yours, is_new=True)
            yield FieldChange(path_text(path), was, becomes)

    def _runs(
        self, job: FileJob, old: ServerJob, definition: Definition
    ) -> tuple[UpcomingRuns, UpcomingRuns]:
        key, client = self._current.key, self._client
        none = UpcomingRuns(note="none")
        before = runs_on_server(client, key, old.name) if old.state == "enabled" else none
        if job.state is JobState.DISABLED:
            return before, none
        if self._has_new_days:
            return before, runs_of_new_job(job, self._calendars, self._now)
        return before, runs_after_change(client, key, old.name, definition)
