"""`foliot token`: create, list and revoke tokens in a server's database, also while it runs."""

import asyncio
import os
import pwd
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Annotated, TypeVar

import typer

from foliot.api.wire.scope import parse_scope, scope_text
from foliot.app.tokens import NewToken, Tokens
from foliot.cli.local.options import DataDir
from foliot.cli.local.options import ServerDatabase as Database
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.core.access import Principal
from foliot.core.errors import within
from foliot.core.instant import SECOND, Instant, format_instant
from foliot.core.model.token import (
    RANDOM_BYTES,
    Role,
    Token,
    check_token_name,
    has_expired,
    is_last_owner,
    parse_expiry,
    parse_role,
)
from foliot.ports import clock
from foliot.serve.settings import read_settings

OptionValue = TypeVar("OptionValue")
CallResult = TypeVar("CallResult")

token_app = typer.Typer(
    no_args_is_help=True, help="Make, list and revoke the tokens that callers sign in with."
)


@token_app.command(
    epilog=examples_text("""
foliot token create --name deploy --role Contributor --expires 90d
foliot token create --name dashboard --scope /subscriptions/me/resourceGroups/home
""")
)
def create(  # noqa: PLR0913  (one parameter for each option)
    *,
    name: Annotated[str, typer.Option(help="What it is for.")],
    role: Annotated[
        str, typer.Option(metavar="ROLE", help="Reader, Contributor or Owner.")
    ] = Role.READER,
    scope: Annotated[
        str,
        typer.Option(metavar="PATH", help="/ or the path of a subscription, group or collection."),
    ] = "/",
    expires: Annotated[
        str | None, typer.Option(metavar="WHEN", help="A period such as 90d, or a date-time.")
    ] = None,
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    """Make a token and print it: it is shown this once."""
    with refusing("token create"):
        now = clock.now()
        wanted = NewToken(
            name=_read("--name", check_token_name, name),
            role=_read("--role", parse_role, role),
            scope=_read("--scope", parse_scope, scope),
            expires_at=None
            if expires is None
            else _read("--expires", partial(parse_expiry, now=now), expires),
        )
        random = os.urandom(RANDOM_BYTES)
        kept, text = _call(
            data_dir, database, lambda tokens: tokens.create_token(_operator(), wanted, random)
        )
    typer.echo(text.reveal())
    typer.echo(f"Token {kept.id}, {_summary(kept)}. It is not shown again.", err=True)


@token_app.command(
    "list",
    epilog=examples_text("""
foliot token list --data-dir /var/lib/foliot
"""),
)
def list_(*, data_dir: DataDir = None, database: Database = None) -> None:
    """Print the tokens, one to a line: id, role, scope, expiry, last use, name."""
    with refusing("token list"):
        found = _call(data_dir, database, lambda tokens: tokens.list_tokens(_operator()))
    now = clock.now()
    for line in _table([_HEADINGS, *(_row(token, now) for token in found)]):
        typer.echo(line)


@token_app.command(
    epilog=examples_text("""
foliot token revoke 3
""")
)
def revoke(
    token_id: Annotated[int, typer.Argument(metavar="ID", help="As `foliot token list` shows it.")],
    *,
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    """Make a token worthless; a running server knows within a second."""
    with refusing("token revoke"):
        is_gone, was_last = _call(data_dir, database, lambda tokens: _revoke(tokens, token_id))
    if not is_gone:
        typer.echo(f"foliot token revoke: there is no token {token_id}.", err=True)
        raise typer.Exit(1)
    typer.echo(f"Token {token_id} is revoked.")
    if was_last:
        typer.echo(_LAST_OWNER, err=True)


_LAST_OWNER = (
    "Warning: it was the last valid Owner token of /. Nobody can call the server as Owner now;"
    " `foliot token create --name NAME --role Owner` makes another token."
)
_HEADINGS = ("ID", "ROLE", "SCOPE", "EXPIRES", "LAST USED", "NAME")


async def _revoke(tokens: Tokens, token_id: int) -> tuple[bool, bool]:
    """Revoke a token; tell whether it was there, and whether it was the last Owner's."""
    before, now = await tokens.list_tokens(_operator()), clock.now()
    was_last = any(each.id == token_id and is_last_owner(each, before, now) for each in before)
    return await tokens.revoke_token(_operator(), token_id), was_last


def _operator() -> Principal:
    """Return the user of this machine: who can open the database can change every token in it."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = f"uid {os.geteuid()}"
    return Principal(Role.OWNER, name=user, address="foliot token")


def _read(option: str, parse: Callable[[str], OptionValue], text: str) -> OptionValue:
    with within(option):
        return parse(text)


def _call(
    data_dir: str | None, database: str | None, use: Callable[[Tokens], Awaitable[CallResult]]
) -> CallResult:
    """Call a use case on the database of a server."""
    # Here, since `foliot --help` must not load the store.
    from foliot.serve.open_store import open_existing_storage  # noqa: PLC0415

    settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)

    async def run() -> CallResult:
        store = open_existing_storage(settings).store
        try:
            return await use(Tokens(store, clock))
        finally:
            await store.close()

    return asyncio.run(run())


def _summary(token: Token) -> str:
    expiry = "never expires" if token.expires_at is None else f"expires {_when(token.expires_at)}"
    return f"{token.role} of {scope_text(token.scope)}, {expiry}"


def _row(token: Token, now: Instant) -> tuple[str, ...]:
    expiry = "never" if token.expires_at is None else _when(token.expires_at)
    return (
        str(token.id),
        token.role,
        scope_text(token.scope),
        f"{expiry} (expired)" if has_expired(token, now) else expiry,
        "never" if token.last_used_at is None else _when(token.last_used_at),
        token.name,
    )


def _when(instant: Instant) -> str:
    """Write an instant, cut to the second."""
    return format_instant(Instant(instant - instant % SECOND))


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
