"""An installation moves from SQLite to PostgreSQL."""

from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from foliot.cli import app
from foliot.core.ids import CollectionId
from foliot.core.instant import DAY, Instant
from foliot.core.model.audit import AuditFilter
from foliot.core.model.calendar import Calendar
from foliot.core.model.change import Change
from foliot.core.model.job import Job
from foliot.core.model.token import Scope
from foliot.core.recurrence import parse_dates
from foliot.ports.store import Reading, Transaction
from foliot.store.errors import StoreError
from foliot.store.postgres import copy_from_sqlite
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite import moved_to_postgres
from foliot.store.sqlite.store import SqliteStore
from tests.contract.store.test_audit import FULL as AUDIT_ENTRY
from tests.support import postgres
from tests.support.alerts import a_notification, an_alert, an_incident
from tests.support.builders import (
    NOW,
    SUBSCRIPTION,
    a_collection,
    a_deployment,
    a_group,
    a_job,
    a_lease,
    a_run,
    a_token,
    an_entry,
)
from tests.support.definitions import DEFINITIONS
from tests.support.postgres_address import address
from tests.support.server import running
from tests.support.store_harness import run, written

KEYRING = Keyring([bytes(32)])

# Six of each definition: the job, its definition, two runs and two entries; and fourteen others.
ROWS = 7 * len(DEFINITIONS) + 14


@pytest.fixture
def empty() -> Generator[str]:
    with postgres.new_database(is_empty=True) as url:
        yield url


def fill(to: Transaction) -> None:
    gone = to.add_collection(a_collection("gone"))
    to.add_history(an_entry(to.add_job(a_job(gone.id)).id))
    to.delete_collection(gone.id)
    collection = to.add_collection(
        a_collection(tags={"a": "ä"}, created_at=NOW, changed_at=NOW, changed_by="ops")
    )
    for number, definition in enumerate(DEFINITIONS.values()):
        new = a_job(collection.id, f"J{number}", definition=definition, next_at=NOW)
        job = to.add_job(new, Change(NOW, "ops"))
        to.add_run(a_run(job, attempt=2, due_at=Instant(NOW + 5), tag=f"t{number}"))
        to.add_run(a_run(job, second=1, lease=a_lease()))
        to.add_history(an_entry(job.id, message="\0 ü"), an_entry(job.id, second=9_000_000))
    holidays = to.add_calendar(
        Calendar(
            collection_id=collection.id,
            name="Holidays",
            dates=(parse_dates("2026-12-25"),),
            changed_at=NOW,
            changed_by="ops",
        )
    )
    to.use_calendars(to.jobs(collection.id)[0].id, [holidays.id])
    alert = to.add_alert(an_alert(collection.id))
    incident = to.open_incident(an_incident(alert, to.jobs(collection.id)[0]))
    assert incident is not None
    to.add_notifications([a_notification(incident)])
    to.add_token(a_token())
    to.save_resource_group(a_group(location="West US", tags={"a": "ä"}))
    to.save_deployment(a_deployment(outputs={"ü": {"value": 1.5}}), kept=9)
    to.add_audit_entries(AUDIT_ENTRY)


def everything(view: Reading) -> object:
    (collection,) = view.collections(SUBSCRIPTION)
    jobs: list[Job] = list(view.jobs(collection.id))
    records = [view.job_record(job.id) for job in jobs]
    groups = view.resource_groups(SUBSCRIPTION), view.deployments(SUBSCRIPTION, "Prod")
    history = [view.history(job.id) for job in jobs]
    calendars = view.calendars(collection.id)
    users = [view.jobs_using(each.id) for each in calendars]
    incidents = [view.open_incidents(job.id) for job in jobs]
    told = [view.notifications(each.id) for one in incidents for each in one]
    audit = view.audit_entries(Scope(), AuditFilter())
    rest = view.alerts(collection.id), incidents, told, view.tokens(), audit
    return groups, collection, jobs, records, history, calendars, users, rest


def due(to: Transaction) -> list[str]:
    return [each.run.tag for each in to.due_runs(Instant(NOW + DAY), 100)]


def migrate(source: Path, target: str) -> tuple[int, str]:
    arguments = ["migrate", "--from", f"sqlite:///{source}", "--to", address(target)]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_everything_arrives_as_it_was_and_numbers_go_on(tmp_path: Path, empty: str) -> None:
    path = tmp_path / "foliot.db"

    def old() -> SqliteStore:
        return SqliteStore.open(path, KEYRING)

    written(old, fill)
    before = run(old, lambda store: store.read(everything))
    due_before = written(old, due)
    code, output = migrate(path, empty)
    assert code == 0, output
    assert f" of {ROWS} rows (9" in output.partition("\nCopying history: ")[2]
    assert f"\nComparing seal_check: {ROWS} of {ROWS} rows (100 %)\n" in output
    assert "the same in both" in output

    def new() -> object:
        return postgres.open_store(empty, KEYRING)

    assert run(new, lambda store: store.read(everything)) == before
    assert written(new, due) == due_before
    added = written(new, lambda to: to.add_collection(a_collection("next")))
    assert added.id == CollectionId(3)
    with psycopg.connect(empty) as connection:
        assert connection.execute("SELECT count(*) FROM history_other").fetchone() == (0,)


def test_a_target_that_is_not_empty_is_refused(tmp_path: Path, empty: str) -> None:
    path = tmp_path / "foliot.db"
    written(lambda: SqliteStore.open(path, KEYRING), fill)
    written(lambda: postgres.open_store(empty, KEYRING), fill)

    code, output = migrate(path, empty)

    assert code == 1
    assert "its table 'resource_group' has rows" in output
    assert written(lambda: SqliteStore.open(path, KEYRING), due)


def test_no_server_starts_on_a_database_that_was_moved_until_it_is_reopened(
    tmp_path: Path, empty: str
) -> None:
    path = tmp_path / "foliot.db"

    def old() -> SqliteStore:
        return SqliteStore.open(path, KEYRING)

    written(old, fill)
    migrate(path, empty)

    with pytest.raises(StoreError, match="The database was moved to postgresql://"):
        old()
    code, output = migrate(path, empty)
    assert code == 1
    assert "The database was moved to postgresql://" in output
    assert "hunter2" not in output

    reopened = CliRunner().invoke(app, ["migrate", "--from", f"sqlite:///{path}", "--reopen"])
    assert reopened.exit_code == 0
    assert "Servers may use" in reopened.output
    assert written(old, due)


def test_a_move_that_was_killed_leaves_a_database_that_nobody_starts_on(
    tmp_path: Path, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "foliot.db"
    written(lambda: SqliteStore.open(path, KEYRING), fill)
    with monkeypatch.context() as killed:
        # A kill leaves no time to take the mark away.
        killed.setattr(moved_to_postgres, "reopen", lambda _: None)
        killed.setattr(copy_from_sqlite, "_copy_all", lambda *_: 1 // 0)
        result = CliRunner().invoke(
            app, ["migrate", "--from", f"sqlite:///{path}", "--to", address(empty)]
        )
        assert isinstance(result.exception, ZeroDivisionError)

    with pytest.raises(StoreError, match="was not completed: move it again"):
        SqliteStore.open(path, KEYRING)
    written(lambda: postgres.open_store(empty, KEYRING), fill)
    assert migrate(path, empty)[0] == 1
    with pytest.raises(StoreError, match="was not completed: move it again"):
        SqliteStore.open(path, KEYRING)


def test_a_server_that_runs_is_not_moved(tmp_path: Path, empty: str) -> None:
    with running(tmp_path) as server:
        code, output = migrate(tmp_path / "foliot.db", empty)
        ready = server.call("GET", "/readyz")

    assert code == 1
    assert "is in use by another foliot" in output
    assert ready.status == 200


def test_what_did_not_arrive_as_it_was_is_not_kept(tmp_path: Path, empty: str) -> None:
    path = tmp_path / "foliot.db"
    written(lambda: SqliteStore.open(path, KEYRING), fill)
    postgres.prepare_database(empty)
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN NEW.attempt = 7; RETURN NEW; END'"
        )
        connection.execute(
            "CREATE TRIGGER spoil BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION spoil()"
        )

        code, output = migrate(path, empty)

        assert code == 1
        runs = 2 * len(DEFINITIONS)
        assert f"The table 'run' did not arrive as it was: {runs} rows" in output
        assert connection.execute("SELECT count(*) FROM collection").fetchone() == (0,)


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [
        ("sqlite:///none.db", "postgresql://h/d", "--from: give sqlite:///PATH"),
        ("postgresql://h/d", "postgresql://h/d", "--from: give sqlite:///PATH"),
        ("sqlite:////dev/null", "sqlite:///x.db", "--to: give postgresql://"),
        ("jobs.db", "postgresql://h/d", '--from: "jobs.db" is not valid'),
    ],
)
def test_what_cannot_be_moved_is_told(source: str, target: str, problem: str) -> None:
    result = CliRunner().invoke(app, ["migrate", "--from", source, "--to", target])

    assert result.exit_code == 1
    assert problem in result.output
