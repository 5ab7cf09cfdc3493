"""`foliot runs` and `failures`: runs of all collections, or of one, or of a job."""

from itertools import islice
from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import RUN_COLUMNS, text_at
from foliot.client.job_files import JsonObject
from foliot.client.typed_times import parse_past
from foliot.core.errors import within
from foliot.core.instant import Instant, format_instant
from foliot.ports import clock

_MAX_RUNS = 10_000
_DAY_AGO = "24h"

Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Ended since: 12h (so long ago), yesterday, 2026-03-01."),
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Ended before.")]
Reason = Annotated[
    str | None, typer.Option(metavar="REASON", help="Why it failed, such as Timeout.")
]
Host = Annotated[str | None, typer.Option(metavar="HOST", help="The host that was called.")]
JobOf = Annotated[str | None, typer.Option("--job", metavar="JOB", help="Of this job alone.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=_MAX_RUNS, help="At most so many.")]


@server_command(
    "runs",
    examples="""
foliot runs --since 1h
foliot runs --outcome running
foliot runs --host api.example.com --since yesterday --output jsonl
""",
)
def list_runs(  # noqa: PLR0913  (one parameter for each option)
    session: ServerSession,
    *,
    since: Since = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            metavar="OUTCOME",
            help="running, waiting, succeeded, recovered, failed, skipped or canceled.",
        ),
    ] = None,
    reason: Reason = None,
    host: Host = None,
    job: JobOf = None,
    limit: Limit = 50,
) -> None:
    """List runs of all collections: open ones first, then the newest first."""
    filters = {"outcome": outcome, "reason": reason, "host": host}
    _print(session, _filters(since, None, filters), job, limit)


@server_command(
    "failures",
    examples="""
foliot failures --since 12h --reason Timeout
foliot failures --since 'yesterday 18:00' --until 'today 8:00'
""",
)
def list_failures(  # noqa: PLR0913  (as above)
    session: ServerSession,
    *,
    since: Since = _DAY_AGO,
    until: Until = None,
    reason: Reason = None,
    host: Host = None,
    job: JobOf = None,
    limit: Limit = 50,
) -> None:
    """List runs that failed for good in the last 24 hours, the newest first."""
    filters = {"outcome": "failed", "reason": reason, "host": host}
    _print(session, _filters(since, until, filters), job, limit)


def _filters(since: str | None, until: str | None, others: dict[str, str | None]) -> dict[str, str]:
    now = clock.now()
    times = {"since": _time("--since", since, now), "until": _time("--until", until, now)}
    return {name: text for name, text in (times | others).items() if text is not None}


def _time(option: str, text: str | None, now: Instant) -> str | None:
    if text is None:
        return None
    with within(option):
        return format_instant(parse_past(text, now))


def _print(session: ServerSession, filters: dict[str, str], job: str | None, limit: int) -> None:
    client = session.client
    if job is not None:
        found = client.runs_of_job(session.key, job, filters)
    elif session.named_collection is not None:
        found = client.runs_of_collection(session.key, filters)
    else:
        found = sorted(client.runs_of_all(filters, limit), key=_order, reverse=True)
    session.out.rows(islice(found, limit), RUN_COLUMNS)


def _order(run: JsonObject) -> tuple[bool, str]:
    """Open runs come first, then those that ended last."""
    ended = text_at(run, "properties", "endTime") or text_at(run, "properties", "skipped", "to")
    is_open = text_at(run, "properties", "outcome") in {"running", "waiting"}
    return is_open, ended or text_at(run, "properties", "plannedAt")
