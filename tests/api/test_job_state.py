"""Enabling and disabling a job as the portal does: the outcome is that of a PATCH of the state."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from foliot.app.jobs import ChosenState
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound, FoliotError, Forbidden, JobNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import HOUR, Instant
from foliot.core.limits import Limits
from foliot.core.model.collection import Quota
from foliot.core.model.job import JobState
from foliot.core.model.token import Role, Scope
from tests.support.api_client import COLLECTION, JOB, SUBSCRIPTION, Client, a_collection, http_job
from tests.support.bodies import basic, daily
from tests.support.builders import a_run

ENABLED, DISABLED = JobState.ENABLED, JobState.DISABLED
LATER = "2026-01-12T06:00:00Z"
BILLING = CollectionKey(SUBSCRIPTION.rpartition("/")[2], "Prod", "Billing")


def set_job_state(client: Client, state: ChosenState, **caller: Any) -> None:
    who = Principal(**({"role": Role.CONTRIBUTOR} | caller))
    client.run(client.use_cases.jobs.set_job_state(who, BILLING, "nightly", state))


def by_use_case(client: Client, state: ChosenState) -> str:
    """Return why the change was refused, or nothing."""
    try:
        set_job_state(client, state)
    except FoliotError as refusal:
        return str(refusal)
    return ""


def by_patch(client: Client, state: ChosenState) -> str:
    """Return why the change was refused, or nothing."""
    reply = client.patch(JOB, {"properties": {"state": state.value}})
    return "" if reply.status == 200 else reply.message


def put(**properties: Any) -> Callable[[Client], None]:
    """Return a step that creates the job and lets two days pass."""

    def prepare(client: Client) -> None:
        assert client.put(JOB, http_job(**properties)).status == 201
        client.clock.set(LATER)

    return prepare


def ended(state: JobState) -> Callable[[Client], None]:
    def prepare(client: Client) -> None:
        client.put(JOB, http_job(recurrence=daily()))
        client.alter_job(state=state, next_at=None, ended_at=client.clock.now())

    return prepare


def with_last_occurrence_begun(state: JobState, **fields: Any) -> Callable[[Client], None]:
    """Return a step that creates a job of which no further occurrence is left to plan."""

    def prepare(client: Client) -> None:
        client.put(JOB, http_job(recurrence=daily(count=3)))
        client.alter_job(state=state, occurrence=3, execution_count=3, next_at=None, **fields)

    return prepare


def with_waiting_retry(client: Client) -> None:
    with_last_occurrence_begun(DISABLED)(client)
    run = structs.replace(a_run(client.job()), due_at=Instant(client.clock.now() + HOUR))
    client.run(client.store.write(lambda to: to.add_run(run)))
    client.clock.set(LATER)


def over_limits(state: JobState) -> Callable[[Client], None]:
    def prepare(client: Client) -> None:
        client.put(JOB, http_job(recurrence=daily(count=9), state=state.value))
        client.alter_collection(quota=Quota(max_job_occurrence=1, max_job_count=0))
        client.with_limits(Limits(max_uri_characters=1, max_job_bytes=1))

    return prepare


class Case(NamedTuple):
    prepare: Callable[[Client], None]
    wanted: ChosenState
    state: JobState
    next_at: str | None = None
    refusal: str = ""


PAST_END = daily(endTime="2026-01-11T12:00:00Z")
FINAL = "Job 'Nightly' is {} and can no longer be changed."
CASES = {
    "disable": Case(put(recurrence=daily()), DISABLED, DISABLED),
    "disable once more": Case(put(recurrence=daily(), state="disabled"), DISABLED, DISABLED),
    "enable": Case(
        put(recurrence=daily(), state="disabled"), ENABLED, ENABLED, "2026-01-13T00:00:00Z"
    ),
    "enable once more": Case(put(recurrence=daily()), ENABLED, ENABLED, "2026-01-10T00:00:00Z"),
    "a one-time job that missed its start": Case(put(state="disabled"), ENABLED, ENABLED, LATER),
    "an end in the past": Case(
        put(recurrence=PAST_END, state="disabled"),
        ENABLED,
        DISABLED,
        refusal='properties.recurrence.endTime: "2026-01-11T12:00:00Z" is in the past;',
    ),
    "no further occurrence": Case(
        put(recurrence=daily(endTime="2026-01-12T12:00:00Z"), state="disabled"),
        ENABLED,
        DISABLED,
        refusal="properties.recurrence: this schedule never occurs again;",
    ),
    "a waiting retry": Case(with_waiting_retry, ENABLED, ENABLED),
    "stopped in the last occurrence": Case(
        with_last_occurrence_begun(DISABLED), ENABLED, JobState.FAULTED
    ),
    "stopped after the last occurrence": Case(
        with_last_occurrence_begun(DISABLED, settled_at=Instant(1), settled_well=True),
        ENABLED,
        JobState.COMPLETED,
    ),
    "disable in the last occurrence": Case(with_last_occurrence_begun(ENABLED), DISABLED, DISABLED),
    "disable a job over a limit": Case(over_limits(ENABLED), DISABLED, DISABLED),
    "enable a job over a limit": Case(
        over_limits(DISABLED), ENABLED, ENABLED, "2026-01-11T00:00:00Z"
    ),
    **{
        f"{wanted} a {state} job": Case(ended(state), wanted, state, refusal=FINAL.format(state))
        for wanted in (ENABLED, DISABLED)
        for state in (JobState.COMPLETED, JobState.FAULTED)
    },
}


@pytest.fixture
def patched(tmp_path: Path) -> Iterator[Client]:
    """Return a client of another server with an empty collection."""
    folder = tmp_path / "patched"
    folder.mkdir()
    with Client(folder) as opened:
        assert opened.put(COLLECTION, a_collection()).status == 201
        yield opened


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_state_is_set_as_by_a_patch(billing: Client, patched: Client, case: Case) -> None:
    for client in (billing, patched):
        case.prepare(client)

    refusals = [by_use_case(billing, case.wanted), by_patch(patched, case.wanted)]

    assert refusals[0] == refusals[1]
    assert refusals[0].startswith(case.refusal)
    assert bool(refusals[0]) == bool(case.refusal)
    job = billing.job()
    assert job.state is case.state
    assert job == patched.job()
    assert billing.state()["run"] == patched.state()["run"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_next_occurrence_is_stored_with_the_state(billing: Client, case: Case) -> None:
    case.prepare(billing)

    by_use_case(billing, case.wanted)

    shown = billing.get(JOB).json["properties"].get("status", {})
    assert shown.get("nextExecutionTime") == case.next_at


@pytest.mark.parametrize("state", [ENABLED, DISABLED])
def test_a_stored_definition_is_not_written_with_the_state(
    billing: Client, state: ChosenState
) -> None:
    other = {ENABLED: "disabled", DISABLED: "enabled"}[state]
    body = basic(password="s")  # noqa: S106
    billing.put(JOB, {"properties": body["properties"] | {"state": other}})
    before = billing.state()["definition"]

    set_job_state(billing, state)

    # Sealing takes a new nonce each time, so the same bytes were not written again.
    assert billing.state()["definition"] == before
    assert billing.job().state is state


def test_a_state_that_is_set_already_is_not_written(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    before = billing.state()
    billing.clock.set(LATER)

    set_job_state(billing, ENABLED)

    assert billing.state() == before


@pytest.mark.parametrize(
    ("caller", "refusal"),
    [
        ({"role": Role.READER}, Forbidden),
        ({"scope": Scope(subscription="other")}, CollectionNotFound),
        ({"scope": Scope(subscription="other"), "role": Role.READER}, CollectionNotFound),
    ],
    ids=["reader", "another scope", "reader of another scope"],
)
def test_a_caller_that_may_not_change_a_job_cannot_set_its_state(
    billing: Client, caller: dict[str, Any], refusal: type[FoliotError]
) -> None:
    billing.put(JOB, http_job())
    before = billing.state()

    with pytest.raises(refusal):
        set_job_state(billing, DISABLED, **caller)

    assert billing.state() == before


def test_a_job_that_does_not_exist_has_no_state(billing: Client) -> None:
    with pytest.raises(JobNotFound):
        set_job_state(billing, DISABLED)
