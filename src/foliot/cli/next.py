"""`foliot next`: prints when a job will run."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, TypedDict

import typer

from foliot.api.wire.json_reader import Properties, read_integer, read_text
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.errors import Invalid, within, wrong
from foliot.core.instant import Instant, format_instant, parse_instant
from foliot.core.json_text import Json, parse_json
from foliot.core.recurrence import (
    ExplainedTime,
    Timetable,
    accept,
    explain_next,
    occurrences,
    sentence,
)
from foliot.ports import clock

_DEFAULT_COUNT = 10
_MAX_COUNT = 100_000


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
    answered by one line: {"times": [...]}, or {"error": "..."}.
    """
    try:
        with within("--now"):
            at = clock.now() if now is None else parse_instant(now)
        if job == "-":
            _answer_lines(sys.stdin.buffer, at, count, explain=explain)
            return
        timetable = _timetable(parse_json(_read(job)), at)
    except Invalid as refusal:
        typer.echo(f"foliot next: {refusal}", err=True)
        raise typer.Exit(2) from None
    if not explain:
        for found in _first(timetable, count):
            typer.echo(found)
        return
    typer.echo(sentence(timetable))
    for each in _explained(timetable, count):
        typer.echo("  ".join((format_instant(each.at), *each.notes)))


class _Answer(TypedDict, total=False):
    times: list[str]
    sentence: str
    notes: dict[str, list[str]]
    error: str


def _answer_lines(lines: BinaryIO, now: Instant, count: int, *, explain: bool) -> None:
    for line in lines:
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
    with within(*request.at("job")):
        timetable = _timetable(request.get("job"), now)
    answer = _Answer(times=list(_first(timetable, count)))
    if explain:
        answer["sentence"] = sentence(timetable)
        notes = {
            format_instant(each.at): list(each.notes)
            for each in _explained(timetable, count)
            if each.notes
        }
        if notes:
            answer["notes"] = notes
    return answer


def _timetable(job: Json, now: Instant) -> Timetable:
    """Read a job, the whole resource or its properties alone, as if it were created now."""
    resource = Properties(job)
    inner = resource.get("properties")
    properties = resource if inner is None else Properties(inner, resource.at("properties"))
    recurrence, start = decode_recurrence(properties), decode_start(properties)
    with within(*properties.path):
        return accept(recurrence, start, now)


def _first(timetable: Timetable, count: int) -> Iterator[str]:
    return map(format_instant, islice(occurrences(timetable), count))


def _explained(timetable: Timetable, count: int) -> list[ExplainedTime]:
    limit = timetable.recurrence.count if timetable.recurrence else None
    number = count if limit is None else min(count, limit)
    return explain_next(timetable, Instant(timetable.floor - 1), number)


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise Invalid((), f"cannot read {name}: {error.strerror}.") from None
