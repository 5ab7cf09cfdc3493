"""Runs an import: reads files, checks jobs, prints jobs and report."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from foliot.cli.import_jobs import ImportCall
from foliot.cli.import_report import write_report
from foliot.cli.imported_jobs import check_import
from foliot.cli.input_files import input_name, read_input
from foliot.cli.remote.exit_codes import ExitCode
from foliot.client.errors import ClientError
from foliot.core.errors import Invalid, within
from foliot.core.ids import CollectionKey, check_key
from foliot.core.instant import parse_instant
from foliot.core.recurrence.zone import find_zone
from foliot.importers import (
    ImportOptions,
    ImportResult,
    SourceText,
    read_cloud_jobs,
    read_cron_jobs,
    read_crontabs,
    read_event_rules,
    read_exports,
    read_templates,
    read_workflows,
    write_collections,
)
from foliot.ports import clock
from foliot.serve.progress import progress_line

_ANY_NAME = "default"
_MAX_BYTES = 4 * 1024 * 1024
_Read = Callable[[list[SourceText], ImportOptions], ImportResult]


def run_import(call: ImportCall) -> None:
    """Import files; exit with 1 if nothing was taken over or a file cannot be used."""
    with _exiting(ExitCode.USAGE):
        options = _options(call)
    with _exiting(ExitCode.REFUSED):
        # Before a line is drawn: somebody may be typing it.
        typed = {each: _read_file(each) for each in {"-"}.intersection(call.files)}
        with progress_line("Files are read") as line:
            sources = [typed.get(each) or _read_file(each) for each in call.files]
            result = _readers(call)[call.source](sources, options)
            checked = check_import(result, options.now, line)
            line.show("Jobs are written")
            report = write_report(checked)
            text = write_collections(checked.result.collections)
        if call.report is not None:
            _write(call.report, report)
    if not checked.result.collections:
        typer.echo(report, err=True, nl=False)
        raise typer.Exit(ExitCode.REFUSED)
    typer.echo(text, nl=False)
    if call.report is None:
        typer.echo(report, err=True, nl=False)


@contextmanager
def _exiting(code: ExitCode) -> Generator[None]:
    """Print a refusal as one line, and end with a code."""
    try:
        yield
    except Invalid as refusal:
        typer.echo(f"foliot import: {' '.join(str(refusal).split())}", err=True)
        raise typer.Exit(code) from None


def _readers(call: ImportCall) -> Mapping[str, _Read]:
    """Return the reader of each source."""

    def parameters() -> SourceText | None:
        return None if call.parameters is None else _read_file(call.parameters)

    return {
        "arm": lambda sources, options: read_templates(sources, options, parameters()),
        "azure-export": read_exports,
        "crontab": lambda sources, options: read_crontabs(
            sources, options, has_users=call.has_users
        ),
        "eventbridge": read_event_rules,
        "gcloud": read_cloud_jobs,
        "kubernetes": read_cron_jobs,
        "logicapp": lambda sources, options: read_workflows(sources, options, parameters()),
    }


def _options(call: ImportCall) -> ImportOptions:
    with within("--now"):
        now = clock.now() if call.now is None else parse_instant(call.now)
    if call.zone is not None:
        with _naming("--zone"):
            find_zone(call.zone)
    subscription, group, collection = _target(call.into)
    with _naming("--into"):
        check_key(CollectionKey(subscription, group, collection or _ANY_NAME))
    return ImportOptions(
        now=now,
        subscription=subscription,
        group=group,
        collection=collection,
        zone=call.zone,
        keeps_secrets=call.keeps_secrets,
    )


@contextmanager
def _naming(option: str) -> Generator[None]:
    """Name an option alone: the names of properties are not what was typed."""
    try:
        yield
    except Invalid as refusal:
        raise Invalid((option,), refusal.problem) from None


def _read_file(name: str) -> SourceText:
    """Read a file of bounded size, or standard input."""
    try:
        return SourceText(input_name(name), read_input(name, _MAX_BYTES))
    except ClientError as refusal:
        raise Invalid((), str(refusal)) from None


def _target(into: str | None) -> tuple[str, str, str | None]:
    parts = [] if into is None else into.strip("/").split("/")
    match parts:
        case []:
            return "me", "home", None
        case [collection]:
            return "me", "home", collection
        case [subscription, group]:
            return subscription, group, None
        case [subscription, group, collection]:
            return subscription, group, collection
        case _:
            expected = "COLLECTION, SUBSCRIPTION/GROUP or SUBSCRIPTION/GROUP/COLLECTION"
            raise Invalid(("--into",), f"has {len(parts)} parts; give {expected}.")


def _write(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, "utf-8")
    except OSError as error:
        raise Invalid((), f"cannot write {name}: {error.strerror}.") from None
