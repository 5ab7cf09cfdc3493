"""What is particular to the store in SQLite: its files, its keys, its schema, its plans."""

import asyncio
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec import msgpack
from msgspec.structs import replace

from foliot.core.errors import (
    Conflict,
    FoliotError,
    NotReadableHere,
    Unavailable,
    UnknownDefinition,
    UnknownKey,
    Unreadable,
)
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    Duration,
    HttpRequest,
    RetryKind,
    RetryPolicy,
)
from foliot.core.model.alert import Alert, SlackDestination
from foliot.core.model.change import Change
from foliot.core.model.collection import CollectionState
from foliot.core.model.deployment import DeploymentKey
from foliot.core.model.job import Definition, JobRecord
from foliot.core.model.run import DueRun, Trigger
from foliot.core.secret import Secret
from foliot.ports.store import Store, Transaction
from foliot.store.errors import NewerSchema, StoreError, WrongKey
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.job_rows import seal_context
from foliot.store.sqlite.dialect import STATEMENTS
from foliot.store.sqlite.store import SqliteStore
from tests.support.alerts import ALERT_DEFINITION, a_notification, an_alert, an_incident
from tests.support.builders import NOW, a_deployment, a_job, a_lease, a_run, a_token, an_entry
from tests.support.definitions import DEFINITIONS, MARKER
from tests.support.store_harness import run as run_on
from tests.support.store_harness import stored_job, with_jobs

Result = TypeVar("Result")

OLD, NEW, OTHER = b"o" * 32, b"n" * 32, b"x" * 32
FILE = "foliot.db"
COLLECTION = CollectionId(1)
BAD = JobId(1)
ROOT = Path(__file__).parents[3]


def run(folder: Path, steps: Callable[[Store], Awaitable[Result]], *keys: bytes) -> Result:
    return run_on(lambda: SqliteStore.open(folder / FILE, Keyring(keys or (OLD,))), steps)


def add_jobs(folder: Path, *names: str) -> None:
    run(folder, lambda store: store.write(lambda to: with_jobs(to, *names)))


def job_names(folder: Path, *keys: bytes) -> list[str]:
    jobs = run(folder, lambda store: store.read(lambda view: view.jobs(COLLECTION)), *keys)
    return [job.name for job in jobs]


def execute(folder: Path, sql: str, *parameters: object) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(folder / FILE, isolation_level=None)
    try:
        return connection.execute(sql, parameters).fetchall()
    finally:
        connection.close()


def damage(folder: Path, name: str, sealed: object) -> None:
    which = "job_id = (SELECT id FROM job WHERE name = ?)"
    execute(folder, f"UPDATE definition SET sealed = ? WHERE {which}", sealed, name)  # noqa: S608  (our own words)


def modes_in(folder: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}


def contents_of(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def test_a_write_that_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    child = subprocess.Popen(  # noqa: S603  (our own script)
        [sys.executable, "-m", "tests.unit.store.writes_and_waits", str(tmp_path / FILE)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"acknowledged\n"
        child.send_signal(signal.SIGKILL)

    assert child.returncode == -signal.SIGKILL
    assert job_names(tmp_path) == [f"job{n}" for n in range(5)]


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    async def steps(store: Store) -> dict[str, int]:
        await store.write(with_jobs)
        return modes_in(tmp_path)

    previous = os.umask(0)
    try:
        assert run(tmp_path, steps) == dict.fromkeys((FILE, f"{FILE}-wal", f"{FILE}-shm"), 0o600)
    finally:
        os.umask(previous)


def test_a_closed_store_leaves_one_file(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")

    assert [each.name for each in tmp_path.iterdir()] == [FILE]


def test_only_what_jobs_are_searched_by_is_readable_on_disk(tmp_path: Path) -> None:
    async def steps(store: Store) -> dict[str, bytes]:
        def add(to: Transaction) -> None:
            collection, _ = with_jobs(to)
            for number, definition in enumerate(DEFINITIONS.values()):
                job = to.add_job(a_job(collection.id, f"job{number}", definition=definition))
                to.save_job(job)

        await store.write(add)
        return contents_of(tmp_path)

    contents = {**run(tmp_path, steps), "closed": contents_of(tmp_path)[FILE]}

    assert b"job7" in contents[f"{FILE}-wal"]
    assert b"job7" in contents["closed"]
    assert [
        name for name, content in contents.items() if MARKER.lower().encode() in content.lower()
    ] == []
    assert b"\nexample.com\x1chttps\x1e" in contents["closed"]
    assert [name for name, content in contents.items() if b"example.com/" in content] == []
    assert [name for name, content in contents.items() if b"://" in content] == []


def test_a_database_does_not_open_with_another_key(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")

    with pytest.raises(WrongKey, match="The secret key does not fit the database: it was sealed"):
        SqliteStore.open(tmp_path / FILE, Keyring([OTHER]))

    assert job_names(tmp_path) == ["a"]


def test_a_new_key_before_the_old_one_replaces_it(tmp_path: Path) -> None:
    add_jobs(tmp_path, *(f"job{n:03}" for n in range(450)))

    names = job_names(tmp_path, NEW, OLD)

    assert job_names(tmp_path, NEW) == names == [f"job{n:03}" for n in range(100)]
    headers = execute(tmp_path, "SELECT DISTINCT substr(sealed, 1, 9) FROM definition")
    assert headers == [(Keyring([NEW]).header,)]
    with pytest.raises(WrongKey):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))


def test_progress_of_a_new_key_is_told_in_all_values(tmp_path: Path) -> None:
    add_jobs(tmp_path, *(f"job{n:03}" for n in range(450)))
    told: list[tuple[str, int, int]] = []

    store = SqliteStore.open(
        tmp_path / FILE, Keyring([NEW, OLD]), progress=lambda *step: told.append(step)
    )
    asyncio.run(store.close())

    assert {(what, total) for what, _, total in told} == {("Encrypting with the new key", 450)}
    assert list(dict.fromkeys(done for _, done, _ in told)) == [200, 400, 450]


def test_records_of_deployments_move_to_a_new_key_and_are_not_readable_on_disk(
    tmp_path: Path,
) -> None:
    outputs = {"shown": {"type": "String", "value": MARKER}}
    made = a_deployment("main", outputs=outputs)
    run(tmp_path, lambda store: store.write(lambda to: to.save_deployment(made, kept=9)))

    def find(store: Store) -> Any:
        return store.read(lambda view: view.deployment(made.key))

    assert run(tmp_path, find, NEW, OLD) == run(tmp_path, find, NEW) == made
    headers = execute(tmp_path, "SELECT DISTINCT substr(sealed, 1, 9) FROM deployment")
    assert headers == [(Keyring([NEW]).header,)]
    assert MARKER.encode() not in contents_of(tmp_path)[FILE]


def test_alerts_move_to_a_new_key_and_are_not_readable_on_disk(tmp_path: Path) -> None:
    destination = SlackDestination(uri=Secret(f"https://example.com/{MARKER}"))
    definition = replace(ALERT_DEFINITION, destinations=(destination,))

    def add(to: Transaction) -> Alert:
        collection, _ = with_jobs(to)
        return to.add_alert(an_alert(collection.id, definition=definition))

    made = run(tmp_path, lambda store: store.write(add))

    def find(store: Store) -> Any:
        return store.read(lambda view: view.alert(made.collection_id, made.name))

    assert run(tmp_path, find, NEW, OLD) == run(tmp_path, find, NEW) == made
    headers = execute(tmp_path, "SELECT DISTINCT substr(sealed, 1, 9) FROM alert")
    assert headers == [(Keyring([NEW]).header,)]
    assert MARKER.encode() not in contents_of(tmp_path)[FILE]


def test_an_alert_that_cannot_be_opened_stops_neither_runs_nor_the_outbox(tmp_path: Path) -> None:
    def add(to: Transaction) -> Alert:
        collection, (job,) = with_jobs(to, "job")
        alert = to.add_alert(an_alert(collection.id))
        incident = to.open_incident(an_incident(alert, job))
        assert incident is not None
        to.add_notifications([a_notification(incident)])
        return alert

    alert = run(tmp_path, lambda store: store.write(add))
    execute(tmp_path, "UPDATE alert SET sealed = x'0102'")

    def look(to: Transaction) -> Any:
        (waiting,) = to.waiting_notifications(NOW, 9)
        (due,) = to.claim_notifications([waiting.id], "claim", NOW, Instant(NOW + 5))
        assert waiting.alert is None
        return to.watching_alerts(alert.collection_id), due.alert, due.is_readable

    assert run(tmp_path, lambda store: store.write(look)) == ({alert.id: None}, None, False)


@pytest.mark.parametrize(
    ("sealed", "error", "reason"),
    [
        pytest.param(b"junk", Conflict, "cannot be read: what is stored is damaged", id="junk"),
        pytest.param(
            Keyring([OTHER]).seal(b"{}", b""),
            Unavailable,
            "was sealed with a key that this node was not given",
            id="another key",
        ),
        pytest.param(
            Keyring([OLD]).seal(b"{}", b"deployment s/g/main"),
            Unavailable,
            "is not one that this version of Foliot knows",
            id="another version",
        ),
    ],
)
def test_a_record_that_cannot_be_opened_is_named_and_can_be_replaced_and_deleted(
    tmp_path: Path, sealed: bytes, error: type[FoliotError], reason: str
) -> None:
    key = DeploymentKey("s", "g", "main")
    made = replace(a_deployment(), key=key)

    def save(store: Store) -> Any:
        return store.write(lambda to: to.save_deployment(made, kept=9))

    def damage_record() -> None:
        execute(tmp_path, f"UPDATE deployment SET sealed = x'{sealed.hex()}'")  # noqa: S608

    run(tmp_path, save)
    damage_record()
    with pytest.raises(error, match=f"The record of the deployment 'main' {reason}"):
        run(tmp_path, lambda store: store.read(lambda view: view.deployment(key)))
    assert run(tmp_path, save) is False
    damage_record()
    assert run(tmp_path, lambda store: store.write(lambda to: to.delete_deployment(key)))


def test_a_new_key_keeps_who_changed_a_job(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")
    made = Change(NOW, "ann")
    run(tmp_path, lambda store: store.write(lambda to: to.note_job_change(JobId(1), made)))

    found = run(tmp_path, lambda store: store.read(lambda to: to.job_record(JobId(1))), NEW, OLD)

    assert found == JobRecord(None, NOW, "ann")


def test_a_key_that_was_never_used_may_stand_behind_the_newest(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")

    assert job_names(tmp_path, OLD, OTHER) == ["a"]
    assert job_names(tmp_path, OLD) == ["a"]


def test_a_damaged_row_does_not_stop_the_change_of_keys(tmp_path: Path) -> None:
    add_jobs(tmp_path, "bad", "good")
    damage(tmp_path, "bad", b"junk")

    good = run(tmp_path, lambda store: store.read(lambda view: stored_job(view, "good")), NEW, OLD)

    assert good.name == "good"


@pytest.mark.parametrize(
    ("sealed", "reason"),
    [
        pytest.param(b"junk", "what is stored is damaged", id="junk"),
        pytest.param(b"", "what is stored is damaged", id="empty"),
    ],
)
def test_a_job_that_cannot_be_opened_is_named_with_the_reason(
    tmp_path: Path, sealed: bytes, reason: str
) -> None:
    add_jobs(tmp_path, "Bad", "good")
    damage(tmp_path, "Bad", sealed)
    expected = f"^The definition of job 'Bad' cannot be read: {reason}.$"

    async def steps(store: Store) -> str:
        with pytest.raises(Unreadable, match=expected):
            await store.read(lambda view: view.jobs(COLLECTION))
        with pytest.raises(Unreadable, match=expected):
            await store.write(lambda to: stored_job(to, "bad"))
        return (await store.read(lambda view: stored_job(view, "good"))).name

    assert run(tmp_path, steps) == "good"


def test_a_definition_does_not_open_as_another_jobs(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a", "b")
    ((sealed, _), _) = execute(tmp_path, "SELECT sealed, job_id FROM definition ORDER BY job_id")
    damage(tmp_path, "b", sealed)

    with pytest.raises(Unreadable, match="job 'b' cannot be read: what is stored is damaged"):
        job_names(tmp_path)


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")
    execute(tmp_path, "INSERT INTO schema_version VALUES (999)")

    with pytest.raises(NewerSchema, match=r"schema version 999, .* knows \d+ at most\. Install"):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)

    with pytest.raises(StoreError, match=f"{FILE} cannot be opened: the file is not a database"):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))


def test_a_sqlite_that_is_too_old_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))

    with pytest.raises(StoreError, match=r"is too old; 3\.37\.0 is needed"):
        SqliteStore.open(tmp_path / FILE, Keyring([OLD]))

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened: No such file or directory"):
        SqliteStore.open(tmp_path / "nowhere" / FILE, Keyring([OLD]))


def test_a_database_that_another_process_holds_is_unavailable_for_writing(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)

    async def steps() -> tuple[str, int]:
        keyring = Keyring([OLD])
        store = SqliteStore.open(tmp_path / FILE, keyring, busy_timeout=timedelta(0))
        other.execute("BEGIN IMMEDIATE")
        write = store.write(lambda to: to.delete_collection(COLLECTION))
        (error,) = await asyncio.gather(write, return_exceptions=True)
        left = await store.read(lambda view: len(view.jobs(COLLECTION)))
        await store.close()
        return str(error), left

    error, left = asyncio.run(steps())
    other.close()

    assert error.endswith("another process has locked the database.")
    assert left == 1


def test_a_value_the_schema_does_not_take_is_no_conflict(tmp_path: Path) -> None:
    token = a_token(created_at=None)

    with pytest.raises(Unavailable, match="SQLITE_CONSTRAINT_NOTNULL"):
        run(tmp_path, lambda store: store.write(lambda to: to.add_token(token)))


@pytest.mark.parametrize("is_a_run_due", [False, True], ids=["a job is due", "a run is due"])
def test_a_job_that_cannot_be_opened_is_faulted_and_does_not_stop_the_others(
    tmp_path: Path, *, is_a_run_due: bool
) -> None:
    def add(to: Transaction) -> None:
        next_at = None if is_a_run_due else NOW
        collection, _ = with_jobs(to)
        for name in ("bad", "good"):
            job = to.add_job(a_job(collection.id, name, next_at=next_at))
            if is_a_run_due:
                to.add_run(a_run(job))
                to.add_run(a_run(job, trigger=Trigger.MANUAL))

    run(tmp_path, lambda store: store.write(add))
    damage(tmp_path, "bad", b"junk")

    def due(to: Transaction) -> tuple[list[str], list[str], int]:
        found = to.due_runs(NOW, 9) if is_a_run_due else to.due_jobs(NOW, 9)
        names = sorted({each.job.name for each in found})
        return names, [each.message for each in to.history(BAD)], to.count_open_runs(BAD)

    reason = "The definition of job 'bad' cannot be read: what is stored is damaged."
    told = f"{reason} Its open runs are dropped." if is_a_run_due else reason
    assert run(tmp_path, lambda store: store.write(due)) == (["good"], [told], 0)
    faulted = "SELECT name, ended_at FROM job WHERE state = 'faulted'"
    assert execute(tmp_path, faulted) == [("bad", NOW)]


def seal(definition: bytes) -> bytes:
    return Keyring([OLD]).seal(definition, seal_context(COLLECTION, "bad"))


OTHER_SEAL = Keyring([OTHER]).seal(b"definition", b"")


@pytest.mark.parametrize("sealed", [b"junk", OTHER_SEAL], ids=["damaged", "another key"])
def test_an_attempt_at_a_job_that_opens_no_more_is_settled_with_what_was_known(
    tmp_path: Path, sealed: bytes
) -> None:
    def add(to: Transaction) -> DueRun:
        collection, (job,) = with_jobs(to, "bad")
        return DueRun(to.add_run(a_run(job, lease=a_lease())), job, collection)

    added = run(tmp_path, lambda store: store.write(add))
    damage(tmp_path, "bad", sealed)

    claimed = run(tmp_path, lambda store: store.write(lambda to: to.claimed_runs([added])))

    assert claimed == [added]


def test_a_definition_that_lacks_newer_fields_is_read(tmp_path: Path) -> None:
    add_jobs(tmp_path, "bad")
    policy = {"kind": "fixed", "interval": {"text": "PT1M", "ticks": MINUTE}, "count": 2}
    request = {"type": "http", "uri": "http://h/", "method": "GET", "headers": None, "body": "x"}
    action = {"kind": "Http", "part": request, "retry_policy": policy, "error_action": None}
    written = msgpack.encode({"start": None, "action": action, "recurrence": None})
    damage(tmp_path, "bad", seal(written))

    (job,) = run(tmp_path, lambda store: store.read(lambda view: view.jobs(COLLECTION)))

    assert job.definition == Definition(
        action=Action(
            kind=ActionKind.HTTP,
            part=HttpRequest(uri="http://h/", method="GET", body="x"),
            retry_policy=RetryPolicy(
                kind=RetryKind.FIXED, interval=Duration("PT1M", MINUTE), count=2
            ),
        )
    )


@pytest.mark.parametrize(
    ("sealed", "kind", "reason"),
    [
        pytest.param(OTHER_SEAL, UnknownKey, "was sealed with a key that this node", id="key"),
        pytest.param(seal(b"\xc1"), UnknownDefinition, "is not one that this version", id="newer"),
        pytest.param(
            seal(b"\x82\xa6action\x80\xaarecurrence\x82\xa9frequency\xa3day\xa8interval\x00"),
            UnknownDefinition,
            "is not one that this version",
            id="another meaning",
        ),
    ],
)
def test_a_job_that_another_node_may_read_is_due_for_that_and_unchanged(
    tmp_path: Path, sealed: bytes, kind: type[NotReadableHere], reason: str
) -> None:
    def add(to: Transaction) -> None:
        collection, _ = with_jobs(to)
        for name in ("bad", "good"):
            job = to.add_job(a_job(collection.id, name, next_at=NOW))
            to.add_run(a_run(job))

    run(tmp_path, lambda store: store.write(add))
    damage(tmp_path, "bad", sealed)
    before = execute(tmp_path, "SELECT * FROM job, run")

    async def steps(store: Store) -> None:
        for due in (lambda to: to.due_jobs(NOW, 9), lambda to: to.due_runs(NOW, 9)):
            with pytest.raises(kind, match=f"The definition of job 'bad' {reason}"):
                await store.write(due)
        with pytest.raises(kind):
            await store.read(lambda view: view.jobs(COLLECTION))

    run(tmp_path, steps)

    assert execute(tmp_path, "SELECT * FROM job, run") == before


def test_an_advanced_job_is_not_sealed_again(tmp_path: Path) -> None:
    add_jobs(tmp_path, "a")
    sealed = execute(tmp_path, "SELECT sealed FROM definition")

    def advance(to: Transaction) -> None:
        to.advance_job(replace(to.jobs(COLLECTION)[0], occurrence=1))

    run(tmp_path, lambda store: store.write(advance))

    assert execute(tmp_path, "SELECT sealed FROM definition") == sealed


def test_deleting_a_collection_leaves_no_row_of_it(tmp_path: Path) -> None:
    async def steps(store: Store) -> None:
        def add(to: Transaction) -> None:
            collection, jobs = with_jobs(to, *(f"job{n}" for n in range(1000)))
            for job in jobs:
                to.add_run(a_run(job))
                to.add_history(an_entry(job.id))
            to.delete_collection(collection.id)

        await store.write(add)

    run(tmp_path, steps)

    for table, left in {"collection": 1, "job": 1000, "definition": 0, "run": 0}.items():
        assert execute(tmp_path, f"SELECT count(*) FROM {table}") == [(left,)]  # noqa: S608  (our own names)
    assert execute(tmp_path, "SELECT DISTINCT collection_id, ended_at FROM job") == [(0, -1)]


# The indexes that each query searches, one after the other.
SEARCHES = {
    "collection": ["collection_key"],
    "collections": ["collection_key"],
    "collections_in_group": ["collection_key"],
    "count_collections": ["collection_sku"],
    "located_job": ["collection_key", "job_key", "definition"],
    "jobs": ["job_key", "definition"],
    "jobs_in_state": ["job_state", "definition"],
    "history": ["history_newest", "INTEGER PRIMARY KEY"],
    "history_with_status": ["history_newest", "INTEGER PRIMARY KEY"],
    "hide_job": ["INTEGER PRIMARY KEY"],
    "hide_jobs": ["job_key"],
    "drop_definition": ["INTEGER PRIMARY KEY"],
    "drop_definitions": ["INTEGER PRIMARY KEY", "job_key"],
    "drop_all_runs": ["run_planned", "job_key"],
    "inspect_histories": ["INTEGER PRIMARY KEY", "history_newest", "history_newest"],
    "newest_surplus": ["history_newest"],
    "trim_history": ["INTEGER PRIMARY KEY", "history_newest"],
    "jobs_ended_before": ["job_ended"],
    "job_marks": ["job_key", "definition", "run_planned"],
    "job_id": ["job_key"],
    "job_ids": ["job_"],
    "count_jobs": ["INTEGER PRIMARY KEY"],
    "token": ["sqlite_autoindex_token_1"],
    "due_jobs": ["job_due", "definition", "collection", "run_planned"],
    "planned_run": ["run_planned"],
    "delete_runs": ["INTEGER PRIMARY KEY"],
    "count_open_runs": ["run_planned"],
    "make_runs_due": ["run_planned"],
    "make_all_runs_due": ["run_planned", "job_key"],
    "renew_leases": ["run_held"],
    "end_leases": ["run_held"],
    "advance_job": ["INTEGER PRIMARY KEY"],
    "halt_jobs": ["job_key"],
    "deployment": ["deployment_key"],
    "deployments": ["deployment_key"],
    "replace_deployment": ["deployment_key"],
    "trim_deployments": ["INTEGER PRIMARY KEY", "deployment_age"],
    "delete_deployment": ["deployment_key"],
    "delete_deployments": ["deployment_"],
    "older_deployment_seals": ["INTEGER PRIMARY KEY"],
    "reseal_deployment": ["INTEGER PRIMARY KEY"],
    "alert": ["alert_key"],
    "alerts": ["alert_key"],
    "alert_names": ["alert_key"],
    "watched_job": ["INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY"],
    "jobs_to_check": ["job_key", "run_planned", "definition"],
    "last_success": ["history_newest"],
    "open_incidents": ["incident_job"],
    "open_incidents_after": ["incident_"],
    "held_incidents": ["incident_held"],
    "count_told": ["incident_recent"],
    "close_incident": ["INTEGER PRIMARY KEY"],
    "trim_incidents": ["INTEGER PRIMARY KEY", "incident_closed"],
    "trim_incidents_of_job": ["INTEGER PRIMARY KEY", "incident_job"],
    "earliest_notification_at": ["notification_due"],
    "drop_untried": ["notification_"],
    "settle_notification": ["notification"],
    "move_notification": ["notification"],
    "waiting_of_alert": ["notification_queue"],
    "audit_entries_of_action": ["audit_action"],
    "audit_entries_of_author": ["audit_author"],
    "audit_entries_of_collection": ["audit_collection"],
    "audit_entries_of_group": ["audit_group"],
    "audit_entries_of_kind": ["audit_kind"],
    "audit_entries_of_name": ["audit_name"],
    "audit_entries_of_subject": ["audit_subject"],
    "audit_entries_of_subscription": ["audit_subscription"],
    "trim_audit": ["INTEGER PRIMARY KEY", "audit_time"],
    "older_alert_seals": ["INTEGER PRIMARY KEY"],
    "reseal_alert": ["INTEGER PRIMARY KEY"],
}


def plan_of(folder: Path, name: str) -> list[str]:
    run(folder, lambda store: store.write(with_jobs))
    query = STATEMENTS[name]
    named = dict.fromkeys(re.findall(r":(\w+)", query), 1)
    connection = sqlite3.connect(folder / FILE)
    steps = connection.execute(f"EXPLAIN QUERY PLAN {query}", named or (1,) * query.count("?"))
    # The list of excluded collections, which is empty most of the time.
    plan = [step[3] for step in steps if "json_each" not in step[3]]
    connection.close()
    return plan


@pytest.mark.parametrize(("name", "indexes"), SEARCHES.items(), ids=SEARCHES)
def test_a_query_searches_an_index_and_sorts_nothing(
    tmp_path: Path, name: str, indexes: list[str]
) -> None:
    plan = [step for step in plan_of(tmp_path, name) if "SUBQUERY" not in step]
    plan = [step for step in plan if "CONSTANT ROW" not in step]

    assert len(plan) == len(indexes)
    for step, index in zip(plan, indexes, strict=True):
        assert step.startswith("SEARCH")
        assert index in step


# Here a few rows are sorted, and the earliest waiting run is looked for from the first one on.
@pytest.mark.parametrize(
    ("name", "indexes"),
    [
        (
            "due_runs",
            ["run_waiting (due_at<?)", "run_held (lease_until<?)", "run_planned"],
        ),
        ("earliest_due_at", ["job_due", "run_waiting"]),
        ("claimed_runs", ["run_planned (job_id=?)"]),
        ("current_state", ["run_planned (job_id=?)"]),
        (
            "count_due",
            ["job_due (next_at>?", "run_waiting (due_at<?)", "run_held (lease_until<?)"],
        ),
    ],
    ids=["due_runs", "earliest_due_at", "claimed_runs", "current_state", "count_due"],
)
def test_what_is_due_is_found_by_its_indexes(tmp_path: Path, name: str, indexes: list[str]) -> None:
    used = [step.partition(" INDEX ")[2] for step in plan_of(tmp_path, name) if " INDEX " in step]

    assert len(used) == len(indexes)
    for step, index in zip(used, indexes, strict=True):
        assert step.startswith(index)


def test_a_disabled_collection_is_not_in_the_index_of_what_is_due(tmp_path: Path) -> None:
    def fill(to: Transaction) -> None:
        collection, _ = with_jobs(to)
        for number in range(3):
            to.add_job(a_job(collection.id, f"job{number}", next_at=NOW))
        to.save_collection(replace(collection, state=CollectionState.DISABLED))
        to.add_job(a_job(collection.id, "late", next_at=NOW))

    run(tmp_path, lambda store: store.write(fill))

    indexed = (
        "SELECT count(*) FROM job INDEXED BY job_due"
        " WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0"
    )
    assert execute(tmp_path, indexed) == [(0,)]
