"""Each use case that writes leaves an entry in the audit log, in the transaction of its change."""

import ast
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import foliot.app
from foliot.app.run_records import RunsOf
from foliot.app.tokens import NewToken, add_admin_token, add_first_token
from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.audit import AuditEntry, AuditFilter
from foliot.core.model.failure import FailureKind
from foliot.core.model.run import Run
from foliot.core.model.token import Role, Scope
from foliot.core.rules.lifecycle import Revision
from foliot.core.secret import Secret
from foliot.ports.store import Store, Transaction
from tests.support.api_client import COLLECTION, GROUP, JOB, Client, a_collection, http_job
from tests.support.builders import DEFINITION, at
from tests.support.builders import a_collection as collection_value
from tests.support.engine_world import failing
from tests.support.served_engine import OWN, ServedEngine
from tests.support.template_bodies import (
    DEPLOYMENT,
    VERSION,
    deploy,
    template_collection,
    template_job,
)

APP = Path(next(iter(foliot.app.__path__)))
CALENDAR = f"{COLLECTION}/calendars/holidays"
ALERT = f"{COLLECTION}/alerts/oncall"
ALERT_BODY = {
    "properties": {
        "when": {"failed": {"inARow": 1}},
        "sendTo": [{"type": "webhook", "uri": "https://alerts.example.com/in"}],
    }
}
EVER = {"from": "2025-01-01T00:00:00Z", "to": "2027-01-01T00:00:00Z"}
ANN = Principal(Role.OWNER, name="ann", token_id=7, address="192.0.2.1", request_id="the-request")
TIMEOUT = FailureKind("Timeout", "a.test")
TOKEN_TEXT = "foliot_" + "t" * 43
LATER = at("2026-01-10T03:00:00Z")

# What is no change by anybody: heartbeats, times of use, the end of a session, an undone trial.
NOT_CHANGES = {
    "deployments.try_out",
    "whole_collections.try_out",
    "nodes.check_takes_changes",
    "nodes.remove_node",
    "nodes.save_heartbeat",
    "sessions.end_session",
    "tokens.save_last_use",
    "write_and_wake.write_and_wake",
}

Step = Callable[[ServedEngine], object]


def writers() -> Iterator[str]:
    """Go through the functions of use cases that write to the store."""
    for module in APP.glob("*.py"):
        tree = ast.parse(module.read_text("utf-8"))
        bodies = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
        for function in itertools.chain.from_iterable(each.body for each in bodies):
            if isinstance(function, ast.AsyncFunctionDef) and _writes(function):
                yield f"{module.stem}.{function.name}"


def _writes(function: ast.AsyncFunctionDef) -> bool:
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(
        (isinstance(each, ast.Attribute) and each.attr == "write")
        or (isinstance(each, ast.Name) and each.id == "write_and_wake")
        for each in called
    )


def _token(served: ServedEngine) -> int:
    tokens = served.client.use_cases.tokens
    made, _ = served.client.run(
        tokens.create_token(Principal(Role.OWNER), NewToken("ci", Role.READER), b"r" * 32)
    )
    return made.id


def _create_both(served: ServedEngine) -> object:
    jobs, key = served.client.use_cases.jobs, CollectionKey("sub", "Prod", "New")
    return served.client.run(
        jobs.create_job_and_collection(
            ANN, key, lambda _: collection_value("New", group="Prod"), "First", _first
        )
    )


def _first(_: object) -> Revision:
    return Revision(DEFINITION, None)


def _move(served: ServedEngine, use_case: Any) -> object:
    client = served.client
    key = client.collection().key
    return client.run(use_case(ANN, key, "Nightly", key, "Weekly"))


def _set_state(served: ServedEngine) -> object:
    client = served.client
    state: Any = client.job().state.__class__.DISABLED
    key = client.collection().key
    return client.run(client.use_cases.jobs.set_job_state(ANN, key, "Nightly", state))


def _failed(served: ServedEngine) -> Run:
    """Let the open run of the job wait for its retry."""
    client, job = served.client, served.client.job()

    def fail(transaction: Transaction) -> Run:
        (run,) = transaction.runs(job.id)
        waiting = replace(run, attempt=2, due_at=Instant(client.clock.at + MINUTE))
        transaction.save_runs([waiting])
        return waiting

    return client.run(client.store.write(fail))


def _retry(served: ServedEngine) -> object:
    return served.post(f"runs/{_failed(served).tag}/retry")


def _retry_all(served: ServedEngine) -> object:
    client, run = served.client, _failed(served)
    retries, due = client.use_cases.run_retries, {run.id: run.due_at}
    return client.run(retries.retry_runs(ANN, client.collection().key, "Nightly", due))


def _mute(served: ServedEngine) -> object:
    client = served.client
    return client.run(client.use_cases.failures.mute(ANN, RunsOf(), TIMEOUT))


def _unmute(served: ServedEngine) -> object:
    _mute(served)
    client = served.client
    return client.run(client.use_cases.failures.unmute(ANN, Scope(), TIMEOUT))


def _in_store(make: Callable[[Store], Any]) -> Step:
    return lambda served: served.client.run(make(served.client.store))


# One step for each function that writes, and the entries that it leaves, the newest first.
STEPS: dict[str, tuple[Step, list[str]]] = {
    "alerts.save_alert": (
        lambda it: it.client.put(ALERT, ALERT_BODY, query=OWN),
        ["created alert Billing/oncall"],
    ),
    "alerts.delete_alert": (
        lambda it: (
            it.client.put(ALERT, ALERT_BODY, query=OWN),
            it.client.delete(ALERT, query=OWN),
        ),
        ["deleted alert Billing/oncall", "created alert Billing/oncall"],
    ),
    "calendars.save_calendar": (
        lambda it: it.client.put(CALENDAR, {"properties": {"dates": ["2026-05-01"]}}, query=OWN),
        ["created calendar Billing/holidays"],
    ),
    "calendars.delete_calendar": (
        lambda it: it.client.delete(f"{COLLECTION}/calendars/old", query=OWN),
        ["deleted calendar Billing/old"],
    ),
    "collections.save_collection": (
        lambda it: it.client.patch(COLLECTION, {"tags": {"team": "a"}}),
        ["updated collection Billing"],
    ),
    "collections.delete_collection": (
        lambda it: it.client.delete(COLLECTION),
        ["deleted collection Billing"],
    ),
    "jobs.save_job": (
        lambda it: it.client.put(JOB, http_job("http://other.test/")),
        ["updated job Billing/Nightly"],
    ),
    "jobs.create_job_and_collection": (
        _create_both,
        ["created job New/First", "created collection New"],
    ),
    "jobs.set_job_state": (_set_state, ["disabled job Billing/Nightly"]),
    "job_moves.move_job": (
        lambda it: _move(it, it.client.use_cases.job_moves.move_job),
        ["moved job Billing/Weekly", "moved job Billing/Nightly"],
    ),
    "job_moves.copy_job": (
        lambda it: _move(it, it.client.use_cases.job_moves.copy_job),
        ["created job Billing/Weekly", "copied job Billing/Nightly"],
    ),
    "jobs.delete_job": (lambda it: it.client.delete(JOB), ["deleted job Billing/Nightly"]),
    "job_tests._record": (
        lambda it: (it.client.with_dispatcher(it.targets), it.post("test")),
        ["tested job Billing/Nightly"],
    ),
    "runs.run_job": (lambda it: it.post("run"), ["run job Billing/Nightly"]),
    "run_retries.retry_run": (_retry, ["retried job Billing/Nightly"]),
    "run_retries.retry_runs": (_retry_all, ["retried job Billing/Nightly"]),
    "runs.cancel_runs": (
        lambda it: it.post("runs/cancel"),
        ["canceled job Billing/Nightly"],
    ),
    "repeated_runs._repeat": (
        lambda it: it.post("redrive", EVER),
        ["redriven job Billing/Nightly"],
    ),
    "failures.mute": (_mute, ["muted failures Timeout a.test"]),
    "failures.unmute": (
        _unmute,
        ["unmuted failures Timeout a.test", "muted failures Timeout a.test"],
    ),
    "resource_groups.save_group": (
        lambda it: it.client.put(GROUP, {"location": "westus"}),
        ["updated group Prod"],
    ),
    "resource_groups.delete_group": (
        lambda it: it.client.delete(GROUP),
        ["deleted collection Billing", "deleted group Prod"],
    ),
    "deployments.deploy": (
        lambda it: deploy(it.client, template_collection("Other"), template_job("Other/One")),
        ["deployed deployment main", "created job Other/One", "created collection Other"],
    ),
    "deployments.delete_deployment": (
        lambda it: it.client.delete(f"{DEPLOYMENT}-old", query=VERSION),
        ["deleted deployment main-old"],
    ),
    "whole_collections.apply": (
        lambda it: it.client.post(
            f"{COLLECTION}/apply",
            {"alerts": {"oncall": ALERT_BODY}, "delete": {"jobs": ["nightly"]}},
            query=OWN,
        ),
        ["created alert Billing/oncall", "deleted job Billing/Nightly"],
    ),
    "tokens.create_token": (_token, ["created token ci"]),
    "tokens.revoke_token": (
        lambda it: it.client.run(it.client.use_cases.tokens.revoke_token(ANN, 1)),
        ["revoked token first"],
    ),
    "tokens.add_admin_token": (
        _in_store(lambda store: add_admin_token(store, Secret(TOKEN_TEXT), LATER)),
        ["created token FOLIOT_ADMIN_TOKEN"],
    ),
    "tokens.add_first_token": (
        _in_store(lambda store: add_first_token(store, TOKEN_TEXT, LATER)),
        ["created token admin"],
    ),
}


def entries(client: Client) -> list[AuditEntry]:
    """Return all entries, the newest first."""
    return client.run(
        client.store.read(lambda view: view.audit_entries(Scope(), AuditFilter(), limit=1000))
    )


def told(entry: AuditEntry) -> str:
    subject = entry.subject
    parts = [subject.collection, subject.name]
    name = "/".join(filter(None, parts)) or subject.group
    return f"{entry.action} {subject.kind} {name}"


@pytest.fixture
def world(served: ServedEngine) -> ServedEngine:
    """Return a server with something of each kind; its log is what is asked for afterwards."""
    client = served.client
    served.targets.answer = failing()
    retry = {"retryPolicy": {"retryType": "none"}}
    request = {"type": "Http", "request": {"uri": "http://a.test/", "method": "GET"}}
    served.put(
        startTime="2026-01-10T00:00:00Z",
        recurrence={"frequency": "hour"},
        action={**request, **retry},
    )
    served.advance_to("2026-01-10T01:30:00Z")
    old = {"properties": {"dates": ["2026-05-01"]}}
    assert client.put(f"{COLLECTION}/calendars/old", old, query=OWN).status == 201
    client.run(client.use_cases.tokens.create_token(ANN, NewToken("first", Role.READER), b"f" * 32))
    template = {
        "properties": {
            "mode": "Incremental",
            "template": {
                "$schema": "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0",
                "resources": [],
            },
        }
    }
    assert client.put(f"{DEPLOYMENT}-old", template, query=VERSION).status == 201
    assert served.post("run").status == 200
    client.authenticator.principal = ANN
    return served


def test_every_function_that_writes_is_known_here() -> None:
    assert set(writers()) - NOT_CHANGES == set(STEPS)


@pytest.mark.parametrize("name", STEPS)
def test_a_change_leaves_its_entries(world: ServedEngine, name: str) -> None:
    step, expected = STEPS[name]
    before = len(entries(world.client))

    step(world)

    found = entries(world.client)
    assert [told(each) for each in found[: len(found) - before]] == expected


def test_an_entry_says_who_it_was(world: ServedEngine) -> None:
    world.client.delete(JOB)

    author = entries(world.client)[0].author
    assert (author.name, author.token_id, author.role) == ("ann", 7, Role.OWNER)
    assert (author.address, author.request_id) == ("192.0.2.1", "the-request")


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(lambda it: it.client.put(COLLECTION, a_collection()), id="the same again"),
        pytest.param(lambda it: it.client.put(JOB, {"properties": {}}), id="refused"),
        pytest.param(lambda it: it.client.delete(f"{JOB}-none"), id="not found"),
        pytest.param(lambda it: it.client.get(JOB), id="read"),
        pytest.param(
            lambda it: it.client.post(
                f"{DEPLOYMENT}/validate",
                {"properties": {"mode": "Incremental", "template": {"resources": []}}},
                query=VERSION,
            ),
            id="tried out",
        ),
    ],
)
def test_what_changes_nothing_leaves_no_entry(world: ServedEngine, step: Step) -> None:
    before = entries(world.client)

    step(world)

    assert entries(world.client) == before


def test_a_change_that_is_undone_has_no_entry(world: ServedEngine) -> None:
    client = world.client
    before = entries(client)
    taken = client.collection()

    def change(to: Any) -> None:
        to.add_audit_entries(before[0])
        raise Conflict(taken.key.name)

    with pytest.raises(Conflict):
        client.run(client.store.write(change))
    assert entries(client) == before


def test_a_job_that_its_policy_disables_has_an_entry_by_the_policy(served: ServedEngine) -> None:
    served.targets.answer = failing()
    action = {
        "type": "Http",
        "request": {"uri": "http://a.test/", "method": "GET"},
        "retryPolicy": {"retryType": "none"},
    }
    served.put(
        startTime="2026-01-10T00:00:00Z",
        recurrence={"frequency": "hour"},
        action=action,
        policy={"pauseAfter": 2},
    )
    served.advance_to("2026-01-10T05:00:00Z")

    found = entries(served.client)
    assert [(told(each), each.author.name) for each in found[:2]] == [
        ("disabled job Billing/Nightly", "policy"),
        ("created job Billing/Nightly", ""),
    ]
    assert (found[0].details.reason or "").startswith("2 runs in a row were given up")


def test_the_deletion_of_many_jobs_is_one_entry_with_a_count_and_some_names(
    billing: Client,
) -> None:
    assert billing.put(COLLECTION, a_collection("P20Premium")).status == 200
    for number in range(120):
        assert billing.put(f"{COLLECTION}/jobs/j{number:03}", http_job()).status == 201
    before = len(entries(billing))

    billing.delete(COLLECTION)

    found = entries(billing)
    assert len(found) == before + 1
    details = found[0].details
    assert (details.jobs, len(details.names), details.names[0]) == (120, 100, "j000")
