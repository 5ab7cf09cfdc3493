"""The audit log: all of it for Owners; changes of one collection and its jobs for Contributors."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Final, NamedTuple

from msgspec import structs

from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change
from foliot.core.access import Principal, check_sight, require, scope_of, sees
from foliot.core.errors import AuditEntryNotFound, NotReadableHere, Unreadable
from foliot.core.ids import CollectionKey
from foliot.core.model.audit import AuditAction, AuditEntry, AuditFilter, AuditKind, Author
from foliot.core.model.token import Role
from foliot.core.rules.job_moves import JobPlace, moved_to, place_of
from foliot.ports.store import AuditPosition, Reading, Store

AuditPage = Page[AuditPosition]
_MOST_MOVES: Final = 5


class MissingJob(NamedTuple):
    """A job that is not where it was: deleted, or moved to a place that the caller may see.

    Without either it was moved elsewhere, or the log does not tell.
    """

    is_deleted: bool = False
    place: JobPlace | None = None


class AuditLog:
    """What callers can read of the audit log. Use cases write it, each in its own transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_entries(
        self, who: Principal, wanted: AuditFilter, page: AuditPage
    ) -> Sequence[AuditEntry]:
        """Return entries about what lies in the caller's scope, the newest first."""
        require(who, Role.OWNER)

        def view(reading: Reading) -> Sequence[AuditEntry]:
            return reading.audit_entries(who.scope, wanted, after=page.after, limit=page.limit)

        return await self._store.browse(view)

    async def get_entry(self, who: Principal, entry_id: int) -> AuditEntry:
        """Return an entry about something in the caller's scope."""
        require(who, Role.OWNER)
        found = await self._store.read(lambda reading: reading.audit_entry(who.scope, entry_id))
        if found is None:
            raise AuditEntryNotFound(entry_id)
        return found

    async def list_changes(
        self,
        who: Principal,
        key: CollectionKey,
        page: AuditPage,
        *,
        job: str | None = None,
        action: AuditAction | None = None,
    ) -> Sequence[AuditEntry]:
        """Return the changes of a collection and what is in it, or of one job, the newest first.

        A job that was deleted has changes as well.
        """
        check_may_change(who, key)
        wanted = AuditFilter(
            has_tokens=_sees_all(who),
            kind=None if job is None else AuditKind.JOB,
            action=action,
            subscription=key.subscription,
            group=key.group,
            collection=key.name,
            name=job,
        )

        def view(reading: Reading) -> Sequence[AuditEntry]:
            return reading.audit_entries(who.scope, wanted, after=page.after, limit=page.limit)

        return [_shown_to(who, entry) for entry in await self._store.browse(view)]

    async def current_places(
        self, who: Principal, entries: Sequence[AuditEntry]
    ) -> Mapping[int, JobPlace]:
        """Return by the ids of entries where their jobs are now, followed through moves.

        A job that was deleted, or moved out of the caller's scope, has no place.
        """
        about_jobs = [each for each in entries if each.subject.kind is AuditKind.JOB]

        def view(reading: Reading) -> Mapping[int, JobPlace]:
            present = cache(partial(_is_present, reading))
            departures = cache(partial(_departure, reading, who))
            found: dict[int, JobPlace] = {}
            for each in about_jobs:
                place = _current_place(each, present, departures)
                if place is not None and sees(who, place.key):
                    found[each.id] = place
            return found

        return await self._store.browse(view)

    async def find_missing_job(self, who: Principal, key: CollectionKey, name: str) -> MissingJob:
        """Return what became of a job that its collection has no more."""
        check_sight(who, key)
        wanted = _entries_about(JobPlace(key, name))

        def view(reading: Reading) -> MissingJob:
            last = next(iter(reading.audit_entries(who.scope, wanted, limit=1)), None)
            if last is None or last.action is AuditAction.DELETED:
                return MissingJob(is_deleted=last is not None)
            place = _current_place(
                last, partial(_is_present, reading), partial(_departure, reading, who)
            )
            return MissingJob(place=place if place is not None and sees(who, place.key) else None)

        return await self._store.browse(view)

    async def get_change(
        self, who: Principal, key: CollectionKey, entry_id: int, *, job: str | None = None
    ) -> AuditEntry:
        """Return a change of a job, or of the collection itself."""
        check_may_change(who, key)
        scope = scope_of(key)
        found = await self._store.read(lambda reading: reading.audit_entry(scope, entry_id))
        if found is None or not _is_about(found, job):
            raise AuditEntryNotFound(entry_id)
        return _shown_to(who, found)


def _current_place(
    entry: AuditEntry,
    is_present: Callable[[JobPlace], bool],
    departure_from: Callable[[JobPlace], AuditEntry | None],
) -> JobPlace | None:
    place, since = place_of(entry.subject), entry.at
    for _ in range(_MOST_MOVES):
        if is_present(place):
            return place
        moved = departure_from(place)
        following = None if moved is None or moved.at < since else moved_to(moved)
        if moved is None or following is None:
            return None
        place, since = following, moved.at
    return None


def _is_present(reading: Reading, place: JobPlace) -> bool:
    try:
        found = reading.located_job(place.key, place.name)
    except (Unreadable, NotReadableHere):
        return True
    return found is not None and found[1] is not None


def _departure(reading: Reading, who: Principal, place: JobPlace) -> AuditEntry | None:
    """Return the newest entry of a move from or to a place."""
    wanted = _entries_about(place, AuditAction.MOVED)
    return next(iter(reading.audit_entries(who.scope, wanted, limit=1)), None)


def _entries_about(place: JobPlace, action: AuditAction | None = None) -> AuditFilter:
    return AuditFilter(
        kind=AuditKind.JOB,
        action=action,
        subscription=place.key.subscription,
        group=place.key.group,
        collection=place.key.name,
        name=place.name,
    )


def _is_about(entry: AuditEntry, job: str | None) -> bool:
    """Tell whether an entry is about a job, or about a collection if there is no job."""
    subject = entry.subject
    if job is None:
        return subject.kind is AuditKind.COLLECTION
    return subject.kind is AuditKind.JOB and (subject.name or "").lower() == job.lower()


def _sees_all(who: Principal) -> bool:
    return who.role is Role.OWNER


def _shown_to(who: Principal, entry: AuditEntry) -> AuditEntry:
    """Return an entry; only an Owner sees the token, the address and the request behind a name."""
    if _sees_all(who):
        return entry
    return structs.replace(entry, author=Author(name=entry.author.name))
