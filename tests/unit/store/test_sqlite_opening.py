"""What is told of an SQLite file that does not open."""

import asyncio
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.errors import reason_of
from foliot.store.sqlite.store import SqliteStore

FILE = "foliot.db"
OLD = bytes(32)


def create(folder: Path) -> None:
    asyncio.run(SqliteStore.open(folder / FILE, Keyring([OLD])).close())


@contextmanager
def as_nobody() -> Generator[None]:
    """Give up the rights of root, which opens every file."""
    if os.geteuid() == 0:
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


@pytest.mark.parametrize(
    ("mode_of_file", "mode_of_directory", "expected"),
    [
        pytest.param(0o444, 0o777, "Permission denied", id="a file that can only be read"),
        pytest.param(0o666, 0o555, "files cannot be created", id="a directory without a log"),
        pytest.param(0o666, 0o000, "Permission denied", id="a directory that is closed"),
    ],
)
def test_a_file_without_permission_is_refused_with_the_reason(
    mode_of_file: int, mode_of_directory: int, expected: str
) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        create(folder)
        (folder / FILE).chmod(mode_of_file)
        folder.chmod(mode_of_directory)

        with as_nobody(), pytest.raises(StoreError, match=f"cannot be opened: {expected}"):
            SqliteStore.open(folder / FILE, Keyring([OLD]))

        folder.chmod(0o700)


def test_a_directory_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()

    with pytest.raises(StoreError, match="cannot be opened: Is a directory"):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))


def test_a_database_that_another_process_has_locked_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(StoreError, match="another process has locked the database"):
            SqliteStore.open(tmp_path / FILE, Keyring([OLD]), busy_timeout=timedelta(0))


def test_a_full_disk_and_a_damaged_file_are_told_in_words(tmp_path: Path) -> None:
    create(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as small:
        small.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as full:
            small.execute("CREATE TABLE more AS SELECT zeroblob(1000000)")

    assert reason_of(full.value) == "the disk is full"

    with (tmp_path / FILE).open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 4000)
    with pytest.raises(StoreError, match="the file is damaged"):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))
