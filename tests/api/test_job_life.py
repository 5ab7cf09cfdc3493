"""What becomes of a job's calendar when it, or its collection, is changed."""

import asyncio
from typing import Any

import pytest

from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey
from foliot.core.model.job import JobState
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.support.api_client import (
    COLLECTION,
    JOB,
    JOBS,
    SUBSCRIPTION,
    Client,
    a_collection,
    http_job,
)
from tests.support.bodies import basic, daily, request_job

NOON = "2026-01-10T12:00:00Z"
LATER = "2026-01-12T06:00:00Z"


def next_time(client: Client, path: str = JOB) -> str | None:
    return client.get(path).json["properties"].get("status", {}).get("nextExecutionTime")


def set_state(client: Client, state: str) -> Any:
    return client.patch(JOB, {"properties": {"state": state}})


FIRST: dict[str, tuple[dict[str, Any], str]] = {
    "once, no start": ({}, "2026-01-10T12:00:00Z"),
    "once, start in the past": ({"startTime": "2015-07-13"}, "2026-01-10T12:00:00Z"),
    "once, start ahead": (
        {"startTime": "2026-01-11T00:00:00.1234567Z"},
        "2026-01-11T00:00:00.1234567Z",
    ),
    "grid, no start": ({"recurrence": daily()}, "2026-01-10T12:00:00Z"),
    "grid, start in the past": (
        {"startTime": "2026-01-05T14:00:00Z", "recurrence": daily(interval=2)},
        "2026-01-11T14:00:00Z",
    ),
    "grid, start ahead": (
        {"startTime": "2026-01-15T14:00:00Z", "recurrence": daily(interval=2)},
        "2026-01-15T14:00:00Z",
    ),
    "schedule, no start": (
        {"recurrence": daily(schedule={"hours": [3]})},
        "2026-01-10T12:00:00Z",
    ),
    "schedule, start in the past": (
        {"startTime": "2026-01-01", "recurrence": daily(schedule={"hours": [3]})},
        "2026-01-11T03:00:00Z",
    ),
    "schedule, start ahead": (
        {"startTime": "2026-01-20T04:00:00Z", "recurrence": daily(schedule={"hours": [3]})},
        "2026-01-21T03:00:00Z",
    ),
    "end at the first occurrence": (
        {"recurrence": daily(endTime=NOON)},
        "2026-01-10T12:00:00Z",
    ),
}


@pytest.mark.parametrize(("properties", "first"), FIRST.values(), ids=FIRST.keys())
def test_a_new_job_shows_when_it_will_run_first(
    billing: Client, properties: dict[str, Any], first: str
) -> None:
    billing.clock.set(NOON)

    reply = billing.put(JOB, http_job(**properties))

    assert reply.json["properties"]["status"]["nextExecutionTime"] == first


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a start": ({"startTime": "2026-01-05T15:00:00Z"}, "2026-01-12T15:00:00Z"),
    "no start": ({"startTime": None}, LATER),
    "an interval": ({"recurrence": {"interval": 3}}, "2026-01-14T14:00:00Z"),
    "a count": ({"recurrence": {"count": 5}}, "2026-01-12T14:00:00Z"),
    "an end": ({"recurrence": {"endTime": "2027-01-01"}}, "2026-01-12T14:00:00Z"),
    "a schedule": ({"recurrence": {"schedule": {"hours": [9]}}}, "2026-01-12T09:00:00Z"),
    "a time zone": ({"recurrence": {"timeZone": "Asia/Tokyo"}}, "2026-01-12T14:00:00Z"),
    "no recurrence": ({"recurrence": None}, LATER),
}


@pytest.mark.parametrize(("patch", "following"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_the_calendar_restarts_it_while_the_counters_go_on(
    billing: Client, patch: dict[str, Any], following: str
) -> None:
    billing.put(JOB, http_job(startTime="2026-01-05T14:00:00Z", recurrence=daily()))
    billing.alter_job(occurrence=4, execution_count=4, failure_count=3, faulted_count=2)
    generation = billing.job().generation
    billing.clock.set(LATER)

    reply = billing.patch(JOB, {"properties": patch})

    assert reply.json["properties"]["status"] == {
        "nextExecutionTime": following,
        "executionCount": 4,
        "failureCount": 3,
        "faultedCount": 2,
    }
    job = billing.job()
    assert (job.calendar_at, job.occurrence) == (billing.clock.now(), 0)
    assert job.generation == generation + 1


SAME: dict[str, dict[str, Any]] = {
    "identical": {"startTime": "2026-01-05T14:00:00Z", "recurrence": daily()},
    "another offset": {"startTime": "2026-01-05T15:00:00+01:00", "recurrence": daily()},
    "defaults written out": {
        "startTime": "2026-01-05T14:00:00.0Z",
        "recurrence": {"Frequency": "DAILY", "interval": 1, "count": 0, "endTime": None},
    },
}


@pytest.mark.parametrize("properties", SAME.values(), ids=SAME.keys())
def test_the_same_calendar_is_left_alone_however_it_is_written(
    billing: Client, properties: dict[str, Any]
) -> None:
    billing.put(JOB, http_job(startTime="2026-01-05T14:00:00Z", recurrence=daily()))
    billing.alter_job(occurrence=4)
    before = billing.state()
    billing.clock.set(LATER)

    reply = billing.put(JOB, http_job(**properties))

    assert reply.status == 200
    assert billing.state() == before


def test_a_change_of_the_action_leaves_the_calendar_alone(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    billing.alter_job(occurrence=4)
    before = billing.job()
    billing.clock.set(LATER)

    action = request_job()["properties"]["action"]
    billing.put(JOB, {"properties": {"action": action, "recurrence": daily()}})

    after = billing.job()
    assert after.definition != before.definition
    assert (after.calendar_at, after.next_at) == (before.calendar_at, before.next_at)
    assert (after.occurrence, after.generation) == (4, before.generation)


def test_a_disabled_job_goes_on_from_now_when_it_is_enabled(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    billing.clock.set("2026-01-10T01:00:00Z")
    disabled = set_state(billing, "disabled").json["properties"]
    billing.clock.set("2026-01-14T06:00:00Z")

    enabled = set_state(billing, "enabled").json["properties"]

    assert (disabled["state"], disabled.get("status")) == ("disabled", None)
    assert enabled["state"] == "enabled"
    assert enabled["status"]["nextExecutionTime"] == "2026-01-15T00:00:00Z"
    assert billing.job().occurrence == 0


def test_enabling_keeps_the_number_of_the_occurrence(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily(count=9)))
    billing.alter_job(occurrence=4)
    before = billing.job()

    set_state(billing, "disabled")
    set_state(billing, "enabled")

    after = billing.job()
    assert (after.occurrence, after.generation) == (4, before.generation)
    assert after.calendar_at == before.calendar_at


@pytest.mark.parametrize("state", ["enabled", "disabled"])
def test_a_state_that_is_set_already_changes_nothing(billing: Client, state: str) -> None:
    billing.put(JOB, http_job(recurrence=daily(), state=state))
    before = billing.state()
    billing.clock.set(LATER)

    assert set_state(billing, state).status == 200
    assert billing.state() == before


def test_a_put_without_a_state_enables_the_job_it_replaces(billing: Client) -> None:
    billing.put(JOB, http_job(state="disabled"))

    reply = billing.put(JOB, http_job("http://other/"))

    assert reply.json["properties"]["state"] == "enabled"


@pytest.mark.parametrize(
    ("start", "following"),
    [
        (None, LATER),
        ("2026-01-11T00:00:00Z", LATER),
        ("2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"),
    ],
    ids=["no start", "start that passed", "start ahead"],
)
@pytest.mark.parametrize("way", ["job", "collection", "created disabled"])
def test_a_one_time_job_that_has_not_run_runs_when_it_is_enabled(
    billing: Client, way: str, start: str | None, following: str
) -> None:
    properties = {} if start is None else {"startTime": start}
    if way == "created disabled":
        billing.put(JOB, http_job(**properties, state="disabled"))
    else:
        billing.put(JOB, http_job(**properties))
    if way == "job":
        set_state(billing, "disabled")
    if way == "collection":
        billing.post(f"{COLLECTION}/disable")
    stopped = next_time(billing)
    billing.clock.set(LATER)

    if way == "collection":
        billing.post(f"{COLLECTION}/enable")
    else:
        set_state(billing, "enabled")

    assert (stopped, next_time(billing)) == (None, following)


@pytest.mark.parametrize("way", ["job", "collection"])
@pytest.mark.parametrize(
    "properties",
    [{}, {"recurrence": daily(count=3)}],
    ids=["one-time", "count"],
)
def test_a_job_stopped_in_the_retries_of_its_last_occurrence_ends_when_it_is_enabled(
    billing: Client, way: str, properties: dict[str, Any]
) -> None:
    billing.put(JOB, http_job(**properties))
    billing.alter_job(occurrence=3 if properties else 1, execution_count=1, next_at=None)

    if way == "job":
        set_state(billing, "disabled")
        assert set_state(billing, "enabled").status == 200
    else:
        billing.post(f"{COLLECTION}/disable")
        billing.post(f"{COLLECTION}/enable")

    assert next_time(billing) is None
    assert billing.job().state is JobState.FAULTED


@pytest.mark.parametrize("stop", ["Disabled", "Suspended"])
@pytest.mark.parametrize("way", ["put", "patch", "post"])
def test_the_jobs_of_a_collection_go_on_from_now_when_it_is_enabled(
    billing: Client, stop: str, way: str
) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    billing.put(f"{JOBS}/Off", http_job(recurrence=daily(), state="disabled"))
    billing.patch(COLLECTION, {"properties": {"state": stop}})
    stopped = next_time(billing)
    billing.clock.set(LATER)

    match way:
        case "put":
            billing.put(COLLECTION, a_collection())
        case "patch":
            billing.patch(COLLECTION, {"properties": {"state": "enabled"}})
        case _:
            billing.post(f"{COLLECTION}/enable")

    assert (stopped, next_time(billing)) == (None, "2026-01-13T00:00:00Z")
    assert next_time(billing, f"{JOBS}/Off") is None


def test_enabling_an_enabled_collection_skips_nothing(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    before = billing.state()
    billing.clock.set(LATER)

    billing.post(f"{COLLECTION}/enable")

    assert billing.state() == before


def test_a_disabled_job_may_have_an_end_in_the_past_until_it_is_enabled(billing: Client) -> None:
    recurrence = {"frequency": "hour", "interval": 10, "endTime": "2017-09-10T18:50:16.905Z"}
    created = billing.put(JOB, http_job(recurrence=recurrence, state="disabled"))
    before = billing.state()

    enabled = set_state(billing, "enabled")

    assert created.status == 201
    assert (enabled.status, enabled.code) == (400, "BadRequest")
    assert enabled.message.startswith(
        'properties.recurrence.endTime: "2017-09-10T18:50:16.905Z" is in the past;'
    )
    assert billing.state() == before


def test_a_job_that_would_never_run_again_cannot_be_enabled(billing: Client) -> None:
    recurrence = daily(endTime="2026-01-12T12:00:00Z")
    billing.put(JOB, http_job(recurrence=recurrence, state="disabled"))
    billing.clock.set("2026-01-12T06:00:00Z")

    enabled = set_state(billing, "enabled")

    assert enabled.status == 400
    assert enabled.message == (
        "properties.recurrence: this schedule never occurs again; "
        "give a later endTime, or leave it out."
    )


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
class TestAJobThatHasEnded:
    @pytest.fixture(autouse=True)
    def ended(self, billing: Client, state: JobState) -> None:
        billing.put(JOB, basic(password="s"))  # noqa: S106
        billing.alter_job(state=state, next_at=None, occurrence=1, execution_count=1)

    def test_is_shown_with_its_state_and_no_next_time(
        self, billing: Client, state: JobState
    ) -> None:
        properties = billing.get(JOB).json["properties"]

        assert properties["state"] == state.value
        assert properties["status"] == {"executionCount": 1, "failureCount": 0, "faultedCount": 0}

    @pytest.mark.parametrize(
        ("method", "body"),
        [
            ("PUT", basic()),
            ("PUT", basic(password="s")),  # noqa: S106
            ("PATCH", {}),
            ("PATCH", {"properties": {"action": {"request": {"method": "POST"}}}}),
        ],
        ids=["put", "put with its secret", "empty patch", "patch"],
    )
    def test_can_be_sent_again_unchanged(
        self, billing: Client, state: JobState, method: str, body: Any
    ) -> None:
        before = billing.state()

        reply = billing.call(method, JOB, body)

        assert (reply.status, reply.json["properties"]["state"]) == (200, state.value)
        assert billing.state() == before

    @pytest.mark.parametrize(
        ("method", "body"),
        [
            ("PUT", basic(username="bob", password="s")),  # noqa: S106
            ("PUT", basic(password="t")),  # noqa: S106
            ("PATCH", {"properties": {"state": "enabled"}}),
            ("PATCH", {"properties": {"state": "disabled"}}),
            ("PATCH", {"properties": {"startTime": "2026-02-01"}}),
            ("PATCH", {"properties": {"recurrence": daily()}}),
            ("PATCH", {"properties": {"action": {"request": {"method": "PUT"}}}}),
        ],
        ids=["user", "secret", "enable", "disable", "start", "recurrence", "action"],
    )
    def test_can_no_longer_be_changed(
        self, billing: Client, state: JobState, method: str, body: Any
    ) -> None:
        before = billing.state()

        reply = billing.call(method, JOB, body)

        assert (reply.status, reply.code) == (409, "ConflictError")
        assert reply.message == f"Job 'Nightly' is {state} and can no longer be changed."
        assert billing.state() == before

    def test_can_be_run_and_deleted(self, billing: Client, state: JobState) -> None:
        assert billing.post(f"{JOB}/run").status == 200
        assert billing.job().state is state
        assert billing.delete(JOB).status == 200
        assert billing.get(JOB).status == 404


def runs(client: Client) -> list[Any]:
    return client.state()["run"]


@pytest.mark.parametrize("state", ["enabled", "disabled"])
def test_run_now_makes_a_run_beside_the_calendar(billing: Client, state: str) -> None:
    billing.put(JOB, http_job(recurrence=daily(), state=state))
    before = billing.job()
    billing.clock.set(LATER)

    replies = [billing.post(f"{JOB}/run"), billing.post(f"{JOB}/RUN")]

    assert [(reply.status, reply.content) for reply in replies] == [(200, b"")] * 2
    assert len(runs(billing)) == 2
    assert billing.clock.now() in runs(billing)[0]
    assert billing.job() == before


@pytest.mark.parametrize("state", ["Disabled", "Suspended"])
def test_nothing_runs_while_the_collection_is_not_enabled(billing: Client, state: str) -> None:
    billing.put(JOB, http_job())
    billing.patch(COLLECTION, {"properties": {"state": state}})

    reply = billing.post(f"{JOB}/run")

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == f"The collection 'Billing' is {state}; enable it to run a job."
    assert runs(billing) == []


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
def test_a_job_that_has_ended_may_be_sent_back_as_it_was_read(
    billing: Client, state: JobState
) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    billing.alter_job(state=state, next_at=None)
    read = billing.get(JOB)

    reply = billing.put(JOB, read.json)

    assert (reply.status, reply.content) == (200, read.content)


BILLING = CollectionKey(SUBSCRIPTION.rpartition("/")[2], "Prod", "Billing")


def end_runs(transaction: Transaction, name: str) -> None:
    located = transaction.located_job(BILLING, name)
    assert located is not None
    assert located[1] is not None
    transaction.delete_runs(transaction.runs(located[1].id))


class TestRunsByHand:
    """A person may test a job; nobody gets past the plan."""

    @pytest.fixture
    def free(self, client: Client) -> Client:
        client.put(COLLECTION, {"location": "West US", "properties": {"sku": {"name": "Free"}}})
        for number in range(5):
            client.put(f"{JOBS}/j{number}", http_job(state="disabled"))
        return client

    @staticmethod
    def run_and_end(client: Client, number: int) -> Any:
        """Run a job by hand and let its run end."""
        reply = client.post(f"{JOBS}/j{number}/run")
        client.run(client.store.write(lambda to: end_runs(to, f"j{number}")))
        return reply

    def test_so_many_of_a_job_are_accepted_within_the_time_of_its_plan(self, free: Client) -> None:
        replies = [self.run_and_end(free, 0) for _ in range(11)]

        assert [(each.status, each.content) for each in replies[:10]] == [(200, b"")] * 10
        assert (replies[10].status, replies[10].code) == (409, "ConflictError")
        assert replies[10].message == (
            "The plan Free allows 10 runs by hand of the job 'j0' in 1 hour; "
            "it can be run by hand again at 2026-01-10 01:00:00 UTC."
        )
        assert self.run_and_end(free, 1).status == 200

    @pytest.mark.parametrize("now", ["2026-01-10T01:00:00Z", "2026-01-09T23:00:00Z"])
    def test_it_can_be_run_again_when_that_time_is_over(self, free: Client, now: str) -> None:
        for _ in range(11):
            self.run_and_end(free, 0)

        free.clock.set(now)

        assert [self.run_and_end(free, 0).status for _ in range(11)] == [200] * 10 + [409]

    def test_the_jobs_of_a_collection_have_a_limit_together(self, free: Client) -> None:
        statuses = [self.run_and_end(free, number % 5).status for number in range(50)]
        free.delete(f"{JOBS}/j0")
        free.put(f"{JOBS}/j0", http_job(state="disabled"))

        reply = self.run_and_end(free, 0)

        assert statuses == [200] * 50
        assert reply.message.startswith(
            "The plan Free allows 50 runs by hand of the collection 'Billing' in 1 hour;"
        )

    def test_none_is_accepted_while_as_many_runs_are_open_as_may_be(self, free: Client) -> None:
        replies = [free.post(f"{JOBS}/j0/run") for _ in range(11)]

        assert [each.status for each in replies] == [200] * 10 + [409]
        assert replies[10].message == (
            "The job 'j0' has 10 open runs, and 10 may be open; "
            "run it again when one of them has ended."
        )
        assert len(runs(free)) == 10

    def test_what_was_refused_does_not_count(self, free: Client) -> None:
        for _ in range(9):
            self.run_and_end(free, 0)
        free.patch(COLLECTION, {"properties": {"state": "Disabled"}})
        self.run_and_end(free, 0)
        free.patch(COLLECTION, {"properties": {"state": "Enabled"}})

        assert [self.run_and_end(free, 0).status for _ in range(2)] == [200, 409]

    def test_those_that_come_together_are_counted_together(self, free: Client) -> None:
        async def run(number: int) -> bool:
            try:
                await free.use_cases.runs.run_job(
                    Principal(Role.OWNER), BILLING, "j0", f"{number:032x}"
                )
            except Conflict:
                return False
            return True

        async def together() -> list[bool]:
            return await asyncio.gather(*(run(number) for number in range(40)))

        assert sum(free.run(together())) == 10
