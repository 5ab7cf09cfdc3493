"""A whole collection in one call: all of it is saved and deleted, or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from foliot.core.limits import Limits
from foliot.core.model.token import Role
from tests.support.api_client import COLLECTION, JOB, JOBS, SUBSCRIPTION, Client, Reply, http_job

OWN = "api-version=2026-11-01"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
# The clock of these tests stands at 2026-01-10T00:00:00Z.
START = "2026-01-10T00:00:00Z"
DAILY: dict[str, Any] = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}
HOOK = {"type": "webhook", "uri": "https://hooks.example.com/oncall"}
ALERT = {"properties": {"when": {"failed": {"inARow": 2}}, "sendTo": [HOOK]}}
STANDARD = {"properties": {"sku": {"name": "Standard"}}}


def a_job(*calendars: str, uri: str = "http://example.com/", **more: Any) -> dict[str, Any]:
    rule = DAILY | ({"exclude": {"calendars": [*calendars]}} if calendars else {})
    return http_job(uri, startTime=START, recurrence=rule, **more)


def days(*dates: str) -> dict[str, Any]:
    return {"properties": {"dates": [*dates]}}


def apply(client: Client, path: str = COLLECTION, **body: Any) -> Reply:
    return client.post(f"{path}/apply", body, query=OWN)


def applied(client: Client, **body: Any) -> list[tuple[str, str, str]]:
    """Apply a body; return what was changed, after a trial that has told the same."""
    before = client.state()
    tried = client.post(f"{COLLECTION}/apply/validate", body, query=OWN)
    assert client.state() == before
    done = apply(client, **body)
    assert (done.status, done.json) == (200, tried.json), done.content
    return [(each["kind"], each["name"], each["change"]) for each in done.json["changes"]]


def refused(client: Client, **body: Any) -> tuple[int, str]:
    """Return the refusal of a body, after a check that nothing was stored, as in a trial."""
    before = client.state()
    done = apply(client, **body)
    tried = client.post(f"{COLLECTION}/apply/validate", body, query=OWN)
    assert (done.status, done.content) == (tried.status, tried.content)
    assert client.state() == before
    return done.status, done.message


def names(client: Client, kind: str) -> list[str]:
    found = client.get(f"{COLLECTION}/{kind}", query=OWN).json["value"]
    return [each["name"].rpartition("/")[2] for each in found]


def next_time(client: Client, path: str = JOB) -> str:
    return client.get(path).json["properties"]["status"]["nextExecutionTime"]


def test_a_collection_with_all_that_is_in_it_is_created_changed_and_pruned(client: Client) -> None:
    first = {
        "collection": STANDARD,
        "calendars": {"off": days("2026-01-10")},
        "jobs": {"Nightly": a_job("off"), "Hourly": a_job()},
        "alerts": {"oncall": ALERT},
    }
    created = applied(client, **first)
    again = applied(client, **first)
    changed = applied(
        client,
        collection={"properties": {"sku": {"name": "P10Premium"}}},
        calendars={"holidays": days("2026-01-10", "2026-01-11")},
        jobs={"nightly": a_job("holidays")},
        alerts={"second": ALERT},
        delete={"jobs": ["hourly", "gone"], "calendars": ["OFF"], "alerts": ["oncall"]},
    )

    assert created == [
        ("collection", "Billing", "created"),
        ("calendar", "off", "created"),
        ("job", "Nightly", "created"),
        ("job", "Hourly", "created"),
        ("alert", "oncall", "created"),
    ]
    assert again == []
    assert sorted(changed) == [
        ("alert", "oncall", "deleted"),
        ("alert", "second", "created"),
        ("calendar", "holidays", "created"),
        ("calendar", "off", "deleted"),
        ("collection", "Billing", "updated"),
        ("job", "Nightly", "updated"),
        ("job", "hourly", "deleted"),
    ]
    assert [names(client, kind) for kind in ("jobs", "calendars", "alerts")] == [
        ["Nightly"],
        ["holidays"],
        ["second"],
    ]
    assert next_time(client) == "2026-01-12T09:00:00Z"


@pytest.mark.parametrize(
    ("wrong", "status", "message"),
    [
        pytest.param(
            {"jobs": {"Late": http_job(recurrence={"frequency": "never"})}},
            400,
            'jobs.Late.properties.recurrence.frequency: "never" is not valid',
            id="job",
        ),
        pytest.param(
            {"jobs": {"1st": a_job()}}, 400, 'jobs.1st.name: "1st" is not valid', id="name"
        ),
        pytest.param(
            {"jobs": {"Late": a_job("none")}},
            400,
            'jobs.Late.properties.recurrence.exclude.calendars[0]: "none" is not a calendar',
            id="calendar of a job",
        ),
        pytest.param(
            {"alerts": {"bad": {"properties": {"when": {}, "sendTo": [HOOK]}}}},
            400,
            "alerts.bad.properties.when",
            id="alert",
        ),
        pytest.param(
            {"delete": {"calendars": ["kept"], "jobs": ["Old"]}},
            409,
            "delete.calendars[0]: The calendar 'kept' is used by the job 'Keeper'",
            id="calendar in use",
        ),
        pytest.param(
            {"collection": {"properties": {"sku": {"name": "Free"}, "quota": {"maxJobCount": 1}}}},
            409,
            "collection: ",
            id="collection",
        ),
        pytest.param(
            {"jobs": {f"j{number}": a_job() for number in range(50)}},
            409,
            "jobs: The collection 'Billing' has 3 jobs already and cannot take 51 more",
            id="too many",
        ),
    ],
)
def test_one_thing_that_is_refused_keeps_all_others_from_being_done(
    billing: Client, wrong: dict[str, Any], status: int, message: str
) -> None:
    apply(
        billing,
        calendars={"used": days("2026-01-10"), "kept": days("2026-01-10")},
        jobs={"User": a_job("used"), "Keeper": a_job("kept"), "Old": a_job()},
        alerts={"old": ALERT},
    )
    good: dict[str, Any] = {
        "calendars": {"used": days("2026-01-11"), "new": days("2026-01-12")},
        "jobs": {"Early": a_job("new"), "User": a_job("used", description="changed")},
        "alerts": {"new": ALERT},
        "delete": {"alerts": ["old"]},
    }
    parts = {name: {**good.get(name, {}), **each} for name, each in wrong.items()}

    found = refused(billing, **{**good, **parts})

    assert (found[0], found[1].startswith(message)) == (status, True), found
    assert refused(billing, jobs={"A": a_job(), "a": a_job()})[0] == 400
    assert applied(billing, **good)[-1] == ("alert", "new", "created")


def test_what_goes_makes_room_for_what_comes(billing: Client) -> None:
    full = {f"old{number}": a_job() for number in range(50)}
    calendars = {f"c{number}": days("2026-01-10") for number in range(100)}
    apply(billing, jobs=full, calendars=calendars)

    replaced = applied(
        billing,
        collection={"properties": {"sku": {"name": "Free"}}},
        calendars={"new": days("2026-01-11")},
        jobs={f"new{number}": http_job(startTime=START) for number in range(5)},
        delete={"jobs": [*full], "calendars": [*calendars]},
    )

    assert len(replaced) == 1 + 50 + 100 + 5 + 1
    assert (len(names(billing, "jobs")), names(billing, "calendars")) == (5, ["new"])


def test_new_days_move_jobs_and_keep_what_they_have_counted(billing: Client) -> None:
    counted = a_job("off")
    counted["properties"]["recurrence"]["count"] = 5
    apply(billing, calendars={"off": days()}, jobs={"Nightly": counted, "Other": a_job("off")})
    billing.alter_job(occurrence=3)

    changes = applied(
        billing,
        calendars={"off": days("2026-01-10")},
        jobs={"Nightly": counted, "Other": a_job("off", description="new")},
    )

    assert changes == [("calendar", "off", "updated"), ("job", "Other", "updated")]
    assert next_time(billing) == next_time(billing, f"{JOBS}/Other") == "2026-01-11T09:00:00Z"
    assert (billing.job().occurrence, billing.job().generation) == (3, 1)


def test_a_job_may_leave_a_calendar_that_would_keep_it_from_running(billing: Client) -> None:
    mondays = a_job("off")
    schedule = {**DAILY["schedule"], "weekDays": ["Monday"]}
    end = "2026-01-14T00:00:00Z"
    mondays["properties"]["recurrence"] |= {
        "frequency": "week",
        "endTime": end,
        "schedule": schedule,
    }
    apply(billing, calendars={"off": days()}, jobs={"Nightly": mondays})
    closing = {"off": days("2026-01-12")}

    status, message = refused(billing, calendars=closing)
    changes = applied(billing, calendars=closing, jobs={"Nightly": a_job("off")})

    assert status == 400
    assert message.startswith("calendars.off.properties.dates: with these days job 'Nightly'")
    assert changes == [("calendar", "off", "updated"), ("job", "Nightly", "updated")]
    assert next_time(billing) == "2026-01-10T09:00:00Z"


def test_several_calendars_of_one_job_move_it_together(billing: Client) -> None:
    apply(billing, calendars={"a": days(), "b": days()}, jobs={"Nightly": a_job("a", "b")})

    changes = applied(billing, calendars={"a": days("2026-01-10"), "b": days("2026-01-11")})

    assert changes == [("calendar", "a", "updated"), ("calendar", "b", "updated")]
    assert next_time(billing) == "2026-01-12T09:00:00Z"


def test_a_secret_that_is_left_out_stays(billing: Client) -> None:
    def basic(**more: str) -> dict[str, Any]:
        job = a_job()
        signed_in = {"type": "Basic", "username": "ann", **more}
        job["properties"]["action"]["request"]["authentication"] = signed_in
        return job

    apply(billing, jobs={"Nightly": basic(password="hidden")})  # noqa: S106  (no real one)

    assert applied(billing, jobs={"Nightly": basic()}) == []
    status, message = refused(billing, jobs={"Nightly": basic(username="bob")})
    assert (status, message.partition(": ")[2]) == (
        400,
        "is left out, but the user or the host has changed: send the secret again.",
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "is not valid; give an object"),
        ({"job": {}}, "job: is not known here"),
        ({"jobs": ["hidden"]}, "jobs: is not valid; give an object of names {...}."),
        ({"jobs": {"a": "hidden"}}, "jobs.a"),
        ({"delete": []}, "delete"),
        ({"delete": {"runs": []}}, "delete.runs"),
        ({"delete": {"jobs": "a"}}, 'delete.jobs: "a" is not valid; give a list of names [...].'),
        ({"delete": {"jobs": [5]}}, "delete.jobs[0]: 5 is not valid; give a name."),
        (
            {"jobs": {"a": {}}, "delete": {"jobs": ["A"]}},
            'delete.jobs[0]: "A" is also to be saved; give it once.',
        ),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_its_path(
    billing: Client, body: Any, message: str
) -> None:
    found = billing.post(f"{COLLECTION}/apply", body, query=OWN)

    assert found.status == 400
    assert message in found.message
    assert "hidden" not in found.message


def test_a_collection_that_does_not_exist_must_be_given(client: Client) -> None:
    missing = apply(client, jobs={"Nightly": a_job()})

    assert (missing.status, missing.code) == (404, "ResourceNotFound")
    assert applied(client, collection=STANDARD, delete={"jobs": ["any"]}) == [
        ("collection", "Billing", "created")
    ]


def test_only_a_contributor_in_our_own_version_of_the_api_may_apply(billing: Client) -> None:
    body = {"jobs": {"Nightly": a_job()}}
    old = billing.post(f"{COLLECTION}/apply", body)
    billing.principal(Role.READER)
    reader = apply(billing, **body)
    billing.principal(Role.CONTRIBUTOR, subscription=THIS, group="prod", collection="other")
    stranger = apply(billing, **body)
    billing.principal(Role.CONTRIBUTOR, subscription=THIS, group="prod", collection="billing")
    own = apply(billing, **body)

    assert [each.status for each in (old, reader, stranger, own)] == [400, 403, 404, 200]


def test_a_body_may_be_as_large_as_a_template(billing: Client) -> None:
    limits = Limits()
    small = structs.replace(limits, max_template_bytes=limits.max_request_bytes + 1)
    padding = "x" * (limits.max_request_bytes // 2)
    body = {"calendars": {"a": days()}, "delete": {"jobs": [padding, padding]}}
    assert len(json.dumps(body)) > small.max_template_bytes

    assert apply(billing, **body).status == 200
    assert apply(billing.with_limits(small), **body).status == 413


def test_every_change_is_in_the_audit_log_with_its_author(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        apply(
            client,
            collection=STANDARD,
            calendars={"off": days()},
            jobs={"Nightly": a_job()},
            alerts={"a": ALERT},
        )
        apply(client, delete={"calendars": ["off"], "jobs": ["Nightly"], "alerts": ["a"]})
        found = client.get("/audit", query=OWN).json["value"]

    entries = [
        (each["properties"]["resource"]["kind"], each["properties"]["action"]) for each in found
    ]
    parts = [
        (kind, done) for kind in ("alert", "calendar", "job") for done in ("created", "deleted")
    ]
    assert sorted(entries) == sorted([*parts, ("collection", "created")])
