"""`foliot calendar`: lists, imports and deletes calendars of days off."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from foliot.cli.input_files import input_name, read_input
from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import job_name, value_at
from foliot.cli.remote.job_inputs import confirm, using_file
from foliot.cli.remote.output import Column
from foliot.client.errors import Unreachable
from foliot.client.holidays import Years, days_of
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid, within
from foliot.core.ids import check_name
from foliot.core.instant import Instant, Wall, reading_of
from foliot.core.plurals import how_many
from foliot.ports import clock

CalendarName = Annotated[str, typer.Argument(metavar="CALENDAR", help="The calendar.")]
_YEARS_AHEAD = 5


@server_command("calendar list", examples="foliot calendar list --collection work")
def list_calendars(session: ServerSession) -> None:
    """List the calendars of a collection."""
    columns = (
        Column("NAME", job_name),
        Column("DATES", _number),
        Column("FIRST", _first),
        Column("LAST", _last),
    )
    session.out.rows(session.client.calendars(session.key), columns)


@server_command("calendar show", examples="foliot calendar show holidays")
def show_calendar(session: ServerSession, calendar: CalendarName) -> None:
    """Print the dates of a calendar, one to a line."""
    found = session.client.calendar(session.key, calendar)
    session.out.value(found, _dates(found))


@server_command(
    "calendar import",
    examples="""
foliot calendar import holidays.ics
foliot calendar import https-download.ics --name bank-holidays --years 10
""",
)
def import_calendar(
    session: ServerSession,
    file: Annotated[
        str, typer.Argument(metavar="FILE.ics", help="An iCalendar file, or - for standard input.")
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The calendar; that of the file if not given."),
    ] = None,
    years: Annotated[
        int, typer.Option(min=0, max=100, help="How many years ahead yearly events are repeated.")
    ] = _YEARS_AHEAD,
) -> None:
    """Create or replace a calendar with the days of an iCalendar file."""
    if name is None and file == "-":
        raise Invalid(("--name",), "is needed for a calendar from the standard input.")
    wanted = check_name(("--name",), name or Path(file).stem)
    this_year = _year(clock.now())
    with using_file(), within(input_name(file)):
        text = read_input(file).decode("utf-8-sig", errors="replace")
        days = days_of(text, Years(this_year - 1, this_year + years))
    body: JsonObject = {"properties": {"dates": [*days]}}
    found = session.client.put_calendar(session.key, wanted, body)
    session.out.value(found, [f"Calendar {wanted} has {how_many(_count(days), 'day')} off."])


@server_command("calendar delete", examples="foliot calendar delete holidays --yes")
def delete_calendar(
    session: ServerSession,
    calendar: CalendarName,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a calendar."""
    confirm(f"Delete the calendar {calendar}?", is_sure=yes)
    session.client.delete_calendar(session.key, calendar)
    session.out.tell(f"Calendar {calendar} is deleted.")


def _dates(calendar: JsonObject) -> list[str]:
    found = value_at(calendar, "properties", "dates")
    return [str(each) for each in found] if isinstance(found, list) else []


def _number(calendar: JsonObject) -> str:
    return str(_count(_dates(calendar)))


def _first(calendar: JsonObject) -> str:
    return min(_dates(calendar), default="").partition("/")[0]


def _last(calendar: JsonObject) -> str:
    return max((each.rpartition("/")[2] for each in _dates(calendar)), default="")


def _count(days: list[str]) -> int:
    ends = [each.partition("/") for each in days]
    try:
        spans = [(date.fromisoformat(a), date.fromisoformat(b or a)) for a, _, b in ends]
    except ValueError:
        raise Unreachable("the server does not answer as Foliot does: a date is none.") from None
    return sum((last - first).days + 1 for first, last in spans)


def _year(now: Instant) -> int:
    return reading_of(Wall(now)).year
