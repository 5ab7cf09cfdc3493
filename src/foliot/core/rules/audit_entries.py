"""Makes the entries of the audit log, one for each change that a caller, or a policy, makes."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from msgspec import structs

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.alert import Alert
from foliot.core.model.audit import (
    NO_DETAILS,
    AuditAction,
    AuditDetails,
    AuditEntry,
    AuditKind,
    AuditSubject,
    Author,
    Snapshot,
)
from foliot.core.model.calendar import Calendar
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.deployment import DeploymentKey
from foliot.core.model.failure import FailureMute
from foliot.core.model.job import Job, JobState
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.model.run import DueRun
from foliot.core.model.token import Token
from foliot.core.rules.audit_snapshots import (
    alert_snapshot,
    bounded,
    calendar_snapshot,
    collection_snapshot,
    group_snapshot,
    job_snapshot,
    token_snapshot,
)
from foliot.core.rules.job_moves import arrival, departure

# Of a bulk operation the entry names so many of the things that it concerned.
MAX_NAMES: Final = 100
# Who disables a job whose policy says so.
POLICY: Final = Author(name="policy")

_STATE_ACTIONS: Final = {
    JobState.ENABLED: AuditAction.ENABLED,
    JobState.DISABLED: AuditAction.DISABLED,
    CollectionState.ENABLED: AuditAction.ENABLED,
    CollectionState.DISABLED: AuditAction.DISABLED,
}


def job_entry(
    change: Change, key: CollectionKey, before: Job | None, after: Job | None
) -> AuditEntry:
    """Return the entry of a job that was created, changed, enabled, disabled or deleted."""
    job = after or before
    assert job is not None  # noqa: S101  (there was one before the change, or is one after it)
    return _entry(
        change,
        _job_action(before, after),
        _job_subject(key, job.name),
        before=None if before is None else job_snapshot(before),
        after=None if after is None else job_snapshot(after, before),
    )


def moved_job_entries(
    change: Change, source: CollectionKey, target: CollectionKey, before: Job, after: Job
) -> tuple[AuditEntry, AuditEntry]:
    """Return the entries of a job that was moved or copied: one where it was, one where it is."""
    here, there = _job_subject(source, before.name), _job_subject(target, after.name)
    to, origin = departure(there), arrival(here)
    snapshot = job_snapshot(after)
    if after.id != before.id:
        copied = _entry(change, AuditAction.COPIED, here, details=to)
        return copied, _entry(change, AuditAction.CREATED, there, after=snapshot, details=origin)
    moved = _entry(change, AuditAction.MOVED, here, before=job_snapshot(before), details=to)
    return moved, _entry(change, AuditAction.MOVED, there, after=snapshot, details=origin)


def unreadable_job_entry(change: Change, key: CollectionKey, name: str) -> AuditEntry:
    """Return the entry of a job that was deleted though its definition could not be read."""
    return _entry(change, AuditAction.DELETED, _job_subject(key, name))


def runs_entry(
    change: Change, key: CollectionKey, name: str | None, action: AuditAction, details: AuditDetails
) -> AuditEntry:
    """Return the entry of runs that a caller started, retried, repeated or canceled, or of a test.

    A test may be one of a job that is not stored: it is told of the collection.
    """
    collection = _collection_subject(key, AuditKind.COLLECTION)
    subject = collection if name is None else _job_subject(key, name)
    return _entry(change, action, subject, details=details)


def paused_entry(due: DueRun, job: Job, at: Instant) -> AuditEntry:
    """Return the entry of a job that its policy has disabled at the end of a run."""
    entry = job_entry(Change(at, POLICY.name, POLICY), due.collection.key, due.job, job)
    return structs.replace(entry, details=AuditDetails(reason=job.paused_because))


def collection_entry(
    change: Change,
    before: Collection | None,
    after: Collection | None,
    details: AuditDetails = NO_DETAILS,
) -> AuditEntry:
    """Return the entry of a collection that was created, changed or deleted."""
    collection = after or before
    assert collection is not None  # noqa: S101  (as of a job)
    key = collection.key
    return _entry(
        change,
        _collection_action(before, after),
        _collection_subject(key, AuditKind.COLLECTION),
        before=None if before is None else collection_snapshot(before),
        after=None if after is None else collection_snapshot(after),
        details=details,
    )


def calendar_entry(
    change: Change,
    key: CollectionKey,
    before: Calendar | None,
    after: Calendar | None,
    jobs: int | None = None,
) -> AuditEntry:
    """Return the entry of a calendar that was created, changed or deleted."""
    calendar = after or before
    assert calendar is not None  # noqa: S101  (as of a job)
    return _entry(
        change,
        _action(before, after),
        structs.replace(_collection_subject(key, AuditKind.CALENDAR), name=calendar.name),
        before=None if before is None else calendar_snapshot(before),
        after=None if after is None else calendar_snapshot(after),
        details=AuditDetails(jobs=jobs),
    )


def alert_entry(
    change: Change, key: CollectionKey, before: Alert | None, after: Alert | None
) -> AuditEntry:
    """Return the entry of an alert that was created, changed, enabled, disabled or deleted."""
    alert = after or before
    assert alert is not None  # noqa: S101  (as of a job)
    return _entry(
        change,
        _alert_action(before, after),
        _alert_subject(key, alert.name),
        before=None if before is None else alert_snapshot(before),
        after=None if after is None else alert_snapshot(after, before),
    )


def unreadable_alert_entry(change: Change, key: CollectionKey, name: str) -> AuditEntry:
    """Return the entry of an alert that was deleted though it could not be read."""
    return _entry(change, AuditAction.DELETED, _alert_subject(key, name))


def group_entry(
    change: Change,
    before: ResourceGroup | None,
    after: ResourceGroup | None,
    details: AuditDetails = NO_DETAILS,
) -> AuditEntry:
    """Return the entry of a resource group that was created, changed or deleted."""
    group = after or before
    assert group is not None  # noqa: S101  (as of a job)
    return _entry(
        change,
        _action(before, after),
        AuditSubject(kind=AuditKind.GROUP, subscription=group.subscription, group=group.name),
        before=None if before is None else group_snapshot(before),
        after=None if after is None else group_snapshot(after),
        details=details,
    )


def deployment_entry(
    change: Change,
    key: DeploymentKey,
    action: AuditAction,
    *,
    within: str | None,
    details: AuditDetails = NO_DETAILS,
) -> AuditEntry:
    """Return the entry of a deployment; `within` is the one collection of the caller's scope."""
    subject = AuditSubject(
        kind=AuditKind.DEPLOYMENT,
        subscription=key.subscription,
        group=key.group,
        collection=within,
        name=key.name,
    )
    return _entry(change, action, subject, details=details)


def token_entry(change: Change, action: AuditAction, token: Token) -> AuditEntry:
    """Return the entry of a token that was created or revoked."""
    subject = AuditSubject(
        kind=AuditKind.TOKEN,
        subscription=token.scope.subscription,
        group=token.scope.group,
        collection=token.scope.collection,
        name=token.name,
    )
    snapshot = token_snapshot(token)
    if action is AuditAction.REVOKED:
        return _entry(change, action, subject, before=snapshot)
    return _entry(change, action, subject, after=snapshot)


def failures_entry(change: Change, action: AuditAction, mute: FailureMute) -> AuditEntry:
    """Return the entry of failures that were muted or unmuted."""
    subject = AuditSubject(
        kind=AuditKind.FAILURES,
        subscription=mute.scope.subscription,
        group=mute.scope.group,
        collection=mute.scope.collection,
        name=mute.kind.text,
    )
    return _entry(change, action, subject, details=AuditDetails(until=mute.until))


def first_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return as many names as an entry keeps."""
    return tuple(islice(names, MAX_NAMES))


def _entry(  # noqa: PLR0913  (one for each part of an entry)
    change: Change,
    action: AuditAction,
    subject: AuditSubject,
    *,
    before: Snapshot | None = None,
    after: Snapshot | None = None,
    details: AuditDetails = NO_DETAILS,
) -> AuditEntry:
    (old, is_old_cut), (new, is_new_cut) = bounded(before), bounded(after)
    return AuditEntry(
        at=change.at,
        author=change.author,
        action=action,
        subject=subject,
        before=old,
        after=new,
        details=details,
        is_cut=is_old_cut or is_new_cut,
    )


def _job_action(before: Job | None, after: Job | None) -> AuditAction:
    if before is None or after is None or before.definition != after.definition:
        return _action(before, after)
    is_state = before.state is not after.state
    return _STATE_ACTIONS.get(after.state, AuditAction.UPDATED) if is_state else AuditAction.UPDATED


def _alert_action(before: Alert | None, after: Alert | None) -> AuditAction:
    if before is None or after is None or before.definition != after.definition:
        return _action(before, after)
    return AuditAction.ENABLED if after.is_enabled else AuditAction.DISABLED


def _collection_action(before: Collection | None, after: Collection | None) -> AuditAction:
    if before is None or after is None or before.state is after.state:
        return _action(before, after)
    same = collection_snapshot(structs.replace(after, state=before.state))
    is_state_alone = same == collection_snapshot(before)
    found = _STATE_ACTIONS.get(after.state, AuditAction.UPDATED)
    return found if is_state_alone else AuditAction.UPDATED


def _action(before: object, after: object) -> AuditAction:
    if before is None:
        return AuditAction.CREATED
    return AuditAction.DELETED if after is None else AuditAction.UPDATED


def _job_subject(key: CollectionKey, name: str) -> AuditSubject:
    return structs.replace(_collection_subject(key, AuditKind.JOB), name=name)


def _alert_subject(key: CollectionKey, name: str) -> AuditSubject:
    return structs.replace(_collection_subject(key, AuditKind.ALERT), name=name)


def _collection_subject(key: CollectionKey, kind: AuditKind) -> AuditSubject:
    return AuditSubject(
        kind=kind, subscription=key.subscription, group=key.group, collection=key.name
    )
