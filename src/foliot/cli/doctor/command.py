"""`foliot doctor`: runs all checks and prints what they have found."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from foliot.cli.doctor.finding import CheckResult, Level, problem
from foliot.cli.local.options import DataDir, ServerDatabase
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.core.errors import FoliotError, wrong
from foliot.serve.progress import progress_line

_WIDTH = 8


def doctor_(
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FORMAT", help="table or json.")
    ] = "table",
    data_dir: DataDir = None,
    database: ServerDatabase = None,
) -> None:
    """Look for what keeps a server from working well, and say what to do.

    Run it with the variables and as the user of the server. Nothing is changed, no secret is shown,
    and nothing but the database, the server and its proxy is called. The exit code is 0 if all is
    well, 1 with warnings, and 2 with problems.
    """
    with refusing("doctor"):
        if output.lower() not in {"table", "json"}:
            raise wrong(("--output",), output, "table or json")
    with progress_line("The server and its database are checked"):
        findings = list(_findings(data_dir, database))
    if output.lower() == "json":
        typer.echo(json.dumps([_json(each) for each in findings], indent=2))
    else:
        for each in findings:
            typer.echo(_line(each))
    raise typer.Exit(int(max(each.level for each in findings)))


def _findings(data_dir: str | None, database: str | None) -> Iterator[CheckResult]:
    # Here, since `foliot --help` must not load the store.
    from importlib import metadata  # noqa: PLC0415

    from foliot.cli.doctor import client_certificates, machine, network, server_certificate  # noqa: PLC0415
    from foliot.cli.doctor import database as of_database  # noqa: PLC0415
    from foliot.serve.settings import read_settings  # noqa: PLC0415

    try:
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
    except FoliotError as error:
        advice = "correct it: no server starts with it"
        yield problem("configuration", str(error).rstrip("."), advice)
        return
    yield from machine.check_configuration(settings)
    yield from machine.check_data_dir(settings)
    yield from machine.check_disk(settings)
    yield from machine.check_server(settings)
    found, facts = of_database.check_database(settings)
    yield from found
    if facts is not None:
        yield from of_database.check_keys(settings, facts)
        yield from of_database.check_clock(settings, facts)
        yield from of_database.check_nodes_of(facts, metadata.version("foliot"))
        yield from client_certificates.check_client_certificates(settings)
    yield from server_certificate.check_server_certificate(settings)
    yield from network.check_egress(settings)
    yield from network.check_names()
    yield from network.check_proxy(settings)
    yield from network.check_trusted(settings)


def _json(finding: CheckResult) -> dict[str, str]:
    return {
        "check": finding.check,
        "level": finding.level.name.lower(),
        "found": finding.found,
        "advice": finding.advice,
    }


def _line(finding: CheckResult) -> str:
    level = finding.level.name.lower().ljust(_WIDTH)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        level = typer.style(level, fg=_COLOURS[finding.level])
    advice = f"\n{'':{_WIDTH}} -> {finding.advice}" if finding.advice else ""
    return f"{level} {finding.check}: {finding.found}{advice}"


_COLOURS = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "red"}

doctor_.__dict__["examples"] = examples_text(
    """
foliot doctor --data-dir /var/lib/foliot
foliot doctor --output json
"""
)
