"""The command line.

doctor/        `foliot doctor`: looks for what keeps a server from working
entry          runs a command, and tells why it was not understood or could not end
files/         jobs in files: `foliot apply`, `diff` and `export`
import_jobs    `foliot import`: turns jobs of other schedulers into jobs of Foliot
import_report  the report of an import
imported_jobs  checks imported jobs as the API would
input_files    reads files that people name, of bounded size
lazy_commands  loads each command only when it is called or listed
local/         commands about the server of this machine
migrate        `foliot migrate`: moves an installation from SQLite to PostgreSQL
next           `foliot next`: prints when a job will run
plain_values   commands that take text, numbers and flags without loading pydantic
refusal        prints an error that ends a command
remote/        commands that talk to a server
run_import     runs an import: reads files, prints jobs and report
serve          `foliot serve`: runs the server
token          `foliot token`: makes, lists and revokes tokens
"""

from typing import Annotated

import typer

from foliot.cli.lazy_commands import LazyCommands

app = typer.Typer(
    cls=LazyCommands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def foliot(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Foliot, a self-hosted job scheduler that speaks the Azure Scheduler REST API."""
    if version:
        # Here, since it takes as long to load as all that `foliot next` needs.
        from importlib import metadata  # noqa: PLC0415

        typer.echo(f"foliot {metadata.version('foliot')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
