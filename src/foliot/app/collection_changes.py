"""Change a collection together with all its jobs.

New limits are checked against every job, and enabling a collection gives every job a new next
occurrence. Both read all definitions, which takes long for a thousand jobs. So both are prepared
outside the transaction, which repeats them only for jobs that changed in the meantime.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, structs

from foliot.core.access import Principal, sees_all_of
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey, JobId, check_key
from foliot.core.instant import Instant
from foliot.core.model.audit import AuditDetails
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Job, JobState
from foliot.core.rules import lifecycle
from foliot.core.rules.audit_entries import collection_entry, first_names
from foliot.core.rules.quota import check_collection_count, check_jobs, check_present_jobs
from foliot.core.rules.settling import finished
from foliot.core.rules.tags_and_location import check_labels, is_same_location
from foliot.ports.store import JobMark, Reading, Store, Transaction

ReviseCollection = Callable[[Collection | None], Collection]

_ALL = 1_000_000


class Prepared(Struct, frozen=True, kw_only=True):
    """Jobs that are checked and resumed already, each valid while its mark is the same.

    With `tells_count` a refusal tells how many collections the subscription has: the caller may
    see all of them.
    """

    tells_count: bool = False
    checked_for: Collection | None = None
    checked: Mapping[JobId, JobMark] = {}
    resumed_from: Mapping[JobId, JobMark] = {}
    resumed: Mapping[JobId, Job] = {}


async def prepare_change(
    store: Store, who: Principal, key: CollectionKey, revise: ReviseCollection, now: Instant
) -> Prepared:
    """Do outside the transaction what takes long because it needs all jobs."""
    tells_count = sees_all_of(who, key.subscription)
    old = await store.read(lambda reading: reading.collection(key))
    if old is None or not _needs_all_jobs(old, new := _revised(old, revise(old))):
        return Prepared(tells_count=tells_count)
    found = await store.browse(lambda reading: _prepare(reading, old, new, now))
    return structs.replace(found, tells_count=tells_count)


def _needs_all_jobs(old: Collection, new: Collection) -> bool:
    return _has_new_limits(old, new) or _is_enabled(old, new)


def _prepare(reading: Reading, old: Collection, new: Collection, now: Instant) -> Prepared:
    """Check all jobs against new limits, and compute next occurrences if they are resumed."""
    marks = reading.job_marks(old.id)
    prepared = Prepared()
    if _has_new_limits(old, new):
        jobs = reading.jobs(old.id, limit=_ALL)
        check_present_jobs(new, [job.name for job in jobs])
        check_jobs(new, jobs)
        prepared = structs.replace(prepared, checked_for=new, checked=marks)
    if _is_enabled(old, new):
        # Jobs in other states stay as they are, and need not even be readable.
        enabled = reading.jobs(old.id, state=JobState.ENABLED, limit=_ALL)
        resumed = {job.id: resumed_job(job, marks[job.id].open_runs, now) for job in enabled}
        prepared = structs.replace(prepared, resumed_from=marks, resumed=resumed)
    return prepared


def put_collection(
    transaction: Transaction,
    old: Collection | None,
    wanted: Collection,
    prepared: Prepared,
    change: Change,
) -> tuple[Collection, bool]:
    """Store a new collection, or a changed one; return it, and whether it is new."""
    if old is None:
        return add_collection(transaction, wanted, change, tells_count=prepared.tells_count), True
    return _change_collection(transaction, old, wanted, prepared, change), False


def add_collection(
    transaction: Transaction, new: Collection, change: Change, *, tells_count: bool
) -> Collection:
    """Store a new collection if its plan allows one more."""
    check_key(new.key)
    check_labels(new)
    present = transaction.count_collections(new.key.subscription, new.sku)
    check_collection_count(new.sku, present, tells=tells_count)
    added = transaction.add_collection(structs.replace(_changed(new, change), created_at=change.at))
    transaction.add_audit_entries(collection_entry(change, None, added))
    return added


def delete_collection(transaction: Transaction, collection: Collection, change: Change) -> None:
    """Remove a collection with its jobs; the audit log gets one entry for all."""
    names = [mark.name for mark in transaction.job_marks(collection.id).values()]
    details = AuditDetails(jobs=len(names), names=first_names(names))
    transaction.add_audit_entries(collection_entry(change, collection, None, details))
    transaction.delete_collection(collection.id)


def _change_collection(
    transaction: Transaction,
    old: Collection,
    wanted: Collection,
    prepared: Prepared,
    change: Change,
) -> Collection:
    """Store a changed collection if its plan and its jobs allow it."""
    new = _revised(old, wanted)
    check_labels(new, old)
    if new.sku is not old.sku:
        present = transaction.count_collections(old.key.subscription, new.sku)
        check_collection_count(new.sku, present, tells=prepared.tells_count)
    if _has_new_limits(old, new):
        _check_limits(transaction, new, prepared)
    if new != old:
        new = _changed(new, change)
        transaction.save_collection(new)
        transaction.add_audit_entries(collection_entry(change, old, new))
    if _is_enabled(old, new):
        _resume_jobs(transaction, new, prepared, change.at)
    return new


def resumed_job(job: Job, open_runs: int, now: Instant) -> Job:
    """Return the resumed job, or its final state if it has no open run and no next occurrence."""
    resumed = lifecycle.resume(job, now)
    is_idle = resumed.next_at is None and open_runs == 0
    return finished(resumed, now) if is_idle else resumed


def _revised(old: Collection, wanted: Collection) -> Collection:
    if not is_same_location(old.location, wanted.location):
        raise Conflict(
            f"The location of the collection '{old.key.name}' is '{old.location}' "
            f"and cannot be changed to '{wanted.location}'."
        )
    return structs.replace(
        wanted,
        id=old.id,
        key=old.key,
        location=old.location or wanted.location,
        created_at=old.created_at,
        changed_at=old.changed_at,
        changed_by=old.changed_by,
    )


def _changed(collection: Collection, change: Change) -> Collection:
    return structs.replace(collection, changed_at=change.at, changed_by=change.by)


def _has_new_limits(old: Collection, new: Collection) -> bool:
    return (new.sku, new.quota) != (old.sku, old.quota)


def _is_enabled(old: Collection, new: Collection) -> bool:
    return new.state is CollectionState.ENABLED and old.state is not CollectionState.ENABLED


def _check_limits(transaction: Transaction, new: Collection, prepared: Prepared) -> None:
    marks = transaction.job_marks(new.id)
    known = prepared.checked_for
    is_checked = known is not None and not _has_new_limits(known, new)
    seals = {job_id: mark.seal for job_id, mark in prepared.checked.items() if is_checked}
    check_present_jobs(new, [mark.name for mark in marks.values()])
    unchecked = [mark.name for job_id, mark in marks.items() if seals.get(job_id) != mark.seal]
    check_jobs(new, _jobs_named(transaction, new.key, unchecked))


def _resume_jobs(
    transaction: Transaction, collection: Collection, prepared: Prepared, now: Instant
) -> None:
    """Resume enabled jobs from now: missed occurrences are skipped, open runs continue."""
    # Jobs before runs, the order in which settling locks them: the other one could deadlock.
    all_marks = transaction.job_marks(collection.id)
    marks = {each: mark for each, mark in all_marks.items() if mark.state is JobState.ENABLED}
    transaction.make_all_runs_due(collection.id, now)
    same = {job_id for job_id, mark in marks.items() if prepared.resumed_from.get(job_id) == mark}
    changed = [mark.name for job_id, mark in marks.items() if job_id not in same]
    resumed = [prepared.resumed[job_id] for job_id in same] + [
        resumed_job(job, marks[job.id].open_runs, now)
        for job in _jobs_named(transaction, collection.key, changed)
    ]
    going_on = [job for job in resumed if job.state is JobState.ENABLED]
    transaction.advance_jobs(going_on)
    for job in resumed:
        if job.state is not marks[job.id].state:
            transaction.advance_job(job)


def _jobs_named(
    transaction: Transaction, key: CollectionKey, names: Sequence[str]
) -> Sequence[Job]:
    located = (transaction.located_job(key, name) for name in names)
    return [found[1] for found in located if found is not None and found[1] is not None]
