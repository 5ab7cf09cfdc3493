"""`foliot job run`, `test`, `redrive`, `backfill`, `retry` and `cancel`."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import attempt_lines, run_details, text_at
from foliot.cli.remote.job_inputs import read_job_file
from foliot.cli.remote.jobs import JobName
from foliot.cli.remote.output import details
from foliot.cli.remote.printable import printable
from foliot.cli.remote.waiting import start_and_wait
from foliot.client.durations import parse_duration
from foliot.client.errors import RunFailed
from foliot.client.job_files import JsonObject, without_answered
from foliot.client.typed_times import parse_past
from foliot.core.errors import Invalid, within
from foliot.core.instant import format_instant
from foliot.core.plurals import how_many
from foliot.ports import clock

_SUCCESSES = {"succeeded", "recovered"}
From = Annotated[
    str | None,
    typer.Option("--from", metavar="TIME", help="The first planned time; 12h is so long ago."),
]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="TIME", help="Planned before this time; now if not given."),
]


@server_command(
    "job run",
    examples="""
foliot job run report
foliot job run report --wait --at-most 5m
""",
)
def run_job(
    session: ServerSession,
    job: JobName,
    *,
    wait: Annotated[
        bool, typer.Option("--wait", "-w", help="Wait for the end; exit with 6 if it failed.")
    ] = False,
    at_most: Annotated[
        str | None, typer.Option(metavar="PERIOD", help="Wait no longer; exit with 7 then.")
    ] = None,
) -> None:
    """Run a job now, also if it is disabled."""
    if not wait:
        session.client.start_job(session.key, job)
        session.out.tell(f"Job {job} is started.")
        return
    with within("--at-most"):
        limit = None if at_most is None else parse_duration(at_most)
    with _waiting(session, f"Job {job} runs") as tell:
        run = start_and_wait(session.client, session.key, job, limit, tell)
    session.out.value(run, details(run_details(run)))
    outcome = text_at(run, "properties", "outcome")
    if outcome not in _SUCCESSES:
        raise RunFailed(f"the run of {job} ended as {outcome}.")


def _tell_aside(line: str) -> None:
    """Tell people what happens meanwhile: a retry may be a long time away."""
    typer.echo(printable(line), err=True)


def _waiting(
    session: ServerSession, text: str
) -> AbstractContextManager[Callable[[str], None], bool | None]:
    if not session.out.is_for_people:
        return nullcontext(_tell_aside)
    # Here, since it takes longer to load than a run may take.
    from foliot.cli.remote.terminal import spinning  # noqa: PLC0415

    return spinning(text, _tell_aside)


@server_command(
    "job test",
    examples="""
foliot job test report
foliot job test -f job.yaml
""",
)
def try_job(
    session: ServerSession,
    job: Annotated[
        str | None, typer.Argument(metavar="JOB", help="The job, if it is stored.")
    ] = None,
    *,
    file: Annotated[
        str | None,
        typer.Option("--file", "-f", metavar="FILE", help="The job as JSON or YAML, or -."),
    ] = None,
) -> None:
    """Make one attempt of a job now, without an entry in its history.

    A file is tried in the place of the stored job, or as a new one.
    """
    if job is None and file is None:
        raise Invalid(("JOB",), "is missing; give the name of a job, or a file.")
    document = without_answered(read_job_file(file))
    with _waiting(session, "One attempt is made"):
        answer = session.client.test_job(session.key, job, document)
    session.out.value(answer, attempt_lines(answer))
    if text_at(answer, "outcome") == "failed":
        raise RunFailed("the attempt failed.")


@server_command(
    "job redrive",
    examples="""
foliot job redrive report --from 12h
foliot job redrive report --tag 9f1c0d5e
""",
)
def redrive_runs(
    session: ServerSession,
    job: JobName,
    *,
    start: From = None,
    end: To = None,
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", help="The run of this execution tag.")
    ] = None,
) -> None:
    """Run again what was given up: one run by its tag, or all of a stretch of time."""
    if (tag is None) == (start is None):
        raise Invalid((), "give --from or --tag, and not both.")
    which: JsonObject = _stretch(start, end) if tag is None else {"tag": tag}
    _planned(session, session.client.redrive(session.key, job, which), f"Runs of {job} again")


@server_command(
    "job backfill", examples="foliot job backfill report --from 2026-03-01 --to 2026-03-08"
)
def backfill_times(
    session: ServerSession,
    job: JobName,
    *,
    start: Annotated[str, typer.Option("--from", metavar="TIME", help="The first planned time.")],
    end: To = None,
) -> None:
    """Run the planned times of the past, the oldest first."""
    answer = session.client.backfill(session.key, job, _stretch(start, end))
    _planned(session, answer, f"Runs of {job}")


def _stretch(start: str | None, end: str | None) -> JsonObject:
    now = clock.now()
    with within("--from"):
        begin = parse_past(start or "", now)
    with within("--to"):
        last = now if end is None else parse_past(end, now)
    return {"from": format_instant(begin), "to": format_instant(last)}


def _planned(session: ServerSession, answer: JsonObject, what: str) -> None:
    words = {
        "planned": "planned",
        # A redrive counts only runs that were given up, and leaves none of them out.
        "leftOut": "left out (open, succeeded or about to be planned)",
        "left": "left for the next time",
    }
    counts = {text: text_at(answer, name) for name, text in words.items()}
    told = [
        f"{n or 0} {text}" for text, n in counts.items() if text == "planned" or n not in {"", "0"}
    ]
    session.out.value(answer, [f"{what}: {', '.join(told)}."])


@server_command("job retry", examples="foliot job retry report 9f1c0d5e")
def retry_run(
    session: ServerSession,
    job: JobName,
    tag: Annotated[str, typer.Argument(metavar="TAG", help="The run, as `foliot runs` shows it.")],
) -> None:
    """Retry a run now that failed and waits for its retry."""
    answer = session.client.retry_run(session.key, job, tag)
    when = "now" if text_at(answer, "begins") == "now" else "when the job is enabled"
    session.out.tell(f"The run {tag} of {job} is retried {when}.")


@server_command(
    "job cancel",
    examples="""
foliot job cancel report 9f1c0d5e
foliot job cancel report --all --trigger backfill --waiting
""",
)
def cancel_runs(  # noqa: PLR0913  (one parameter for each option)
    session: ServerSession,
    job: JobName,
    tag: Annotated[
        str | None, typer.Argument(metavar="TAG", help="The run, as `foliot runs` shows it.")
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All open runs of the job.")] = False,
    trigger: Annotated[
        str | None,
        typer.Option(metavar="TRIGGER", help="With --all: only those of schedule, backfill, ..."),
    ] = None,
    waiting: Annotated[
        bool, typer.Option("--waiting", help="With --all: only those without an attempt now.")
    ] = False,
) -> None:
    """End a run that is open, or all of them."""
    if every == (tag is not None):
        raise Invalid((), "give a TAG or --all, and not both.")
    if tag is not None:
        session.client.cancel_run(session.key, job, tag)
        session.out.tell(f"The run {tag} of {job} is canceled.")
        return
    filters = {"trigger": trigger, "outcome": "waiting" if waiting else None}
    asked = {name: text for name, text in filters.items() if text is not None}
    answer = session.client.cancel_runs(session.key, job, asked)
    count = int(text_at(answer, "canceled") or 0)
    session.out.value(answer, [f"Canceled {how_many(count, 'run')} of {job}."])
