"""Files that are removed or replaced while a server has them open."""

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from foliot.core.errors import Unavailable
from foliot.store.sealing.keyring import Keyring, read_keyring
from foliot.store.sqlite.file_watch import FilesInPlace, keeps_key, unchanged
from foliot.store.sqlite.store import SqliteStore
from tests.support.builders import a_token


def text_of(*keys: bytes) -> str:
    return ",".join(base64.b64encode(key).decode() for key in keys)


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


@pytest.mark.parametrize("name", ["foliot.db", "foliot.db-wal"])
@pytest.mark.parametrize("damage", [Path.unlink, replace_by_a_copy], ids=["removed", "replaced"])
def test_nothing_is_written_to_a_database_that_is_not_in_place(
    tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    async def steps() -> str:
        store = SqliteStore.open(tmp_path / "foliot.db", Keyring([b"k" * 32]))
        await store.write(lambda to: to.add_token(a_token()))
        damage(tmp_path / name)
        with pytest.raises(Unavailable) as refused:
            await store.write(lambda to: to.add_token(a_token(digest=b"2")))
        assert len(await store.read(lambda view: view.tokens())) == 1
        await store.close()
        return str(refused.value)

    assert f"{name} was removed or replaced while the server runs" in asyncio.run(steps())


def test_a_change_that_went_to_a_file_that_was_removed_meanwhile_is_not_confirmed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "foliot.db"

    async def steps() -> None:
        store = SqliteStore.open(path, Keyring([b"k" * 32]))
        with pytest.raises(Unavailable):
            await store.write(lambda _: path.unlink())
        await store.close()

    asyncio.run(steps())


def test_a_database_that_is_put_back_is_written_again(tmp_path: Path) -> None:
    path, aside = tmp_path / "foliot.db", tmp_path / "aside"

    async def steps() -> None:
        store = SqliteStore.open(path, Keyring([b"k" * 32]))
        path.rename(aside)
        with pytest.raises(Unavailable):
            await store.write(lambda to: to.add_token(a_token()))
        aside.rename(path)
        await store.write(lambda to: to.add_token(a_token()))
        await store.close()

    asyncio.run(steps())


def test_a_file_that_was_never_there_is_not_missed(tmp_path: Path) -> None:
    assert FilesInPlace(unchanged([tmp_path / "lock"])).problem() is None


@pytest.mark.parametrize(
    ("keys", "is_kept"),
    [
        pytest.param((b"o" * 32,), True, id="written again"),
        pytest.param((b"n" * 32, b"o" * 32), True, id="another before it"),
        pytest.param((b"n" * 32,), False, id="another instead"),
        pytest.param((), False, id="emptied"),
    ],
)
def test_a_key_file_must_keep_the_key_in_use(
    tmp_path: Path, keys: tuple[bytes, ...], *, is_kept: bool
) -> None:
    path = tmp_path / "secret-key"
    path.write_text(text_of(b"o" * 32))
    check = keeps_key(path, read_keyring(path))
    assert check() is None

    path.unlink()
    assert check() == "secret-key was removed, or no longer has the key in use"

    path.write_text(text_of(*keys))
    assert (check() is None) is is_kept
    assert (check() is None) is is_kept


def test_a_change_that_is_there_is_confirmed_though_the_key_file_is_gone_by_now(
    tmp_path: Path,
) -> None:
    key = tmp_path / "secret-key"
    key.write_text(text_of(b"k" * 32))

    async def steps() -> None:
        keyring = read_keyring(key)
        store = SqliteStore.open(tmp_path / "db", keyring, checks=[keeps_key(key, keyring)])
        await store.write(lambda _: key.unlink())
        with pytest.raises(Unavailable, match="secret-key was removed"):
            await store.write(lambda to: to.add_token(a_token()))
        await store.close()

    asyncio.run(steps())
