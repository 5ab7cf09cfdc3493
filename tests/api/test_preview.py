"""Previews: when a job would run, and all that a save would refuse; nothing is stored."""

from typing import Any

import pytest

from foliot.core.model.job import JobState
from foliot.core.model.token import Role
from tests.support import bodies
from tests.support.api_client import COLLECTION, JOB, Client, Reply, a_collection, http_job
from tests.support.certificates import a_pfx

NEW = f"{COLLECTION}/preview"
OLD = f"{JOB}/preview"
VERSION = "api-version=2026-11-01"
PRAGUE = {"cron": "30 2 * * *", "timeZone": "Europe/Prague"}


def preview(client: Client, body: Any = None, path: str = NEW, query: str = "") -> Reply:
    return client.post(path, body, query=f"{VERSION}{query}")


def problems(reply: Reply) -> dict[str, str]:
    assert reply.status == 200
    return {each["path"]: each["message"] for each in reply.json["problems"]}


def saved(client: Client, body: Any) -> None:
    assert client.put(JOB, body, query=VERSION).status == 201


def test_a_preview_tells_the_sentence_and_the_next_times(billing: Client) -> None:
    before = billing.state()
    body = http_job(startTime="2026-01-12T09:00:00Z", recurrence={"frequency": "week"})

    reply = preview(billing, body, query="&count=2")

    assert reply.json == {
        "sentence": "Every week on Monday at 09:00 UTC",
        "times": [
            {"at": "2026-01-12T09:00:00Z", "local": "2026-01-12T09:00:00+00:00", "notes": []},
            {"at": "2026-01-19T09:00:00Z", "local": "2026-01-19T09:00:00+00:00", "notes": []},
        ],
        "problems": [],
    }
    assert billing.state() == before


def test_times_are_told_in_the_zone_of_the_job_with_what_its_clock_changes(
    billing: Client,
) -> None:
    billing.clock.set("2026-03-28T00:00:00Z")
    body = http_job(startTime="2026-03-28T02:30:00", recurrence=PRAGUE)

    found = preview(billing, body, query="&count=2").json["times"]

    assert [each["local"] for each in found] == [
        "2026-03-28T02:30:00+01:00",
        "2026-03-29T03:00:00+02:00",
    ]
    assert [each["notes"] for each in found] == [
        [],
        ["02:30 does not exist on 2026-03-29: runs at 03:00"],
    ]


def test_days_off_are_noted(billing: Client) -> None:
    rule = {"frequency": "day", "exclude": {"dates": ["2026-01-13"]}}
    body = http_job(startTime="2026-01-12T09:00:00Z", recurrence=rule)

    found = preview(billing, body, query="&count=2").json["times"]

    assert found[1]["at"] == "2026-01-14T09:00:00Z"
    assert found[1]["notes"] == ["2026-01-13 is a day off: 09:00 is skipped"]


def test_a_job_without_a_start_also_runs_now(billing: Client) -> None:
    found = preview(billing, http_job(recurrence={"cron": "0 9 * * MON"})).json

    assert found["sentence"].endswith("and once now, since it has no start time")
    assert found["times"][0]["at"] == "2026-01-10T00:00:00Z"
    assert len(found["times"]) == 10


@pytest.mark.parametrize("count", ["0", "101", "x", "-1", ""])
def test_a_count_out_of_range_is_refused(billing: Client, count: str) -> None:
    reply = preview(billing, http_job(), query=f"&count={count}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert "give a whole number from 1 to 100" in reply.message


def test_all_problems_are_told_at_once(billing: Client) -> None:
    body = {
        "properties": {
            "startTime": "soon",
            "action": {
                "type": "Http",
                "request": {"uri": "nowhere", "method": "G T"},
                "retryPolicy": {"retryType": "often"},
            },
            "recurrence": {"frequency": "fortnight", "interval": 0},
            "policy": {"timeout": "long"},
            "colour": "red",
        }
    }

    found = problems(preview(billing, body))

    assert found.keys() >= {
        "properties.startTime",
        "properties.action.request.uri",
        "properties.action.request.method",
        "properties.action.retryPolicy.retryType",
        "properties.recurrence.frequency",
        "properties.policy.timeout",
        "properties.colour",
    }


@pytest.mark.parametrize(
    "cron", ["60 * * * *", "* * * *", "@reboot", "0 0 30 2 *", 5], ids=lambda each: f"{each}"
)
def test_a_wrong_expression_is_the_only_problem_of_its_rule(billing: Client, cron: Any) -> None:
    found = problems(preview(billing, http_job(recurrence={"cron": cron})))

    assert found.keys() == {"properties.recurrence.cron"}


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        pytest.param({"jitter": "PT5M"}, "jitter", id="as long as the gap"),
        pytest.param({"jitter": "PT4M", "startWithin": "PT4M"}, "startWithin", id="expires"),
    ],
)
def test_a_policy_that_a_save_would_refuse_is_told(
    billing: Client, policy: dict[str, str], path: str
) -> None:
    rule = {"frequency": "minute", "interval": 5}
    good = http_job(startTime="2026-02-01", recurrence=rule)
    bad = http_job(startTime="2026-02-01", recurrence=rule, policy=policy)
    new = preview(billing, bad)
    refused = billing.put(JOB, bad)
    billing.put(JOB, good)
    changed = preview(billing, bad, OLD)

    (place, problem), *others = problems(new).items()
    assert (place, others) == (f"properties.policy.{path}", [])
    assert refused.message == f"{place}: {problem}"
    assert problems(changed) == problems(new)
    assert len(new.json["times"]) == 10


def test_a_query_that_is_not_known_is_refused(billing: Client) -> None:
    reply = preview(billing, http_job(), query="&cnt=3")

    assert reply.status == 400
    assert '"cnt" is not known here; give count' in reply.message


def test_a_wrong_action_leaves_the_times(billing: Client) -> None:
    body = {"properties": {"recurrence": {"frequency": "day"}}}

    reply = preview(billing, body)

    assert problems(reply) == {"properties.action": "is missing; give an object {...}."}
    assert len(reply.json["times"]) == 10


@pytest.mark.parametrize(
    "recurrence",
    [
        pytest.param({"frequency": "fortnight"}, id="unknown frequency"),
        pytest.param(
            {"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}}, id="never"
        ),
    ],
)
def test_a_refused_calendar_has_no_times(billing: Client, recurrence: Any) -> None:
    reply = preview(billing, http_job(recurrence=recurrence))

    assert any(path.startswith("properties.recurrence") for path in problems(reply))
    assert reply.json["times"] == []
    assert "sentence" not in reply.json


def test_limits_of_plan_and_quota_are_told_together(client: Client) -> None:
    client.put(COLLECTION, a_collection("Free", quota={"maxJobCount": 1, "maxJobOccurrence": 5}))
    saved(client, http_job())
    body = http_job(recurrence={"frequency": "minute"})
    body["properties"]["action"]["request"]["authentication"] = {
        "type": "Basic",
        "username": "u",
        "password": "p",
    }
    body["properties"]["action"]["retryPolicy"] = {"retryType": "fixed", "retryInterval": "PT1M"}

    told = [each["message"] for each in preview(client, body).json["problems"]]

    for words in (
        "the plan Free allows one run in 1 hour",
        "its quota maxJobOccurrence is 5",
        "the plan Free does not allow HTTP authentication",
        "the plan Free allows a retryInterval of 1 hour or more",
        "has 1 job already and cannot take one more",
    ):
        assert sum(words in each for each in told) == 1
    assert len(told) == 5


def test_the_name_of_a_new_job_is_checked(billing: Client) -> None:
    found = problems(preview(billing, http_job(), f"{COLLECTION}/jobs/1st/preview"))

    assert found.keys() == {"name"}


def test_a_body_that_is_no_json_is_refused(billing: Client) -> None:
    assert preview(billing, b"{").status == 400
    assert preview(billing).status == 400


def test_a_stored_job_is_previewed_without_a_body(billing: Client) -> None:
    saved(billing, http_job(startTime="2026-01-12T09:00:00Z", recurrence={"frequency": "week"}))
    billing.clock.set("2026-01-13T00:00:00Z")

    found = preview(billing, path=OLD, query="&count=1").json

    assert found["sentence"] == "Every week on Monday at 09:00 UTC"
    assert found["problems"] == []
    assert preview(billing, path=f"{COLLECTION}/jobs/None/preview").status == 404


def test_a_disabled_job_is_previewed_as_if_it_were_enabled(billing: Client) -> None:
    saved(billing, http_job(recurrence={"frequency": "day"}, state="disabled"))

    assert len(preview(billing, path=OLD, query="&count=3").json["times"]) == 3


def test_a_changed_job_is_held_against_the_stored_one(billing: Client) -> None:
    saved(billing, bodies.basic(password="kept"))  # noqa: S106
    elsewhere = bodies.basic(uri="https://elsewhere.example/")

    found = problems(preview(billing, elsewhere, OLD))

    assert found.keys() == {"properties.action.request.authentication.password"}
    assert "send the secret again" in next(iter(found.values()))


def test_a_wrong_address_causes_no_problem_of_the_stored_password(billing: Client) -> None:
    saved(billing, bodies.basic(password="kept"))  # noqa: S106
    body = bodies.basic(uri="nowhere")

    assert problems(preview(billing, body, OLD)).keys() == {"properties.action.request.uri"}


def test_a_job_that_has_ended_cannot_be_changed(billing: Client) -> None:
    saved(billing, http_job())
    billing.alter_job(state=JobState.COMPLETED, next_at=None)

    told = preview(billing, http_job("http://example.com/other"), OLD).json["problems"]

    assert told == [{"path": "", "message": told[0]["message"]}]
    assert "is completed and can no longer be changed" in told[0]["message"]


def certificate(password: str | None = "right") -> dict[str, Any]:  # noqa: S107
    pfx = a_pfx("client", "right").text
    body = http_job()
    given = {"type": "ClientCertificate", "pfx": pfx, "password": password}
    body["properties"]["action"]["request"]["authentication"] = given
    return body


def test_a_certificate_that_cannot_be_opened_is_told_with_the_rest(billing: Client) -> None:
    body = certificate("wrong")
    body["properties"]["action"]["request"]["method"] = "@"

    assert problems(preview(billing, body)).keys() == {
        "properties.action.request.authentication.pfx",
        "properties.action.request.method",
    }
    assert problems(preview(billing, certificate())) == {}


def test_a_reader_may_preview_but_cannot_guess_a_password(billing: Client) -> None:
    saved(billing, certificate())
    billing.principal(Role.READER)
    answers: list[dict[str, str]] = []
    for guess in ("right", "wrong"):
        body = certificate(guess)
        del body["properties"]["action"]["request"]["authentication"]["pfx"]
        answers.append(problems(preview(billing, body, OLD)))

    assert answers[0] == answers[1]
    body["properties"]["action"]["request"]["authentication"]["password"] = None
    assert problems(preview(billing, body, OLD)) == {}


def test_what_is_outside_the_scope_does_not_exist(billing: Client) -> None:
    billing.principal(Role.OWNER, subscription="another")

    assert preview(billing, http_job()).status == 404


def test_old_versions_of_the_api_have_no_preview(billing: Client) -> None:
    assert billing.post(NEW, http_job(), query="api-version=2016-03-01").status == 400
