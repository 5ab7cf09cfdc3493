"""The tab Changes of a job and of a collection: who changed which field, and when.

A job that was deleted has this page too: it leads to the form that creates it again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.audit import entry_changes, writable
from foliot.app.dashboard import JobDetails
from foliot.app.listing_page import Page
from foliot.core.errors import JobNotFound
from foliot.core.model.audit import AuditAction, AuditEntry, CollectionSnapshot, JobSnapshot
from foliot.core.rules.job_moves import JobPlace
from foliot.portal import urls
from foliot.portal.missing_jobs import find_missing_job, link_to, move_words
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.audit import EntryRow, entry_row, position_in
from foliot.portal.pages.job import job_values
from foliot.portal.pages.jobs import collection_values
from foliot.portal.pages.shown_changes import ShownChange, shown_changes

TAB: Final = "changes"
_PER_PAGE: Final = 25
_DELETED: Final = "deleted"


class ChangeRow(NamedTuple):
    """An entry of the log with its changed fields, and where its former version can be restored."""

    row: EntryRow
    changes: Sequence[ShownChange]
    restore: str

    @property
    def entry(self) -> AuditEntry:
        """The entry."""
        return self.row.entry


async def show_job(request: PageRequest) -> Response:
    """Show the changes of a job, also of a deleted one."""
    after = position_in(request.query.get("after"))
    entries = await request.use_cases.audit.list_changes(
        request.who, request.key, Page(_PER_PAGE + 1, after=after), job=request.job
    )
    found = await find_job(request)
    if found is None and not entries:
        raise JobNotFound(request.job)
    values = _listing(request, entries, urls.job(request.key, request.job, TAB), {})
    if found is None:
        place = (await find_missing_job(request)).place
        where = move_words(request, place) if place else "This job does not exist any more"
        return request.render_page(
            "job_changes_deleted.html",
            key=request.key,
            name=request.job,
            words=f"{where}.",
            now_at=link_to(place) if place else None,
            **values,
        )
    return request.render_page("job_changes.html", tab=TAB, **values, **job_values(found))


async def show_collection(request: PageRequest) -> Response:
    """Show the changes of a collection and of everything in it."""
    is_deleted = request.query.get("only") == _DELETED
    entries = await request.use_cases.audit.list_changes(
        request.who,
        request.key,
        Page(_PER_PAGE + 1, after=position_in(request.query.get("after"))),
        action=AuditAction.DELETED if is_deleted else None,
    )
    found = await request.use_cases.dashboard.collection(request.who, request.key)
    places = await request.use_cases.audit.current_places(request.who, entries)
    address = urls.collection(request.key, TAB)
    return request.render_page(
        "collection_changes.html",
        is_deleted=is_deleted,
        **_listing(request, entries, address, places, only=_DELETED if is_deleted else ""),
        **collection_values(found, TAB),
    )


async def find_job(request: PageRequest) -> JobDetails | None:
    """Return the job that the address names, None if it was deleted."""
    try:
        return await request.use_cases.dashboard.job(request.who, request.key, request.job)
    except JobNotFound:
        return None


def _listing(
    request: PageRequest,
    entries: Sequence[AuditEntry],
    address: str,
    places: Mapping[int, JobPlace],
    **query: str,
) -> dict[str, Any]:
    shown, following = entries[:_PER_PAGE], ""
    if len(entries) > _PER_PAGE:
        last = shown[-1]
        following = urls.with_query(address, **query, after=f"{last.at}:{last.id}")
    return {
        "rows": [_change_row(request, writable(entry), places.get(entry.id)) for entry in shown],
        "newest": urls.with_query(address, **query) if request.query.get("after") else "",
        "following": following,
    }


def _change_row(request: PageRequest, entry: AuditEntry, job: JobPlace | None) -> ChangeRow:
    changes = shown_changes(entry_changes(entry))
    return ChangeRow(entry_row(entry, job), changes, _restore_address(request, entry))


def _restore_address(request: PageRequest, entry: AuditEntry) -> str:
    if not has_former_version(entry):
        return ""
    if isinstance(entry.before, CollectionSnapshot):
        return urls.collection(request.key, TAB, str(entry.id))
    return urls.job(request.key, entry.subject.name or "", TAB, str(entry.id))


def has_former_version(entry: AuditEntry) -> bool:
    """Tell whether an entry has a version that can be restored.

    That is a job that the change replaced or deleted, or plan, quota and tags of a collection.
    """
    match entry.before, entry.after:
        case JobSnapshot() as before, JobSnapshot() as after:
            return after.definition != before.definition
        case JobSnapshot(), _:
            return True
        case CollectionSnapshot() as before, CollectionSnapshot() as after:
            return structs.replace(after, state=before.state, location=before.location) != before
        case _:
            return False
