"""Runs of a job, of a collection, of a subscription, in the API's own version."""

from typing import Any

import pytest

from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run import Trigger
from foliot.ports.store import Transaction
from tests.support.api_client import COLLECTION, JOB, Client, http_job
from tests.support.builders import NOW, SUBSCRIPTION, a_lease, a_run, an_entry

OWN = "api-version=2026-11-01"
ALL_RUNS = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Scheduler/runs"
PLACES = [
    pytest.param(f"{JOB}/runs", id="of a job"),
    pytest.param(f"{COLLECTION}/runs", id="of a collection"),
    pytest.param(ALL_RUNS, id="of a subscription"),
]


@pytest.fixture
def nightly(billing: Client) -> Client:
    """Return a client of a server with a job that has an open run, a failed and a recovered one."""
    billing.put(JOB, http_job())
    job = billing.job("Nightly")

    def change(to: Transaction) -> None:
        to.add_run(a_run(job, second=90, tag="open", lease=a_lease()))
        of_failed: dict[str, Any] = {
            "run_id": 7,
            "trigger": Trigger.SCHEDULE,
            "tag": "failed",
            "expected_at": NOW,
            "status": AttemptStatus.FAILED,
            "reason": "HttpStatus",
            "host": "api.example",
            "status_code": 503,
            "repeat_count": 3,
        }
        to.add_history(
            an_entry(job.id, second=1, **of_failed),
            an_entry(job.id, second=31, **of_failed, retry_count=1, outcome=RunOutcome.FAILED),
            an_entry(
                job.id,
                second=33,
                **{**of_failed, "status": AttemptStatus.COMPLETED, "reason": None},
                is_error_action=True,
            ),
            an_entry(
                job.id,
                second=60,
                run_id=8,
                trigger=Trigger.MANUAL,
                tag="manual",
                outcome=RunOutcome.SUCCEEDED,
            ),
            an_entry(
                job.id,
                second=70,
                status=AttemptStatus.POSTPONED,
                message="Http Action - Skipped",
                outcome=RunOutcome.SKIPPED,
                reason="missed",
                run_id=None,
                last_expected_at=Instant(NOW + 80 * SECOND),
                skipped_count=3,
            ),
        )

    billing.run(billing.store.write(change))
    return billing


def tags(reply: Any) -> list[str | None]:
    return [each["properties"].get("tag") for each in reply.json["value"]]


@pytest.mark.parametrize("place", PLACES)
def test_runs_are_listed_with_open_ones_first(nightly: Client, place: str) -> None:
    reply = nightly.get(f"{place}", query=OWN)

    assert reply.status == 200
    assert tags(reply) == ["open", None, "manual", "failed"]


def test_a_failed_run_shows_its_attempts_and_its_error_action(nightly: Client) -> None:
    reply = nightly.get(f"{JOB}/runs", query=f"{OWN}&outcome=failed")

    (run,) = reply.json["value"]
    assert run["id"] == f"{JOB}/runs/failed"
    assert run["name"] == "Billing/Nightly/failed"
    properties = run["properties"]
    attempts = properties.pop("attempts")
    error_action = properties.pop("errorAction")
    assert properties == {
        "plannedAt": "2026-01-10T00:00:00Z",
        "trigger": "schedule",
        "occurrence": 3,
        "tag": "failed",
        "outcome": "failed",
        "reason": "HttpStatus",
        "host": "api.example",
        "statusCode": 503,
        "startTime": "2026-01-10T00:00:01Z",
        "endTime": "2026-01-10T00:00:32Z",
    }
    assert [each["status"] for each in attempts] == ["failed", "failed"]
    assert error_action["outcome"] == "succeeded"
    assert len(error_action["attempts"]) == 1


@pytest.mark.parametrize("place", PLACES)
def test_a_waiting_run_shows_and_is_found_by_why_its_last_attempt_failed(
    billing: Client, place: str
) -> None:
    billing.put(JOB, http_job())
    job = billing.job("Nightly")

    def change(to: Transaction) -> None:
        run = to.add_run(a_run(job, second=1, tag="retried", attempt=2))
        to.add_run(a_run(job, second=2, tag="first"))
        why: dict[str, Any] = {"reason": "HttpStatus", "host": "api.example", "status_code": 503}
        failed = AttemptStatus.FAILED
        to.add_history(an_entry(job.id, second=1, run_id=run.id, status=failed, **why))

    billing.run(billing.store.write(change))

    reply = billing.get(place, query=f"{OWN}&outcome=waiting&reason=HttpStatus&host=api.example")
    assert tags(reply) == ["retried"]
    properties = reply.json["value"][0]["properties"]
    cause = [properties[name] for name in ("reason", "host", "statusCode")]
    assert cause == ["HttpStatus", "api.example", 503]
    assert tags(billing.get(place, query=f"{OWN}&outcome=waiting&reason=Timeout")) == []
    # By the reason alone only those that have ended are found.
    assert tags(billing.get(place, query=f"{OWN}&reason=HttpStatus")) == []


def test_a_stretch_of_skipped_occurrences_says_how_many_and_why(nightly: Client) -> None:
    reply = nightly.get(f"{COLLECTION}/runs", query=f"{OWN}&outcome=Skipped")

    (run,) = reply.json["value"]
    assert run["properties"] == {
        "plannedAt": "2026-01-10T00:01:10Z",
        "occurrence": 0,
        "outcome": "skipped",
        "reason": "missed",
        "message": "Http Action - Skipped",
        "attempts": [],
        "skipped": {"count": 3, "from": "2026-01-10T00:01:10Z", "to": "2026-01-10T00:01:20Z"},
    }


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("outcome=running", ["open"]),
        ("outcome=waiting", []),
        ("trigger=manual", ["manual"]),
        ("reason=HttpStatus", ["failed"]),
        ("reason=httpstatus", ["failed"]),
        ("since=2026-01-10T00:01:00Z&until=2026-01-10T00:01:00Z", []),
        ("host=API.example", ["failed"]),
        ("since=2026-01-10T00:01:00Z", ["open", None, "manual"]),
        ("until=2026-01-10T00:01:00Z", ["failed"]),
        ("outcome=failed&host=elsewhere", []),
    ],
)
def test_filters_leave_what_was_asked_for(
    nightly: Client, place: str, query: str, expected: list[str | None]
) -> None:
    assert tags(nightly.get(f"{place}", query=f"{OWN}&{query}")) == expected


def test_pages_join_to_the_whole(nightly: Client) -> None:
    job = nightly.job("Nightly")
    entries = [
        an_entry(job.id, second=100 + n, run_id=100 + n, outcome=RunOutcome.SUCCEEDED, tag=f"t{n}")
        for n in range(150)
    ]
    nightly.run(nightly.store.write(lambda to: to.add_history(*entries)))

    first = nightly.get(f"{JOB}/runs", query=f"{OWN}&trigger=")
    link = first.json["nextLink"]
    second = nightly.get(f"{JOB}/runs", query=link.partition("?")[2])

    found = tags(first) + tags(second)
    assert len(tags(first)) == 100
    assert second.json["nextLink"] is None
    assert found[:2] == ["open", "t149"]
    assert len(found) == len(set(found)) == 154


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("api-version=2016-03-01", "2026-11-01"),
        ("", "is missing"),
        (f"{OWN}&outcome=late", "give one of running, waiting, succeeded"),
        (f"{OWN}&trigger=cron", "give one of schedule, catchUp"),
        (f"{OWN}&reason=NoSuchReason", "give one of HttpStatus, ExpectationFailed"),
        (f"{OWN}&since=2026-11-20&until=2026-11-01", "give a time from since (2026-11-20"),
        (f"{OWN}&since=yesterday", "since"),
        (f"{OWN}&outome=failed", "is not known here; give since"),
        (f"{OWN}&$top=1000", "$top"),
        (f"{OWN}&$skiptoken=open:x", "$skiptoken"),
    ],
)
def test_a_query_that_is_not_understood_is_refused(nightly: Client, query: str, said: str) -> None:
    reply = nightly.get(f"{JOB}/runs", query=query)

    assert reply.status == 400
    assert said in reply.json["error"]["message"]


def test_runs_of_what_does_not_exist_are_not_found(nightly: Client) -> None:
    for place in (f"{COLLECTION}x/runs", f"{JOB}x/runs"):
        assert nightly.get(f"{place}", query=OWN).status == 404


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "11000,34000,101000,152000,152400",
            {
                "nameLookup": 0.011,
                "connect": 0.034,
                "tls": 0.101,
                "firstByte": 0.152,
                "total": 0.1524,
            },
            id="all steps",
        ),
        pytest.param(
            ",,,812,830", {"firstByte": 0.000812, "total": 0.00083}, id="an open connection"
        ),
        pytest.param(None, None, id="no timings"),
        pytest.param("of another version", None, id="timings that cannot be read"),
    ],
)
def test_attempts_have_the_timings_of_their_last_request(
    billing: Client, text: str | None, expected: dict[str, float] | None
) -> None:
    billing.put(JOB, http_job())
    entry = an_entry(billing.job("Nightly").id, tag="t", outcome=RunOutcome.SUCCEEDED, timings=text)
    billing.run(billing.store.write(lambda to: to.add_history(entry)))

    (run,) = billing.get(f"{JOB}/runs", query=OWN).json["value"]
    (attempt,) = run["properties"]["attempts"]
    (old,) = billing.get(f"{JOB}/history").json["value"]

    assert attempt.get("timings") == expected
    assert "timings" not in str(old)
