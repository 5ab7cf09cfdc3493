"""`foliot restore`: makes a new server of a backup."""

import os
from pathlib import Path
from typing import Annotated

import typer

from foliot.cli.local.options import DataDir, ServerDatabase
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing


def restore_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="As `foliot backup` wrote it.")],
    *,
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The secret key. FILE.key by default."),
    ] = None,
    accept_unreadable: Annotated[
        bool,
        typer.Option(
            "--accept-unreadable", help="Restore also if the key does not open everything."
        ),
    ] = False,
    data_dir: DataDir = None,
    database: ServerDatabase = None,
) -> None:
    """Make a new server of a backup, in an empty data directory or an empty PostgreSQL database.

    The backup is read as a whole before anything is written, and its key must open every encrypted
    value in it. If the command is interrupted, no server starts on what it has left; run it again.
    """
    # Here, since `foliot --help` must not load the store.
    from foliot.cli.local.restore_steps import restore_backup, told_after  # noqa: PLC0415
    from foliot.serve.settings import read_settings  # noqa: PLC0415

    with refusing("restore"):
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
        facts = restore_backup(
            settings,
            Path(file),
            None if key is None else Path(key),
            accepts_unreadable=accept_unreadable,
        )
    for text in told_after(settings, facts):
        typer.echo(text)


restore_.__dict__["examples"] = examples_text(
    """
foliot restore /backup/foliot.db --key /safe/secret-key --data-dir /var/lib/foliot
foliot restore /backup/foliot.dump --database postgresql://foliot@db/restored
"""
)
