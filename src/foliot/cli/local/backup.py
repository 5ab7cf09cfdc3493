"""`foliot backup`: copies the database of a server, also while it runs."""

import os
from typing import Annotated

import typer

from foliot.cli.local.options import DataDir, ServerDatabase
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.core.plurals import how_many


def backup_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A new file, or a directory for a new file.")
    ],
    *,
    with_key: Annotated[
        bool,
        typer.Option("--with-key", help="Write the secret key too, into FILE.key."),
    ] = False,
    data_dir: DataDir = None,
    database: ServerDatabase = None,
) -> None:
    """Copy the database of a server into a file, also while the server runs.

    The copy is the state of one instant, is read again as a whole, and gets its name only then: a
    file of this name is complete. The secret key is not in it, unless you ask for it: whoever has
    both can read the passwords in jobs. PostgreSQL is dumped with pg_dump, found on the PATH.
    """
    # Here, since `foliot --help` must not load the store.
    from foliot.cli.local.backup_steps import about_key, make_backup  # noqa: PLC0415
    from foliot.serve.settings import read_settings  # noqa: PLC0415

    with refusing("backup"):
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
        target, facts = make_backup(settings, file, with_key=with_key)
    size = target.stat().st_size / 1e6
    typer.echo(
        f"{target}: {how_many(facts.collections, 'collection')}, {how_many(facts.jobs, 'job')},"
        f" schema version {facts.schema_version}, {size:.1f} MB, checked."
    )
    typer.echo(about_key(settings, target, with_key=with_key), err=True)


backup_.__dict__["examples"] = examples_text(
    """
foliot backup --data-dir /var/lib/foliot /backup/
foliot backup --with-key /backup/foliot.db
FOLIOT_DATABASE=postgresql://foliot@db/foliot foliot backup /backup/foliot.dump
"""
)
