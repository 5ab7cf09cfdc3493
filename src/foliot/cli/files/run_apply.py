"""Runs `foliot apply` and `foliot diff`: plans, asks, changes."""

from collections.abc import Sequence

import typer

from foliot.cli.files.apply_plan import carry_out, validate_plan
from foliot.cli.files.current import current_collection
from foliot.cli.files.decoded_files import FileCollection, decode_collections
from foliot.cli.files.plan import CollectionPlan, Comparing, PlanOptions, plan_collection
from foliot.cli.files.plan_text import plan_json, plan_lines
from foliot.cli.files.reading import read_files
from foliot.cli.remote.command import ServerSession
from foliot.cli.remote.exit_codes import ExitCode
from foliot.cli.remote.job_inputs import confirm, using_file
from foliot.client.job_documents import read_collections
from foliot.client.paths import key_text
from foliot.core.errors import Invalid
from foliot.ports import clock
from foliot.serve.progress import progress_line


def run_apply(
    session: ServerSession,
    files: Sequence[str] | None,
    options: PlanOptions,
    *,
    is_trial: bool,
    is_sure: bool,
) -> None:
    """Print a plan, have the server check it, ask, and carry it out."""
    plans = _printed_plans(session, files, options)
    changing = [each for each in plans if each.has_changes]
    checking = "The server checks the changes"
    with progress_line(checking) as line:
        for plan in line.each(checking, changing):
            validate_plan(session.client, plan)
    if is_trial or not changing:
        return
    confirm("Make these changes?", is_sure=is_sure)
    for done, plan in enumerate(changing):
        name = key_text(plan.current.key)
        with progress_line(name) as line:
            line.show_part(f"{name} is changed", done, len(changing))
            carry_out(session.client, plan)
        session.out.tell(f"Collection {name} is as in the files.")


def run_diff(session: ServerSession, files: Sequence[str] | None, options: PlanOptions) -> None:
    """Print a plan; exit with a code of its own if there is something to do."""
    plans = _printed_plans(session, files, options)
    if any(each.has_changes for each in plans):
        raise typer.Exit(ExitCode.DIFFERENT)


def _printed_plans(
    session: ServerSession, files: Sequence[str] | None, options: PlanOptions
) -> list[CollectionPlan]:
    if not files:
        raise Invalid(("--file",), "is missing; give a file or a directory.")
    with using_file():
        wanted = decode_collections(read_collections(read_files(files)))
        if not wanted:
            raise Invalid(("--file",), "the files have no documents.")
    plans = _compared(session, wanted, options)
    session.out.value(plan_json(plans), plan_lines(plans))
    return plans


def _compared(
    session: ServerSession, wanted: Sequence[FileCollection], options: PlanOptions
) -> list[CollectionPlan]:
    client = session.client
    reading = "The server is read"
    with progress_line(reading) as line:
        comparing = Comparing(client, options, clock.now(), line)
        found = [
            (each, current_collection(client, each.key)) for each in line.each(reading, wanted)
        ]
        with using_file():
            return [plan_collection(comparing, each, current) for each, current in found]
