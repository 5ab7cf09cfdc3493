"""`foliot job list`, `show`, `next`, `enable`, `disable`, `delete` and `export`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import JOB_COLUMNS, field, job_name, second, target, text_at
from foliot.cli.remote.job_inputs import confirm
from foliot.cli.remote.output import Column, OutputFormat, details
from foliot.client.job_files import JsonObject, exported, left_out

JobName = Annotated[str, typer.Argument(metavar="JOB", help="The job.")]
# What the server tells at most.
_MAX_COUNT = 100


@server_command("job list", examples="foliot job list --state disabled --output jsonl")
def list_jobs(
    session: ServerSession,
    *,
    state: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="enabled, disabled, completed or faulted."),
    ] = None,
) -> None:
    """List the jobs of a collection."""
    session.out.rows(session.client.jobs(session.key, state), JOB_COLUMNS)


@server_command("job show", examples="foliot job show ping --output yaml")
def show_job(session: ServerSession, job: JobName) -> None:
    """Show a job: when it runs, what it calls, how it went."""
    found = session.client.job(session.key, job)
    # Here, since a list of jobs needs no calendar.
    from foliot.cli.remote.previews import ComingRuns, coming_runs  # noqa: PLC0415

    is_told = session.out.is_for_people
    preview = coming_runs(session, found) if is_told else ComingRuns("", [])
    session.out.value(found, details(_told(found, preview.sentence, preview.times)))


def _told(job: JsonObject, sentence: str, times: list[str]) -> Iterator[tuple[str, str]]:
    yield "job", job_name(job)
    yield "state", text_at(job, "properties", "state")
    yield "paused", text_at(job, "properties", "status", "pausedBecause")
    yield "runs", sentence
    for each in times:
        yield "next run", second(each)
    yield "calls", target(job)
    yield "last run", second(text_at(job, "properties", "status", "lastExecutionTime"))
    for name in ("executionCount", "failureCount", "faultedCount"):
        yield name, text_at(job, "properties", "status", name)


@server_command("job next", examples="foliot job next report --count 10")
def next_runs(
    session: ServerSession,
    job: JobName,
    *,
    count: Annotated[int, typer.Option(min=1, max=_MAX_COUNT, help="How many runs to print.")] = 10,
) -> None:
    """Print when a job will run next, one time to a line."""
    from foliot.cli.remote.previews import coming_runs  # noqa: PLC0415  (as above)

    found = session.client.job(session.key, job)
    times = coming_runs(session, found, count).times
    rows: list[JsonObject] = [{"plannedAt": each} for each in times]
    if session.out.is_for_people:
        for each in times:
            session.out.tell(second(each))
    else:
        session.out.rows(rows, [Column("PLANNED", field("plannedAt"))])


@server_command("job enable", examples="foliot job enable report")
def enable_job(session: ServerSession, job: JobName) -> None:
    """Enable a job: it runs again."""
    _set_state(session, job, "enabled")


@server_command("job disable", examples="foliot job disable report")
def disable_job(session: ServerSession, job: JobName) -> None:
    """Disable a job: it does not run until it is enabled."""
    _set_state(session, job, "disabled")


def _set_state(session: ServerSession, job: str, state: str) -> None:
    found = session.client.patch_job(session.key, job, {"properties": {"state": state}})
    session.out.value(found, [f"Job {job_name(found)} is {state}."])


@server_command("job delete", examples="foliot job delete ping --yes")
def delete_job(
    session: ServerSession,
    job: JobName,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a job with its history."""
    found = session.client.job(session.key, job)
    confirm(f"Delete the job {job_name(found)} with its history?", is_sure=yes)
    session.client.delete_job(session.key, job)
    session.out.tell(f"Job {job_name(found)} is deleted.")


@server_command(
    "job export",
    examples="""
foliot job export ping > ping.yaml
foliot job export --output jsonl > jobs.jsonl
""",
)
def export_jobs(
    session: ServerSession,
    jobs: Annotated[
        list[str] | None, typer.Argument(metavar="JOB...", help="The jobs; all if none is given.")
    ] = None,
) -> None:
    """Print jobs as `job create -f` takes them: YAML, unless another format is asked for.

    Secrets are not part of it; the standard error names where they are missing.
    """
    found = (
        [session.client.job(session.key, each) for each in jobs]
        if jobs
        else list(session.client.jobs(session.key))
    )
    if session.out.is_for_people:
        session.out.form = OutputFormat.YAML
    for each in found:
        for place in left_out(each.get("properties")):
            typer.echo(f"{job_name(each)}: {place} is not exported.", err=True)
    kept = [exported(each) for each in found]
    if jobs and len(jobs) == 1:
        session.out.value(kept[0])
    else:
        session.out.rows(kept, [])
