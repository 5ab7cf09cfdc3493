"""Fills a database for `bench_portal.py`: jobs in collections of 1,000, runs, changes and alerts.

Jobs repeat every hour, every 15 minutes, daily and weekly; of 50 the last run of one failed. Runs
are those of `many_runs.py`. The collection c7 has alerts, and each of its jobs was changed; so
was the collection itself. c8 is paused.
"""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

from msgspec import structs

from foliot.api.wire.alert import decode_alert, replace_alert
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant, Moment
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.alert import Alert
from foliot.core.model.audit import AuditEntry, Author
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection, CollectionState, Sku
from foliot.core.model.history import RunOutcome
from foliot.core.model.job import Definition, Job
from foliot.core.model.token import Role, Scope, Token, digest
from foliot.core.recurrence import Frequency, Recurrence, Schedule
from foliot.core.rules.audit_entries import collection_entry, job_entry
from foliot.core.rules.lifecycle import timetable_of
from foliot.ports import clock
from foliot.ports.store import Transaction
from foliot.store.migrations import migrations
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sealing.rotation import check_key
from foliot.store.sql.transaction import SqlTransaction
from foliot.store.sqlite.connection import writing
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.migrate import migrate
from many_runs import Span, fill_sqlite

PER_COLLECTION = 1000
FAILED_EVERY = 50
HOSTS = 500
ALERTS = 10
TOKENS = 50
_CHANGED_COLLECTION = 7
_PAUSED_COLLECTION = 8
_FILE = "foliot.db"


def fill(data: Path, jobs: int, runs: int) -> None:
    """Make the database of a server."""
    now = clock.now()
    keyring = load_keyring(data, from_environment=None, database_exists=False)
    with writing(data / _FILE, timedelta(seconds=5)) as connection:
        migrate(connection, migrations("foliot.store.sqlite"))
        dialect = SqliteDialect(connection)
        check_key(dialect, keyring)
        to = SqlTransaction(dialect, keyring)
        connection.execute("BEGIN")
        for index in range(jobs // PER_COLLECTION):
            _add_collection(to, index, now)
        _add_tokens(to, now)
        connection.execute("COMMIT")
    fill_sqlite(data / _FILE, Span(runs, now, jobs), first_job=1)


def places(data: Path) -> dict[str, str]:
    """Return what the addresses of pages name: entries of job 7000 and its collection, dates."""
    connection = sqlite3.connect(data / _FILE)

    def one(query: str) -> str:
        return str(connection.execute(query).fetchone()[0])

    today = datetime.now(UTC).date()
    run = one("SELECT max(number) FROM history WHERE job_id = 7001 AND outcome IS NOT NULL")
    found = {
        "run": run,
        "attempt": run,
        "middle": one("SELECT max(number) / 2 FROM history"),
        "job_entry": one("SELECT max(id) FROM audit WHERE folded_name = 'j7000'"),
        "collection_entry": one("SELECT max(id) FROM audit WHERE kind = 'collection'"),
        "week_ago": str(today - timedelta(days=7)),
        "tomorrow": str(today + timedelta(days=1)),
        "schedule": urlencode(
            {
                "repeat": "schedule",
                "properties.recurrence.frequency": "day",
                "time": "02:30",
                "properties.recurrence.timeZone": "Europe/Prague",
            }
        ),
    }
    connection.close()
    return found


def _add_collection(to: Transaction, index: int, now: Instant) -> None:
    key = CollectionKey("bench", "g", f"c{index}")
    state = CollectionState.DISABLED if index == _PAUSED_COLLECTION else CollectionState.ENABLED
    collection = to.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM, state=state))
    is_changed = index == _CHANGED_COLLECTION
    if is_changed:
        to.add_audit_entries(_changed_collection(collection, now))
        _add_alerts(to, collection, now)
    for number in range(index * PER_COLLECTION, (index + 1) * PER_COLLECTION):
        job = to.add_job(_job(collection, number, now))
        if is_changed:
            to.add_audit_entries(*_changed_job(key, job, now))


def _job(collection: Collection, number: int, now: Instant) -> Job:
    schedule = Schedule(hours=(number % 24,), minutes=(number % 60,))
    rules = (
        Recurrence(frequency=Frequency.HOUR),
        Recurrence(frequency=Frequency.MINUTE, interval=15),
        Recurrence(frequency=Frequency.DAY, schedule=schedule),
        Recurrence(frequency=Frequency.WEEK, schedule=schedule),
    )
    begin = Instant(now - 30 * DAY - number % 3600 * SECOND)
    address = f"https://api{number % HOSTS}.example.com/{number}"
    job = Job(
        collection_id=collection.id,
        name=f"j{number}",
        definition=Definition(
            start=Moment.at(begin),
            action=Action(kind=ActionKind.HTTPS, part=HttpRequest(uri=address, method="POST")),
            recurrence=rules[number % len(rules)],
        ),
        calendar_at=begin,
        last_execution_at=Instant(now - HOUR),
        last_outcome=RunOutcome.SUCCEEDED if number % FAILED_EVERY else RunOutcome.FAILED,
    )
    return structs.replace(job, next_at=timetable_of(job).next_after(now))


def _changed_job(key: CollectionKey, job: Job, now: Instant) -> Iterator[AuditEntry]:
    """Yield the entries of changes: there were some, each of the description."""
    before = structs.replace(job, definition=structs.replace(job.definition, description="0"))
    for number in range(1, 11):
        definition = structs.replace(job.definition, description=str(number))
        after = structs.replace(job, definition=definition)
        yield job_entry(_change(now, number), key, before, after)
        before = after


def _changed_collection(collection: Collection, now: Instant) -> AuditEntry:
    before = structs.replace(collection, sku=Sku.STANDARD, tags={"team": "payments"})
    return collection_entry(_change(now, 0), before, collection)


def _change(now: Instant, number: int) -> Change:
    name = f"ci-{number}"
    return Change(Instant(now - number * MINUTE), name, Author(name=name))


def _add_alerts(to: Transaction, collection: Collection, now: Instant) -> None:
    for number in range(ALERTS):
        name = f"a{number}"
        send_to = [{"type": "webhook", "uri": f"https://events{number}.example.com/in"}]
        body = {"properties": {"when": {"failed": {"inARow": 2}}, "sendTo": send_to}}
        definition, is_enabled = replace_alert(None, decode_alert(body, collection.key, name))
        to.add_alert(
            Alert(
                collection_id=collection.id,
                name=name,
                definition=definition,
                is_enabled=is_enabled,
                changed_at=now,
                changed_by="ci",
            )
        )


def _add_tokens(to: Transaction, now: Instant) -> None:
    for number in range(TOKENS):
        name = f"ci-{number}"
        to.add_token(
            Token(
                name=name,
                digest=digest(name),
                role=Role.READER,
                scope=Scope(subscription="bench", group="g", collection=f"c{number}"),
                created_at=now,
                last_used_at=now,
            )
        )
