"""The command line.

migrate   `foliot migrate`: an installation moves from SQLite to PostgreSQL
next      `foliot next`: when a job will run
progress  how far a long piece of work is: a bar on a terminal, a line now and then elsewhere
refusal   how a command that works on a server's data ends when it cannot
serve     `foliot serve`: the server
token     `foliot token`: create, list and revoke tokens in a server's database, also while it runs
"""

from importlib import metadata
from typing import Annotated

import typer

from foliot.cli.migrate import migrate_
from foliot.cli.next import next_
from foliot.cli.serve import serve_
from foliot.cli.token import token_app

app = typer.Typer(
    add_completion=False,
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
        typer.echo(f"foliot {metadata.version('foliot')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


app.command("migrate")(migrate_)
app.command("next")(next_)
app.command("serve")(serve_)
app.add_typer(token_app, name="token")
