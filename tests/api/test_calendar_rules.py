"""Cron, clock changes and days off on the wire, and our own version of the API."""

from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, JOBS, Client, a_collection, http_job

OWN = "api-version=2026-11-01"
VERSIONS = ["2016-03-01", "2016-01-01", "2014-08-01-preview", "2026-11-01"]
DAYS_OFF = {"dates": ["2026-12-25", "2026-12-24/2027-01-01"], "then": "next"}
RULES: dict[str, dict[str, Any]] = {
    "cron": {"cron": " */15 9-17 * * mon-FRI"},
    "cron with all that goes with it": {
        "count": 5,
        "endTime": "2027-01-10T00:00:00Z",
        "timeZone": "Europe/Prague",
        "cron": "@daily",
        "dst": {"skipped": "skip", "repeated": "both"},
        "exclude": DAYS_OFF,
    },
    "clock changes": {
        "frequency": "day",
        "interval": 1,
        "timeZone": "Europe/Prague",
        "dst": {"skipped": "before", "repeated": "second"},
    },
    "days off": {"frequency": "hour", "interval": 6, "exclude": DAYS_OFF},
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_comes_back_as_it_was_written(
    billing: Client, rule: dict[str, Any], version: str
) -> None:
    reply = billing.put(JOB, http_job(recurrence=rule), query=f"api-version={version}")

    assert reply.status == 201, reply.content
    assert reply.json["properties"]["recurrence"] == rule
    assert list(reply.json["properties"]["recurrence"]) == list(rule)
    assert billing.get(JOB, query=f"api-version={version}").content == reply.content


def test_choices_that_nobody_made_are_not_told(billing: Client) -> None:
    rule = {
        "frequency": "day",
        "timeZone": "Europe/Prague",
        "DST": {"Skipped": "SKIP"},
        "exclude": {"dates": "2026-12-25"},
    }

    found = billing.put(JOB, http_job(recurrence=rule)).json["properties"]["recurrence"]

    assert found["dst"] == {"skipped": "skip"}
    assert found["exclude"] == {"dates": ["2026-12-25"]}


def test_the_same_rule_again_does_not_restart_the_calendar(billing: Client) -> None:
    first = billing.put(JOB, http_job(recurrence=RULES["cron"])).content

    assert billing.put(JOB, http_job(recurrence=RULES["cron"])).content == first


def test_a_put_by_an_old_client_removes_what_it_leaves_out(billing: Client) -> None:
    rule = RULES["days off"]
    billing.put(JOB, http_job(recurrence=rule))

    plain = {name: rule[name] for name in ("frequency", "interval")}
    reply = billing.put(JOB, http_job(recurrence=plain))

    assert reply.json["properties"]["recurrence"] == plain


def test_a_patch_replaces_dates_and_removes_what_is_null(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=RULES["days off"]))

    change = {"exclude": {"dates": ["2026-05-01"], "then": None}}
    reply = billing.patch(JOB, {"properties": {"recurrence": change}})

    found = reply.json["properties"]["recurrence"]
    assert found["exclude"] == {"dates": ["2026-05-01"]}


def test_a_patch_from_a_frequency_to_cron_removes_the_frequency(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence={"frequency": "day"}))
    to_cron: dict[str, Any] = {"cron": "@daily"}

    refused = billing.patch(JOB, {"properties": {"recurrence": to_cron}})
    accepted = billing.patch(
        JOB, {"properties": {"recurrence": to_cron | {"frequency": None, "interval": None}}}
    )

    assert refused.status == 400
    assert refused.message.startswith("properties.recurrence.interval: does not go with cron")
    assert accepted.json["properties"]["recurrence"] == to_cron


def test_a_refused_rule_names_its_path_and_changes_nothing(billing: Client) -> None:
    rule = {"frequency": "day", "exclude": {"dates": ["2026-12-25", "Christmas"]}}

    reply = billing.put(JOB, http_job(recurrence=rule))

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(
        'properties.recurrence.exclude.dates[1]: "Christmas" is not a date;'
    )
    assert billing.get(JOBS).json["value"] == []


def test_a_quota_counts_times_that_move_together(client: Client) -> None:
    quota = {"maxRecurrence": {"frequency": "day", "interval": 7}}
    client.put(COLLECTION, a_collection(quota=quota))
    rule = {"cron": "0 9 * * FRI", "exclude": {"dates": "2026-12-25", "then": "next"}}

    reply = client.put(JOB, http_job(recurrence=rule))

    assert reply.status == 409
    assert "two runs would be 6 days apart" in reply.message


@pytest.mark.parametrize(
    "user_agent",
    [
        "curl/8",
        "azure-mgmt-scheduler/2.0",
        "Microsoft.Azure.Management.Scheduler/3",
        "azure-sdk-for-go",
    ],
)
def test_our_own_version_writes_the_same_for_every_client(billing: Client, user_agent: str) -> None:
    job = http_job(
        recurrence={
            "frequency": "month",
            "schedule": {"monthlyOccurrences": [{"Day": "Friday", "Occurrence": -1}]},
        },
    )
    job["properties"]["action"]["retryPolicy"] = {"retryType": "fixed", "retryInterval": "00:01:30"}

    reply = billing.put(JOB, job, query=OWN, headers={"User-Agent": user_agent})

    properties = reply.json["properties"]
    assert properties["action"]["retryPolicy"]["retryInterval"] == "PT1M30S"
    assert properties["recurrence"]["schedule"]["monthlyOccurrences"] == [
        {"day": "friday", "occurrence": -1}
    ]


def test_our_own_version_tells_the_premium_plans_apart(client: Client) -> None:
    body = a_collection("P20Premium")

    assert client.put(COLLECTION, body, query=OWN).json["properties"]["sku"]["name"] == "P20Premium"
