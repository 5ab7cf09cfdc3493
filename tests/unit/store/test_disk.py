"""What a disk that is full, or went read-only, allows, and what is told of it."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.backup import check_backup, copy_database
from foliot.store.sqlite.connection import explained
from foliot.store.sqlite.store import SqliteStore


class FileSystem(NamedTuple):
    f_flag: int = 0
    free: int = 10**9


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "foliot.db"
    asyncio.run(SqliteStore.open(path, Keyring([bytes(32)])).close())
    return path


def have(monkeypatch: pytest.MonkeyPatch, disk: FileSystem) -> None:
    """Let the disk be as it is said: a test cannot mount one."""
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)


@pytest.mark.parametrize("has_log", [True, False], ids=["with a log", "without a log"])
def test_a_backup_from_a_read_only_file_system_makes_no_file_beside_the_database(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_log: bool
) -> None:
    have(monkeypatch, FileSystem(os.ST_RDONLY))
    with closing(sqlite3.connect(database)) as connection:
        if has_log:
            connection.execute("UPDATE schema_version SET version = version")
            connection.commit()
        before = sorted(each.name for each in tmp_path.iterdir())
        copied = tmp_path.parent / f"{tmp_path.name}.db"

        copy_database(database, copied, lambda *_: None)

        assert sorted(each.name for each in tmp_path.iterdir()) == before
    assert check_backup(copied).collections == 0


@pytest.mark.parametrize(
    ("disk", "code", "said"),
    [
        pytest.param(
            FileSystem(os.ST_RDONLY),
            sqlite3.SQLITE_CANTOPEN,
            "its file system is read-only",
            id="read-only",
        ),
        pytest.param(
            FileSystem(free=0), sqlite3.SQLITE_IOERR_SHMSIZE, "the disk is full", id="full"
        ),
        pytest.param(
            FileSystem(), sqlite3.SQLITE_IOERR_SHMSIZE, "the disk reports an error", id="broken"
        ),
    ],
)
def test_why_a_database_does_not_open_is_told_with_what_the_disk_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: FileSystem, code: int, said: str
) -> None:
    have(monkeypatch, disk)
    failure = sqlite3.OperationalError("not shown")
    failure.sqlite_errorcode = code

    with (
        pytest.raises(StoreError, match=f"foliot.db cannot be opened: {said}"),
        explained(tmp_path / "foliot.db"),
    ):
        raise failure
