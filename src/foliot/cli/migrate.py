"""`foliot migrate`: an installation moves from SQLite to PostgreSQL."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from foliot import clock
from foliot.cli.progress import showing
from foliot.cli.refusal import refusing
from foliot.config import PostgresAddress, read_settings
from foliot.core.errors import Invalid


def migrate_(
    *,
    source: Annotated[
        str,
        typer.Option("--from", metavar="URL", help="sqlite:///PATH of a stopped server."),
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="postgresql://... that is empty.")
    ],
) -> None:
    """Move jobs, history, tokens and planned retries to PostgreSQL, and compare both afterwards."""
    with refusing("migrate"):
        old, new = _databases(source, target)
        # Here, since no other command needs it.
        from foliot.store.postgres.move import move  # noqa: PLC0415

        with showing(sys.stderr) as progress:
            rows = move(old, new, clock.now, progress)
    typer.echo(f"{rows} rows were moved and are the same in both, by count and checksum.")
    typer.echo("Start each node with this database and the key of the old one: FOLIOT_SECRET_KEYS.")


def _databases(source: str, target: str) -> tuple[Path, str]:
    old = read_settings({"database": source}, {}).database
    if not isinstance(old, Path) or not old.exists():
        raise Invalid(("--from",), "give sqlite:///PATH of a database that exists.")
    new = read_settings({"database": target}, {}).database
    if not isinstance(new, PostgresAddress):
        raise Invalid(("--to",), "give postgresql://user@host/database.")
    return old, new.url.reveal()
