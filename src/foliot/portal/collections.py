"""Collections: all of them, a new one, and what can be done with one."""

from collections.abc import Mapping

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.collection import decode_collection, encode_collection
from foliot.api.wire.reader import Json, parse_json
from foliot.api.wire.regions import region_names
from foliot.core.access import require
from foliot.core.errors import Conflict, Forbidden, Invalid
from foliot.core.ids import CollectionKey
from foliot.core.model import Collection, CollectionState, Role, Sku
from foliot.core.quota import PLANS, max_jobs
from foliot.core.recurrence import Frequency
from foliot.portal import paths
from foliot.portal.collection_form import SHAPE
from foliot.portal.fields import Values, entered, field_of, read, write
from foliot.portal.visit import GOOD, Visit

_PER_PAGE = 100
_BAD_REQUEST = 400
_CONFLICT = 409


_PLACE = {"subscription": "subscription", "group": "resource group", "collection": "collection"}


class _Draft(Struct, frozen=True, kw_only=True):
    """What a form shows, and what is wrong with it."""

    values: Values
    place: dict[str, str] | None = None
    collection: Collection | None = None
    problems: dict[str, str] = {}
    status: int = 200


async def show_all(visit: Visit) -> Response:
    """Show the collections the visitor may see."""
    search = visit.query.get("q").strip()
    found = await visit.desk.watch.collections(
        visit.who, search, _after(visit), limit=_PER_PAGE + 1
    )
    shown = found[:_PER_PAGE]
    last = shown[-1].collection.key if len(found) > _PER_PAGE else None
    return visit.page(
        "collections.html",
        found=shown,
        search=search,
        max_jobs=max_jobs,
        following=None if last is None else _following(last, search),
    )


async def show_new(visit: Visit) -> Response:
    """Show the form of a new collection."""
    require(visit.who, Role.CONTRIBUTOR)
    scope = visit.who.scope
    place = {
        "subscription": scope.subscription or visit.query.get("subscription", "me"),
        "group": scope.group or visit.query.get("group", "home"),
        "collection": scope.collection or "",
    }
    body: Json = {"properties": {"sku": {"name": Sku.STANDARD.value}}}
    return _form(visit, _Draft(values=read(body, SHAPE), place=place))


async def create(visit: Visit) -> Response:
    """Make a collection."""
    form = visit.form
    place = {name: form.get(name).strip() for name in _PLACE}
    key = CollectionKey(place["subscription"], place["group"], place["collection"])

    def new(old: Collection | None) -> Collection:
        if old is not None:
            raise Conflict(f"There is a collection '{old.key.name}' here already.")
        return decode_collection(write(form, SHAPE, {}), key, knows_premium_tiers=True)

    try:
        _check_place(place)
        await visit.desk.service.save_collection(visit.who, key, new, must_exist=False)
    except (Invalid, Conflict) as refusal:
        return _form(visit, _refused(visit, refusal, place=place))
    return visit.go(paths.collection(key), (GOOD, f"Collection {key.name} is there."))


async def show_edit(visit: Visit) -> Response:
    """Show the form of a collection that is there."""
    found = await visit.desk.service.get_collection(visit.who, visit.key)
    return _form(visit, _Draft(values=read(_encoded(found), SHAPE), collection=found))


async def save(visit: Visit) -> Response:
    """Change a collection."""
    was = parse_json(visit.form.get("was").encode())

    def revised(old: Collection | None) -> Collection:
        assert old is not None  # noqa: S101  (it must exist)
        if _encoded(old) != was:
            raise Conflict("Someone has changed the collection meanwhile; reload it first.")
        body = write(visit.form, SHAPE, was)
        return decode_collection(body, old.key, knows_premium_tiers=True)

    try:
        saved, _ = await visit.desk.service.save_collection(
            visit.who, visit.key, revised, must_exist=True
        )
    except (Invalid, Conflict) as refusal:
        found = await visit.desk.service.get_collection(visit.who, visit.key)
        return _form(visit, _refused(visit, refusal, collection=found))
    return visit.go(paths.collection(saved.key), (GOOD, "Saved."))


async def enable(visit: Visit) -> Response:
    """Let the jobs of a collection run."""
    await visit.desk.service.set_collection_state(visit.who, visit.key, CollectionState.ENABLED)
    return visit.go(paths.collection(visit.key), (GOOD, "The collection is enabled."))


async def disable(visit: Visit) -> Response:
    """Keep the jobs of a collection from running."""
    await visit.desk.service.set_collection_state(visit.who, visit.key, CollectionState.DISABLED)
    return visit.go(paths.collection(visit.key), (GOOD, "The collection is disabled."))


async def show_delete(visit: Visit) -> Response:
    """Ask whether a collection is really to go."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.desk.watch.jobs(visit.who, visit.key)
    return visit.page("collection_delete.html", collection=found.collection, jobs=len(found.jobs))


async def delete(visit: Visit) -> Response:
    """Remove a collection whose name was typed."""
    if visit.form.get("name").strip().lower() != visit.key.name.lower():
        raise Forbidden(f"Type the name of the collection, {visit.key.name}, to delete it.")
    await visit.desk.service.delete_collection(visit.who, visit.key)
    return visit.go("/collections", (GOOD, f"Collection {visit.key.name} is deleted."))


def _encoded(collection: Collection) -> dict[str, Json]:
    return encode_collection(collection, knows_premium_tiers=True)


def _check_place(place: Mapping[str, str]) -> None:
    """Refuse what an address could not hold."""
    for name, label in _PLACE.items():
        if not place[name] or "/" in place[name]:
            raise Invalid((name,), f"give a name for the {label}, without a slash.")


def _form(visit: Visit, draft: _Draft) -> Response:
    was = {} if draft.collection is None else _encoded(draft.collection)
    return visit.page(
        "collection_form.html",
        http_status=draft.status,
        collection=draft.collection,
        place=draft.place,
        values=draft.values,
        problems=draft.problems,
        was=json.encode(was).decode(),
        plans=PLANS,
        frequencies=[("", "as the plan says"), *((each.value, each.value) for each in Frequency)],
        regions=region_names(),
    )


def _refused(
    visit: Visit,
    refusal: Invalid | Conflict,
    *,
    place: dict[str, str] | None = None,
    collection: Collection | None = None,
) -> _Draft:
    path = refusal.path if isinstance(refusal, Invalid) else ()
    name = field_of(path, SHAPE) or (str(path[0]) if len(path) == 1 else "")
    words = refusal.problem if isinstance(refusal, Invalid) and name else str(refusal)
    return _Draft(
        values=entered(visit.form, SHAPE),
        place=place,
        collection=collection,
        problems={"collection" if name == "name" else name: words},
        status=_BAD_REQUEST if isinstance(refusal, Invalid) else _CONFLICT,
    )


def _after(visit: Visit) -> CollectionKey | None:
    parts = visit.query.get("after").split("/")
    return CollectionKey(*parts) if len(parts) == len(CollectionKey.__struct_fields__) else None


def _following(key: CollectionKey, search: str) -> str:
    return paths.with_query("/collections", q=search, after="/".join(key.folded))
