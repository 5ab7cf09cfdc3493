"""Tests of jobs: one attempt through a real dispatcher, of which nothing is stored."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from foliot.app.job_tests import TESTS_OF_A_COLLECTION
from foliot.core.limits import Limits
from foliot.core.model.attempt import NotSent
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import JobState
from foliot.core.model.token import Role
from tests.support import bodies
from tests.support.api_client import COLLECTION, JOB, Client, Reply, a_collection, http_job
from tests.support.own_loop_dispatcher import OwnLoopDispatcher

NEW = f"{COLLECTION}/test"
STORED = f"{JOB}/test"
VERSION = "api-version=2026-11-01"


@pytest.fixture
def sender() -> Iterator[OwnLoopDispatcher]:
    opened = OwnLoopDispatcher()
    try:
        yield opened
    finally:
        opened.end()


@pytest.fixture
def client(tmp_path: Path, sender: OwnLoopDispatcher) -> Iterator[Client]:
    with opened(tmp_path, sender) as found:
        yield found


@contextmanager
def opened(folder: Path, sender: Any) -> Iterator[Client]:
    with Client(folder) as found:
        if sender is not None:
            found.with_dispatcher(sender)
        assert found.put(COLLECTION, a_collection()).status == 201
        yield found


def tried(client: Client, body: Any = None, path: str = NEW) -> Reply:
    return client.post(path, body, query=VERSION)


def without_audit(client: Client) -> dict[str, list[Any]]:
    """Return all that is stored, without the audit log."""
    apart = ("audit", "sqlite_sequence")
    return {table: rows for table, rows in client.state().items() if table not in apart}


def audited(client: Client) -> list[tuple[Any, ...]]:
    """Return what the audit log tells of tests, the newest first."""
    listed = client.get("/audit", query=f"{VERSION}&action=tested").json["value"]
    found = [each["properties"] for each in listed]
    return [
        (
            each["resource"]["kind"],
            each["resource"].get("name"),
            each.get("tag"),
            each.get("reason"),
        )
        for each in found
    ]


def saved(client: Client, body: Any) -> None:
    assert client.put(JOB, body, query=VERSION).status == 201


def test_a_stored_job_is_tested_and_nothing_is_stored(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, http_job(sender.url))
    before = without_audit(client)

    reply = tried(client, path=STORED)

    assert reply.status == 200
    found = reply.json
    assert (found["outcome"], found["statusCode"], found["host"]) == ("succeeded", 200, "127.0.0.1")
    assert found["message"].startswith("Http Action - Response from host '127.0.0.1': 'OK'")
    assert found["response"] == {
        "statusCode": 200,
        "headers": {"Content-Length": "6"},
        "body": "thanks",
        "bodyCut": False,
    }
    assert (found["request"]["method"], found["request"]["uri"]) == ("GET", sender.url)
    assert found["request"]["headers"]["x-ms-scheduler-jobid"] == "Nightly"
    assert found["request"]["headers"]["x-ms-execution-tag"] == found["tag"]
    assert found["timings"]["total"] > 0
    assert "reason" not in found
    assert without_audit(client) == before
    assert len(sender.requests) == 1


def test_a_job_that_is_not_stored_is_tested(client: Client, sender: OwnLoopDispatcher) -> None:
    before = without_audit(client)

    found = tried(client, http_job(f"{sender.url}/nowhere?code=MarkerCode")).json

    assert found["outcome"] == "succeeded"
    assert found["request"]["uri"] == f"{sender.url}/nowhere?code=***"
    assert "MarkerCode" not in str(found)
    assert without_audit(client) == before


def test_the_audit_log_tells_who_sent_a_test_of_which_job(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, http_job(sender.url))

    tags = [
        tried(client, *args).json["tag"]
        for args in ((None, STORED), (http_job(sender.url), STORED), (http_job(sender.url),))
    ]

    assert audited(client) == [
        ("collection", None, tags[2], "of a job that was not saved"),
        ("job", "Nightly", tags[1], "with values that were not saved"),
        ("job", "Nightly", tags[0], None),
    ]


def test_what_is_refused_is_no_test_in_the_audit_log(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, http_job(sender.url))

    assert tried(client, {"properties": {}}, STORED).status == 400
    assert audited(client) == []
    assert sender.requests == []


def test_a_failure_has_its_reason(client: Client, sender: OwnLoopDispatcher) -> None:
    body = http_job(sender.url)
    body["properties"]["action"]["request"]["expect"] = {"status": "201"}

    found = tried(client, body).json

    assert (found["outcome"], found["reason"]) == ("failed", "ExpectationFailed")


def test_the_body_is_tested_in_place_of_the_stored_job(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, bodies.basic(sender.url, password="Marker5ecret"))  # noqa: S106
    changed = bodies.basic(f"{sender.url}?more=1")

    reply = tried(client, changed, STORED)

    assert reply.json["request"]["uri"] == f"{sender.url}?more=1"
    assert reply.json["request"]["headers"]["Authorization"] == "***"
    assert sender.target is not None
    assert sender.target.received[0].header("authorization") == "Basic YW5uOk1hcmtlcjVlY3JldA=="
    assert "Marker5ecret" not in reply.content.decode()
    assert "YW5uOk1hcmtlcjVlY3JldA" not in reply.content.decode()


@pytest.mark.parametrize(
    ("stored", "changed"),
    [
        pytest.param(
            bodies.basic(password="kept"),  # noqa: S106
            bodies.basic("https://elsewhere.example/"),
            id="another host",
        ),
        pytest.param(
            bodies.basic(password="kept"),  # noqa: S106
            bodies.basic(username="bob"),
            id="another user",
        ),
        pytest.param(
            bodies.oauth(secret="kept"),  # noqa: S106
            bodies.oauth(clientId="another"),
            id="another client",
        ),
        pytest.param(
            bodies.webhooks(secret="whsec_a2VwdGtlcHRrZXB0a2VwdGtlcHRrZXB0"),  # noqa: S106
            bodies.webhooks("https://elsewhere.example/"),
            id="a webhook elsewhere",
        ),
    ],
)
def test_a_stored_secret_goes_nowhere_new(
    client: Client, sender: OwnLoopDispatcher, stored: Any, changed: Any
) -> None:
    saved(client, stored)

    reply = tried(client, changed, STORED)

    assert reply.status == 400
    assert "send the secret again" in reply.message
    assert sender.requests == []


def test_placeholders_are_filled_in(client: Client, sender: OwnLoopDispatcher) -> None:
    body = http_job(f"{sender.url}?at={{{{planned}}}}&job={{{{job}}}}")
    body["properties"]["action"]["template"] = True

    uri = tried(client, body).json["request"]["uri"]

    assert uri == f"{sender.url}?at=2026-01-10T00%3A00%3A00Z&job=test"


def test_a_job_that_a_save_would_refuse_is_not_tested(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    never = {"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}}

    hourly, late = {"frequency": "hour"}, {"jitter": "PT1H"}

    assert tried(client, http_job(sender.url, recurrence=never)).status == 400
    assert tried(client, http_job(sender.url, recurrence=hourly, policy=late)).status == 400
    assert tried(client, http_job("nowhere")).status == 400
    assert tried(client, b"{").status == 400
    assert tried(client).status == 400
    assert tried(client, http_job(sender.url), f"{COLLECTION}/jobs/a%0d%0ab/test").status == 400
    assert tried(client, path=f"{COLLECTION}/jobs/None/test").status == 404
    assert sender.requests == []


def test_a_test_is_no_way_around_a_plan(client: Client, sender: OwnLoopDispatcher) -> None:
    client.put(COLLECTION, a_collection("Free"))

    reply = tried(client, bodies.basic(sender.url, password="p"))  # noqa: S106

    assert reply.status == 409
    assert "the plan Free does not allow HTTP authentication" in reply.message
    assert sender.requests == []


def test_a_job_whose_runs_wait_their_turn_can_be_tested(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, http_job(sender.url, startTime="2026-01-01", recurrence={"frequency": "hour"}))
    past = {"from": "2026-01-09T00:00:00Z", "to": "2026-01-09T20:00:00Z"}
    assert client.post(f"{JOB}/backfill", past, query=VERSION).json["planned"] == 20

    assert tried(client, path=STORED).status == 200


def test_an_ended_job_can_be_tested_and_a_past_end_does_not_matter(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    saved(client, http_job(sender.url))
    client.alter_job(state=JobState.COMPLETED, next_at=None)
    over = http_job(sender.url, recurrence={"frequency": "day", "endTime": "2026-01-01"})

    assert tried(client, path=STORED).status == 200
    assert tried(client, over, STORED).status == 200


def test_nothing_is_tested_in_a_collection_that_is_not_enabled(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    client.alter_collection(state=CollectionState.DISABLED)

    reply = tried(client, http_job(sender.url))

    assert (reply.status, sender.requests) == (409, [])
    assert "enable it to test a job" in reply.message


def test_tests_count_among_the_runs_by_hand(client: Client, sender: OwnLoopDispatcher) -> None:
    saved(client, http_job(sender.url))
    for _ in range(9):
        assert tried(client, path=STORED).status == 200
    assert client.post(f"{JOB}/run").status == 200

    refused = tried(client, path=STORED)

    assert refused.status == 409
    assert "allows 10 runs by hand of the job 'Nightly'" in refused.message
    assert client.post(f"{JOB}/run").status == 409


def test_jobs_that_are_not_stored_count_for_their_collection(
    client: Client, sender: OwnLoopDispatcher
) -> None:
    sender.reply = NotSent("nobody is there")
    for _ in range(50):
        assert tried(client, http_job()).status == 503

    refused = tried(client, http_job())

    assert refused.status == 409
    assert "allows 50 runs by hand of the collection 'Billing'" in refused.message


def test_only_a_few_tests_run_at_the_same_time(client: Client, sender: OwnLoopDispatcher) -> None:
    saved(client, http_job(sender.url))

    who, key = client.authenticator.principal, client.collection().key

    async def together() -> list[object]:
        job_tests = client.use_cases.job_tests
        return await asyncio.gather(
            *(
                job_tests.test_job(who, key, "Nightly", None, Limits())
                for _ in range(TESTS_OF_A_COLLECTION + 1)
            ),
            return_exceptions=True,
        )

    found = [str(each) for each in client.run(together()) if isinstance(each, Exception)]

    assert len(found) == 1
    assert "4 tests of the collection 'Billing' are in progress" in found[0]
    assert tried(client, path=STORED).status == 200


def test_a_reader_may_not_test(client: Client, sender: OwnLoopDispatcher) -> None:
    client.principal(Role.READER)

    assert tried(client, http_job(sender.url)).status == 403
    assert tried(client, path=STORED).status == 403
    assert sender.requests == []


def test_without_a_worker_the_answer_is_503(client: Client, sender: OwnLoopDispatcher) -> None:
    sender.reply = NotSent("there is no process that sends requests")

    reply = tried(client, http_job())

    assert (reply.status, reply.code) == (503, "ServerBusy")


def test_a_breakdown_is_not_shown(client: Client, sender: OwnLoopDispatcher) -> None:
    sender.failure = ValueError("hush")

    reply = tried(client, http_job())

    assert reply.status == 503
    assert "hush" not in reply.content.decode()


def test_a_node_without_an_engine_says_why_it_tests_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, None) as client:
        reply = tried(client, http_job())

    assert reply.status == 409
    assert "This node runs no jobs (FOLIOT_NO_ENGINE)" in reply.message


def test_old_versions_of_the_api_have_no_tests(client: Client) -> None:
    assert client.post(NEW, http_job(), query="api-version=2016-03-01").status == 400
