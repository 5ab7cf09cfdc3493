"""Makes the changes of a plan: all of a collection in one call, which is made as a whole or not."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from foliot.cli.files.changes import ChangeKind
from foliot.cli.files.plan import CollectionPlan
from foliot.client.calls import FoliotClient
from foliot.client.errors import NotAuthorised, Refused
from foliot.client.job_files import JsonObject
from foliot.client.paths import key_text
from foliot.client.placeholders import revealed
from foliot.core.json_text import Json

_TOO_LARGE = "RequestEntityTooLarge"
# What stands between the name of a part and the problem in it.
_REST = re.compile(r"(?:\.properties)?[.:] *")


def validate_plan(client: FoliotClient, plan: CollectionPlan) -> None:
    """Have the server try all that it will be asked to do, before anything is changed."""
    with _naming(plan):
        client.validate_contents(plan.current.key, contents_of(plan))


def carry_out(client: FoliotClient, plan: CollectionPlan) -> None:
    """Make the changes of a collection: all, or none."""
    with _naming(plan):
        client.apply_contents(plan.current.key, contents_of(plan))


def contents_of(plan: CollectionPlan) -> JsonObject:
    """Return the body of the call that carries out a plan, with the values of its secrets."""
    jobs: JsonObject = {
        each.name: {"properties": revealed(each.job.filled)}
        for each in plan.jobs
        if each.job is not None
    }
    alerts: JsonObject = {
        each.name: {"properties": revealed(each.alert.filled)}
        for each in plan.alerts
        if each.alert is not None
    }
    calendars: JsonObject = {
        each.name: {"properties": {"dates": [*map(str, each.dates)]}}
        for each in plan.calendars
        if each.kind is not ChangeKind.DELETE
    }
    sections = {"calendars": calendars, "jobs": jobs, "alerts": alerts, "delete": _deleted(plan)}
    return {
        **({} if plan.body is None else {"collection": plan.body}),
        **{name: each for name, each in sections.items() if each},
    }


def _deleted(plan: CollectionPlan) -> JsonObject:
    parts = {"calendars": plan.calendars, "jobs": plan.jobs, "alerts": plan.alerts}
    names: dict[str, list[Json]] = {
        kind: [each.name for each in planned if each.kind is ChangeKind.DELETE]
        for kind, planned in parts.items()
    }
    return {kind: each for kind, each in names.items() if each}


@contextmanager
def _naming(plan: CollectionPlan) -> Generator[None]:
    """Name the collection and the job in a refusal, without values of placeholders."""
    try:
        yield
    except NotAuthorised:
        raise
    except Refused as refusal:
        said = str(refusal)
        for each in (*plan.jobs, *plan.alerts):
            wanted = getattr(each, "job", None) or getattr(each, "alert", None)
            said = said if wanted is None else wanted.places.without_values(said)
        if refusal.code == _TOO_LARGE:
            raise Refused(_too_large(plan), refusal.code) from None
        raise Refused(_told(plan, said), refusal.code) from None


def _told(plan: CollectionPlan, said: str) -> str:
    """Return a refusal with the name of what it is about in the place of its path."""
    # The longest first: a name may begin with another one.
    for path, place in sorted(_places(plan), key=lambda each: -len(each[0])):
        rest = _REST.match(said, len(path)) if said.startswith(path) else None
        if rest is not None:
            return f"{plan.current.key.name}, {place}: {said[rest.end() :]}"
    return said


def _places(plan: CollectionPlan) -> Iterator[tuple[str, str]]:
    yield "collection", f"collection {plan.current.key.name}"
    yield "jobs", "jobs"
    for kind, planned in (("calendar", plan.calendars), ("job", plan.jobs), ("alert", plan.alerts)):
        going = (each.name for each in planned if each.kind is ChangeKind.DELETE)
        for index, name in enumerate(going):
            yield f"delete.{kind}s[{index}]", f"{kind} {name}"
        for each in planned:
            yield f"{kind}s.{each.name}", f"{kind} {each.name}"


def _too_large(plan: CollectionPlan) -> str:
    return (
        f"{key_text(plan.current.key)}: its changes are more than the server takes at once, and "
        "none is made; raise FOLIOT_MAX_TEMPLATE_BYTES there, or apply some of the jobs first."
    )
