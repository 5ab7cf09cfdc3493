"""`foliot job create` and `update`."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from foliot.cli.remote.command import DEFAULT_NAME, ServerSession, server_command
from foliot.cli.remote.fields import job_name, text_at
from foliot.cli.remote.job_inputs import read_body, read_job_file, read_secrets
from foliot.cli.remote.job_table import job_parameters
from foliot.cli.remote.previews import coming_runs, preview_lines
from foliot.client.errors import Refused
from foliot.client.job_files import JsonObject, merged, name_of, one_patch, without_answered
from foliot.client.job_options import JobOptions, fill_in, job_changes
from foliot.client.paths import key_text
from foliot.core.errors import Invalid
from foliot.core.ids import check_name
from foliot.ports import clock


@server_command(
    "job create",
    options=tuple(job_parameters()),
    examples="""
foliot job create ping --every 1m --url https://example.com/health
foliot job create report --cron '30 7 * * 1-5' --zone Europe/Prague --http POST https://example.com/report
foliot job create reminder --at 'tomorrow 9:00' --url https://example.com/remind
foliot job create sync --every 1h --url https://example.com/sync --basic robot --retry 5x30s
foliot job create notify --every day --url https://example.com --body @body.json --overlap skip
foliot job create -f job.yaml
""",
)
def create_job(
    session: ServerSession,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name, if the file does not have it."),
    ] = None,
    **options: Any,
) -> None:
    """Create a job, and tell when it will run."""
    document, changes = _read(options)
    wanted = name or name_of(document)
    if wanted is None:
        raise Invalid(("NAME",), "is missing; give the name of the job.")
    # Here, since the server would look for something else below a name with a slash.
    check_name(("NAME",), wanted)
    body = merged(without_answered(document), changes)
    if not isinstance(body, dict) or not text_at(body, "properties", "action"):
        raise Invalid(("--url",), "is missing; give what the job calls, or a file.")
    fill_in(body, clock.now())
    told = _make_first_collection(session)
    if session.client.has_job(session.key, wanted):
        raise Refused(f"the job {wanted} exists; `foliot job update` changes it.")
    _show(session, session.client.put_job(session.key, wanted, body), "created", told)


@server_command(
    "job update",
    options=tuple(job_parameters()),
    examples="""
foliot job update ping --every 5m
foliot job update report --retry 10x5s-10m --retry-on transient
""",
)
def update_job(
    session: ServerSession,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The job.")],
    **options: Any,
) -> None:
    """Change a job: what is not given stays as it is."""
    document, changes = _read(options)
    body = one_patch(without_answered(document), changes)
    if not body:
        raise Invalid((), "nothing to change; give an option or a file.")
    _show(session, session.client.patch_job(session.key, name, body), "changed")


def _make_first_collection(session: ServerSession) -> list[str]:
    """Create a collection for the first job of a server, unless one is named, and say so."""
    if session.named_collection is not None or session.client.collection_keys():
        return []
    key = session.new_key(DEFAULT_NAME)
    session.client.put_collection(key, {"properties": {}})
    return [f"Collection {key_text(key)} is created: there was none."]


def _read(options: dict[str, Any]) -> tuple[JsonObject, JsonObject]:
    """Return the job of the file, and what the options change."""
    basic: str | None = options["basic"]
    document = read_job_file(options.pop("file"))
    secrets = read_secrets(basic, options.pop("cert"), options.pop("password_file"))
    options["body"] = read_body(options["body"])
    for name in ("header", "exclude", "exclude_calendar"):
        options[name] = options[name] or ()
    return document, job_changes(JobOptions(**options), secrets, clock.now())


def _show(session: ServerSession, job: JsonObject, done: str, before: Sequence[str] = ()) -> None:
    told = preview_lines(coming_runs(session, job)) if session.out.is_for_people else []
    session.out.value(job, [*before, f"Job {job_name(job)} is {done}.", *told])
