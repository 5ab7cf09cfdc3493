"""Collections: all of them, a new one, and what can be done with one."""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.collection import decode_collection, encode_collection
from foliot.api.wire.json_reader import Json, parse_json
from foliot.api.wire.regions import region_names
from foliot.core.access import require
from foliot.core.errors import Conflict, Forbidden, Invalid
from foliot.core.ids import CollectionKey, check_group, check_name, check_subscription
from foliot.core.model.collection import Collection, CollectionState, Sku
from foliot.core.model.token import Role
from foliot.core.recurrence import Frequency
from foliot.core.rules.quota import PLANS, max_jobs
from foliot.core.rules.tags_and_location import check_labels
from foliot.portal import urls
from foliot.portal.forms.collection import SHAPE
from foliot.portal.forms.conflict import Merged, merge_forms, with_theirs
from foliot.portal.forms.fields import Values, entered, read, write
from foliot.portal.forms.labels import label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, in_words, problems_of, summary_of
from foliot.portal.page_request import GOOD, Visit

_PER_PAGE = 100
_BAD_REQUEST = 400
_CONFLICT = 409


_PLACE = ("subscription", "group", "collection")


class _Draft(Struct, frozen=True, kw_only=True):
    """What a form shows, and what is wrong with it."""

    values: Values
    place: dict[str, str] | None = None
    collection: Collection | None = None
    problems: Problems = {}
    status: int = 200
    merged: Merged | None = None


class _ChangedMeanwhile(Conflict):
    """Someone else has changed the collection since the form was made."""


class _NameTaken(Conflict):
    """There is a collection of that name."""


async def show_all(visit: Visit) -> Response:
    """Show the collections the visitor may see."""
    search = visit.query.get("q").strip()
    found = await visit.use_cases.dashboard.collections(
        visit.who, search, _after(visit), limit=_PER_PAGE + 1
    )
    shown = found[:_PER_PAGE]
    last = shown[-1].collection.key if len(found) > _PER_PAGE else None
    return visit.page(
        "collections.html",
        found=shown,
        search=search,
        max_jobs=max_jobs,
        may_create=await may_create(visit),
        following=None if last is None else _following(last, search),
    )


async def show_new(visit: Visit) -> Response:
    """Show the form of a new collection."""
    require(visit.who, Role.CONTRIBUTOR)
    scope = visit.who.scope
    if not await may_create(visit):
        raise Forbidden(f"This token is for the collection '{scope.collection}' alone.")
    place = {
        "subscription": scope.subscription or visit.query.get("subscription", "me"),
        "group": scope.group or visit.query.get("group", "home"),
        "collection": scope.collection or "",
    }
    body: Json = {"properties": {"sku": {"name": Sku.STANDARD.value}}}
    return _form(visit, _Draft(values=read(body, SHAPE), place=place))


async def may_create(visit: Visit) -> bool:
    """Tell whether the visitor can make a collection; a token of one can make that one alone."""
    if visit.who.role is Role.READER:
        return False
    if visit.who.scope.collection is None:
        return True
    return not await visit.use_cases.dashboard.collections(visit.who, "", None, limit=1)


async def create(visit: Visit) -> Response:
    """Make a collection."""
    require(visit.who, Role.CONTRIBUTOR)
    form = visit.form
    place = {name: form.get(name).strip() for name in _PLACE}
    key = CollectionKey(place["subscription"], place["group"], place["collection"])

    def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        values = entered(form, SHAPE)
        draft = _Draft(values=values, place=place, problems=problems, status=status)
        return _form(visit, draft)

    def read_one(tried: Form) -> Collection:
        made = decode_collection(write(tried, SHAPE, {}), key, knows_premium_tiers=True)
        check_labels(made)
        return made

    def new(old: Collection | None) -> Collection:
        if old is not None:
            raise _NameTaken(f"There is a collection '{old.key.name}' here already.")
        return wanted

    problems = _problems_of_place(place) | problems_of(form, SHAPE, read_one)
    if problems:
        return refused(problems)
    wanted = read_one(form)
    try:
        await visit.use_cases.collections.save_collection(visit.who, key, new, must_exist=False)
    except Conflict as refusal:
        field = "collection" if isinstance(refusal, _NameTaken) else ""
        return refused({field: str(refusal)}, _CONFLICT)
    return visit.go(urls.collection(key), (GOOD, "Collection created."))


async def show_edit(visit: Visit) -> Response:
    """Show the form of a collection that is there."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.use_cases.collections.get_collection(visit.who, visit.key)
    return _form(visit, _Draft(values=read(_encoded(found), SHAPE), collection=found))


async def save(visit: Visit) -> Response:
    """Change a collection."""
    require(visit.who, Role.CONTRIBUTOR)
    was = parse_json(visit.form.get("was").encode())
    form = with_theirs(visit.form, SHAPE, was)
    found = await visit.use_cases.collections.get_collection(visit.who, visit.key)

    def read_one(tried: Form) -> Collection:
        changed = decode_collection(write(tried, SHAPE, was), found.key, knows_premium_tiers=True)
        check_labels(changed, found)
        return changed

    def revised(old: Collection | None) -> Collection:
        assert old is not None  # noqa: S101  (it must exist)
        if _encoded(old) != was:
            raise _ChangedMeanwhile
        return read_one(form)

    merged, status = None, _BAD_REQUEST
    problems = problems_of(form, SHAPE, read_one)
    try:
        if not problems:
            collections = visit.use_cases.collections
            saved, _ = await collections.save_collection(
                visit.who, visit.key, revised, must_exist=True
            )
            return visit.go(urls.collection(saved.key), (GOOD, "Saved."))
    except _ChangedMeanwhile:
        found = await visit.use_cases.collections.get_collection(visit.who, visit.key)
        merged, status = merge_forms(form, SHAPE, was, _encoded(found)), _CONFLICT
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    draft = _Draft(
        values=merged.values if merged else entered(form, SHAPE),
        collection=found,
        problems=problems,
        status=status,
        merged=merged,
    )
    return _form(visit, draft, was)


async def enable(visit: Visit) -> Response:
    """Let the jobs of a collection run."""
    await visit.use_cases.collections.set_collection_state(
        visit.who, visit.key, CollectionState.ENABLED
    )
    return visit.go(urls.collection(visit.key), (GOOD, "Collection enabled."))


async def disable(visit: Visit) -> Response:
    """Keep the jobs of a collection from running."""
    await visit.use_cases.collections.set_collection_state(
        visit.who, visit.key, CollectionState.DISABLED
    )
    return visit.go(urls.collection(visit.key), (GOOD, "Collection disabled."))


async def show_delete(visit: Visit) -> Response:
    """Ask whether a collection is really to go."""
    require(visit.who, Role.CONTRIBUTOR)
    return await _ask_for_the_name(visit)


async def delete(visit: Visit) -> Response:
    """Remove a collection whose name was typed."""
    require(visit.who, Role.CONTRIBUTOR)
    typed = visit.form.get("name").strip()
    if typed.lower() != visit.key.name.lower():
        return await _ask_for_the_name(visit, typed, _BAD_REQUEST)
    await visit.use_cases.collections.delete_collection(visit.who, visit.key)
    return visit.go("/collections", (GOOD, f"Collection {visit.key.name} deleted."))


async def _ask_for_the_name(visit: Visit, typed: str = "", status: int = 200) -> Response:
    found = await visit.use_cases.dashboard.jobs(visit.who, visit.key)
    return visit.page(
        "collection_delete.html",
        http_status=status,
        collection=found.collection,
        jobs=len(found.jobs),
        typed=typed,
        is_wrong=status != 200,  # noqa: PLR2004
    )


def _encoded(collection: Collection) -> dict[str, Json]:
    return encode_collection(collection, knows_premium_tiers=True)


def _problems_of_place(place: Mapping[str, str]) -> Problems:
    """Return which names cannot be given to a new collection, by field."""
    checks: dict[str, Callable[[str], object]] = {
        "collection": partial(check_name, ("name",)),
        "subscription": check_subscription,
        "group": check_group,
    }
    problems: Problems = {}
    for name, check in checks.items():
        try:
            check(place[name])
        except Invalid as refusal:
            problems[name] = in_words(name, refusal.problem)
    return problems


def _form(visit: Visit, draft: _Draft, was: Json = None) -> Response:
    """Show the form; what it is about next time is what is stored now, unless it was refused."""
    if was is None or draft.merged:
        was = {} if draft.collection is None else _encoded(draft.collection)
    return visit.page(
        "collection_form.html",
        http_status=draft.status,
        collection=draft.collection,
        place=draft.place,
        values=draft.values,
        problems=draft.problems,
        summary=summary_of(draft.problems),
        merged=draft.merged,
        label_of=label_of,
        was=json.encode(was).decode(),
        plans=PLANS,
        frequencies=[("", "as the plan says"), *((each.value, each.value) for each in Frequency)],
        regions=region_names(),
    )


def _after(visit: Visit) -> CollectionKey | None:
    parts = visit.query.get("after").split("/")
    return CollectionKey(*parts) if len(parts) == len(CollectionKey.__struct_fields__) else None


def _following(key: CollectionKey, search: str) -> str:
    return urls.with_query("/collections", q=search, after="/".join(key.folded))
