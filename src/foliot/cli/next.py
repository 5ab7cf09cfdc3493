"""`foliot next`: prints when a job will run."""

import json
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Annotated, BinaryIO, TypedDict

import typer

from foliot.api.wire.calendar_rules import list_of_dates
from foliot.api.wire.fields import read_field
from foliot.api.wire.json_reader import Properties, optional_object, read_integer, read_text
from foliot.api.wire.policy import POLICY_FIELD
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.cli.input_files import MAX_BYTES, read_input
from foliot.cli.plain_values import examples_text
from foliot.client.errors import ClientError
from foliot.core.errors import Invalid, shown, within, wrong
from foliot.core.instant import Instant, format_instant, parse_instant
from foliot.core.json_text import Json, parse_json
from foliot.core.model.policy import Policy
from foliot.core.recurrence import (
    CalendarDays,
    DateRange,
    ExplainedTime,
    Timetable,
    accept,
    explain_next,
    occurrences,
)
from foliot.core.rules.job_sentence import sentence_with_policy
from foliot.ports import clock

_DEFAULT_COUNT = 10
_MAX_COUNT = 100_000
_DATES = list_of_dates(single=True)
_Calendars = Mapping[str, tuple[DateRange, ...]]
_NONE: _Calendars = MappingProxyType({})


def next_(
    job: Annotated[
        str, typer.Argument(metavar="JOB", help="A file with the job as JSON, or - for JSON lines.")
    ],
    count: Annotated[
        int, typer.Option(min=1, max=_MAX_COUNT, help="How many occurrences to print.")
    ] = _DEFAULT_COUNT,
    now: Annotated[
        str | None, typer.Option(help="Take the job as created at this time, not at the present.")
    ] = None,
    *,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also say in words when it runs, and what clock changes and days off have moved.",
        ),
    ] = False,
) -> None:
    """Print when a job will run, one ISO 8601 instant per line.

    With - each line of the standard input is {"job": {...}, "now": "...", "count": 20} and is
    answered by one line: {"times": [...]}, or {"error": "..."}. A job that names calendars of days
    off needs their dates beside it: "calendars": {"de-holidays": ["2026-12-25"]}.
    """
    try:
        with within("--now"):
            at = clock.now() if now is None else parse_instant(now)
        if job == "-":
            _answer_lines(sys.stdin.buffer, at, count, explain=explain)
            return
        planned = timetable, _ = _planned(parse_json(_read(job)), at)
    except Invalid as refusal:
        typer.echo(f"foliot next: {refusal}", err=True)
        raise typer.Exit(2) from None
    if not explain:
        for found in _first(timetable, count):
            typer.echo(found)
        return
    typer.echo(sentence_with_policy(*planned, at))
    for each in _explained(timetable, count):
        typer.echo("  ".join((format_instant(each.at), *each.notes)))


class _Answer(TypedDict, total=False):
    times: list[str]
    sentence: str
    notes: dict[str, list[str]]
    error: str


def _answer_lines(lines: BinaryIO, now: Instant, count: int, *, explain: bool) -> None:
    # A line without an end must not take all memory.
    while line := lines.readline(MAX_BYTES):
        try:
            request = Properties(parse_json(line.rstrip(b"\r\n")))
            answer = _answer(request, now, count, explain=explain)
        except Invalid as refusal:
            answer = _Answer(error=str(refusal))
        # The caller may wait for this answer before it writes the next line.
        typer.echo(json.dumps(answer))


def _answer(request: Properties, now: Instant, count: int, *, explain: bool) -> _Answer:
    given_now, given_count = request.get("now"), request.get("count")
    if given_now is not None:
        with within(*request.at("now")):
            now = parse_instant(read_text(given_now, (), "an ISO 8601 date-time in quotes"))
    if given_count is not None:
        count = read_integer(given_count, request.at("count"))
        if not 1 <= count <= _MAX_COUNT:
            raise wrong(request.at("count"), count, f"a whole number from 1 to {_MAX_COUNT}")
    if request.get("job") is None:
        raise Invalid(request.at("job"), "is missing; give the job as an object {...}.")
    calendars = _read_calendars(request)
    with within(*request.at("job")):
        timetable, policy = _planned(request.get("job"), now, calendars)
    answer = _Answer(times=list(_first(timetable, count)))
    if explain:
        answer["sentence"] = sentence_with_policy(timetable, policy, now)
        notes = {
            format_instant(each.at): list(each.notes)
            for each in _explained(timetable, count)
            if each.notes
        }
        if notes:
            answer["notes"] = notes
    return answer


def _planned(
    job: Json, now: Instant, calendars: _Calendars = _NONE
) -> tuple[Timetable, Policy | None]:
    """Read a job, the whole resource or its properties alone, as if it were created now."""
    resource = Properties(job)
    inner = resource.get("properties")
    properties = resource if inner is None else Properties(inner, resource.at("properties"))
    recurrence, start = decode_recurrence(properties), decode_start(properties)
    exclude = None if recurrence is None else recurrence.exclude
    named = () if exclude is None else exclude.calendars
    policy = read_field(properties, POLICY_FIELD)
    with within(*properties.path):
        days = [dates for at, name in enumerate(named) for dates in _dates_of(calendars, at, name)]
        return accept(recurrence, start, now, calendar_days=CalendarDays.of(days)), policy


def _read_calendars(request: Properties) -> _Calendars:
    """Read the dates of calendars, which are given beside the job, by their names."""
    given, decode = optional_object(request, "calendars"), _DATES.decode
    names = request.get("calendars")
    if given is None or decode is None or not isinstance(names, dict):
        return _NONE
    return {name.lower(): decode(given, name) for name in names}


def _dates_of(calendars: _Calendars, index: int, name: str) -> tuple[DateRange, ...]:
    if name.lower() not in calendars:
        raise Invalid(
            ("recurrence", "exclude", "calendars", index),
            f"{shown(name)} is not known here; give its dates beside the job, in a JSON line: "
            f'"calendars": {{{shown(name)}: ["2026-12-25"]}}.',
        )
    return calendars[name.lower()]


def _first(timetable: Timetable, count: int) -> Iterator[str]:
    return map(format_instant, islice(occurrences(timetable), count))


def _explained(timetable: Timetable, count: int) -> list[ExplainedTime]:
    limit = timetable.recurrence.count if timetable.recurrence else None
    number = count if limit is None else min(count, limit)
    return explain_next(timetable, Instant(timetable.floor - 1), number)


def _read(name: str) -> bytes:
    try:
        return read_input(name)
    except ClientError as refusal:
        raise Invalid((), str(refusal)) from None


next_.__dict__["examples"] = examples_text(
    """
foliot next job.json --count 10 --explain
foliot next job.json --now 2026-03-01
"""
)
