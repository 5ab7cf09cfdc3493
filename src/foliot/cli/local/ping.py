"""`foliot ping`: tells whether the server of a data directory answers, for probes."""

import os
from pathlib import Path
from typing import Annotated

import typer

from foliot.cli.local.options import DataDir
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.client.find_server import DATA_DIR
from foliot.client.probe import probe


def ping_(
    *,
    data_dir: DataDir = None,
    ready: Annotated[
        bool, typer.Option("--ready", help="Ask for /readyz: are the database and the engine well?")
    ] = False,
    timeout: Annotated[
        int, typer.Option(metavar="SECONDS", help="How long to wait.", min=1, max=600)
    ] = 5,
) -> None:
    """Exit with 0 if the server of a data directory answers, else with 1 and the reason.

    The server writes its port and whether it speaks TLS into the directory, so that probes need
    neither. No token is sent.
    """
    with refusing("ping"):
        place = Path(data_dir or os.environ.get("FOLIOT_DATA_DIR") or DATA_DIR)
        url = probe(place, "/readyz" if ready else "/healthz", seconds=timeout)
    typer.echo(f"{url} {'is ready' if ready else 'answers'}.")


ping_.__dict__["examples"] = examples_text(
    """
foliot ping --data-dir /var/lib/foliot
foliot ping --ready --timeout 15
"""
)
