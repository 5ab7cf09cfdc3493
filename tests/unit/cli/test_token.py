import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from foliot.cli import app
from foliot.core.instant import DAY, Instant
from foliot.core.model.token import Role, Token, digest
from foliot.serve.open_store import open_storage
from foliot.serve.settings import Settings
from tests.support.builders import NOW_TEXT, at


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    keep(tmp_path)
    return tmp_path


def keep(data_dir: Path, *tokens: Token) -> list[Token]:
    """Add tokens to a database, made if need be, and return all that it holds."""

    async def scene() -> list[Token]:
        settings = Settings(data_dir=data_dir, database=data_dir / "foliot.db")
        store = open_storage(settings).store
        for token in tokens:
            await store.write(lambda transaction, token=token: transaction.add_token(token))
        kept = await store.read(lambda reading: reading.tokens())
        await store.close()
        return list(kept)

    return asyncio.run(scene())


def run(command: str, data_dir: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["token", command, *arguments, "--data-dir", str(data_dir)])


def test_a_token_is_printed_alone_and_kept_as_its_hash(data_dir: Path) -> None:
    result = run("create", data_dir, "--name", "build")

    (kept,) = keep(data_dir)
    assert kept.digest == digest(result.stdout.strip())
    assert (kept.name, kept.role, kept.expires_at) == ("build", Role.READER, None)
    assert result.stderr == "Token 1, Reader of /, never expires. It is not shown again.\n"


def test_a_token_expires_when_told(data_dir: Path) -> None:
    result = run("create", data_dir, "--name", "build", "--expires", "9998-01-01")

    assert "expires 9998-01-01T00:00:00Z" in result.stderr
    assert keep(data_dir)[0].expires_at == at("9998-01-01")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--name", "FOLIOT_ADMIN_TOKEN"),
        ("--role", "root"),
        ("--scope", "subscriptions"),
        ("--expires", "yesterday"),
    ],
)
def test_a_bad_option_is_named_and_nothing_is_made(data_dir: Path, option: str, value: str) -> None:
    result = run("create", data_dir, "--name", "n", option, value)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"foliot token create: {option}: ")
    assert value in result.stderr
    assert keep(data_dir) == []


@pytest.mark.parametrize("command", ["create", "list", "revoke"])
def test_a_data_directory_without_a_database_is_refused(tmp_path: Path, command: str) -> None:
    arguments = {"create": ["--name", "n"], "revoke": ["1"]}.get(command, [])

    result = run(command, tmp_path, *arguments)

    assert result.exit_code == 1
    assert f"foliot token {command}: there is no database {tmp_path}/foliot.db" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_tokens_are_listed_in_columns(data_dir: Path) -> None:
    def token(name: str, expires_at: Instant | None) -> Token:
        return Token(
            name=name,
            digest=digest(name),
            role=Role.OWNER,
            created_at=at(NOW_TEXT),
            expires_at=expires_at,
            last_used_at=at("2026-01-11T10:00:00.1234567Z"),
        )

    keep(data_dir, token("admin", None), token("old", Instant(at(NOW_TEXT) - DAY)))

    assert run("list", data_dir).stdout.splitlines() == [
        "ID  ROLE   SCOPE  EXPIRES                         LAST USED             NAME",
        "1   Owner  /      never                           2026-01-11T10:00:00Z  admin",
        "2   Owner  /      2026-01-09T00:00:00Z (expired)  2026-01-11T10:00:00Z  old",
    ]


def test_the_command_alone_shows_what_it_can_do() -> None:
    result = CliRunner().invoke(app, ["token"])

    assert result.exit_code == 2
    assert "revoke" in result.output


def test_a_revoked_token_is_gone_and_the_others_stay(data_dir: Path) -> None:
    for name in ("build", "deploy"):
        run("create", data_dir, "--name", name, "--scope", "/subscriptions/s")

    result = run("revoke", data_dir, "1")

    assert (result.exit_code, result.stdout) == (0, "Token 1 is revoked.\n")
    assert [token.name for token in keep(data_dir)] == ["deploy"]


@pytest.mark.parametrize(
    ("others", "is_warned"),
    [
        pytest.param([], True, id="the only token"),
        pytest.param([["--role", "Contributor"]], True, id="a contributor is left"),
        pytest.param(
            [["--role", "Owner", "--scope", "/subscriptions/s"]], True, id="an owner of a part"
        ),
        pytest.param([["--role", "Owner"]], False, id="another owner"),
    ],
)
def test_whoever_revokes_the_last_owner_token_is_warned(
    data_dir: Path, others: list[list[str]], *, is_warned: bool
) -> None:
    for options in [["--role", "Owner"], *others]:
        run("create", data_dir, "--name", "n", *options)

    result = run("revoke", data_dir, "1")

    assert (result.exit_code, result.stdout) == (0, "Token 1 is revoked.\n")
    assert ("last valid Owner token" in result.stderr) is is_warned
    assert ("foliot token create --name NAME --role Owner" in result.stderr) is is_warned


def test_a_token_that_does_not_exist_cannot_be_revoked(data_dir: Path) -> None:
    run("create", data_dir, "--name", "build")

    result = run("revoke", data_dir, "2")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "foliot token revoke: there is no token 2.\n"
    assert len(keep(data_dir)) == 1
