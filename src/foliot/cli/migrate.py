"""`foliot migrate`: moves an installation from SQLite to PostgreSQL."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.core.errors import Invalid
from foliot.core.plurals import how_many
from foliot.ports import clock
from foliot.serve.data_dir import locked_database
from foliot.serve.progress import showing
from foliot.serve.settings import PostgresAddress
from foliot.serve.settings.parsers import DATABASE, parse_value


def migrate_(
    *,
    source: Annotated[
        str,
        typer.Option("--from", metavar="URL", help="sqlite:///PATH of a stopped server."),
    ],
    target: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="postgresql://... that is empty.")
    ] = None,
    reopen: Annotated[
        bool, typer.Option("--reopen", help="Let servers use a database that was moved again.")
    ] = False,
) -> None:
    """Move jobs, history, tokens and planned retries to PostgreSQL, and compare both afterwards.

    No server starts on the SQLite database afterwards, since both would run the jobs.
    """
    with refusing("migrate"):
        old = _source(source)
        if reopen and target is None:
            _reopen(old)
        else:
            _move(old, _target(target))


def _move(old: Path, new: PostgresAddress) -> None:
    # Here, since no other command needs it.
    from foliot.store.postgres.copy_from_sqlite import CopyTarget, copy_from_sqlite  # noqa: PLC0415

    with locked_database(old), showing(sys.stderr) as progress:
        target = CopyTarget(new.url.reveal(), new.shown)
        rows = copy_from_sqlite(old, target, clock.now, progress)
    typer.echo(f"Moved {how_many(rows, 'row')}: the same in both, by count and checksum.")
    typer.echo(f"{old} is marked as moved: no server starts on it.")
    typer.echo("Start each node with this database and the key of the old one: FOLIOT_SECRET_KEYS.")


def _reopen(old: Path) -> None:
    from foliot.store.postgres.copy_from_sqlite import reopen_source  # noqa: PLC0415  (as above)

    with locked_database(old):
        reopen_source(old)
    typer.echo(
        f"Servers may use {old} again. End those that use its copy: both would run its jobs."
    )


def _source(url: str) -> Path:
    found = parse_value(DATABASE, url, "--from")
    if not isinstance(found, Path) or not found.exists():
        raise Invalid(("--from",), "give sqlite:///PATH of a database that exists.")
    return found


def _target(url: str | None) -> PostgresAddress:
    found = None if url is None else parse_value(DATABASE, url, "--to")
    if not isinstance(found, PostgresAddress):
        raise Invalid(("--to",), "give postgresql://user@host/database.")
    return found


migrate_.__dict__["examples"] = examples_text(
    """
foliot migrate --from sqlite:///foliot-data/foliot.db --to postgresql://foliot@db.internal/foliot
foliot migrate --from sqlite:///foliot-data/foliot.db --reopen
"""
)
