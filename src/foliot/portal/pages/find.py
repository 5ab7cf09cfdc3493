"""Find jobs, collections, addresses, alerts and commands, as a page and in the find dialog."""

from collections.abc import Sequence

from msgspec import Struct
from starlette.responses import Response

from foliot.app.search import Found
from foliot.core.access import sees
from foliot.core.errors import CollectionNotFound, Invalid
from foliot.core.model.collection import Collection
from foliot.core.model.dashboard import CountedCollection
from foliot.core.model.token import Role
from foliot.core.plurals import how_many
from foliot.portal import urls
from foliot.portal.collection_names import naming_of
from foliot.portal.commands import (
    Command,
    PageSubject,
    alert_commands,
    change_of_state,
    collection_to_change,
    collections_of_alerts,
    commands_for,
    place_of,
)
from foliot.portal.page_request import PageRequest

PATH = "/find"
_IN_DIALOG, _ON_PAGE = 6, 20
_COMMANDS_BESIDE_RESULTS = 5


class Result(Struct, frozen=True, kw_only=True):
    """A line of the results: something to open, or a command."""

    title: str
    address: str
    hint: str = ""
    state: str = ""
    is_post: bool = False
    changes_theme: bool = False


class ResultGroup(Struct, frozen=True):
    """Results of one kind; `more` is the address of all of them."""

    title: str
    results: Sequence[Result]
    more: str = ""


async def show(request: PageRequest) -> Response:
    """Show what a text finds; without a text, the commands."""
    text, problem = request.query.get("q").strip(), ""
    limit = _IN_DIALOG if request.is_partial else _ON_PAGE
    found = Found()
    try:
        found = await request.use_cases.search.everything(request.who, text, limit=limit)
    except Invalid as refusal:
        problem = f"The search {refusal.problem}"
    commands = [] if problem else await _commands(request, text)
    groups = [
        each for each in (_group_of(commands, text), *_groups(found, text, limit)) if each.results
    ]
    template = "find_options.html" if request.is_partial else "find.html"
    render = request.render_part if request.is_partial else request.render_page
    return render(template, search=text, groups=groups, problem=problem)


async def _commands(request: PageRequest, text: str) -> list[Command]:
    role, place = request.who.role, place_of(request.query.get("at"))
    if place.key is not None and not sees(request.who, place.key):
        place = PageSubject()
    alerts = await _alert_commands(request, place, text)
    if role is Role.READER:
        return commands_for(role, place, text, alerts=alerts)
    to_change = await _collections_to_change(request, place, text)
    changes = [change_of_state(each) for each in to_change]
    return commands_for(role, place, text, changes=changes, alerts=alerts)


async def _alert_commands(request: PageRequest, place: PageSubject, text: str) -> list[Command]:
    """Return the commands about alerts, first those of the collection that the page is about."""
    name = collections_of_alerts(text)
    if name is None:
        return []
    found = await request.use_cases.dashboard.collections(request.who, name, limit=_ON_PAGE)
    keys = sorted((each.collection.key for each in found), key=lambda key: key != place.key)
    return [
        command for key in keys[:_IN_DIALOG] for command in alert_commands(request.who.role, key)
    ]


async def _collections_to_change(
    request: PageRequest, place: PageSubject, text: str
) -> Sequence[Collection]:
    """Return the collections of "pause …", or that of the page if nothing else is typed."""
    asked = collection_to_change(text)
    dashboard = request.use_cases.dashboard
    if asked is not None and asked[1]:
        state, name = asked
        found = await dashboard.collections(request.who, name, limit=_ON_PAGE)
        wanted = [each.collection for each in found if each.collection.state is state]
        return wanted[:_IN_DIALOG]
    if place.key is None or (text and asked is None):
        return []
    try:
        return [(await dashboard.collection(request.who, place.key)).collection]
    except CollectionNotFound:
        return []


def _group_of(commands: Sequence[Command], text: str) -> ResultGroup:
    shown = commands[:_COMMANDS_BESIDE_RESULTS] if text else commands
    return ResultGroup(
        "Commands",
        [
            Result(
                title=each.title,
                address=each.address,
                hint=each.hint,
                is_post=each.is_post,
                changes_theme=each.changes_theme,
            )
            for each in shown
        ],
    )


def _groups(found: Found, text: str, limit: int) -> Sequence[ResultGroup]:
    naming = naming_of(
        [each.collection.key for each in (*found.jobs, *found.collections)]
        + [each.key for each in found.alerts]
    )
    jobs = [
        Result(
            title=each.name,
            address=urls.job(each.collection.key, each.name),
            hint=" · ".join(filter(None, (naming(each.collection.key), each.host))),
            state=each.state.value,
        )
        for each in found.jobs
    ]
    hosts = [
        Result(
            title=host,
            address=urls.with_query("/jobs", q=f"host:{host}"),
            hint=how_many(count, "job"),
        )
        for host, count in found.hosts
    ]
    alerts = [
        Result(title=each.name, address=urls.alert(each.key, each.name), hint=naming(each.key))
        for each in found.alerts
    ]
    all_jobs = urls.with_query("/jobs", q=text) if len(jobs) == limit else ""
    return (
        ResultGroup("Jobs", jobs, all_jobs),
        ResultGroup("Collections", [_collection(each) for each in found.collections]),
        ResultGroup("Addresses", hosts),
        ResultGroup("Alerts", alerts),
    )


def _collection(found: CountedCollection) -> Result:
    collection = found.collection
    key = collection.key
    return Result(
        title=key.name,
        address=urls.collection(key),
        hint=f"{key.subscription} / {key.group} · {how_many(found.job_count, 'job')}",
        state=collection.state.value.lower(),
    )
