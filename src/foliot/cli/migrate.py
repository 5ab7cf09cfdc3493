"""`foliot migrate`: an installation moves from SQLite to PostgreSQL."""

from pathlib import Path
from typing import Annotated

import typer

from foliot import clock
from foliot.cli.refusal import refusing
from foliot.config import PostgresAddress, read_settings
from foliot.core.errors import Invalid

_EVERY = 1000


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

        rows = move(old, new, clock.now, _show)
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


def _show(table: str, done: int, count: int) -> None:
    if done % _EVERY == 0 or done == count:
        end = done == count
        typer.echo(f"\r{table}: {done} of {count} ({100 * done // count} %)", err=True, nl=end)
