"""Collections: list, create, edit, delete."""

from typing import Any

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.collection import decode_collection, encode_collection
from foliot.api.wire.regions import region_names
from foliot.app.collection_changes import ReviseCollection
from foliot.core.access import require, sees_all_of_group
from foliot.core.errors import Conflict, Forbidden
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json, parse_json
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.token import Role
from foliot.core.recurrence import Frequency
from foliot.core.rules.quota import PLANS, max_jobs
from foliot.core.rules.tags_and_location import check_labels
from foliot.portal import urls
from foliot.portal.forms.collection import (
    COLLECTION_FORM,
    key_in,
    names_in,
    read_new_collection,
)
from foliot.portal.forms.conflict import (
    ChangedMeanwhile,
    LastChange,
    Merged,
    NameTaken,
    merge_forms,
    problem_of_conflict,
    with_theirs,
)
from foliot.portal.forms.fields import Values, posted_values, read_values, write_body
from foliot.portal.forms.labels import label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, problems_of, summary_of
from foliot.portal.page_request import GOOD, PageRequest, fingerprint_of

_PER_PAGE = 100
_MOST_CHARACTERS = 200
_BAD_REQUEST = 400
_CONFLICT = 409


BLANK_COLLECTION: Json = {"properties": {"sku": {"name": Sku.STANDARD.value}}}


class _CollectionDraft(Struct, frozen=True, kw_only=True):
    """The contents of a collection form, and its problems."""

    values: Values
    names: dict[str, str] | None = None
    collection: Collection | None = None
    problems: Problems = {}
    status: int = 200
    merged: Merged | None = None


async def show_all(request: PageRequest) -> Response:
    """Show the collections within the visitor's scope."""
    search, after = request.query.get("q").strip()[:_MOST_CHARACTERS], request.query.get("after")
    found = await request.use_cases.dashboard.collections(
        request.who, search, _key_of(after), limit=_PER_PAGE + 1
    )
    shown = found[:_PER_PAGE]
    last = shown[-1].collection.key if len(found) > _PER_PAGE else None
    fingerprint = fingerprint_of(shown, last)
    values: dict[str, Any] = {
        "found": shown,
        "search": search,
        "max_jobs": max_jobs,
        "following": "" if last is None else _address(search, after="/".join(last.folded)),
        "live": _address(search, after=after, seen=fingerprint),
    }
    if request.is_partial:
        return request.render_part_if_changed("collection_list.html", fingerprint, **values)
    may_create_one = await may_create(request)
    return request.render_page("collections.html", may_create=may_create_one, **values)


async def show_new(request: PageRequest) -> Response:
    """Show the form for a new collection."""
    require(request.who, Role.CONTRIBUTOR)
    if not await may_create(request):
        only = request.who.scope.collection
        raise Forbidden(f"This token is limited to the collection '{only}'.")
    values = read_values(BLANK_COLLECTION, COLLECTION_FORM)
    return _show_form(request, _CollectionDraft(values=values, names=initial_names(request)))


def initial_names(request: PageRequest) -> dict[str, str]:
    """Return the names of a new collection before the user has typed any, by field."""
    scope = request.who.scope
    return {
        "subscription": scope.subscription or request.query.get("subscription", "me"),
        "group": scope.group or request.query.get("group", "home"),
        "collection": scope.collection or "",
    }


async def may_create(request: PageRequest) -> bool:
    """Tell whether the visitor may create a collection; a token of one collection only that one."""
    if request.who.role is Role.READER:
        return False
    if sees_all_of_group(request.who):
        return True
    return not await request.use_cases.dashboard.collections(request.who, "", None, limit=1)


async def create(request: PageRequest) -> Response:
    """Create a collection from the form."""
    require(request.who, Role.CONTRIBUTOR)
    form, key = request.form, key_in(request.form)

    def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        values, names = posted_values(form, COLLECTION_FORM), names_in(form)
        draft = _CollectionDraft(values=values, names=names, problems=problems, status=status)
        return _show_form(request, draft)

    wanted = read_new_collection(form, COLLECTION_FORM, request.who.scope)
    if isinstance(wanted, dict):
        return refused(wanted)
    try:
        await request.use_cases.collections.save_collection(
            request.who, key, only_new(wanted), must_exist=False
        )
    except Conflict as refusal:
        return refused(problem_of_conflict(refusal), _CONFLICT)
    return request.redirect(urls.collection(key), (GOOD, "Collection created."))


def only_new(wanted: Collection) -> ReviseCollection:
    """Return a revision that makes this collection and changes none."""

    def revise(old: Collection | None) -> Collection:
        if old is not None:
            raise NameTaken("collection", f"Collection '{old.key.name}' exists already.")
        return wanted

    return revise


async def show_edit(request: PageRequest) -> Response:
    """Show the form of a collection."""
    require(request.who, Role.CONTRIBUTOR)
    found = await request.use_cases.collections.get_collection(request.who, request.key)
    return _show_form(
        request,
        _CollectionDraft(values=read_values(_encoded(found), COLLECTION_FORM), collection=found),
    )


async def save(request: PageRequest) -> Response:
    """Save the form of a collection."""
    require(request.who, Role.CONTRIBUTOR)
    original = parse_json(request.form.get("was").encode())
    form = with_theirs(request.form, COLLECTION_FORM, original)
    found = await request.use_cases.collections.get_collection(request.who, request.key)

    def read_one(tried: Form) -> Collection:
        changed = decode_collection(
            write_body(tried, COLLECTION_FORM, original), found.key, knows_premium_tiers=True
        )
        check_labels(changed, found)
        return changed

    def revised(old: Collection | None) -> Collection:
        assert old is not None  # noqa: S101  (it must exist)
        if _encoded(old) != original:
            raise ChangedMeanwhile
        return read_one(form)

    merged, status = None, _BAD_REQUEST
    problems = problems_of(form, COLLECTION_FORM, read_one)
    try:
        if not problems:
            collections = request.use_cases.collections
            saved, _ = await collections.save_collection(
                request.who, request.key, revised, must_exist=True
            )
            return request.redirect(urls.collection(saved.key), (GOOD, "Saved."))
    except ChangedMeanwhile:
        found = await request.use_cases.collections.get_collection(request.who, request.key)
        merged, status = merge_forms(form, COLLECTION_FORM, original, _encoded(found)), _CONFLICT
        merged = merged._replace(change=LastChange(found.changed_by, found.changed_at))
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    draft = _CollectionDraft(
        values=merged.values if merged else posted_values(form, COLLECTION_FORM),
        collection=found,
        problems=problems,
        status=status,
        merged=merged,
    )
    return _show_form(request, draft, original)


async def show_delete(request: PageRequest) -> Response:
    """Ask for the name of the collection before it is deleted."""
    require(request.who, Role.CONTRIBUTOR)
    return await _ask_for_name(request)


async def delete(request: PageRequest) -> Response:
    """Delete a collection if the typed name is right."""
    require(request.who, Role.CONTRIBUTOR)
    typed = request.form.get("name").strip()
    if typed.lower() != request.key.name.lower():
        return await _ask_for_name(request, typed, _BAD_REQUEST)
    await request.use_cases.collections.delete_collection(request.who, request.key)
    return request.redirect("/collections", (GOOD, f"Collection {request.key.name} deleted."))


async def _ask_for_name(request: PageRequest, typed: str = "", status: int = 200) -> Response:
    found = await request.use_cases.dashboard.jobs(request.who, request.key)
    return request.render_page(
        "collection_delete.html",
        http_status=status,
        collection=found.collection,
        jobs=len(found.jobs),
        typed=typed,
        is_wrong=status != 200,  # noqa: PLR2004
    )


def _encoded(collection: Collection) -> dict[str, Json]:
    return encode_collection(collection, knows_premium_tiers=True)


def _show_form(request: PageRequest, draft: _CollectionDraft, original: Json = None) -> Response:
    """Show the form; after a conflict the next save compares with what is stored now."""
    if original is None or draft.merged:
        original = {} if draft.collection is None else _encoded(draft.collection)
    return request.render_page(
        "collection_form.html",
        http_status=draft.status,
        collection=draft.collection,
        names=draft.names,
        values=draft.values,
        problems=draft.problems,
        summary=summary_of(draft.problems),
        merged=draft.merged,
        label_of=label_of,
        original=json.encode(original).decode(),
        plans=PLANS,
        frequencies=[("", "as the plan says"), *((each.value, each.value) for each in Frequency)],
        regions=region_names(),
    )


def _key_of(text: str) -> CollectionKey | None:
    parts = text.split("/")
    return CollectionKey(*parts) if len(parts) == len(CollectionKey.__struct_fields__) else None


def _address(search: str, **more: str) -> str:
    return urls.with_query("/collections", q=search, **more)
