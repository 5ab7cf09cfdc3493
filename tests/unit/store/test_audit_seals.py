"""The contents of the audit log are sealed: new keys, lost keys, and rows that somebody changed."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from foliot.core.model.audit import AuditEntry, AuditFilter
from foliot.core.model.token import Scope
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.sealed_rows import SEALED_TABLES
from foliot.store.sqlite.inspection import inspect_database
from foliot.store.sqlite.store import SqliteStore
from tests.contract.store.test_audit import FULL

OLD, NEW = b"o" * 32, b"n" * 32


def add(path: Path, key: bytes) -> None:
    async def steps() -> None:
        store = SqliteStore.open(path, Keyring([key]))
        await store.write(lambda to: to.add_audit_entries(FULL))
        await store.close()

    asyncio.run(steps())


def read(path: Path, *keys: bytes) -> AuditEntry:
    async def steps() -> AuditEntry:
        store = SqliteStore.open(path, Keyring(list(keys)))
        try:
            (entry,) = await store.read(lambda view: view.audit_entries(Scope(), AuditFilter()))
            return structs.replace(entry, id=0)
        finally:
            await store.close()

    return asyncio.run(steps())


def test_entries_are_sealed_again_with_a_new_key(tmp_path: Path) -> None:
    path = tmp_path / "foliot.db"
    add(path, OLD)

    assert read(path, NEW, OLD) == FULL
    assert read(path, NEW) == FULL


def test_what_each_key_has_sealed_is_counted_in_every_table(tmp_path: Path) -> None:
    path = tmp_path / "foliot.db"
    add(path, OLD)
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%sealed%BLOB%'"
        ).fetchall()

    assert inspect_database(path).seals == {Keyring([OLD]).names: 1}
    # The one value of `seal_check` is what keys are compared with.
    assert {name for (name,) in tables} == {"seal_check", *(each.name for each in SEALED_TABLES)}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET who = 'eve'",
        "UPDATE audit SET token_id = 99",
        "UPDATE audit SET address = '192.0.2.9'",
        "UPDATE audit SET at = at + 1",
        "UPDATE audit SET action = 'deleted'",
        "UPDATE audit SET name = 'Other'",
        "UPDATE audit SET sealed = x'00'",
    ],
)
def test_a_row_that_was_changed_in_the_database_is_told(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "foliot.db"
    add(path, OLD)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()

    entry = read(path, OLD)

    assert (entry.is_readable, entry.before, entry.after) == (False, None, None)


def test_the_file_has_no_word_of_what_is_sealed(tmp_path: Path) -> None:
    path = tmp_path / "foliot.db"
    add(path, OLD)

    content = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"ops" in content
    assert b"example.com" not in content
