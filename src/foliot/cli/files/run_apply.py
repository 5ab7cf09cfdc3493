"""Runs `foliot apply` and `foliot diff`: plans, asks, changes."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import typer

from foliot.cli.files.current import current_collection
from foliot.cli.files.doing import carry_out, validate_plan
from foliot.cli.files.plan import CollectionPlan, PlanOptions, plan_collection
from foliot.cli.files.plan_text import plan_json, plan_lines
from foliot.cli.files.reading import read_files
from foliot.cli.files.wanted import decode_collections
from foliot.cli.remote.command import ServerSession
from foliot.cli.remote.exit_codes import ExitCode
from foliot.cli.remote.job_inputs import confirm, using_file
from foliot.client.job_documents import read_collections
from foliot.client.paths import key_text
from foliot.core.errors import Invalid
from foliot.ports import clock


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
    with _busy(session, "The server checks the changes"):
        for plan in changing:
            validate_plan(session.client, plan)
    if is_trial or not changing:
        return
    confirm("Make these changes?", is_sure=is_sure)
    for plan in changing:
        with _busy(session, f"{key_text(plan.current.key)} is changed"):
            carry_out(session.client, plan)
        session.out.tell(f"Collection {key_text(plan.current.key)} is as in the files.")


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
    now, client = clock.now(), session.client
    with _busy(session, "The files are compared with the server"):
        found = [(each, current_collection(client, each.key)) for each in wanted]
        with using_file():
            plans = [
                plan_collection(client, each, current, options, now) for each, current in found
            ]
    session.out.value(plan_json(plans), plan_lines(plans))
    return plans


@contextmanager
def _busy(session: ServerSession, text: str) -> Generator[None]:
    """Show on a terminal that something goes on."""
    if not (session.out.is_for_people and sys.stderr.isatty()):
        yield
        return
    # Here, since only a terminal needs it.
    from foliot.cli.remote.terminal import spinning  # noqa: PLC0415

    with spinning(text):
        yield
