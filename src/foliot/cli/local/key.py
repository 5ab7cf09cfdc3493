"""`foliot key`: shows the secret keys of a server and its nodes, and replaces them."""

import os
from typing import Annotated

import typer

from foliot.cli.local.options import DataDir, ServerDatabase
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing

key_app = typer.Typer(
    no_args_is_help=True, help="Show and replace the secret keys that encrypt jobs."
)


@key_app.command(
    epilog=examples_text("""
foliot key rotate --data-dir /var/lib/foliot
""")
)
def rotate(*, data_dir: DataDir = None, database: ServerDatabase = None) -> None:
    """Make a new key in the data directory of a stopped server, and encrypt everything with it.

    All keys that were in the file are kept in the file retired-secret-keys, for backups that were
    made with them. If the command is interrupted, the server starts all the same; run it again to
    finish with the key that it has made. Nodes whose keys are in FOLIOT_SECRET_KEYS get new ones in
    three rounds: `foliot key show` tells the next one.
    """
    # Here, since `foliot --help` must not load the store.
    from foliot.cli.local.key_steps import rotate_key  # noqa: PLC0415
    from foliot.serve.settings import read_settings  # noqa: PLC0415

    with refusing("key rotate"):
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
        done = rotate_key(settings)
    if done.was_interrupted:
        typer.echo("An earlier rotation was interrupted, and is finished now.")
    typer.echo(
        f"All jobs are encrypted with the key {done.name}. Copy {done.file} to a safe place."
    )
    typer.echo(f"Backups made so far need the old keys, which are in {done.retired}.")


@key_app.command(
    epilog=examples_text("""
foliot key show
foliot key show --output json
""")
)
def show(
    *,
    data_dir: DataDir = None,
    database: ServerDatabase = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FORMAT", help="table or json.")
    ] = None,
) -> None:
    """Show which keys are given here, which ones the nodes have, and what to do next.

    Keys are shown by their names, which are hashes and no secrets.
    """
    from foliot.cli.local.key_steps import key_report, print_report  # noqa: PLC0415  (as above)
    from foliot.serve.settings import read_settings  # noqa: PLC0415

    with refusing("key show"):
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
        print_report(key_report(settings), output or "table")
