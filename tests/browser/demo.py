"""Demo data with something on every page, for tests, screenshots and manual use."""

import asyncio
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import structs

from foliot.api.wire.collection import decode_collection
from foliot.api.wire.job import Address, decode_job
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import DAY, MINUTE, SECOND, Instant, format_instant
from foliot.core.limits import Limits
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.reason import Reason
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role, Scope, Token, digest
from foliot.core.rules.lifecycle import create, timetable_of
from foliot.ports import clock
from foliot.ports.store import Transaction
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sqlite.store import SqliteStore
from tests.browser.demo_alerts import add_alerts
from tests.browser.demo_changes import add_changes
from tests.browser.demo_runs import add_running, add_waiting

TOKEN = "foliot_demo_token_for_screenshots_0000000000"  # noqa: S105  (of a demonstration)
COLLECTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("shop", "billing"): {
        "location": "westeurope",
        "tags": {"team": "payments", "env": "prod"},
        "properties": {"sku": {"name": "Standard"}},
    },
    ("shop", "warehouse"): {
        "location": "northeurope",
        "tags": {"team": "logistics"},
        "properties": {"sku": {"name": "P10Premium"}, "quota": {"maxJobCount": 12}},
    },
    ("site", "newsletter"): {
        "location": "westus",
        "properties": {"sku": {"name": "Free"}, "state": "Disabled"},
    },
    ("ops", "maintenance"): {"properties": {"sku": {"name": "P20Premium"}}},
}
_ACCEPTED = (
    "Http Action - Response from host 'api.acme.example': 'OK' Response Headers: "
    'Content-Type: application/json\r\n Body: {"accepted": true}'
)
_JOBS: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "billing": [
        ("invoices-nightly", {"frequency": "day", "schedule": {"hours": [2], "minutes": [30]}}, ""),
        (
            "dunning-letters",
            {
                "frequency": "week",
                "schedule": {"weekDays": ["tuesday", "friday"], "hours": [9], "minutes": [0]},
            },
            "",
        ),
        (
            "month-end-report",
            {"frequency": "month", "schedule": {"monthDays": [-1], "hours": [18], "minutes": [0]}},
            "",
        ),
        ("payment-poll", {"frequency": "minute", "interval": 5}, "flaky"),
        (
            "tax-rates",
            {
                "frequency": "month",
                "schedule": {
                    "monthlyOccurrences": [{"day": "monday", "occurrence": 1}],
                    "hours": [6],
                    "minutes": [15],
                },
                "timeZone": "Europe/Berlin",
            },
            "",
        ),
        ("ledger-sync", {"frequency": "hour", "interval": 1}, "failing"),
        (
            "card-expiry-reminder",
            {"frequency": "day", "schedule": {"hours": [8, 16], "minutes": [0]}},
            "",
        ),
        ("refund-queue", {"frequency": "minute", "interval": 15}, ""),
    ],
    "warehouse": [
        ("stock-levels", {"frequency": "minute", "interval": 10}, ""),
        ("carrier-pickup", {"frequency": "day", "schedule": {"hours": [15], "minutes": [45]}}, ""),
        (
            "cycle-count",
            {
                "frequency": "week",
                "schedule": {"weekDays": ["sunday"], "hours": [22], "minutes": [0]},
            },
            "",
        ),
        ("label-purge", {"frequency": "hour", "interval": 6}, ""),
    ],
    "newsletter": [
        (
            "weekly-digest",
            {
                "frequency": "week",
                "schedule": {"weekDays": ["thursday"], "hours": [7], "minutes": [0]},
            },
            "",
        )
    ],
    "maintenance": [
        ("certificates", {"frequency": "day", "schedule": {"hours": [4], "minutes": [10]}}, ""),
        ("backup-check", {"frequency": "hour", "interval": 2}, ""),
        ("disk-report", {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}, ""),
        ("cache-warm", {"frequency": "minute", "interval": 2}, ""),
    ],
}


def fill(data_dir: Path, now: Instant, *, extra: int = 0) -> None:
    """Make a database with collections, jobs, their history and tokens."""
    keyring = load_keyring(data_dir, from_environment=None, database_exists=False)

    async def write() -> None:
        store = SqliteStore.open(data_dir / "foliot.db", keyring)
        try:
            await store.write(lambda transaction: _fill(transaction, now, extra))
        finally:
            await store.close()

    asyncio.run(write())


def _fill(to: Transaction, now: Instant, extra: int) -> None:
    chance = random.Random(7)  # noqa: S311  (the same picture every time)
    past: list[HistoryEntry] = []
    for (group, name), body in COLLECTIONS.items():
        key = CollectionKey("acme", group, name)
        decoded = decode_collection(body, key, knows_premium_tiers=True)
        collection = to.add_collection(
            structs.replace(
                decoded,
                created_at=Instant(now - 45 * DAY),
                changed_at=Instant(now - 9 * DAY),
                changed_by="ci-deploy",
            )
        )
        jobs = _JOBS[name] + [
            (f"shard-{number:03}", {"frequency": "hour", "interval": 1 + number % 12}, "")
            for number in range(extra if name == "maintenance" else 0)
        ]
        for job_name, recurrence, mood in jobs:
            past += _add_job(to, collection, (job_name, recurrence, mood), now, chance)
        if name == "billing":
            add_alerts(to, collection, "payment-poll", now)
            add_changes(to, collection, "payment-poll", now)
    for entry in sorted(past, key=lambda each: each.ended_at):
        to.add_history(entry)
    billing = Scope(subscription="acme", group="shop", collection="billing")
    for token_name, role, age, scope in (
        ("ci-deploy", Role.CONTRIBUTOR, 40, Scope()),
        ("dashboard", Role.READER, 9, Scope()),
        ("invoice-service", Role.CONTRIBUTOR, 21, billing),
    ):
        to.add_token(
            Token(
                name=token_name,
                digest=digest(token_name),
                role=role,
                scope=scope,
                created_at=Instant(now - age * DAY),
                expires_at=Instant(now + 50 * DAY) if role is Role.CONTRIBUTOR else None,
                last_used_at=Instant(now - age * MINUTE),
            )
        )


def _add_job(
    to: Transaction,
    collection: Collection,
    kind: tuple[str, dict[str, Any], str],
    now: Instant,
    chance: random.Random,
) -> list[HistoryEntry]:
    """Add a job and return its history."""
    name, recurrence, mood = kind
    body = {
        "properties": {
            "startTime": format_instant(Instant(now - 45 * DAY - now % DAY)),
            "action": {
                "type": "Https",
                "request": {
                    "uri": f"https://api.acme.example/{collection.key.name}/{name}",
                    "method": "POST",
                    "headers": {"Content-Type": "application/json", "X-Team": "acme"},
                    "body": '{"dryRun": false}',
                    **(
                        {
                            "authentication": {
                                "type": "Basic",
                                "username": "scheduler",
                                "password": "not a real one",
                            }
                        }
                        if collection.sku.value != "Free"
                        else {}
                    ),
                },
                "retryPolicy": {"retryType": "fixed", "retryInterval": "PT1H", "retryCount": 3},
            },
            "recurrence": recurrence,
        }
    }
    revision = decode_job(body, Address(collection.key, name), Limits())
    made = create(collection.id, name, revision, Instant(now - 45 * DAY))
    due = timetable_of(made)
    past = list(_past(made, now))[-200:]
    is_off, is_running = name == "cycle-count", mood == "flaky" or name == "cache-warm"
    job = to.add_job(
        structs.replace(
            made,
            state=JobState.DISABLED if is_off else made.state,
            next_at=None if is_off else due.next_after(now),
            occurrence=len(past),
            last_execution_at=past[-1] if past else None,
        ),
        Change(Instant(now - 45 * DAY), "ci-deploy"),
    )
    history: list[HistoryEntry] = []
    for number, at in enumerate(past):
        is_last = number >= len(past) - 3
        odds = {"flaky": 0.12, "failing": 0.04}.get(mood, 0.01)
        failed = chance.random() < odds or (mood == "failing" and is_last)
        history += _run(_attempt(job.id, at, number, chance, failed=failed), chance)
    to.advance_job(
        structs.replace(
            job,
            execution_count=sum(each.outcome is not None for each in history) + is_running,
            failure_count=sum(each.status is AttemptStatus.FAILED for each in history),
            faulted_count=sum(each.outcome is RunOutcome.FAILED for each in history),
            last_outcome=history[-1].outcome if history else None,
        )
    )
    if is_running:
        add_running(to, job, now)
    if mood == "failing":
        history.append(add_waiting(to, job, history[-1], now))
    return history


def _past(job: Job, now: Instant) -> Iterator[Instant]:
    timetable = timetable_of(job)
    at = timetable.next_after(Instant(now - 20 * DAY))
    while at is not None and at < now:
        yield at
        at = timetable.next_after(at)


def _attempt(
    job_id: JobId, at: Instant, number: int, chance: random.Random, *, failed: bool
) -> HistoryEntry:
    started = Instant(at + int(chance.uniform(0.003, 0.06) * SECOND))
    took = int(chance.lognormvariate(-1.2, 0.7) * SECOND * (6 if failed else 1))
    message = (
        "Http Action - Response from host 'api.acme.example': 'ServiceUnavailable' Response "
        "Headers: Retry-After: 30\r\nContent-Type: application/json\r\n Body: "
        '{"error": "The ledger is locked for closing."}'
        if failed
        else _ACCEPTED
    )
    return HistoryEntry(
        job_id=job_id,
        started_at=started,
        ended_at=Instant(started + took),
        expected_at=at,
        status=AttemptStatus.FAILED if failed else AttemptStatus.COMPLETED,
        message=message,
        retry_count=0,
        repeat_count=number + 1,
    )


def _run(attempt: HistoryEntry, chance: random.Random) -> list[HistoryEntry]:
    """Return the attempts of a run: each third failure is recovered by a retry."""
    failed = attempt.status is AttemptStatus.FAILED
    of_run = structs.replace(
        attempt,
        run_id=attempt.job_id * 1000 + attempt.repeat_count,
        trigger=Trigger.SCHEDULE,
        tag=f"{chance.getrandbits(128):032x}",
        host="api.acme.example",
        status_code=503 if failed else 200,
        reason=Reason.HTTP_STATUS if failed else None,
        outcome=RunOutcome.FAILED if failed else RunOutcome.SUCCEEDED,
    )
    if not failed or chance.random() > 1 / 3:
        return [of_run]
    again = structs.replace(
        of_run,
        started_at=Instant(of_run.ended_at + MINUTE),
        ended_at=Instant(of_run.ended_at + MINUTE + SECOND),
        status=AttemptStatus.COMPLETED,
        message=_ACCEPTED,
        retry_count=1,
        status_code=200,
        reason=None,
        outcome=RunOutcome.RECOVERED,
    )
    return [structs.replace(of_run, outcome=None), again]


if __name__ == "__main__":
    fill(Path(sys.argv[1]), clock.now(), extra=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
