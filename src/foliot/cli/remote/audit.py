"""`foliot audit`: who changed what, and when."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command, text_option
from foliot.cli.remote.fields import field, text_at, time, value_at
from foliot.cli.remote.output import Column, details
from foliot.cli.remote.printable import one_line
from foliot.client.job_files import JsonObject
from foliot.client.paths import parse_key
from foliot.client.typed_times import parse_past
from foliot.core.errors import within
from foliot.core.instant import format_instant
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.ports import clock

_MOST = 10_000
_FIELDS_SHOWN = 3


_FILTERS = (
    text_option("since", metavar="TIME", help="Changed since: 7d (so long ago), yesterday."),
    text_option("until", metavar="TIME", help="Changed before."),
    text_option("who", metavar="NAME", help="By the token of this name."),
    text_option("action", metavar="ACTION", help="created, updated, deleted, enabled, run, ..."),
    text_option("job", metavar="JOB", help="Of jobs of this name."),
)


@server_command(
    "audit",
    options=_FILTERS,
    examples="""
foliot audit --since 7d
foliot audit --collection Billing --job Nightly --details
foliot audit --who ci-deploy --action deleted --output jsonl
""",
)
def list_changes(
    session: ServerSession,
    *,
    show_details: Annotated[
        bool, typer.Option("--details", help="Show each field before and after.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=_MOST, help="At most so many.")
    ] = 50,
    **filters: str | None,
) -> None:
    """List changes within the scope of an Owner, the newest first."""
    times = {name: _time(f"--{name}", filters[name]) for name in ("since", "until")}
    wanted = {**filters, **times, **_collection(session)}
    given = {name: text for name, text in wanted.items() if text is not None}
    found = islice(session.client.audit_entries(given), limit)
    if show_details and session.out.is_for_people:
        for entry in found:
            session.out.value(entry, [*_lines(entry), ""])
    else:
        session.out.rows(found, AUDIT_COLUMNS)


def _collection(session: ServerSession) -> dict[str, str | None]:
    """Return the parts of a collection's name; it need not exist any more."""
    given, named = session.collection_options, session.named_collection
    if named is not None and "/" in named:
        with within("--collection"):
            key = parse_key(named)
        return {
            "subscription": key.subscription,
            "resourceGroup": key.group,
            "collection": key.name,
        }
    return {
        "subscription": given.subscription,
        "resourceGroup": given.group,
        "collection": named,
    }


def _time(option: str, text: str | None) -> str | None:
    if text is None:
        return None
    with within(option):
        return format_instant(parse_past(text, clock.now()))


def _who(entry: JsonObject) -> str:
    """Show who made a change; only what has the id of a token was done by one of that name."""
    name = text_at(entry, "properties", "who", "name")
    token = text_at(entry, "properties", "who", "tokenId")
    told = [f"token {token}" if token else "", text_at(entry, "properties", "who", "address")]
    where = ", ".join(each for each in told if each)
    return f"{name} ({where})" if where else name


def _subject(entry: JsonObject) -> str:
    parts = [text_at(entry, "properties", "resource", each) for each in ("collection", "name")]
    group = text_at(entry, "properties", "resource", "resourceGroup")
    return "/".join(each for each in parts if each) or group


def _summary(entry: JsonObject) -> str:
    paths = [text_at(each, "path").removeprefix("properties.") for each in _changes(entry)]
    more = len(paths) - _FIELDS_SHOWN
    told = [", ".join(paths[:_FIELDS_SHOWN]) + (f" and {more} more" if more > 0 else "")]
    for noun in ("run", "collection", "job"):
        count = int(text_at(entry, "properties", f"{noun}s") or 0)
        told.append(how_many(count, noun) if count else "")
    told.append(text_at(entry, "properties", "reason"))
    return "; ".join(each for each in told if each)


def _changes(entry: JsonObject) -> list[Json]:
    found = value_at(entry, "properties", "changes")
    return found if isinstance(found, list) else []


def _lines(entry: JsonObject) -> Iterator[str]:
    """Go through what is told of one entry: a heading, facts, and each field as a diff."""
    action, kind = (
        text_at(entry, "properties", "action"),
        text_at(entry, "properties", "resource", "kind"),
    )
    yield one_line(f"{time('properties', 'time')(entry)} {action} {kind} {_subject(entry)}")
    names = value_at(entry, "properties", "names")
    yield from (
        f"  {line}"
        for line in details(
            [
                ("who", _who(entry)),
                ("role", text_at(entry, "properties", "who", "role")),
                ("request", text_at(entry, "properties", "requestId")),
                ("resource", text_at(entry, "properties", "resource", "id")),
                ("tag", text_at(entry, "properties", "tag")),
                ("from", text_at(entry, "properties", "from")),
                ("to", text_at(entry, "properties", "to")),
                ("runs", text_at(entry, "properties", "runs")),
                ("collections", text_at(entry, "properties", "collections")),
                ("jobs", text_at(entry, "properties", "jobs")),
                ("names", ", ".join(map(str, names)) if isinstance(names, list) else ""),
                ("reason", text_at(entry, "properties", "reason")),
                ("entry", text_at(entry, "name")),
            ]
        )
    )
    for change in _changes(entry):
        yield f"  {one_line(text_at(change, 'path'))}"
        yield from _side("-", value_at(change, "before"))
        yield from _side("+", value_at(change, "after"))


def _side(sign: str, value: Json) -> Iterator[str]:
    if value is not None:
        # As JSON: a line break in a value cannot look like another line of the log.
        yield f"    {sign} {json.dumps(value, ensure_ascii=False)}"


AUDIT_COLUMNS = (
    Column("TIME", time("properties", "time")),
    Column("WHO", _who, rank=1),
    Column("ACTION", field("properties", "action")),
    Column("KIND", field("properties", "resource", "kind")),
    Column("WHAT", _subject),
    Column("CHANGES", _summary, rank=2),
    Column("ENTRY", field("name"), rank=3),
)
