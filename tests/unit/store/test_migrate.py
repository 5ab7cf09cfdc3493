import sqlite3

import pytest

from foliot.store.migrations import Migration, migrations
from foliot.store.sqlite.migrate import migrate

RECORDS_CHANGES = 6
HAS_POLICIES = 8
A_COLLECTION = """
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state
)
VALUES ('s', 'g', 'c', 's', 'g', 'c', 'Standard', 'Enabled')
"""

A_JOB = """
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, next_at, calendar_at, occurrence,
    generation, execution_count, failure_count, faulted_count, settled_well
)
VALUES (1, 'j', 'j', 'enabled', 0, 9, 0, 0, 0, 0, 0, 0, 0)
"""
A_RUN = """
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until, trigger
)
VALUES (1, 2, 3, ?, 'error', 4, 5, 'tag', 0, 'node', 'claim', 6, 'catchUp')
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


def a_database_before_policies(runs: int) -> sqlite3.Connection:
    """Return a database with a job and some runs."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    steps = migrations("foliot.store.sqlite")
    migrate(connection, [step for step in steps if step.version < HAS_POLICIES])
    connection.execute(A_COLLECTION)
    connection.execute(A_JOB)
    for number in range(runs):
        connection.execute(A_RUN, (number,))
    return connection


def test_open_runs_stay_as_they_are_when_runs_may_wait_their_turn() -> None:
    connection = a_database_before_policies(runs=2)
    columns = "id, job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag"
    query = f"SELECT {columns}, is_manual, node, claim, lease_until, trigger FROM run"  # noqa: S608
    before = connection.execute(query).fetchall()

    migrate(connection, migrations("foliot.store.sqlite"))

    assert connection.execute(query).fetchall() == before
    assert len(before) == 2
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(A_RUN, (1,))
    connection.execute(A_RUN.replace(" 5,", " NULL,"), (7,))
    connection.execute("DELETE FROM job")
    assert connection.execute("SELECT * FROM run").fetchall() == []
    connection.close()


@pytest.mark.parametrize(
    ("runs", "kept"), [(3, 1), (3, 0), (0, 0)], ids=["the last is gone", "all are gone", "no runs"]
)
def test_ids_of_runs_that_are_gone_are_not_given_again(runs: int, kept: int) -> None:
    connection = a_database_before_policies(runs)
    connection.execute("DELETE FROM run WHERE id > ?", (kept,))

    migrate(connection, migrations("foliot.store.sqlite"))

    assert connection.execute(A_RUN, (9,)).lastrowid == runs + 1
    sequences = connection.execute("SELECT count(*) FROM sqlite_sequence WHERE name = 'run'")
    assert sequences.fetchone() == (1,)
    others = "SELECT count(*) FROM sqlite_sequence WHERE name = 'new_run'"
    assert connection.execute(others).fetchone() == (0,)
    connection.close()


def test_the_migrations_of_this_version_are_numbered_without_gaps() -> None:
    versions = [step.version for step in migrations("foliot.store.sqlite")]

    assert versions == list(range(1, len(versions) + 1))
