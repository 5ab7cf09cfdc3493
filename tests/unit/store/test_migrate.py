import sqlite3

import pytest

from foliot.store.migrations import Migration, migrations
from foliot.store.sqlite.migrate import migrate

RECORDS_CHANGES = 6
A_COLLECTION = """
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state
)
VALUES ('s', 'g', 'c', 's', 'g', 'c', 'Standard', 'Enabled')
"""


def test_migrations_are_applied_once_and_in_order() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    first = Migration(1, "CREATE TABLE one (a); -- a comment; with a semicolon\n")
    second = Migration(2, "ALTER TABLE one ADD b;\nINSERT INTO one VALUES (1, ';\n');\n")

    migrate(connection, [first])
    migrate(connection, [first, second])
    migrate(connection, [first, second])

    assert connection.execute("SELECT * FROM one").fetchall() == [(1, ";\n")]
    assert connection.execute("SELECT version FROM schema_version").fetchall() == [(1,), (2,)]
    connection.close()


def test_a_migration_that_another_process_has_just_applied_is_left_out() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    step = Migration(1, "CREATE TABLE one (a);\n")

    migrate(connection, [step, step])

    assert connection.execute("SELECT version FROM schema_version").fetchall() == [(1,)]
    connection.close()


def test_a_migration_that_fails_leaves_no_trace() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    broken = Migration(1, "CREATE TABLE one (a);\nINSERT INTO nowhere VALUES (1);\n")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [broken])

    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()


def test_rows_from_before_have_no_record_of_changes() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    steps = migrations("foliot.store.sqlite")
    migrate(connection, [step for step in steps if step.version < RECORDS_CHANGES])
    connection.execute(A_COLLECTION)

    migrate(connection, steps)
    # A node of the former version goes on with its own statement.
    connection.execute(A_COLLECTION.replace("'c'", "'d'"))

    found = connection.execute("SELECT created_at, changed_at, changed_by FROM collection")
    assert found.fetchall() == [(None, None, None)] * 2
    connection.close()


def test_the_migrations_of_this_version_are_numbered_without_gaps() -> None:
    versions = [step.version for step in migrations("foliot.store.sqlite")]

    assert versions == list(range(1, len(versions) + 1))
