"""Options that tell a command which server of this machine it is about."""

from typing import Annotated

import typer

DataDir = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="The server's data directory. FOLIOT_DATA_DIR."),
]
ServerDatabase = Annotated[
    str | None, typer.Option(metavar="URL", help="The server's database. FOLIOT_DATABASE.")
]
