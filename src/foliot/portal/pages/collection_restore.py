"""Restores plan, quota and tags of a former version of a collection, after showing the changes."""

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.audit import encode_snapshot, writable
from foliot.api.wire.audit_changes import changes_between
from foliot.app.collection_changes import ReviseCollection
from foliot.core.access import require
from foliot.core.errors import AuditEntryNotFound, Conflict, Invalid
from foliot.core.model.audit import AuditEntry, CollectionSnapshot
from foliot.core.model.collection import Collection
from foliot.core.model.token import Role
from foliot.core.rules.audit_snapshots import collection_snapshot
from foliot.portal import urls
from foliot.portal.forms.collection import COLLECTION_FORM
from foliot.portal.forms.problems import explain
from foliot.portal.page_request import GOOD, PageRequest, fingerprint_of
from foliot.portal.pages.audit import is_number
from foliot.portal.pages.changes import TAB, has_former_version
from foliot.portal.pages.jobs import collection_values
from foliot.portal.pages.shown_changes import shown_changes

_CONFLICT = 409


async def show(request: PageRequest) -> Response:
    """Show what the restoration of a version would change."""
    entry, snapshot = await _find_version(request)
    return await _show(request, entry, snapshot)


async def restore(request: PageRequest) -> Response:
    """Save plan, quota and tags of a former version."""
    require(request.who, Role.CONTRIBUTOR)
    entry, snapshot = await _find_version(request)
    try:
        await request.use_cases.collections.save_collection(
            request.who, request.key, _revised(request, snapshot), must_exist=True
        )
    except (Conflict, Invalid) as refusal:
        return await _show(request, entry, snapshot, explain(refusal, COLLECTION_FORM))
    return request.redirect(urls.collection(request.key), (GOOD, "Version restored."))


async def _show(
    request: PageRequest, entry: AuditEntry, snapshot: CollectionSnapshot, problem: str = ""
) -> Response:
    found = await request.use_cases.dashboard.collection(request.who, request.key)
    now = collection_snapshot(found.collection)
    then = collection_snapshot(_with_version(found.collection, snapshot))
    return request.render_page(
        "collection_restore.html",
        http_status=_CONFLICT if problem else 200,
        entry=entry,
        changes=shown_changes(changes_between(encode_snapshot(now), encode_snapshot(then))),
        problem=problem,
        was=_mark(found.collection),
        address=urls.collection(request.key, TAB, request.names["entry"]),
        **collection_values(found, TAB),
    )


async def _find_version(request: PageRequest) -> tuple[AuditEntry, CollectionSnapshot]:
    text = request.names["entry"]
    if not is_number(text):
        raise AuditEntryNotFound(text)
    entry = writable(await request.use_cases.audit.get_change(request.who, request.key, int(text)))
    if not has_former_version(entry) or not isinstance(entry.before, CollectionSnapshot):
        raise AuditEntryNotFound(entry.id)
    return entry, entry.before


def _revised(request: PageRequest, snapshot: CollectionSnapshot) -> ReviseCollection:
    def revise(old: Collection | None) -> Collection:
        assert old is not None  # noqa: S101  (it must exist)
        if _mark(old) != request.form.get("was"):
            raise Conflict("The collection was changed meanwhile. Compare again, then restore.")
        return _with_version(old, snapshot)

    return revise


def _with_version(collection: Collection, snapshot: CollectionSnapshot) -> Collection:
    """Return a collection with a former version; its state stays, its location cannot change."""
    return structs.replace(collection, tags=snapshot.tags, sku=snapshot.sku, quota=snapshot.quota)


def _mark(collection: Collection) -> str:
    """Return what tells whether a collection was changed."""
    return fingerprint_of(encode_snapshot(collection_snapshot(collection)))
