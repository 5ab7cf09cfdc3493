"""Nodes that start together on one database, and nodes that do not belong to it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from foliot.core.instant import Instant, parse_instant
from foliot.core.model.change import Change
from foliot.ports import clock
from foliot.store.errors import NewerSchema, StoreError, WrongKey
from foliot.store.migrations import migrations
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.connection import BEGIN_WRITING, PostgresConnection
from foliot.store.postgres.migrate import migrate
from foliot.store.postgres.partitions import WEEK
from foliot.store.postgres.store import is_in_use
from foliot.store.sealing.keyring import Keyring
from tests.support import postgres
from tests.support.builders import NOW, an_entry
from tests.support.store_harness import run, with_jobs, written

A_COLLECTION = """
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state
)
VALUES ('s', 'g', 'c', 's', 'g', 'c', 'Standard', 'Enabled')
"""
FOUR_JOBS = """
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, next_at, calendar_at, occurrence,
    generation, execution_count, failure_count, faulted_count, settled_well
)
SELECT 1, name, name, state, is_halted, next_at, 0, 0, 0, 0, 0, 0, 0
FROM (
    VALUES ('a', 'enabled', 0, 9), ('b', 'disabled', 0, 9), ('c', 'enabled', 1, 9),
        ('d', 'enabled', 0, NULL)
) AS job (name, state, is_halted, next_at)
"""
A_RUN = """
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual
)
SELECT min(id), 0, 0, 7, 'main', 1, 5, 'tag', 0 FROM job RETURNING id
"""
RECORDS_CHANGES = 6
HAS_POLICIES = 8
KEYRING = Keyring([bytes(32)])
OTHER = Keyring([b"o" * 32])


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        return [] if cursor.description is None else cursor.fetchall()


def test_ten_nodes_that_start_together_migrate_once() -> None:
    with postgres.new_database(is_empty=True) as url:
        with ThreadPoolExecutor(10) as threads:
            starts = [threads.submit(PostgresStore.prepare, url, clock.now) for _ in range(10)]
            assert [start.result() for start in starts] == [None] * 10

        versions = [(step.version,) for step in migrations("foliot.store.postgres")]
        assert rows(url, "SELECT version FROM schema_version") == versions


def test_open_runs_stay_and_ids_of_those_that_are_gone_are_not_given_again() -> None:
    steps = [step for step in migrations("foliot.store.postgres") if step.version < HAS_POLICIES]
    with postgres.new_database(is_empty=True) as url:
        with closing(
            PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset())
        ) as connection:
            migrate(connection, steps, NOW)
        rows(url, A_COLLECTION)
        rows(url, FOUR_JOBS)
        ids = [rows(url, A_RUN.replace("7", f"{number}"))[0][0] for number in range(3)]
        rows(url, f"DELETE FROM run WHERE id <> {ids[0]}")  # noqa: S608

        postgres.prepare_database(url)

        assert rows(url, "SELECT id, expected_at, due_at FROM run") == [(ids[0], 0, 5)]
        waiting = A_RUN.replace(" 5,", " NULL,")
        assert rows(url, waiting) not in [[(each,)] for each in ids]


def test_what_is_due_in_a_database_of_the_first_version_stays_due() -> None:
    first, *_ = migrations("foliot.store.postgres")
    with postgres.new_database(is_empty=True) as url:
        with closing(
            PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset())
        ) as connection:
            migrate(connection, [first], NOW)
        rows(url, A_COLLECTION)
        rows(url, FOUR_JOBS)

        postgres.prepare_database(url)

        assert rows(url, "SELECT next_at, job_id, collection_id FROM due") == [(9, 1, 1)]
        rows(url, "UPDATE job SET state = 'enabled', is_halted = 0, next_at = id")
        postgres.check_due(url)
        rows(url, "DELETE FROM collection")
        assert rows(url, "SELECT * FROM due") == []


def test_rows_from_before_have_no_record_of_changes() -> None:
    steps = migrations("foliot.store.postgres")
    former = [step for step in steps if step.version < RECORDS_CHANGES]
    a_definition = "INSERT INTO definition (job_id, sealed) VALUES ({}, '')"
    with postgres.new_database(is_empty=True) as url:
        with closing(
            PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset())
        ) as connection:
            migrate(connection, former, NOW)
        rows(url, A_COLLECTION)
        rows(url, FOUR_JOBS)
        rows(url, a_definition.format(1))

        postgres.prepare_database(url)
        # A node of the former version goes on with its own statement.
        rows(url, a_definition.format(2))

        record = "SELECT created_at, changed_at, changed_by FROM "
        assert rows(url, record + "collection") == [(None, None, None)]
        assert rows(url, record + "definition") == [(None, None, None)] * 2


def test_a_node_that_is_older_than_the_schema_says_so(url: str) -> None:
    rows(url, "INSERT INTO schema_version VALUES (99)")

    with pytest.raises(NewerSchema, match="has schema version 99"):
        postgres.open_store(url, KEYRING)


def test_a_database_is_in_use_once_it_has_a_key(url: str) -> None:
    assert not is_in_use(url)

    run(lambda: postgres.open_store(url, KEYRING), lambda store: store.read(lambda _: None))

    assert is_in_use(url)
    with pytest.raises(WrongKey):
        postgres.open_store(url, OTHER)


def test_definitions_move_to_the_newest_key(url: str) -> None:
    written(lambda: postgres.open_store(url, KEYRING), lambda to: with_jobs(to, "a", "b"))
    made = Change(NOW, "ann")
    written(lambda: postgres.open_store(url, KEYRING), lambda to: to.note_job_change(1, made))
    both = Keyring([b"o" * 32, bytes(32)])

    run(lambda: postgres.open_store(url, both), lambda store: store.read(lambda _: None))

    found = run(
        lambda: postgres.open_store(url, OTHER),
        lambda store: store.read(
            lambda view: [(each.name, view.job_record(each.id).changed_by) for each in view.jobs(1)]
        ),
    )
    assert found == [("a", "ann"), ("b", None)]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("postgresql://nobody:hunter2@127.0.0.1:1/none", "nothing listens at its host"),
        ("postgresql://host/db?nonsense=1", "its address is not valid"),
    ],
)
def test_a_database_that_does_not_open_is_told_in_words(address: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason) as refusal:
        postgres.open_store(address, KEYRING)

    assert "hunter2" not in str(refusal.value)


def test_history_is_kept_by_the_week_and_dropped_whole(url: str) -> None:
    now = parse_instant("2030-01-10T00:00:00Z")
    week = now // WEEK

    def partitions() -> list[str]:
        found = rows(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'history_w%'")
        return sorted(str(name) for (name,) in found)

    def opened() -> PostgresStore:
        return postgres.open_store(url, KEYRING)

    written(opened, lambda to: to.maintain_partitions(now=now, since=now))
    assert partitions() == [f"history_w{week + ahead}" for ahead in range(5)]

    _, (job,) = written(opened, lambda to: with_jobs(to, "a"))
    second = (now - an_entry(job.id).started_at) // 10_000_000
    entries = [an_entry(job.id, second=second + weeks * 7 * 86_400) for weeks in (0, 1, -9)]
    written(opened, lambda to: to.add_history(*entries))
    assert rows(url, "SELECT count(*) FROM history_other") == [(1,)]

    later = Instant(now + WEEK)
    written(opened, lambda to: to.maintain_partitions(now=later, since=Instant((week + 1) * WEEK)))

    assert partitions() == [f"history_w{week + ahead}" for ahead in range(1, 6)]
    left = written(opened, lambda to: to.history(job.id))
    assert [entry.started_at for entry in left] == [entries[1].started_at, entries[2].started_at]


def test_a_week_whose_entries_are_among_all_others_gets_no_partition(url: str) -> None:
    now = parse_instant("2030-01-10T00:00:00Z")

    def change(to: object) -> None:
        _, (job,) = with_jobs(to, "a")
        second = (now - an_entry(job.id).started_at) // 10_000_000
        to.add_history(an_entry(job.id, second=second))
        to.maintain_partitions(now=now, since=Instant(0))

    written(lambda: postgres.open_store(url, KEYRING), change)

    found = rows(url, f"SELECT to_regclass('history_w{now // WEEK}') IS NULL")
    assert found == [(True,)]
    assert rows(url, "SELECT count(*) FROM history_other") == [(1,)]
