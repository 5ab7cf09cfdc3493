"""`foliot login` and `logout`: saves a server and its token for later commands."""

import os
from contextlib import closing
from typing import Annotated

import typer

from foliot.cli.input_files import input_name, read_input
from foliot.cli.plain_values import examples_text
from foliot.cli.remote.exit_codes import exiting
from foliot.cli.remote.job_inputs import ask_secret
from foliot.cli.remote.profile_file import delete_profile, save_profile
from foliot.client.calls import FoliotClient
from foliot.client.connection import Connection, ServerAddress, parse_url
from foliot.client.errors import ClientError
from foliot.client.find_server import Profile
from foliot.client.paths import parse_key
from foliot.core.errors import within
from foliot.core.secret import Secret


def log_in(
    server: Annotated[str, typer.Argument(metavar="URL", help="Where the server is.")],
    *,
    token_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The token, or - for standard input, if it is not to be asked for. FOLIOT_TOKEN.",
        ),
    ] = None,
    ca: Annotated[
        str | None,
        typer.Option("--ca", metavar="FILE", help="The authority of the server's certificate."),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(
            metavar="COLLECTION", help="SUBSCRIPTION/GROUP/NAME for commands without one."
        ),
    ] = None,
) -> None:
    """Try a server and a token, and save both for later commands.

    The file is in ~/.config/foliot, or XDG_CONFIG_HOME, and only you may read it.
    """
    with exiting("login"):
        with within("URL"):
            url = parse_url(server)
        if collection is not None:
            with within("--collection"):
                parse_key(collection)
        authority = None if ca is None else os.path.abspath(ca)  # noqa: PTH100  (a text is saved)
        address = ServerAddress(url, _token(token_file), authority)
        with closing(FoliotClient(Connection(address))) as client:
            client.subscriptions()
        path = save_profile(Profile(address, collection), os.environ)
    typer.echo(f"Signed in at {url}; saved in {path}.")


log_in.__dict__["examples"] = (
    "Examples:\n\nfoliot login https://foliot.example.com --ca ca.pem --collection me/home/first"
)


def log_out() -> None:
    """Delete the saved server and its token."""
    with exiting("logout"):
        was_there = delete_profile(os.environ)
    typer.echo("Signed out." if was_there else "Nothing was saved.")


def _token(file: str | None) -> Secret:
    if file is not None:
        found = read_input(file).decode(errors="replace").strip()
        if not found:
            raise ClientError(f"{input_name(file)} is empty; give a file with a token.")
        return Secret(found)
    given = os.environ.get("FOLIOT_TOKEN")
    return Secret(given) if given else ask_secret("Token", "give --token-file FILE")


log_out.__dict__["examples"] = examples_text("foliot logout")
