"""`foliot job history` and `why`: what was done, and why something was not."""

from collections import deque
from collections.abc import Iterable
from itertools import chain, islice
from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import HISTORY_COLUMNS, field, second, text_at, time
from foliot.cli.remote.jobs import JobName
from foliot.cli.remote.output import Column
from foliot.cli.remote.waiting import new_entries
from foliot.client.errors import NotThere
from foliot.client.job_files import JsonObject
from foliot.client.typed_times import find_zone, parse_time
from foliot.core.errors import Invalid, within
from foliot.core.instant import DAY, MINUTE, Instant, format_instant, parse_instant, parse_moment
from foliot.ports import clock

_MAX_ENTRIES = 10_000
_LATEST = 10
_LOOKED_BACK = (1, 40)
_LEDGER_COLUMNS = (
    Column("PLANNED", time("plannedAt")),
    Column("OUTCOME", field("outcome")),
    Column("REASON", field("reason")),
    Column("ATTEMPTS", field("attempts")),
    Column("TAG", field("tag"), rank=2),
    Column("WHY", field("explanation"), rank=1),
)


@server_command(
    "job history",
    examples="""
foliot job history report --status failed
foliot job history report --follow
""",
)
def show_history(
    session: ServerSession,
    job: JobName,
    *,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=_MAX_ENTRIES, help="At most so many.")
    ] = 20,
    status: Annotated[
        str | None, typer.Option(metavar="STATUS", help="completed, failed or postponed.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with new attempts, until Ctrl-C.")
    ] = False,
) -> None:
    """Print the latest attempts of a job; the newest is the last."""
    client, key = session.client, session.key
    entries = new_entries(lambda: client.history(key, job, status), limit, follow=follow)
    if follow:
        session.out.rows_as_they_come(entries, HISTORY_COLUMNS)
    else:
        session.out.rows(entries, HISTORY_COLUMNS)


@server_command(
    "job why",
    examples="""
foliot job why report
foliot job why report --at 'yesterday 7:30'
foliot job why report --at 2026-03-01
""",
)
def explain_time(
    session: ServerSession,
    job: JobName,
    *,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="A planned time, or a date for its whole day. Without it, the latest ten.",
        ),
    ] = None,
    zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The time zone of TIME.")] = None,
) -> None:
    """Tell what became of planned times of a job, and why."""
    if at is None:
        session.out.rows(_latest(session, job), _LEDGER_COLUMNS)
        return
    first, last = _stretch(at, zone)
    lines = list(_ledger(session, job, first, last))
    if not lines:
        around = _ledger(session, job, Instant(first - DAY), Instant(last + DAY))
        near = _nearest(around, first)
        hint = f" The nearest are {' and '.join(near)}." if near else ""
        raise NotThere(f"nothing is planned for {job} at {second(format_instant(first))}.{hint}")
    session.out.rows(lines, _LEDGER_COLUMNS)


def _latest(session: ServerSession, job: str) -> list[JsonObject]:
    """Return the latest planned times, of a day if it has any: a job may have thousands a week."""
    now = clock.now()
    for days in _LOOKED_BACK:
        planned = _ledger(session, job, Instant(now - days * DAY), now)
        # The calendar reaches back to before the job existed, which nobody asks about.
        lived = (each for each in planned if each.get("reason") != "notCreated")
        lines = deque(lived, maxlen=_LATEST)
        if lines:
            return list(lines)
    shown = session.client.job(session.key, job)
    following = text_at(shown, "properties", "status", "nextExecutionTime")
    hint = f"its next run is {second(following)}" if following else "it has no next run either"
    raise NotThere(f"nothing was planned for {job} in the last {_LOOKED_BACK[-1]} days; {hint}.")


def _stretch(at: str, zone: str | None) -> tuple[Instant, Instant]:
    with within("--zone"):
        found = None if zone is None else find_zone(zone)
    with within("--at"):
        first = parse_time(at, clock.now(), found)
    return first, Instant(first + (DAY if _is_date(at) else MINUTE))


def _is_date(text: str) -> bool:
    try:
        parse_moment(f"{text}T00:00")
    except Invalid:
        return False
    return True


def _ledger(
    session: ServerSession, job: str, first: Instant, last: Instant
) -> Iterable[JsonObject]:
    query = {"from": format_instant(first), "to": format_instant(last)}
    for each in session.client.occurrences(session.key, job, query):
        inner = each.get("properties")
        yield inner if isinstance(inner, dict) else each


def _nearest(lines: Iterable[JsonObject], at: Instant) -> list[str]:
    times = [text_at(each, "plannedAt") for each in lines]
    before = [each for each in times if parse_instant(each) < at]
    after = (each for each in times if parse_instant(each) >= at)
    return list(chain(before[-1:], islice(after, 1)))
